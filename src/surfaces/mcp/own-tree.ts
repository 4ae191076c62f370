import { LIMITS, type StreamFrame } from "../../protocol/index.ts";
import type { Caller, Frame, Gateway } from "../../sessions/index.ts";
import type { FileService } from "../mount/file-service.ts";
import type { ClaudeTree } from "./claude-tree.ts";

const encoder = new TextEncoder();

/** The tree of this server, with one caller's rights. */
export function ownTree(gateway: Gateway, files: FileService, caller: Caller): ClaudeTree {
  return {
    stat: (path) => files.stat(caller, path, { sized: false }),
    list: (path) => files.list(caller, path),
    read: (path, options) => files.read(caller, path, options),
    write: (path, text) => files.write(caller, path, encoder.encode(text)),
    call: (path, text) => files.call(caller, path, encoder.encode(text)),
    follow: async (session_id, signal) => {
      const { seq, status } = await gateway.sessions.get(caller, session_id);
      // A little earlier: the newest events may not be on the disk yet, so no stream could begin there.
      const after = Math.max(0, seq - LIMITS.watchPageEvents);
      const batches = await gateway.sessions.watch(caller, session_id, after, signal);
      return { begun: { seq, status }, frames: oneByOne(batches) };
    },
  };
}

async function* oneByOne(batches: AsyncIterable<readonly Frame[]>): AsyncGenerator<StreamFrame> {
  for await (const batch of batches) for (const frame of batch) yield frame.value;
}
