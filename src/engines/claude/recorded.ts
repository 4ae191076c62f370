import { LIMITS } from "../../protocol/index.ts";
import { openRegularFile } from "../../tools/index.ts";
import type { Host } from "../engine.ts";
import { transcriptOf } from "./transcripts.ts";

/**
 * Waits until the program's own record has a call of the model, or the time for that is over. The program writes a little later than it
 * speaks, and behind walls it ends with the server at once. Without the call in its record, a model that goes on after that might make
 * it again, and a person would be asked again.
 */
export async function untilRecorded(
  { folder, sleep }: Pick<Host, "folder" | "sleep">,
  { session, tool_use_id }: { readonly session: string; readonly tool_use_id: string },
  signal: AbortSignal,
): Promise<void> {
  const rounds = Math.ceil(LIMITS.engineFlushMs / LIMITS.engineRecordLookMs);
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    const path = transcriptOf(folder, session);
    if (path !== undefined && (await endOf(path)).includes(`"id":${JSON.stringify(tool_use_id)}`)) return;
    await sleep(LIMITS.engineRecordLookMs, signal);
  }
}

/** The newest part of a record. Empty: it is gone, or is no file. */
async function endOf(path: string): Promise<string> {
  const file = await openRegularFile(path);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const length = Math.min(size, LIMITS.engineRecordLookBytes);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
