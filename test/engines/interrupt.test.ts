import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EngineEvent } from "../../src/engines/index.ts";
import { readTurn, never, script, Signal, World, type TestHost } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

const ABORTED = { type: "turn.failed", error: { code: "aborted", message: "aborted" } };
/** Of work, not of the clock: the machine may have other things to do, and the engine itself never waits here. */
const LIMIT_MS = 100;

function ends(arrays: readonly (readonly EngineEvent[])[]): readonly unknown[] {
  return arrays.flat().flatMap((event): unknown[] => {
    if (event.type === "turn.completed" || event.type === "turn.failed") return [event];
    if (event.type !== "item.completed") return [];
    const { item } = event;
    if ("output" in item)
      return [
        [item.tool, item.status, ...(item.output ?? []).map((block) => (block.type === "text" ? block.text : "image"))],
      ];
    return "text" in item ? [[item.type, item.status, item.text]] : [];
  });
}

interface Case {
  readonly name: string;
  readonly steps: readonly unknown[];
  /** Aborts at the right moment. */
  readonly when: (host: TestHost, abort: () => void) => ((events: readonly EngineEvent[]) => void) | undefined;
  readonly ends: readonly unknown[];
}

const onDelta = (abort: () => void) => (events: readonly EngineEvent[]) => {
  if (events.some((event) => event.type === "item.delta")) abort();
};

const CASES: readonly Case[] = [
  {
    name: "before anything",
    steps: [{ say: "never" }],
    when: (_, abort) => {
      abort();
      return undefined;
    },
    ends: [ABORTED],
  },
  {
    name: "before the first word",
    steps: [{ delay_ms: 600_000 }, { say: "never" }],
    when: (_, abort) => {
      setTimeout(abort, 20);
      return undefined;
    },
    ends: [ABORTED],
  },
  {
    name: "in the middle of a text",
    steps: [{ say: "half" }, { delay_ms: 600_000 }, { say: "never" }],
    when: (_, abort) => onDelta(abort),
    ends: [["agent_message", "interrupted", "half"], ABORTED],
  },
  {
    name: "in the middle of a thought",
    steps: [{ think: "a thought" }, { delay_ms: 600_000 }, { say: "never" }],
    when: (_, abort) => onDelta(abort),
    ends: [["reasoning", "interrupted", "a thought"], ABORTED],
  },
  {
    name: "while the input of a tool is written",
    steps: [{ say: "I write." }, { delay_ms: 600_000 }, { tool: "Write", input: { file_path: "a", content: "x" } }],
    when: (_, abort) => onDelta(abort),
    ends: [["agent_message", "interrupted", "I write."], ABORTED],
  },
  {
    name: "while a person is asked",
    steps: [
      { tools: [{ tool: "Bash" }, { tool: "Write", input: { file_path: "a", content: "x" } }] },
      { say: "never" },
    ],
    when: (host, abort) => {
      host.decide = () => {
        abort();
        return new Promise(() => undefined);
      };
      return undefined;
    },
    ends: [
      ["Write", "interrupted", "Interrupted; not run."],
      ["Bash", "interrupted", "Interrupted; not run."],
      ABORTED,
    ],
  },
  {
    name: "while a tool runs that ends when it is told to",
    steps: [{ tools: [{ tool: "Held", input: { key: "1" } }, { tool: "Bash" }] }, { say: "never" }],
    when: (host, abort) => {
      host.toolbox.gates.set("1", new Signal());
      return onDelta(abort);
    },
    ends: [["Held", "interrupted", "held no longer"], ["Bash", "interrupted", "Interrupted; not run."], ABORTED],
  },
  {
    name: "while a tool runs that does not listen",
    steps: [{ tool: "Stubborn" }, { say: "never" }],
    when: (_, abort) => onDelta(abort),
    ends: [["Stubborn", "interrupted", "working\n", "Interrupted; outcome unknown."], ABORTED],
  },
  {
    name: "while it waits to try again",
    steps: [{ error: { status: 529, times: 9 } }],
    when: (host, abort) => {
      host.onSleep = abort;
      return undefined;
    },
    ends: [ABORTED],
  },
  {
    name: "while a sub-agent talks",
    steps: [
      { tool: "Task", input: { prompt: `sim: ${JSON.stringify([{ say: "from below" }, { delay_ms: 600_000 }])}` } },
    ],
    when: (_, abort) => onDelta(abort),
    ends: [
      ["agent_message", "interrupted", "from below"],
      ["Task", "interrupted", "Error: the sub-agent did not finish: aborted\n\nIt had said: from below"],
      ABORTED,
    ],
  },
  {
    name: "while a sub-agent's tool runs",
    steps: [{ tool: "Task", input: { prompt: `sim: ${JSON.stringify([{ tool: "Stubborn" }])}` } }],
    when: (_, abort) => onDelta(abort),
    ends: [
      ["Stubborn", "interrupted", "working\n", "Interrupted; outcome unknown."],
      ["Task", "interrupted", "Error: the sub-agent did not finish: aborted"],
      ABORTED,
    ],
  },
];

describe("an interrupt", () => {
  test.each(CASES)(
    "$name: ends the turn at once and leaves a usable conversation",
    async ({ steps, when, ends: expected }) => {
      const host = world.host();
      const conversation = await world.open(host, { settings: { thinking_tokens: 1_024 } });
      const controller = new AbortController();
      let at = process.cpuUsage();
      const abort = (): void => {
        at = process.cpuUsage();
        controller.abort();
      };
      const onArray = when(host, abort);
      const told = await readTurn(conversation.turn(script(steps), controller.signal), onArray);
      const { user, system } = process.cpuUsage(at);
      expect((user + system) / 1_000).toBeLessThan(LIMIT_MS);
      expect(ends(told.arrays)).toEqual(expected);
      host.decide = (call) => ({ effect: "allow", input: call.input });
      const next = await readTurn(conversation.turn(script([{ tool: "Bash" }, { say: "still here" }]), never()));
      expect(next.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
      expect(world.take().filter((exchange) => exchange.status === 400)).toEqual([]);
    },
  );
});
