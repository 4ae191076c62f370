import { z } from "zod";
import {
  Failure,
  LIMITS,
  ProjectSummary,
  WorkbenchProject,
  type PrincipalRef,
  type ProjectContent,
  type SaveProject,
} from "../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";

const INDEX = "workbench-projects";
const Index = z.array(ProjectSummary);
const Content = WorkbenchProject.shape.content;

/** Named projects of the workbench: an index, and a document for the content of each. Changes are made one after the other. */
export class ProjectService {
  readonly #dependencies: Dependencies;
  #projects: Promise<readonly ProjectSummary[]> | undefined;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Those that the caller may see, by name. */
  async list(caller: Caller): Promise<readonly ProjectSummary[]> {
    const scope = authorize(caller, "project.read");
    const projects = await this.#all();
    return scope === "all" ? projects : projects.filter(({ created_by }) => created_by.id === caller.id);
  }

  async get(caller: Caller, id: string): Promise<WorkbenchProject> {
    const project = readable(caller, id, await this.#all());
    const [row] = await this.#dependencies.store.read.documents({ name: nameOf(id), limit: 1 });
    if (row === undefined) throw notThere(id);
    return { ...project, content: Content.parse(JSON.parse(row.body)) };
  }

  /** Creates it, or changes the one with this id. Sent twice, it changes it once. */
  async save(caller: Caller, id: string, request: SaveProject): Promise<ProjectSummary> {
    authorize(caller, "project.write");
    const { name, content } = this.#redacted(request);
    const body = content === undefined ? undefined : bodyOf(content);
    return this.#change(async (projects) => {
      const known = projects.find((project) => project.id === id);
      if (known !== undefined) checkOwner(caller, known);
      if (known !== undefined && (await this.#isSaved(known, { name, body, revision: request.revision }))) return known;
      checkRevision(known, { id, revision: request.revision });
      if (known === undefined) checkCount(caller, projects);
      const at = new Date(this.#dependencies.clock.now()).toISOString();
      const by = refOf(caller);
      const project: ProjectSummary = {
        id,
        name,
        revision: (known?.revision ?? 0) + 1,
        tables: content?.tables.length ?? known?.tables ?? 0,
        queries: content?.queries.length ?? known?.queries ?? 0,
        bytes: body === undefined ? (known?.bytes ?? 0) : Buffer.byteLength(body),
        created_at: known?.created_at ?? at,
        created_by: known?.created_by ?? by,
        updated_at: at,
        updated_by: by,
      };
      const next = [...projects.filter((other) => other.id !== id), project].toSorted(byName);
      await this.#dependencies.store.commit({
        documents: [
          { name: INDEX, at, by, body: JSON.stringify(next), keep: 1 },
          ...(body === undefined ? [] : [{ name: nameOf(id), at, by, body, keep: 1 }]),
        ],
        audit: [auditRow(this.#dependencies, caller, { action: "project.set", target: id, details: { name } })],
      });
      this.#projects = Promise.resolve(next);
      return project;
    });
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "project.write");
    await this.#change(async (projects) => {
      const known = readable(caller, id, projects);
      checkOwner(caller, known);
      const next = projects.filter((other) => other.id !== id);
      const at = new Date(this.#dependencies.clock.now()).toISOString();
      const audited = { action: "project.delete", target: id, details: { name: known.name } };
      await this.#dependencies.store.commit({
        documents: [{ name: INDEX, at, by: refOf(caller), body: JSON.stringify(next), keep: 1 }],
        deletedDocuments: [nameOf(id)],
        audit: [auditRow(this.#dependencies, caller, audited)],
      });
      this.#projects = Promise.resolve(next);
    });
  }

  /** Queries may name secrets. */
  #redacted({ name, content }: SaveProject): Pick<SaveProject, "name" | "content"> {
    return JSON.parse(this.#dependencies.redact(JSON.stringify({ name, content }))) as Pick<
      SaveProject,
      "name" | "content"
    >;
  }

  /** Whether the request was answered before, and its answer was lost on the way. */
  async #isSaved(
    known: ProjectSummary,
    wanted: { readonly name: string; readonly body: string | undefined; readonly revision: number | undefined },
  ): Promise<boolean> {
    if (known.revision !== (wanted.revision ?? 0) + 1 || known.name !== wanted.name) return false;
    if (wanted.body === undefined) return true;
    const [row] = await this.#dependencies.store.read.documents({ name: nameOf(known.id), limit: 1 });
    return row?.body === wanted.body;
  }

  #change<Result>(work: (projects: readonly ProjectSummary[]) => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(async () => work(await this.#all()));
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #all(): Promise<readonly ProjectSummary[]> {
    this.#projects ??= this.#read();
    this.#projects.catch(() => {
      this.#projects = undefined;
    });
    return this.#projects;
  }

  async #read(): Promise<readonly ProjectSummary[]> {
    const [newest] = await this.#dependencies.store.read.documents({ name: INDEX, limit: 1 });
    return newest === undefined ? [] : Index.parse(JSON.parse(newest.body));
  }
}

function nameOf(id: string): string {
  return `workbench-project/${id}`;
}

function bodyOf(content: ProjectContent): string {
  const body = JSON.stringify(content);
  if (Buffer.byteLength(body) > LIMITS.workbenchProjectBytes)
    throw new Failure(
      "payload_too_large",
      `a project may have ${LIMITS.workbenchProjectBytes} bytes; leave out queries or viewers that are not needed`,
    );
  return body;
}

function readable(caller: Caller, id: string, projects: readonly ProjectSummary[]): ProjectSummary {
  const scope = authorize(caller, "project.read");
  const known = projects.find((project) => project.id === id);
  if (known === undefined || (scope === "own" && known.created_by.id !== caller.id)) throw notThere(id);
  return known;
}

function notThere(id: string): Failure {
  return new Failure("not_found", `there is no project ${id}`);
}

function checkOwner(caller: Caller, { id, created_by }: ProjectSummary): void {
  if (authorize(caller, "project.write") === "all" || created_by.id === caller.id) return;
  if (authorize(caller, "project.read") === "own") throw notThere(id);
  throw new Failure("forbidden", `${created_by.name} saved this project; save yours as a new one`);
}

function checkRevision(
  known: ProjectSummary | undefined,
  { id, revision }: { readonly id: string; readonly revision: number | undefined },
): void {
  if (known === undefined && revision !== undefined) throw notThere(id);
  if (known !== undefined && known.revision !== revision)
    throw new Failure(
      "conflict",
      `${known.updated_by.name} has changed the project since you opened it; open it again, or save yours as a new one`,
    );
}

function checkCount(caller: Caller, projects: readonly ProjectSummary[]): void {
  const own = projects.filter(({ created_by }) => created_by.id === caller.id);
  if (own.length >= LIMITS.workbenchProjectsEach)
    throw new Failure("limit_reached", `you have ${LIMITS.workbenchProjectsEach} projects; delete one first`);
  if (projects.length >= LIMITS.workbenchProjects)
    throw new Failure(
      "limit_reached",
      `this server has ${LIMITS.workbenchProjects} projects; somebody has to delete one first`,
    );
}

function refOf({ id, name, role }: Caller): PrincipalRef {
  return { id, name, role };
}

function byName(one: ProjectSummary, other: ProjectSummary): number {
  return one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1);
}
