import { isTerminal, LIMITS, type JournalEvent, type SessionView } from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";

/** A session's journal up to now, page by page; `from`: without what was read before. */
export async function* journalOf(
  gateway: Gateway,
  caller: Caller,
  { id, seq, from = 0 }: Pick<SessionView, "id" | "seq"> & { readonly from?: number },
): AsyncGenerator<readonly JournalEvent[]> {
  if (from >= seq) return;
  await untilWritten(gateway, caller, { id, seq });
  for (let after = from; after < seq;) {
    const page = await eventsAfter(gateway, caller, { id, after, limit: LIMITS.watchPageEvents });
    const last = page.at(-1)?.seq;
    if (last === undefined) return;
    yield last <= seq ? page : page.filter((event) => event.seq <= seq);
    after = last;
  }
}

/** How the last turn ended and the agent's last text in it. */
export interface LastTurn {
  readonly ended?: Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }> | undefined;
  readonly response?: string | undefined;
}

/** Reads the journal backwards, so that a long one costs no more than its last turn. */
export async function lastTurnOf(gateway: Gateway, caller: Caller, { id, seq }: SessionView): Promise<LastTurn> {
  await untilWritten(gateway, caller, { id, seq });
  let ended: LastTurn["ended"];
  for (let upto = seq; upto > 0;) {
    const after = Math.max(0, upto - LIMITS.watchPageEvents);
    const page = await eventsAfter(gateway, caller, { id, after, limit: upto - after });
    for (const event of page.toReversed()) {
      if (ended === undefined) ended = isTerminal(event) ? event : undefined;
      else if (event.type === "turn.started") return { ended };
      else if (event.type === "item.completed" && event.item.type === "agent_message") {
        const { parent_id, status, text } = event.item;
        if (parent_id === undefined && status !== "superseded" && text !== "") return { ended, response: text };
      }
    }
    upto = after;
  }
  return { ended };
}

/** A session's view may be ahead of its journal on the disk: waits for the journal. */
async function untilWritten(
  gateway: Gateway,
  caller: Caller,
  { id, seq }: Pick<SessionView, "id" | "seq">,
): Promise<void> {
  const after = Math.max(0, seq - LIMITS.watchPageEvents);
  const page = await eventsAfter(gateway, caller, { id, after, limit: LIMITS.watchPageEvents });
  const last = page.at(-1)?.seq ?? after;
  if (last >= seq) return;
  const frames = await gateway.sessions.watch(caller, id, last, new AbortController().signal);
  for await (const batch of frames) if (batch.some((frame) => (frame.seq ?? 0) >= seq)) return;
}

async function eventsAfter(
  gateway: Gateway,
  caller: Caller,
  { id, after, limit }: { readonly id: string; readonly after: number; readonly limit: number },
): Promise<readonly JournalEvent[]> {
  const frames = await gateway.sessions.events(caller, id, { after, limit });
  return frames.map((frame) => frame.value as JournalEvent);
}
