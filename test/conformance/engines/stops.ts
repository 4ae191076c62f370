import { expect } from "vitest";
import { LIMITS, type StreamFrame } from "../../../src/protocol/index.ts";
import type { Bench } from "./bench.ts";
import { marksIn } from "./model.ts";
import { begunSleep, ownSleep, sleeping, until } from "./processes.ts";
import { bash, NO_PROCESS, YES, type Scenario } from "./scenario.ts";
import type { BenchSession } from "./session.ts";

/** Text that nobody waits for to the end. */
const ENDLESS = { stream: { tokens: 100_000, per_second: 100 } };

/** The session goes on, and its model knows the prompt with this mark. */
export async function goesOn(session: BenchSession, mark: string): Promise<void> {
  const next = await session.turn([{ say: "On we go." }]);
  expect(next.end.type).toBe("turn.completed");
  expect(next.items).toMatchObject([{ type: "agent_message", status: "completed", text: "On we go." }]);
  expect(next.requests.map(marksIn).at(-1)).toContain(mark);
}

/** Does something once, when so much of an answer was seen. */
export function atDelta(count: number, act: () => void): (frame: StreamFrame) => void {
  let deltas = 0;
  return (frame) => {
    if (frame.type !== "item.delta") return;
    deltas += 1;
    if (deltas === count) act();
  };
}

const inText: Scenario = {
  name: "interrupted in a text: the turn ends, the session goes on",
  async run(bench) {
    const main = await bench.main();
    let answered: Promise<unknown> = Promise.resolve();
    const turn = await main.turn([ENDLESS], {
      onFrame: atDelta(3, () => {
        answered = main.client.control(main.id, "interrupt");
      }),
    });
    await answered;
    expect(turn.end).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect(turn.items).toMatchObject([{ type: "agent_message", status: "interrupted" }]);
    expect(turn.requests).toHaveLength(1);
    await goesOn(main, turn.mark);
    return YES;
  },
};

const inTool: Scenario = {
  name: "interrupted in a tool: its processes are gone",
  async run(bench) {
    const main = await bench.main();
    const time = ownSleep();
    const begun = await main.begin([bash(`exec sleep ${time}`), { say: "Never said." }]);
    await begunSleep(time);
    await main.client.control(main.id, "interrupt");
    const turn = await main.finish(begun);
    expect(turn.end).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect(turn.items).toMatchObject([{ type: "command_execution", status: "interrupted" }]);
    expect(await until(async () => ((await sleeping(time)) === undefined ? true : undefined))).toBe(true);
    await goesOn(main, turn.mark);
    return YES;
  },
};

const whileAsked: Scenario = {
  name: "interrupted while a person is asked: the question is withdrawn",
  async run(bench) {
    const main = await bench.main();
    const begun = await main.begin([bash("echo never"), { say: "Never said." }], { answer: () => undefined });
    await main.kind("approval.requested", begun.from);
    await main.client.control(main.id, "interrupt");
    const turn = await main.finish(begun);
    expect(turn.end).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect(turn.items).toMatchObject([{ type: "command_execution", status: "interrupted" }]);
    expect(turn.frames.filter(({ type }) => type === "approval.resolved")).toMatchObject([{ outcome: "cancelled" }]);
    await goesOn(main, turn.mark);
    return YES;
  },
};

/** The vendor's process while a person is asked in a turn. */
export async function processInTurn(bench: Bench, session: BenchSession): Promise<number | undefined> {
  let pid: number | undefined;
  await session.turn([bash("echo here"), { say: "Done." }], {
    answer: async () => {
      pid = (await bench.vendor(session))?.pid;
      return { decision: "approve" };
    },
  });
  return pid;
}

const found = new WeakMap<Bench, Promise<boolean>>();

/** Whether the engine works through a process of its own. */
export function hasProcess(bench: Bench): Promise<boolean> {
  const known =
    found.get(bench) ??
    bench
      .main()
      .then((main) => processInTurn(bench, main))
      .then((pid) => pid !== undefined);
  found.set(bench, known);
  return known;
}

