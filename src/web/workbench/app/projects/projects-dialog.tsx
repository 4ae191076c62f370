import { useCallback, useEffect, useState, type FormEvent, type ReactNode } from "react";
import { LIMITS, type Me, type ProjectSummary } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Loading, Trouble, wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { useBench, useViews } from "../context.tsx";
import { useServer } from "../server.tsx";
import { useCurrentProject } from "./current-project.ts";
import { contentOf } from "./project-content.ts";
import { ProjectRow } from "./project-row.tsx";

interface KnownProjects {
  readonly projects: readonly ProjectSummary[];
  readonly me: Me;
}

/** The projects on the server: save what is open as one, open, share, rename and delete them. */
export function ProjectsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { known, error, load } = useProjects();
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Projects on the server"
      description="A project keeps which tables are open, their layouts and the queries, but no rows. Everybody who may use this server can open it."
    >
      {error !== undefined && <Trouble title="The projects cannot be shown" error={error} onRetry={load} />}
      {known === undefined && error === undefined && <Loading label="Loading projects" />}
      {known !== undefined && <Projects known={known} reload={load} onClose={onClose} />}
    </Dialog>
  );
}

function useProjects(): {
  readonly known: KnownProjects | undefined;
  readonly error: unknown;
  readonly load: () => void;
} {
  const { client } = useServer();
  const [state, setState] = useState<{ readonly known?: KnownProjects; readonly error?: unknown }>({});
  const load = useCallback((): void => {
    Promise.all([client.projects.list(), client.me()]).then(
      ([{ projects }, me]) => setState({ known: { projects, me } }),
      (error: unknown) => setState({ error }),
    );
  }, [client]);
  useEffect(load, [load]);
  return { known: state.known, error: state.error, load };
}

function Projects({
  known: { projects, me },
  reload,
  onClose,
}: {
  readonly known: KnownProjects;
  readonly reload: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const views = useViews();
  const right = me.rights["project.write"];
  const isMine = ({ created_by }: ProjectSummary): boolean => right === "all" || created_by.id === me.id;
  return (
    <div className="space-y-5">
      {right !== undefined && views.length > 0 && <SaveForm projects={projects.filter(isMine)} onClose={onClose} />}
      {projects.length === 0 ? (
        <p className="rounded-lg bg-sunken px-3.5 py-3 text-sm text-soft">
          No project is saved yet.
          {views.length === 0 && right !== undefined && " Open a table, then save it here as a project."}
        </p>
      ) : (
        <ul aria-label="Projects" className="divide-y rounded-xl border">
          {projects.map((project) => (
            <ProjectRow
              key={project.id}
              project={project}
              mayChange={right !== undefined && isMine(project)}
              reload={reload}
              onClose={onClose}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** `projects`: those that may be written over. */
function SaveForm({
  projects,
  onClose,
}: {
  readonly projects: readonly ProjectSummary[];
  readonly onClose: () => void;
}): ReactNode {
  const bench = useBench();
  const { client } = useServer();
  const tell = useTell();
  const { project: current, set } = useCurrentProject();
  const [name, setName] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const isTaken = projects.some((project) => project.name === name.trim());
  const opened = projects.find(({ id }) => id === current?.id);
  const save = async (id: string, wanted: { readonly name: string; readonly revision?: number }): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const saved = await client.projects.save(id, { ...wanted, content: contentOf(bench) });
      set({ id, revision: saved.revision });
      tell.ok(`Saved the project ${saved.name} on the server.`);
      onClose();
    } catch (refused) {
      setError(wordsOf(refused));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== "" && !isBusy) void save(crypto.randomUUID(), { name });
  };
  return (
    <form onSubmit={submit} className="space-y-3 rounded-xl border p-3.5">
      <Field
        label="Save what is open as a new project"
        error={error}
        hint={isTaken ? "There is a project of this name already. This would be another one." : undefined}
      >
        {(ids) => (
          <span className="flex flex-wrap gap-2">
            <Input
              {...ids}
              className="min-w-40 flex-1"
              placeholder="Name"
              value={name}
              maxLength={LIMITS.workbenchProjectNameChars}
              onChange={(event) => setName(event.target.value)}
              autoFocus
            />
            <Button type="submit" variant="primary" busy={isBusy} disabled={name.trim() === ""}>
              Save project
            </Button>
          </span>
        )}
      </Field>
      {opened !== undefined && current !== undefined && (
        <Button
          busy={isBusy}
          className="max-w-full"
          onClick={() => void save(opened.id, { name: opened.name, revision: current.revision })}
        >
          <span className="truncate">Save changes to {opened.name}</span>
        </Button>
      )}
    </form>
  );
}
