import {
  ChunkStream,
  Failure,
  OutputText,
  parseChunkCursor,
  type MountFrame,
  type SessionView,
  type Status,
} from "../../protocol/index.ts";
import type { Caller, Frame } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import { journalOf } from "./journal.ts";

const encoder = new TextEncoder();
type OutputSource = Pick<MountContext, "gateway" | "shown">;

/** An output as far as it is stored: a prefix of what its followers read. */
export async function textOfOutput({ gateway, shown }: OutputSource, caller: Caller, id: string): Promise<string> {
  const view = await gateway.sessions.get(caller, id);
  const session = await shown.open(id);
  try {
    const output = new OutputText(session);
    let text = "";
    for await (const page of journalOf(gateway, caller, view)) for (const event of page) text += output.next(event);
    return text;
  } finally {
    session.close();
  }
}

export interface FollowOutput {
  readonly id: string;
  /** Bytes that the reader already has. */
  readonly offset: number;
  /** Ends when the session waits for a prompt; otherwise when it has ended. */
  readonly untilIdle: boolean;
  readonly signal: AbortSignal;
}

/** An output's bytes from an offset on, as they come. Resolves when the caller's right is confirmed. */
export async function followOutput(
  context: OutputSource,
  caller: Caller,
  options: FollowOutput,
): Promise<AsyncGenerator<Uint8Array>> {
  const frames = await context.gateway.sessions.watch(caller, options.id, 0, options.signal);
  return bytesOf(context, caller, options, frames);
}

async function* bytesOf(
  { gateway, shown }: OutputSource,
  caller: Caller,
  { id, offset, untilIdle }: FollowOutput,
  frames: AsyncGenerator<readonly Frame[]>,
): AsyncGenerator<Uint8Array> {
  const session = await shown.open(id);
  let skip = offset;
  let mayWait = false;
  try {
    const output = new OutputText(session);
    for await (const batch of frames) {
      let text = "";
      for (const frame of batch) text += output.next(frame.value);
      const { open } = output;
      if (open !== undefined) text += output.take(await session.reveal(open.item_id, open.text));
      const bytes = encoder.encode(text);
      if (bytes.length > skip) yield bytes.subarray(skip);
      skip = Math.max(0, skip - bytes.length);
      for (const { value } of batch) if (value.type === "session.updated") mayWait = RESTING.has(value.status);
      const seq = batch.findLast((frame) => frame.seq !== undefined)?.seq;
      if (untilIdle && mayWait && seq !== undefined && isIdle(await gateway.sessions.get(caller, id), seq)) return;
    }
  } finally {
    session.close();
    await frames.return(undefined);
  }
}

const RESTING: ReadonlySet<Status> = new Set(["ready", "idle", "paused", "complete", "failed"]);

/** Whether the session waits for a prompt, and its journal ends here. */
function isIdle(view: SessionView, read: number): boolean {
  return view.seq === read && waitsForPrompt(view);
}

export function waitsForPrompt({ turn_id, queue }: Pick<SessionView, "turn_id" | "queue">): boolean {
  return turn_id === undefined && queue.every(({ held }) => held === true);
}

/** The chunks of an output after a place. */
export async function watchOutput(
  { gateway }: Pick<MountContext, "gateway">,
  caller: Caller,
  { id, after, signal }: { readonly id: string; readonly after: string; readonly signal: AbortSignal },
): Promise<AsyncGenerator<readonly MountFrame[]>> {
  const cursor = parseChunkCursor(after === "" ? "0" : after);
  const { seq } = await gateway.sessions.get(caller, id);
  if (cursor.seq > seq) throw new Failure("cursor_invalid", `${after} is past the end of session ${id} (${seq})`);
  const frames = await gateway.sessions.watch(caller, id, 0, signal);
  return chunksOf(new ChunkStream(cursor), frames);
}

async function* chunksOf(
  chunks: ChunkStream,
  frames: AsyncGenerator<readonly Frame[]>,
): AsyncGenerator<readonly MountFrame[]> {
  for await (const batch of frames) {
    const told = chunks.next(batch.map((frame) => frame.value));
    if (told.length > 0) yield told;
  }
}
