import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Failure,
  isTerminal,
  type Approval,
  type EventBody,
  type Item,
  type JournalEvent,
  type SessionSettings,
} from "../../src/protocol/index.ts";
import type { SessionCommand } from "../../src/sessions/core/commands.ts";
import { decide } from "../../src/sessions/core/decide.ts";
import { fold } from "../../src/sessions/core/fold.ts";
import { fromRow, newState, toRow, type SessionState } from "../../src/sessions/core/state.ts";
import { UNBOUNDED } from "../support/caller.ts";

const by = { id: "tok_1", name: "ann", role: "operator" } as const;
const settings: SessionSettings = {
  engine: "loop",
  provider: "sim",
  model: "sim",
  workspace: "/project",
  sandbox: "local",
  profile: "full",
  autonomy: "supervised",
  max_turns: 15,
  max_tokens: 100,
  unattended: "deny",
  approval_timeout_ms: 1_000,
};
const born = newState({
  id: "ses_1",
  settings,
  at: "2026-01-01T00:00:00.000Z",
  by,
  token: UNBOUNDED,
  lineage: [],
  ancestors: [],
});

function after(state: SessionState, events: readonly EventBody[], journal: JournalEvent[] = []): SessionState {
  let next = state;
  for (const body of events) {
    const event: JournalEvent = { seq: next.seq + 1, session_id: next.id, at: "2026-01-01T00:00:00.000Z", ...body };
    journal.push(event);
    next = fold(next, event);
  }
  return next;
}

function run(state: SessionState, ...commands: SessionCommand[]): SessionState {
  return commands.reduce((current, command) => {
    const events = decide(current, command);
    if (events instanceof Failure) throw events;
    return after(current, events);
  }, state);
}

const message = (id: string): Item => ({ id, type: "agent_message", status: "in_progress", text: "" });
const tool = (id: string): Item => ({
  id,
  type: "tool_call",
  status: "in_progress",
  tool: "X",
  tool_use_id: `use_${id}`,
  input: {},
});
const approval = (id: string, item: string): Approval => ({
  id,
  session_id: "ses_1",
  turn_id: "t",
  item_id: item,
  tool: "X",
  tool_use_id: `use_${item}`,
  tier: "execute",
  input: {},
  input_hash: "h",
  preview: { type: "generic", summary: "" },
  warnings: [],
  reason: "",
  unattended: "deny",
  created_at: "",
  status: "pending",
});

