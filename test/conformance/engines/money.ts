import { expect } from "vitest";
import { BUDGET_TOOL, type Usage } from "../../../src/protocol/index.ts";
import { PRICE } from "./bench.ts";
import { bash, YES, type Scenario } from "./scenario.ts";

const CALLS = [
  { input_tokens: 310, output_tokens: 41, cache_creation_input_tokens: 1_024, cache_read_input_tokens: 0 },
  { input_tokens: 17, output_tokens: 29, cache_creation_input_tokens: 53, cache_read_input_tokens: 1_024 },
] as const;

const usage: Scenario = {
  name: "usage and cost are what the model said, to the token",
  async run(bench) {
    const main = await bench.main();
    const before = await bench.client.sessionUsage(main.id);
    const [first, second] = CALLS;
    const turn = await main.turn([{ usage: first }, bash("echo paid"), { usage: second }, { say: "Paid." }]);
    const expected: Usage = {
      input_tokens: first.input_tokens + second.input_tokens,
      output_tokens: first.output_tokens + second.output_tokens,
      cache_read_tokens: first.cache_read_input_tokens + second.cache_read_input_tokens,
      cache_write_tokens: first.cache_creation_input_tokens + second.cache_creation_input_tokens,
      reasoning_tokens: 0,
      model_calls: bench.told(CALLS.length),
    };
    const cost =
      (expected.input_tokens * PRICE.input +
        expected.output_tokens * PRICE.output +
        expected.cache_read_tokens * PRICE.cache_read +
        expected.cache_write_tokens * PRICE.cache_write) /
      1_000_000;
    expect(turn.end).toMatchObject({ type: "turn.completed", usage: expected, cost_microusd: cost });
    const told = turn.frames.flatMap((frame) => (frame.type === "usage.updated" ? [frame.usage.model_calls] : []));
    expect(told).toEqual(Array(bench.told(CALLS.length)).fill(1));
    const after = await bench.client.sessionUsage(main.id);
    expect(after.cost_microusd - before.cost_microusd).toBe(cost);
    const { lines } = await bench.client.usage({ by: ["turn", "engine"], session: main.id });
    expect(lines.find((line) => line.turn === turn.id)).toMatchObject({
      engine: bench.engine,
      requests: bench.told(CALLS.length),
      cost_microusd: cost,
      bound_microusd: 0,
    });
    return bench.home === undefined ? YES : { can: true, words: "yes, as one sum" };
  },
};

const budget: Scenario = {
  name: "without money a person is asked, and with more of it the turn goes on",
  async run(bench) {
    const session = await bench.session({ max_cost_microusd: 1 });
    const asked: string[] = [];
    const refused = await session.turn([{ say: "Never said." }], {
      answer: ({ tool }) => {
        asked.push(tool);
        return { decision: "reject" };
      },
    });
    expect(refused.end).toMatchObject({ type: "turn.failed", error: { code: "budget_exceeded" } });
    expect(refused.requests).toEqual([]);
    // A turn at home has all that is left from its beginning, and nobody is asked on the way.
    if (bench.home !== undefined && asked.length === 0) {
      await bench.end(session);
      return { can: false, words: "no, the turn ends with `budget_exceeded`" };
    }
    const limit_microusd = 100_000_000;
    const turn = await session.turn([bash("echo rich"), { say: "Rich." }], {
      answer: ({ tool, input }) => {
        asked.push(tool);
        if (tool !== BUDGET_TOOL) return { decision: "approve" };
        return { decision: "approve", updated_input: { ...input, limit_microusd } };
      },
    });
    expect(turn.end.type).toBe("turn.completed");
    expect(asked).toEqual([BUDGET_TOOL, BUDGET_TOOL, "Bash"]);
    expect(turn.items.at(-1)).toMatchObject({ type: "agent_message", text: "Rich." });
    expect(await bench.client.session(session.id)).toMatchObject({ limit_microusd });
    await bench.end(session);
    return YES;
  },
};

export const MONEY: readonly Scenario[] = [usage, budget];