const program: Scenario = {
  name: "the vendor's program",
  async run(bench) {
    const main = await bench.main();
    const first = await processInTurn(bench, main);
    const second = await processInTurn(bench, main);
    if (first === undefined && second === undefined) return NO_PROCESS;
    return { can: true, words: first === second ? "one process for the session" : "a process for each prompt" };
  },
};

const killed: Scenario = {
  name: "its process is killed: the turn ends once, the session goes on",
  async run(bench) {
    const main = await bench.main();
    if (!(await hasProcess(bench))) return NO_PROCESS;
    const { known } = main;
    const begun = await main.begin([ENDLESS]);
    await main.kind("item.delta", begun.from);
    const vendor = await bench.vendor(main);
    if (vendor === undefined) throw new Error("no process of the vendor's program");
    process.kill(vendor.pid, "SIGKILL");
    const turn = await main.finish(begun);
    expect(turn.end).toMatchObject({ type: "turn.failed", error: { code: "engine_failed" } });
    expect(turn.items).toMatchObject([{ type: "agent_message", status: "interrupted" }]);
    // Whether the program had already written this prompt down when it died is a matter of milliseconds.
    await goesOn(main, known);
    return YES;
  },
};

/** Those whose program itself tells the results of calls: without it there is none. */
const TELL_RESULTS: ReadonlySet<string> = new Set(["claude-sdk", "claude-cli"]);

const killedUnread: Scenario = {
  name: "its process is killed before it reads a call's result: the model learns it in the next turn",
  async run(bench) {
    const main = await bench.main();
    if (!(await hasProcess(bench))) return NO_PROCESS;
    if (TELL_RESULTS.has(bench.engine)) return { can: true, words: "its program tells results itself" };
    const time = ownSleep();
    const begun = await main.begin([bash(`sleep ${time}; echo ran-$((40 + 2))`), { say: "Never said." }]);
    const waiting = await begunSleep(time);
    const vendor = await bench.vendor(main);
    if (vendor === undefined) throw new Error("no process of the vendor's program");
    process.kill(vendor.pid, "SIGSTOP");
    process.kill(waiting, "SIGKILL");
    await main.kind("item.completed", begun.from);
    process.kill(vendor.pid, "SIGKILL");
    const turn = await main.finish(begun);
    expect(turn.end).toMatchObject({ type: "turn.failed", error: { code: "engine_failed" } });
    expect(turn.items).toMatchObject([{ type: "command_execution", status: "completed" }]);
    const next = await main.turn([{ say: "On we go." }]);
    expect(next.end).toMatchObject({ type: "turn.completed" });
    expect(JSON.stringify(next.requests.at(-1)?.messages)).toContain("ran-42");
    return YES;
  },
};

/** Milliseconds in place of a minute and a half; nothing else runs meanwhile. */
const SILENCE_MS = 1_000;

const silent: Scenario = {
  name: "its process falls silent: the turn ends with a clear text",
  async run(bench) {
    const main = await bench.main();
    if (!(await hasProcess(bench))) return NO_PROCESS;
    const limits: { engineSilenceMs: number } = LIMITS;
    const usual = limits.engineSilenceMs;
    limits.engineSilenceMs = SILENCE_MS;
    try {
      // A process that stays is stopped before it hears of the prompt; one that comes with it says nothing for long.
      const kept = await bench.vendor(main);
      if (kept !== undefined) process.kill(kept.pid, "SIGSTOP");
      const turn = await main.turn([{ delay_ms: 60_000 }, { say: "Never said." }]);
      expect(turn.end).toMatchObject({
        type: "turn.failed",
        error: { code: "engine_failed", message: expect.stringContaining("stopped responding") },
      });
      expect(turn.items).toEqual([]);
    } finally {
      limits.engineSilenceMs = usual;
    }
    await goesOn(main, main.known);
    return YES;
  },
};

export const STOPS: readonly Scenario[] = [inText, inTool, whileAsked, program, killed, killedUnread];
/** Those that nothing else may run beside. */
export const ALONE: readonly Scenario[] = [silent];
