import { describe, expect, it } from "vitest";
import { BUDGET_TOOL } from "../../src/protocol/index.ts";
import { Bench } from "../conformance/engines/bench.ts";
import { marksIn } from "../conformance/engines/model.ts";
import { TEST_SANDBOX } from "../support/server.ts";
import { KILLED_ENGINES, lacksProgram } from "../support/vendor/killed.ts";

const VENDORS = KILLED_ENGINES.filter(({ engine }) => engine !== "loop");

/** Some programs take figures in a refusal, such as 500, for the status of an answer that may be asked for again. */
describe.each(VENDORS)("a refusal for lack of money that names 500 micro-USD: $engine", (vendor) => {
  it.skipIf(lacksProgram(vendor))("asks for money at once, and goes on when there is some", async () => {
    const { engine, api } = vendor;
    const bench = await Bench.open(engine, { api, sandbox: TEST_SANDBOX });
    try {
      const session = await bench.session({ max_cost_microusd: 500 });
      const asked: string[] = [];
      const turn = await session.turn([{ say: "Rich." }], {
        answer: ({ tool, input }) => {
          asked.push(tool);
          return { decision: "approve", updated_input: { ...input, limit_microusd: 100_000_000 } };
        },
      });
      expect(asked).toEqual([BUDGET_TOOL]);
      expect(turn.notices).toEqual([]);
      expect(turn.end).toMatchObject({ type: "turn.completed" });
      expect(turn.items.at(-1)).toMatchObject({ type: "agent_message", text: "Rich.", status: "completed" });
      expect(turn.requests.map(marksIn)).toEqual([[turn.mark]]);
    } finally {
      await bench.remove();
    }
  });
});
