import { useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormButtons } from "./form-buttons.tsx";
import { useTell } from "../../ui/toasts.tsx";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { ChangeColumnDialog } from "./column/change-column-dialog.tsx";
import { ColumnDialog } from "./column/column-dialog.tsx";
import { useBench, useCurrent } from "./context.tsx";
import { MoveDialog } from "./dock/move-dialog.tsx";
import { ProjectsDialog } from "./projects/projects-dialog.tsx";
import { ReshapeDialog } from "./reshape/reshape-dialog.tsx";
import { ImportDialog } from "./start/import-dialog.tsx";
import { useSurface } from "./surface.ts";

/** The windows over the page; one at a time. */
export function Dialogs(): ReactNode {
  const view = useCurrent();
  const { asked, set } = useSurface();
  const close = (): void => set({ asked: undefined });
  if (asked?.kind === "url") return <UrlDialog onClose={close} />;
  if (asked?.kind === "import")
    return <ImportDialog again={{ file: asked.file, replaces: asked.replaces }} onClose={close} />;
  if (asked?.kind === "projects") return <ProjectsDialog onClose={close} />;
  if (asked === undefined || view === undefined) return undefined;
  switch (asked.kind) {
    case "column":
      return <ColumnDialog view={view} onClose={close} />;
    case "change-column":
      return <ChangeColumnDialog view={view} name={asked.name} onClose={close} />;
    case "reshape":
      return <ReshapeDialog key={asked.by} kind={asked.by} view={view} onClose={close} />;
    case "save-layout":
      return <SaveLayoutDialog onClose={close} />;
    case "move":
      return <MoveDialog view={view} viewerId={asked.viewerId} onClose={close} />;
  }
}

function UrlDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { opening } = useBench();
  const [address, setAddress] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onClose();
    void opening.url(address.trim());
  };
  return (
    <Dialog open onClose={onClose} title="Open an address">
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="Address"
          hint={`A path such as /data/people.csv, or an address that begins with ${globalThis.location.origin}`}
          value={address}
          onChange={setAddress}
          spellCheck={false}
          required
          autoFocus
        />
        <FormButtons words="Open" isReady={address.trim() !== ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function SaveLayoutDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { layouts, opening } = useBench();
  const view = useCurrent();
  const tell = useTell();
  const [name, setName] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const isTaken = layouts.list().some((layout) => layout.name === name.trim());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (view === undefined) return;
    try {
      layouts.saveAs(name, opening.layoutOf(view));
      tell.ok(`Saved the layout ${name.trim()} in this browser.`);
      onClose();
    } catch (refused) {
      setError(refused instanceof Error ? refused.message : String(refused));
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save the layout"
      description="Viewers, their properties, where they lie, and the filters. Not the data."
    >
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="Name"
          error={error}
          hint={isTaken ? "There is one of this name: it will be replaced." : undefined}
          value={name}
          maxLength={WORKBENCH_LIMITS.layoutNameCharacters}
          onChange={setName}
          required
          autoFocus
        />
        <FormButtons words={isTaken ? "Replace" : "Save"} isReady={name.trim() !== ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
