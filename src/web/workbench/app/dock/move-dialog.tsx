import { useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField } from "../../../ui/field.tsx";
import { FormButtons } from "../form-buttons.tsx";
import { GRID, moveTo, moveToEdge, type DockPlace } from "../../model/dock.ts";
import type { View } from "../../model/workbench.ts";
import { useBench } from "../context.tsx";

const PLACES: readonly (readonly [DockPlace, string])[] = [
  ["left", "Left of"],
  ["right", "Right of"],
  ["top", "Above"],
  ["bottom", "Below"],
  ["centre", "As a tab with"],
];
const WHOLE = "whole";

/** What dragging does, by the keyboard. */
export function MoveDialog({
  view,
  viewerId,
  onClose,
}: {
  readonly view: View;
  readonly viewerId: string;
  readonly onClose: () => void;
}): ReactNode {
  const { workbench } = useBench();
  const all = [{ id: GRID, title: "Grid" }, ...view.viewers];
  const others = all.filter(({ id }) => id !== viewerId);
  const [place, setPlace] = useState<DockPlace>("right");
  const [target, setTarget] = useState(others[0]?.id ?? WHOLE);
  const title = all.find(({ id }) => id === viewerId)?.title ?? "";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { dock } = view;
    if (target !== WHOLE) workbench.setDock(view.id, moveTo(dock, { id: viewerId, target, place }));
    else if (place !== "centre") workbench.setDock(view.id, moveToEdge(dock, { id: viewerId, side: place }));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={`Move ${title}`}>
      {others.length === 0 ? (
        <p className="text-sm text-soft">There is nothing else that it could be moved beside.</p>
      ) : (
        <form onSubmit={submit} className="space-y-4">
          <SelectField label="Where" autoFocus value={place} onChange={(choice) => setPlace(choice as DockPlace)}>
            {PLACES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <SelectField label="Of what" value={target} onChange={setTarget}>
            {others.map((other) => (
              <option key={other.id} value={other.id}>
                {other.title}
              </option>
            ))}
            {place !== "centre" && <option value={WHOLE}>Everything else</option>}
          </SelectField>
          <FormButtons words="Move" isReady onCancel={onClose} />
        </form>
      )}
    </Dialog>
  );
}
