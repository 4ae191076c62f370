import { expect } from "vitest";
import type { Bench } from "./bench.ts";
import { NO, YES, type Scenario, type Seen } from "./scenario.ts";
import type { Turn } from "./session.ts";

const STATUSES = [
  { status: 401, code: "model_unauthenticated" },
  { status: 429, code: "model_unavailable" },
  { status: 529, code: "model_unavailable" },
] as const;

/** Engines wait longer and longer before they ask once more, so this is begun beside everything else. */
export function beginFailures(bench: Bench): Promise<ReadonlyMap<number, Turn>> {
  const work = async (): Promise<ReadonlyMap<number, Turn>> => {
    const turns = new Map<number, Turn>();
    const session = await bench.aside();
    for (const { status } of STATUSES)
      turns.set(status, await session.turn([{ error: { status, message: `scripted ${status}` }, times: 50 }]));
    expect((await session.turn([{ say: "Well again." }])).end.type).toBe("turn.completed");
    await bench.end(session);
    return turns;
  };
  const done = work();
  // Whoever looks at it first is told.
  done.catch(() => undefined);
  return done;
}

function refusal({ status, code }: (typeof STATUSES)[number]): Scenario {
  return {
    name: `the model answers ${status}: \`${code}\``,
    async run(bench): Promise<Seen> {
      const turn = (await bench.failures).get(status);
      expect(turn?.end).toMatchObject({ type: "turn.failed", error: { code } });
      expect(turn?.items).toEqual([]);
      const retries = (turn?.requests.length ?? 0) - 1;
      // Whoever waits is told why, each time.
      expect(turn?.notices).toHaveLength(retries);
      for (const notice of turn?.notices ?? []) expect(notice).toContain(String(status));
      return { can: true, words: retries === 0 ? "at once" : `after ${retries} retries, each told` };
    },
  };
}

const overloaded: Scenario = {
  name: "an overloaded model is asked again",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ error: { status: 529 } }, { say: "Here." }]);
    expect(turn.end.type).toBe("turn.completed");
    expect(turn.items).toMatchObject([{ type: "agent_message", text: "Here." }]);
    expect(turn.notices).toEqual([expect.stringContaining("529")]);
    return YES;
  },
};

const cut: Scenario = {
  name: "an answer that broke off is superseded by another",
  async run(bench) {
    const main = await bench.main();
    const turn = await main.turn([{ stream: { tokens: 12, per_second: 60 } }, { cut: true }, { say: "Rest." }]);
    if (turn.end.type === "turn.failed") {
      expect(turn.end.error.code).toBe("model_stream_cut");
      return { can: false, words: "no, the turn ends with `model_stream_cut`" };
    }
    expect(turn.notices).toHaveLength(1);
    const [dead, ...whole] = turn.items;
    if (whole.length === 0 && dead?.status === "completed") {
      expect(dead).toMatchObject({ type: "agent_message", text: expect.stringMatching(/Rest\.$/) });
      return { can: false, words: "no, both are one text" };
    }
    expect(whole.map(({ status }) => status)).toEqual(whole.map(() => "completed"));
    expect(whole.at(-1)).toMatchObject({ type: "agent_message", text: expect.stringMatching(/Rest\.$/) });
    return dead?.status === "superseded" ? YES : NO;
  },
};

export const FAILURES: readonly Scenario[] = [overloaded, cut];
export const REFUSALS: readonly Scenario[] = STATUSES.map(refusal);
