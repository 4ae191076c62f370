import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Input } from "../../../ui/field.tsx";
import { useIsDesktop } from "../../../ui/media.ts";
import { useTable } from "../../data/use-table.ts";
import type { OpenViewer, View } from "../../model/workbench.ts";
import { definitionOf, wholeLook } from "../../viewers/registry.ts";
import type { PropertyDefinition, ViewerDefinition } from "../../viewers/viewer.ts";
import { useCommands } from "../commands.ts";
import { useBench } from "../context.tsx";
import { useSurface } from "../surface.ts";
import { PropertyField } from "./property-field.tsx";
import { labelOf } from "./label.ts";

/** More than these, and there is a field to find one. */
const MANY = 12;

/** All that can be set of a viewer, made from what the viewer says of itself. */
export function PropertySheet({ view }: { readonly view: View }): ReactNode {
  const isWide = useIsDesktop();
  const { sheet, set } = useSurface();
  const viewer = view.viewers.find(({ id }) => id === sheet);
  const definition = viewer === undefined ? undefined : definitionOf(viewer.type);
  if (viewer === undefined || definition === undefined) return undefined;
  const close = (): void => set({ sheet: undefined });
  const inside = <Properties key={viewer.id} view={view} viewer={viewer} definition={definition} />;
  if (!isWide) {
    return (
      <Dialog open onClose={close} title={viewer.title} description={definition.about}>
        {inside}
      </Dialog>
    );
  }
  return (
    <aside
      aria-label={`Properties of ${viewer.title}`}
      className="flex w-72 shrink-0 flex-col border-l bg-panel"
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <div className="flex items-start gap-2 border-b px-3 py-2">
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-sm font-semibold">{viewer.title}</h2>
          <p className="text-xs text-soft">{definition.about}</p>
        </div>
        <button
          type="button"
          aria-label="Close the properties"
          onClick={close}
          className="grid size-7 shrink-0 place-items-center rounded text-faint hover:bg-sunken hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-3">{inside}</div>
    </aside>
  );
}

function Properties({
  view,
  viewer,
  definition,
}: {
  readonly view: View;
  readonly viewer: OpenViewer;
  readonly definition: ViewerDefinition;
}): ReactNode {
  const { workbench } = useBench();
  const { attempt } = useCommands();
  useTable(view.table, "columns");
  const [sought, setSought] = useState("");
  const look = wholeLook(definition, view.table, viewer.look);
  const fitting = definition.properties.filter(({ name, description }) =>
    `${name} ${labelOf(name)} ${description}`.toLowerCase().includes(sought.trim().toLowerCase()),
  );
  const set = (name: string, value: unknown): void =>
    attempt(() => workbench.adjustViewer(view.id, viewer.id, { [name]: value }, "person"));
  const groups: readonly (readonly [string, readonly PropertyDefinition[]])[] = [
    ["Data", fitting.filter(isData)],
    ["Look", fitting.filter((property) => !isData(property))],
  ];
  return (
    <div className="space-y-4">
      {definition.properties.length > MANY && (
        <Input
          aria-label="Find a property"
          placeholder="Find a property"
          className="h-8!"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      {groups.map(
        ([title, properties]) =>
          properties.length > 0 && (
            <section key={title} className="space-y-1.5">
              <h3 className="text-xs font-semibold text-faint">{title}</h3>
              {properties.map((property) => (
                <PropertyField
                  key={property.name}
                  property={property}
                  table={view.table}
                  value={look[property.name]}
                  isSet={viewer.look[property.name] !== undefined}
                  onChange={(value) => set(property.name, value)}
                />
              ))}
            </section>
          ),
      )}
      {fitting.length === 0 && <p className="text-sm text-soft">No property is called so.</p>}
    </div>
  );
}

const isData = ({ type, name }: PropertyDefinition): boolean =>
  type === "column" || type === "column_list" || name === "rowSource" || /aggr/i.test(name);
