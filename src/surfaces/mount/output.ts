import {
  ChunkStream,
  Failure,
  OutputText,
  parseChunkCursor,
  type MountFrame,
  type SessionView,
  type Status,
} from "../../protocol/index.ts";
import type { Frame } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import type { FollowOptions, WatchFileOptions } from "./file-service.ts";
import { journalOf } from "./journal.ts";
import type { OutputPlace } from "./output-index.ts";
import type { FilePlace, Measured } from "./tree.ts";

const encoder = new TextEncoder();
type OutputSource = Pick<MountContext, "gateway" | "shown" | "outputs">;
type OutputOwner = Pick<FilePlace, "caller" | "name">;

export async function measureOutput({ gateway, outputs }: OutputSource, place: OutputOwner): Promise<Measured> {
  const view = await gateway.sessions.get(place.caller, place.name);
  const size = await outputs.size(place.caller, view);
  const ended = view.status === "complete" || view.status === "failed";
  return { size, growing: !waitsForPrompt(view) || (size === 0 && !ended) };
}

/** An output from an offset on, as far as it is written down: a beginning of what those read who follow it. */
export async function readOutput(
  { gateway, shown, outputs }: OutputSource,
  { caller, name, offset = 0 }: OutputOwner & Pick<FilePlace, "offset">,
): Promise<Uint8Array> {
  const view = await gateway.sessions.get(caller, name);
  const place = await outputs.before(caller, view, { offset });
  const session = await shown.open(name);
  try {
    const output = new OutputText(session, place);
    let text = "";
    for await (const page of journalOf(gateway, caller, { ...view, from: place.seq }))
      for (const event of page) text += output.next(event);
    return encoder.encode(text).subarray(offset - place.offset);
  } finally {
    session.close();
  }
}

/** An output's bytes from an offset on, as they come. Resolves when it is sure that the caller may. */
export async function followOutput(
  source: OutputSource,
  { caller, name }: OutputOwner,
  options: FollowOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const view = await source.gateway.sessions.get(caller, name);
  const place = await source.outputs.before(caller, view, options);
  // Where nothing comes any more for now, nothing would say so.
  if (options.untilIdle && isIdle(view, place.seq)) return nothing();
  const frames = await source.gateway.sessions.watch(caller, name, place.seq, options.signal);
  return bytesOf(source, { caller, name, ...options, place, frames });
}

async function* nothing(): AsyncGenerator<never> {}

interface FollowedOutput extends OutputOwner, FollowOptions {
  readonly place: OutputPlace;
  readonly frames: AsyncGenerator<readonly Frame[]>;
}

async function* bytesOf(
  { gateway, shown }: OutputSource,
  { caller, name, offset, untilIdle, place, frames }: FollowedOutput,
): AsyncGenerator<Uint8Array> {
  const session = await shown.open(name);
  let skip = offset - place.offset;
  let mayWait = true;
  try {
    const output = new OutputText(session, place);
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
      if (untilIdle && mayWait && seq !== undefined && isIdle(await gateway.sessions.get(caller, name), seq)) return;
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

function waitsForPrompt({ turn_id, queue }: Pick<SessionView, "turn_id" | "queue">): boolean {
  return turn_id === undefined && queue.every(({ held }) => held === true);
}

/** The chunks of an output after a place. */
export async function watchOutput(
  { gateway, outputs }: Pick<OutputSource, "gateway" | "outputs">,
  { caller, name }: OutputOwner,
  { after, signal }: WatchFileOptions,
): Promise<AsyncIterable<readonly MountFrame[]>> {
  const cursor = parseChunkCursor(after === "" ? "0" : after);
  const view = await gateway.sessions.get(caller, name);
  if (cursor.seq > view.seq)
    throw new Failure("cursor_invalid", `${after} is past the end of session ${name} (${view.seq})`);
  const place = await outputs.before(caller, view, cursor);
  const frames = await gateway.sessions.watch(caller, name, place.seq, signal);
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