describe("decide and fold", () => {
  const ready = run(born, { type: "open" });
  const prompt = (turn_id: string): SessionCommand => ({ type: "prompt", turn_id, prompt: { text: "do it" }, by });
  const working = run(ready, prompt("t1"));

  it("a prompt for the open turn goes before the others, is taken once, and is an ordinary one after the turn", () => {
    const now = (turn_id: string): SessionCommand => ({
      type: "prompt",
      turn_id,
      prompt: { text: "do it" },
      by,
      now: true,
    });
    const order = ({ queue }: SessionState): readonly string[] =>
      queue.map(
        ({ turn_id, now: isNow, held }) => `${turn_id}${isNow === true ? " now" : ""}${held === true ? " held" : ""}`,
      );
    const waiting = run(working, prompt("t2"), now("t3"), { type: "hold" }, now("t4"), {
      type: "send_now",
      turn_id: "t2",
    });
    expect(order(waiting)).toEqual(["t3 now held", "t4 now", "t2 now"]);
    const seq = waiting.queue.find(({ turn_id }) => turn_id === "t4")?.seq ?? 0;
    const take = { type: "steer", turn_id: "t1", prompt_id: "t4", seq, prompt: { text: "do it" }, by } as const;
    expect(decide(waiting, take)).toEqual([
      { type: "turn.steered", turn_id: "t1", prompt_id: "t4", prompt: { text: "do it" }, by },
    ]);
    const taken = run(waiting, take);
    expect(order(taken)).toEqual(["t3 now held", "t2 now"]);
    // Not twice, not as it was before it was changed, and not into another turn.
    for (const other of [take, { ...take, prompt_id: "t2", seq: 0 }, { ...take, prompt_id: "t2", turn_id: "t9" }])
      expect(decide(taken, other)).toMatchObject({ code: "conflict" });
    expect(decide(taken, { type: "send_now", turn_id: "t4" })).toMatchObject({ code: "not_found" });
    const ended = run(taken, { type: "complete", changes: [], stop_reason: "end_turn" });
    expect(order(ended)).toEqual(["t3 held", "t2"]);
    expect(decide(ended, { type: "send_now", turn_id: "t2" })).toMatchObject({ code: "conflict" });
    expect(decide(ready, now("t1"))).toMatchObject([{ type: "turn.started", turn_id: "t1" }, {}]);
  });

  it("a held queue makes the session idle, whenever it is held", () => {
    const hold: SessionCommand = { type: "hold" };
    const end: SessionCommand = { type: "complete", changes: [], stop_reason: "end_turn" };
    const waiting = run(working, prompt("t2"));
    const paused = run(ready, { type: "pause" }, prompt("t2"));
    const statuses = [
      run(waiting, hold, end),
      run(waiting, end, hold),
      run(paused, { type: "unpause" }, hold),
      run(waiting, hold),
      run(paused, hold),
    ].map(({ status }) => status);
    expect(statuses).toEqual(["idle", "idle", "idle", "working", "paused"]);
    const why = { type: "hold", why: "It cannot be read." } as const;
    expect(decide(run(waiting, end), why)).toEqual([
      { type: "error", message: why.why },
      { type: "session.updated", status: "idle", held: ["t2"] },
    ]);
    expect(run(run(waiting, hold, end), { type: "unqueue", turn_id: "t2", by }).status).toBe("idle");
  });

  it("goes through the statuses of a turn with a question", () => {
    const started = run(working, { type: "progress", changes: [{ type: "item.started", item: tool("i1") }] });
    const asked = run(started, { type: "ask", approval: approval("a1", "i1") });
    const answered = run(asked, {
      type: "answer",
      answer: { approval_id: "a1", outcome: "approved", by, granted_rule: "X" },
    });
    const done = run(answered, { type: "complete", changes: [], stop_reason: "end_turn" });
    expect([born, ready, working, asked, answered, done].map(({ status }) => status)).toEqual([
      "creating",
      "ready",
      "working",
      "pending_approval",
      "working",
      "idle",
    ]);
    expect(done.grants).toEqual(["X"]);
    expect(done.turn).toBeUndefined();
  });

  it("queues a second prompt and refuses one past the bound", () => {
    let state = working;
    for (let index = 0; index < 100; index += 1) state = run(state, prompt(`q${index}`));
    expect(state.queue).toHaveLength(100);
    expect(decide(state, prompt("one too many"))).toMatchObject({ code: "queue_full" });
  });

  it("ends open items and cancels questions when a turn fails", () => {
    const state = run(
      working,
      { type: "progress", changes: [{ type: "item.started", item: message("m1") }] },
      { type: "progress", changes: [{ type: "item.started", item: tool("i1") }] },
      { type: "ask", approval: approval("a1", "i1") },
    );
    const events = decide(state, { type: "fail", changes: [], error: { code: "aborted", message: "aborted" } });
    expect(events).toMatchObject([
      { type: "item.completed", item: { id: "m1", status: "interrupted" }, synthetic: true },
      { type: "item.completed", item: { id: "i1", status: "interrupted", is_error: true }, synthetic: true },
      { type: "approval.resolved", approval_id: "a1", outcome: "cancelled" },
      { type: "turn.failed", turn_id: "t1", error: { code: "aborted" } },
      { type: "session.updated", status: "idle" },
    ]);
  });

  it.each<[SessionCommand & { type: "configure" }, object, Partial<SessionSettings>]>([
    [{ type: "configure", change: { model: "other" } }, { model: "other" }, { model: "other" }],
    [
      { type: "configure", change: { autonomy: "full" } },
      { autonomy: "full" },
      { autonomy: "full", permission_mode: undefined },
    ],
    [
      { type: "configure", change: { model: "sim", autonomy: "supervised", permission_mode: "sdk" } },
      { autonomy: "supervised", permission_mode: "sdk" },
      { permission_mode: "sdk" },
    ],
  ])("changes what is others, in a turn and between turns: %j", (command, told, becomes) => {
    for (const state of [working, ready]) {
      const planned = { ...state, settings: { ...settings, permission_mode: "plan" as const } };
      expect(decide(planned, command)).toEqual([{ type: "session.updated", status: state.status, ...told }]);
      const next = run(planned, command);
      expect(next.settings).toEqual({ ...settings, permission_mode: "plan", ...becomes });
      expect(decide(next, command)).toEqual([]);
    }
  });

  it("takes only the first answer", () => {
    const asked = run(working, { type: "ask", approval: approval("a1", "i1") });
    const answered = run(asked, { type: "answer", answer: { approval_id: "a1", outcome: "rejected", by } });
    expect(decide(answered, { type: "answer", answer: { approval_id: "a1", outcome: "approved", by } })).toMatchObject({
      code: "already_answered",
    });
  });

  it("fails what waits in the queue when it closes, and takes nothing afterwards", () => {
    const queued = run(
      working,
      prompt("t2"),
      { type: "pause" },
      { type: "complete", changes: [], stop_reason: "end_turn" },
    );
    const closed = run(queued, { type: "close" });
    expect(closed.status).toBe("complete");
    expect(closed.queue).toEqual([]);
    for (const command of [prompt("t3"), { type: "pause" }, { type: "close" }, { type: "open" }] as SessionCommand[]) {
      expect(decide(closed, command)).toMatchObject({ code: "session_closed" });
    }
  });

  it("counts a restart unless a person was waited for, and gives up after three", () => {
    let state = working;
    for (let restart = 1; restart <= 3; restart += 1) {
      state = run(state, { type: "recover", resumable: true });
      expect(state.turn?.restarts).toBe(restart);
    }
    const asked = run(state, { type: "ask", approval: approval("a1", "i1") }, { type: "recover", resumable: true });
    expect(asked.turn?.restarts).toBe(3);
    expect(run(state, { type: "recover", resumable: true }).turn).toBeUndefined();
    expect(run(working, { type: "recover", resumable: false }).turn).toBeUndefined();
  });

  it("holds its invariants under any order of commands", () => {
    const id = fc.constantFrom("a", "b", "c", "d");
    const command: fc.Arbitrary<SessionCommand> = fc.oneof(
      fc.uuid().map((turn_id): SessionCommand => prompt(turn_id)),
      id.map((item): SessionCommand => ({
        type: "progress",
        changes: [{ type: "item.started", item: message(item) }],
      })),
      id.map((item): SessionCommand => ({ type: "progress", changes: [{ type: "item.started", item: tool(item) }] })),
      id.map((item): SessionCommand => ({
        type: "progress",
        changes: [{ type: "item.completed", item: { ...tool(item), status: "completed" } }],
      })),
      fc.tuple(fc.uuid(), id).map(([key, item]): SessionCommand => ({ type: "ask", approval: approval(key, item) })),
      fc.constantFrom<SessionCommand>(
        { type: "complete", changes: [], stop_reason: "end_turn" },
        { type: "fail", changes: [], error: { code: "aborted", message: "aborted" } },
        { type: "configure", change: { model: "other" } },
        { type: "configure", change: { autonomy: "full", permission_mode: "bypassPermissions" } },
        { type: "configure", change: { model: "sim", autonomy: "restricted" } },
        { type: "pause" },
        { type: "unpause" },
        { type: "recover", resumable: true },
        { type: "recover", resumable: false },
        { type: "close" },
      ),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const journal: JournalEvent[] = [];
        let state = after(
          born,
          [
            { type: "thread.started", thread_id: "ses_1" },
            { type: "session.updated", status: "ready" },
          ],
          journal,
        );
        const accepted = new Set<string>();
        for (const given of commands) {
          const events = decide(state, given);
          if (events instanceof Failure) continue;
          if (given.type === "prompt") accepted.add(given.turn_id);
          state = after(state, events, journal);
          const next = state.queue[0];
          if (state.turn === undefined && next !== undefined && !state.paused)
            state = after(
              state,
              decide(state, { type: "dequeue", turn_id: next.turn_id, prompt: { text: "q" }, by }) as EventBody[],
              journal,
            );
        }
        expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1));
        const ends = journal.flatMap((event) => (isTerminal(event) ? [event.turn_id] : []));
        expect(new Set(ends).size).toBe(ends.length);
        const open = [state.turn?.id, ...state.queue.map(({ turn_id }) => turn_id)].filter(
          (turn) => turn !== undefined,
        );
        expect(new Set([...ends, ...open])).toEqual(accepted);
        if (state.turn === undefined) expect(state.pending).toEqual([]);
        const started = journal.filter(({ type }) => type === "item.started").length;
        if (state.turn === undefined && started > 0) expect(itemsLeftOpen(journal)).toEqual([]);
        expect(journal.reduce((folded, event) => fold(folded, event), born)).toEqual(state);
        const row = fromRow(toRow(state));
        expect({ ...row, turn: undefined }).toEqual(JSON.parse(JSON.stringify({ ...state, turn: undefined })));
      }),
      { seed: 20_261_115, numRuns: 500 },
    );
  });
});

function itemsLeftOpen(journal: readonly JournalEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const event of journal) {
    if (event.type === "item.started") open.add(event.item.id);
    if (event.type === "item.completed") open.delete(event.item.id);
  }
  return [...open];
}
