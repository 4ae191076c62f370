import type { Ancestor } from "../../engines/index.ts";
import { Failure, LIMITS, type JournalEvent } from "../../protocol/index.ts";
import type { EventRow, JournalReads } from "../../store/index.ts";
import { Frame } from "./frames.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Session } from "./session.ts";
import type { Segment, SessionState } from "./state.ts";

export interface Stretch {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly upto: number;
  readonly limit: number;
  /** Total size of the bodies, after which reading stops; absent: no such bound. */
  readonly chars?: number;
}

type JournalOwner = Pick<SessionState, "id" | "lineage">;

/** A page of a session's journal, including its ancestors' part. */
export async function readEvents(
  read: JournalReads,
  whose: JournalOwner,
  stretch: Stretch,
): Promise<readonly EventRow[]> {
  const rows: EventRow[] = [];
  let chars = stretch.chars;
  const own = { session_id: whose.id, after: whose.lineage.at(-1)?.upto ?? 0, upto: stretch.upto };
  for (const segment of [...whose.lineage, own]) {
    const after = Math.max(segment.after, stretch.after);
    const upto = Math.min(segment.upto, stretch.upto);
    if (after >= upto || rows.length >= stretch.limit || (chars !== undefined && chars <= 0)) continue;
    const limit = stretch.limit - rows.length;
    const found = await read.events({ session_id: segment.session_id, after, upto, limit, chars });
    rows.push(...found);
    if (chars !== undefined) for (const { body } of found) chars -= body.length;
  }
  return rows;
}

/** A page of what a session has published after a seq. */
export async function publishedPage(
  { dependencies, state, stream }: Session,
  after: number,
  bounds: Pick<Stretch, "limit" | "chars">,
): Promise<readonly Frame[]> {
  const rows = await readEvents(dependencies.store.read, state, { after, upto: stream.publishedSeq, ...bounds });
  return rows.map((row) => Frame.ofRow(row, state.id));
}

/** The prompt queued, or changed while it waited, by event `seq`. */
export async function queuedPrompt(
  read: JournalReads,
  whose: JournalOwner,
  seq: number,
): Promise<Pick<Extract<JournalEvent, { type: "turn.queued" }>, "prompt" | "by">> {
  const [row] = await readEvents(read, whose, { after: seq - 1, upto: seq, limit: 1 });
  const event = row === undefined ? undefined : Frame.ofRow(row, whose.id).value;
  if (event?.type === "session.updated" && event.edited !== undefined) return event.edited;
  if (event?.type !== "turn.queued") throw new Failure("store_failed", `event ${seq} should hold a queued prompt`);
  return event;
}

/** The whole journal up to a seq, page by page. */
export async function* history(read: JournalReads, whose: JournalOwner, upto: number): AsyncGenerator<JournalEvent> {
  let after = 0;
  while (after < upto) {
    const rows = await readEvents(read, whose, { after, upto, limit: LIMITS.watchPageEvents });
    for (const row of rows) yield Frame.ofRow(row, whose.id).value as JournalEvent;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

/** The sessions that a journal begins with, the nearest first, each with its last available turn. */
export async function ancestry(
  { store, engineFolder }: Pick<Dependencies, "store" | "engineFolder">,
  lineage: readonly Segment[],
): Promise<readonly Ancestor[]> {
  const found = lineage.toReversed().map(async ({ session_id, upto }): Promise<Ancestor> => {
    const [row] = await store.read.events({ session_id, after: upto - 1, upto, limit: 1 });
    const { turn_id } = (row === undefined ? {} : JSON.parse(row.body)) as { readonly turn_id?: string };
    return { folder: engineFolder(session_id), after_turn: turn_id };
  });
  return Promise.all(found);
}
