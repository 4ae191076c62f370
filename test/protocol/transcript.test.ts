import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  endToolItem,
  NO_USAGE,
  OpenItems,
  startToolItem,
  Transcript,
  type Approval,
  type EventBody,
  type Item,
  type StreamFrame,
} from "../../src/protocol/index.ts";

const SEED = 20_130_013;
const CHARS = 1_000;
const by = { id: "p1", name: "Ada", role: "admin" } as const;

const numbered = (seq: number, body: EventBody): StreamFrame => ({
  seq,
  session_id: "s",
  at: new Date(Date.UTC(2026, 0, 1) + seq).toISOString(),
  ...body,
});
const journal = (...bodies: readonly EventBody[]): readonly StreamFrame[] =>
  bodies.map((body, index) => numbered(index + 1, body));
const delta = (item_id: string, text: string, field: "text" | "output" | "input" = "text"): StreamFrame => ({
  type: "item.delta",
  session_id: "s",
  item_id,
  field,
  delta: text,
});
const snapshot = (item: Item): StreamFrame => ({ type: "item.updated", session_id: "s", item });

function folded(frames: readonly StreamFrame[], chars = CHARS): Transcript {
  const transcript = new Transcript(chars);
  for (const frame of frames) transcript.apply(frame);
  return transcript;
}

/** All that a reader can see. */
const seen = (transcript: Transcript): object => ({
  turns: [...transcript.turns.values()],
  items: [...transcript.items.values()],
  questions: [...transcript.questions.values()],
  running: transcript.running,
  open: transcript.open,
  seq: transcript.seq,
  ended: transcript.ended,
});

const started = (turn_id: string): EventBody => ({ type: "turn.started", turn_id, prompt: { text: turn_id }, by });
const queued = (turn_id: string): EventBody => ({ type: "turn.queued", turn_id, prompt: { text: turn_id }, by });
const completed = (turn_id: string): EventBody => ({
  type: "turn.completed",
  turn_id,
  usage: NO_USAGE,
  cost_microusd: 42,
  stop_reason: "end_turn",
});
const failed = (turn_id: string): EventBody => ({
  type: "turn.failed",
  turn_id,
  usage: NO_USAGE,
  error: { code: "aborted", message: "stopped" },
  by,
});
const message = (id: string, text = "", more: Partial<Item> = {}): Item =>
  ({ id, type: "agent_message", status: "in_progress", text, ...more }) as Item;
const command = (id: string): Extract<Item, { tool: string }> =>
  startToolItem({ id, tool: "Bash", tool_use_id: id, input: { command: "ls" } });
const grep = (id: string): Extract<Item, { tool: string }> =>
  startToolItem({ id, tool: "Grep", tool_use_id: id, input: {} });
const start = (item: Item): EventBody => ({ type: "item.started", item });
const update = (item: Item): EventBody => ({ type: "item.updated", item });
const complete = (item: Item): EventBody => ({ type: "item.completed", item: { ...item, status: "completed" } });
const ask = (id: string, item_id: string): EventBody => ({
  type: "approval.requested",
  approval: { id, turn_id: "t1", item_id, tool: "Bash" } as Approval,
});
const answer = (approval_id: string): EventBody => ({
  type: "approval.resolved",
  approval_id,
  outcome: "approved",
  by,
  granted_rule: "Bash(ls)",
});

describe("an open item's text", () => {
  const open = journal(started("t1"), start(message("m")), start(command("c")), start(grep("g")));
  const ended = numbered(9, complete(message("m", "whole")));
  it.each<[string, readonly StreamFrame[], string, object]>([
    ["adds up", [delta("m", "a"), delta("m", "b")], "m", { text: "ab" }],
    ["of a command is its output", [delta("c", "a\n", "output")], "c", { aggregated_output: "a\n" }],
    ["of a tool is its first result", [delta("g", "a", "output")], "g", { output: [{ type: "text", text: "a" }] }],
    ["does not hold the input", [delta("g", "{", "input")], "g", grep("g")],
    ["goes on from a snapshot", [snapshot(message("m", "so far")), delta("m", "!")], "m", { text: "so far!" }],
    ["is replaced by a snapshot", [delta("m", "lost"), snapshot(message("m", "kept"))], "m", { text: "kept" }],
    [
      "outlives an update",
      [delta("c", "a", "output"), numbered(9, update(command("c")))],
      "c",
      { aggregated_output: "a" },
    ],
    ["is replaced by the completed item", [delta("m", "par"), ended], "m", { text: "whole", status: "completed" }],
    ["does not grow after the end", [ended, delta("m", "late")], "m", { text: "whole" }],
    ["ends with its turn", [delta("m", "hal"), numbered(9, failed("t1"))], "m", { text: "hal", status: "interrupted" }],
  ])("%s", (_name, frames, id, item) => {
    expect(folded([...open, ...frames]).items.get(id)?.item).toMatchObject(item);
  });

  it("keeps its end where it is too long", () => {
    const { items } = folded([...open, delta("m", "0123456789"), delta("m", "ab")], 4);
    expect(items.get("m")?.item).toMatchObject({ text: "89ab" });
  });
});

