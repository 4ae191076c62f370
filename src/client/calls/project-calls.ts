import type { ProjectSummary, SaveProject, WorkbenchProject } from "../../protocol/index.ts";
import type { SendCall } from "./api-call.ts";

/** Projects of the workbench on the server. */
export class ProjectCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  list(): Promise<{ projects: ProjectSummary[] }> {
    return this.#call({ method: "GET", path: PATH });
  }

  get(id: string): Promise<WorkbenchProject> {
    return this.#call({ method: "GET", path: pathOf(id) });
  }

  /** Without a revision: a new one. Without content: only its name changes. */
  save(id: string, project: SaveProject): Promise<ProjectSummary> {
    return this.#call({ method: "PUT", path: pathOf(id), body: project });
  }

  delete(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: pathOf(id) });
  }
}

const PATH = "/api/workbench/projects";

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
