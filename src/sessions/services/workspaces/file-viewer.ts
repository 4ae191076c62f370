import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../../gate/index.ts";
import { Failure, LIMITS, type WorkspaceFile } from "../../../protocol/index.ts";
import { isShown, readBeneath } from "../../../workspaces/index.ts";
import { authorize, authorizeFor, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import type { WorkspacePlaces } from "../../settings/settings.ts";
import { mayHoldSecret } from "../../workspace/workspace-files.ts";

interface FileViewerParts {
  readonly dependencies: Pick<Dependencies, "redact">;
  readonly registry: Registry;
  readonly places: Pick<WorkspacePlaces, "hidden">;
}

/** Where a NUL makes a file binary, as git looks for it. */
const LOOKED_AT = 8_000;

/** Shows files of sessions' workspaces to people. Never through a link, and never what looks like a secret. */
export class FileViewer {
  readonly #parts: FileViewerParts;

  constructor(parts: FileViewerParts) {
    this.#parts = parts;
  }

  async open(caller: Caller, id: string, path: string): Promise<WorkspaceFile> {
    authorize(caller, "workspace.open");
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, "workspace.open", { state: session.state, what: `session ${id}` });
    if (!isPlain(path)) throw new Failure("invalid_request", "name a file by its path within the workspace");
    // A snapshot may have to be mounted, which the recording does.
    const content = await session.recording.use(async ({ place }) => {
      const full = join(place.workspace, path);
      const { hidden } = this.#parts.places;
      const isOurs = hidden.some((folder) => isInside(folder, full) && !isInside(folder, place.workspace));
      if (mayHoldSecret(path) || isOurs) throw withheld(path);
      const found = await lstat(full).catch(() => undefined);
      if (found?.isFile() !== true) throw new Failure("not_found", `there is no file ${path} that can be shown`);
      if (found.size > LIMITS.viewedFileBytes)
        throw new Failure("payload_too_large", `${path} has more than ${LIMITS.viewedFileBytes} bytes`);
      return readBeneath(place.workspace, path).catch(() => {
        throw new Failure("not_found", `there is no file ${path} that can be shown`);
      });
    });
    if (!isShown(["standard"], path, content)) throw withheld(path);
    return { path, size: content.length, ...this.#shown(path, content) };
  }

  #shown(path: string, content: Buffer): Pick<WorkspaceFile, "text" | "base64"> {
    const { redact } = this.#parts.dependencies;
    if (!content.subarray(0, LOOKED_AT).includes(0)) return { text: redact.exact(content.toString("utf8")) };
    const bytes = content.toString("latin1");
    if (redact.exact(bytes) !== bytes) throw withheld(path);
    return { base64: content.toString("base64") };
  }
}

/** Below the workspace, however it is written. */
function isPlain(path: string): boolean {
  return !path.startsWith("/") && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function withheld(path: string): Failure {
  return new Failure("forbidden", `${path} may hold a secret, so it is not shown`);
}
