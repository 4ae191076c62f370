import { Link, Pencil, Trash2 } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { LIMITS, type ProjectSummary } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Input } from "../../../ui/field.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { Ago } from "../../../ui/words.tsx";
import { useBench } from "../context.tsx";
import { useServer } from "../server.tsx";
import { useCurrentProject } from "./current-project.ts";
import { openProject } from "./project-content.ts";
import { projectLink } from "./project-links.tsx";

interface RowProps {
  readonly project: ProjectSummary;
  readonly mayChange: boolean;
  readonly reload: () => void;
  readonly onClose: () => void;
}

export function ProjectRow(props: RowProps): ReactNode {
  const { project, mayChange, onClose } = props;
  const { name, tables, queries, updated_by, updated_at } = project;
  const bench = useBench();
  const { client } = useServer();
  const tell = useTell();
  const { set } = useCurrentProject();
  const [asked, setAsked] = useState<"rename" | "delete" | undefined>(undefined);
  const done = (): void => setAsked(undefined);
  const attempt = (work: () => Promise<void>): void => void work().catch((error: unknown) => tell.bad(wordsOf(error)));
  const open = async (): Promise<void> => {
    const { content, id, revision } = await client.projects.get(project.id);
    onClose();
    await openProject({ name, content }, bench);
    set({ id, revision });
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(projectLink(project.id));
    tell.ok(`Copied a link to the project ${name}.`);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-2.5">
      <span className="min-w-48 flex-1">
        <span className="block text-sm font-medium break-words">{name}</span>
        <span className="block text-xs text-soft">
          {counted(tables, "table", "tables")}
          {queries > 0 && `, ${counted(queries, "query", "queries")}`}, saved by {updated_by.name}{" "}
          <Ago at={updated_at} />
        </span>
      </span>
      {asked === undefined && (
        <span className="flex items-center gap-1">
          <Button size="small" aria-label={`Open ${name}`} onClick={() => attempt(open)}>
            Open
          </Button>
          <IconAction label={`Copy a link to ${name}`} icon={Link} onClick={() => attempt(copy)} />
          {mayChange && <IconAction label={`Rename ${name}`} icon={Pencil} onClick={() => setAsked("rename")} />}
          {mayChange && <IconAction label={`Delete ${name}`} icon={Trash2} onClick={() => setAsked("delete")} />}
        </span>
      )}
      {asked === "rename" && <Rename {...props} done={done} />}
      {asked === "delete" && <Delete {...props} done={done} />}
    </li>
  );
}

function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function IconAction({
  label,
  icon: Icon,
  onClick,
}: {
  readonly label: string;
  readonly icon: typeof Link;
  readonly onClick: () => void;
}): ReactNode {
  return (
    <Button size="icon" variant="quiet" aria-label={label} title={label} onClick={onClick}>
      <Icon aria-hidden className="size-4" />
    </Button>
  );
}

function Rename({ project, reload, done }: RowProps & { readonly done: () => void }): ReactNode {
  const { client } = useServer();
  const tell = useTell();
  const { project: current, set } = useCurrentProject();
  const [name, setName] = useState(project.name);
  const rename = async (): Promise<void> => {
    const { id, revision } = await client.projects.save(project.id, { name, revision: project.revision });
    // What this tab has opened is still what is saved: only its name is another.
    if (current?.id === id && current.revision === project.revision) set({ id, revision });
    done();
    reload();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === "") return;
    void rename().catch((error: unknown) => tell.bad(wordsOf(error)));
  };
  return (
    <form onSubmit={submit} className="flex w-full flex-wrap gap-2">
      <Input
        aria-label="New name"
        className="min-w-40 flex-1"
        value={name}
        maxLength={LIMITS.workbenchProjectNameChars}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // Not the whole window.
          event.stopPropagation();
          done();
        }}
        autoFocus
      />
      <Button onClick={done}>Cancel</Button>
      <Button type="submit" variant="primary" disabled={name.trim() === ""}>
        Rename
      </Button>
    </form>
  );
}

function Delete({ project, reload, done }: RowProps & { readonly done: () => void }): ReactNode {
  const { client } = useServer();
  const tell = useTell();
  const { project: current, set } = useCurrentProject();
  const remove = async (): Promise<void> => {
    await client.projects.delete(project.id);
    if (current?.id === project.id) set(undefined);
    done();
    reload();
  };
  return (
    <span role="group" aria-label={`Delete ${project.name}?`} className="flex flex-wrap items-center gap-2">
      <span className="text-sm">Delete it for everybody?</span>
      <Button size="small" onClick={done} autoFocus>
        Keep
      </Button>
      <Button
        size="small"
        variant="danger"
        onClick={() => void remove().catch((error: unknown) => tell.bad(wordsOf(error)))}
      >
        Delete
      </Button>
    </span>
  );
}