describe("what comes with an event", () => {
  const kinds = (...bodies: readonly EventBody[]): readonly string[] => {
    const transcript = new Transcript(CHARS);
    return journal(...bodies).flatMap((frame) => transcript.apply(frame).map(({ kind, turn }) => `${kind} ${turn}`));
  };
  it.each<[string, readonly EventBody[], readonly string[]]>([
    ["a prompt that waits, then begins", [queued("t1"), started("t1")], ["queued t1", "prompt t1"]],
    ["a prompt that never begins", [queued("t1"), failed("t1")], ["queued t1", "prompt t1", "end t1"]],
    ["the end of a turn whose beginning was not read", [failed("t0")], ["end t0"]],
    ["an item, once", [started("t1"), start(grep("g")), complete(grep("g"))], ["prompt t1", "item t1"]],
    [
      "a question about an item",
      [started("t1"), start(command("c")), ask("a", "c"), answer("a")],
      ["prompt t1", "item t1", "question t1"],
    ],
    ["a question about no item", [started("t1"), ask("a", ""), answer("a")], ["prompt t1", "question t1", "notice t1"]],
    ["a notice before the first turn", [{ type: "error", message: "no" }], ["notice "]],
    ["the start of a thread", [{ type: "thread.started", thread_id: "s" }], []],
    ["a kind that is not known", [{ type: "weather.changed" } as unknown as EventBody], ["unknown "]],
  ])("%s", (_name, bodies, expected) => {
    expect(kinds(...bodies)).toEqual(expected);
  });

  it("nothing where the event was in already", () => {
    const frames = journal(started("t1"), start(grep("g")));
    const transcript = folded(frames);
    const before = seen(transcript);
    expect(frames.flatMap((frame) => transcript.apply(frame))).toEqual([]);
    expect(seen(transcript)).toEqual(before);
  });
});

describe("turns", () => {
  it("those that wait stand behind those that began, in the order in which they begin or leave", () => {
    const { turns } = folded(
      journal(started("t1"), queued("t2"), queued("t3"), failed("t3"), completed("t1"), started("t2")),
    );
    expect([...turns.values()].map(({ id, state }) => [id, state])).toEqual([
      ["t1", "completed"],
      ["t3", "removed"],
      ["t2", "open"],
    ]);
  });

  it("hold and let go", () => {
    const held = (...ids: readonly string[]): EventBody => ({
      type: "session.updated",
      status: "idle",
      held: [...ids],
    });
    expect(folded(journal(queued("t1"), held("t1"))).turns.get("t1")?.held).toBe(true);
    expect(folded(journal(queued("t1"), held("t1"), held())).turns.get("t1")?.held).toBe(false);
  });

  it("cost what their end tells, and what is told after it", () => {
    const spent: EventBody = {
      type: "budget.updated",
      turn_id: "t1",
      cost_microusd: 3,
      bound_microusd: 2,
      reserved_microusd: 0,
      spent_microusd: 3,
    };
    expect(folded(journal(started("t1"), spent, spent)).turns.get("t1")).toMatchObject({
      cost_microusd: 6,
      bound_microusd: 4,
    });
    expect(folded(journal(started("t1"), spent, completed("t1"), spent)).turns.get("t1")).toMatchObject({
      cost_microusd: 45,
      bound_microusd: 4,
    });
  });

  it("and items are the same object until they change", () => {
    const transcript = folded(
      journal(started("t1"), complete(grep("g")), completed("t1"), started("t2"), start(message("m"))),
    );
    const [first, item] = [transcript.turns.get("t1"), transcript.items.get("g")];
    const second = transcript.turns.get("t2");
    transcript.apply(delta("m", "more"));
    expect([transcript.turns.get("t1") === first, transcript.items.get("g") === item]).toEqual([true, true]);
    expect(transcript.turns.get("t2") === second).toBe(false);
  });

  it("that have ended are forgotten with all that is in them", () => {
    const transcript = folded(
      journal(
        started("t1"),
        start(command("c")),
        ask("a", "c"),
        answer("a"),
        complete(command("c")),
        completed("t1"),
        queued("t2"),
      ),
    );
    transcript.forgetEnded();
    expect([[...transcript.turns.keys()], [...transcript.items.keys()], [...transcript.questions.keys()]]).toEqual([
      ["t2"],
      [],
      [],
    ]);
  });
});

