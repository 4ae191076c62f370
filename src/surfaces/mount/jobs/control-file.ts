import { Failure } from "../../../protocol/index.ts";
import type { MountContext } from "../context.ts";
import type { FileNode } from "../tree.ts";

/** `ctl`, to which `stop` is written. */
export function stopFile({ gateway, kind }: MountContext, folder: "sessions" | "jobs"): FileNode {
  return {
    path: `${folder}/:id/ctl`,
    summary: "Write stop",
    content: "text",
    write: {
      needs: "session.control",
      text: "`stop`",
      run: async ({ caller, name }, text) => {
        if (kind === "claude" || kind === "identity") return;
        // Rights first: what a stranger writes is not examined.
        await gateway.jobs.session(caller, kind, name);
        if (text.trim() !== "stop") throw new Failure("invalid_request", "unknown command; write stop");
        await gateway.jobs.stop(caller, kind, name);
      },
    },
  };
}
