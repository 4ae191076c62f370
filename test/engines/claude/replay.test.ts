import { describe, expect, it } from "vitest";
import { idsFrom, JournaledTurn } from "../../../src/engines/claude/replay.ts";
import type { EngineEvent } from "../../../src/engines/index.ts";
import { NO_USAGE, type Item, type JournalEvent } from "../../../src/protocol/index.ts";

const TURN = "turn_1m7k8vxfepgg43s07bqhe0";
const AT = { session_id: "ses_1", at: "2026-01-01T00:00:00.000Z" };

function words(id: string, status: "in_progress" | "completed" = "completed"): Item {
  return { id, type: "agent_message", status, message_id: "msg_1", text: "hi" };
}

describe("what a process says is read again after a restart", () => {
  it("gives the same ids, others for another process or turn, and as many as there are things of one name", () => {
    const told = (salt: string, turn: string): readonly string[] => {
      const idFor = idsFrom(salt, turn);
      return [idFor("item", "call a"), idFor("item", "call b"), idFor("item", "call a"), idFor("msg", "call a")];
    };
    const ids = told("salt", TURN);
    expect(told("salt", TURN)).toEqual(ids);
    const others = [told("other", TURN), told("salt", "turn_1m7k8vxfepgg43s07bqhe1")];
    expect(new Set([ids, ...others].flat()).size).toBe(12);
    for (const id of ids) expect(id).toMatch(/^(item|msg)_1m7k8vxfe[0-9a-hj-kmnp-tv-z]{13}$/);
  });

  it("reports only what the journal lacks", () => {
    const journaled = new JournaledTurn();
    const events: JournalEvent[] = [
      { ...AT, seq: 1, type: "usage.updated", turn_id: TURN, usage: NO_USAGE },
      { ...AT, seq: 2, type: "error", message: "of an earlier process" },
      { ...AT, seq: 3, type: "turn.resumed", turn_id: TURN, restarts: 1, synthetic: true },
      { ...AT, seq: 4, type: "item.started", item: words("item_1", "in_progress") },
      { ...AT, seq: 5, type: "item.completed", item: words("item_1") },
      { ...AT, seq: 6, type: "usage.updated", turn_id: TURN, usage: NO_USAGE },
      { ...AT, seq: 7, type: "error", message: "again in 1 s" },
      { ...AT, seq: 8, type: "item.started", item: words("item_2", "in_progress") },
    ];
    for (const event of events) journaled.add(event);
    const said: EngineEvent[] = [
      { type: "item.started", item: words("item_1", "in_progress") },
      { type: "item.delta", item_id: "item_1", field: "text", delta: "hi" },
      { type: "item.completed", item: words("item_1") },
      { type: "usage", usage: NO_USAGE },
      { type: "notice", message: "again in 1 s" },
      { type: "item.started", item: words("item_2", "in_progress") },
    ];
    expect(journaled.lacks(said)).toEqual([]);
    // From here on the dead server had written nothing.
    const rest: EngineEvent[] = [
      { type: "item.delta", item_id: "item_2", field: "text", delta: "hi" },
      { type: "item.completed", item: words("item_2") },
      { type: "usage", usage: NO_USAGE },
      { type: "notice", message: "again in 1 s" },
      { type: "notice", message: "of an earlier process" },
      { type: "turn.completed", stop_reason: "end_turn" },
    ];
    expect(journaled.lacks(rest)).toEqual(rest);
  });
});