/** What happens in a session, as journaled events and as what is live beside them. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant("said" as const), pieces: fc.array(fc.string({ maxLength: 8 }), { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant("ran" as const),
    pieces: fc.array(fc.string({ maxLength: 8 }), { maxLength: 4 }),
    asked: fc.boolean(),
    nested: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom("notice" as const, "spent" as const, "turn" as const) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

function framesOf(happenings: readonly Happening[]): readonly StreamFrame[] {
  let turn = 1;
  const task = startToolItem({ id: "task", tool: "Task", tool_use_id: "task", input: {} });
  const told: (EventBody | StreamFrame)[] = [started("t1"), start(task)];
  for (const [index, one] of happenings.entries()) {
    const id = `i${index}`;
    if (one.kind === "said")
      told.push(
        start(message(id)),
        ...one.pieces.map((piece) => delta(id, piece)),
        complete(message(id, one.pieces.join(""))),
      );
    else if (one.kind === "ran") {
      const item = { ...command(id), ...(one.nested ? { parent_id: "task" } : {}) };
      told.push(start(item));
      if (one.asked)
        told.push(ask(`a${index}`, id), answer(`a${index}`), update({ ...item, approved_input: { command: "id" } }));
      const output = [{ type: "text" as const, text: one.pieces.join("") }];
      told.push(...one.pieces.map((piece) => delta(id, piece, "output")));
      told.push({ type: "item.completed", item: endToolItem(item, { status: "completed", is_error: false, output }) });
    } else if (one.kind === "notice") told.push({ type: "error", message: id });
    else if (one.kind === "spent") told.push({ type: "usage.updated", turn_id: `t${turn}`, usage: NO_USAGE });
    else {
      // A session ends what is open before it ends a turn.
      if (turn === 1) told.push(complete(task));
      told.push(queued(`t${turn + 1}`), completed(`t${turn}`), started(`t${(turn += 1)}`));
    }
  }
  let seq = 0;
  return told.map((frame) =>
    frame.type === "item.delta" || "session_id" in frame ? frame : numbered((seq += 1), frame),
  );
}

it("folded at once and in pieces with lost connections, a session is the same", () => {
  const cut = fc.tuple(fc.nat(200), fc.nat(30), fc.nat(5));
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 12 }), fc.array(cut, { maxLength: 4 }), (happenings, cuts) => {
      const frames = framesOf(happenings);
      const lost = new Map(cuts.map(([at, length, again]) => [at, { length: length + 1, again }]));
      const whole = new Transcript(CHARS);
      const pieces = new Transcript(CHARS);
      const server = new OpenItems(CHARS);
      let gone: { until: number; again: number } | undefined;
      for (const [index, frame] of frames.entries()) {
        const { length, again = 0 } = lost.get(index) ?? {};
        if (length !== undefined) gone ??= { until: index + length, again };
        whole.apply(frame);
        server.apply(frame);
        const isBack = gone !== undefined && (index === gone.until || index === frames.length - 1);
        if (gone === undefined) pieces.apply(frame);
        if (!isBack || gone === undefined) continue;
        // The journal from a little before the last event on, then what is open.
        const after = pieces.seq - gone.again;
        for (const old of frames.slice(0, index + 1)) if ("seq" in old && old.seq > after) pieces.apply(old);
        for (const item of server.items) pieces.apply(snapshot(item));
        gone = undefined;
        expect(seen(pieces)).toEqual(seen(whole));
      }
      expect(seen(pieces)).toEqual(seen(whole));
    }),
    { seed: SEED, numRuns: 150 },
  );
});
