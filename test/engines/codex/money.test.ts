import { describe, expect, it } from "vitest";
import { BUDGET_TOOL } from "../../../src/protocol/index.ts";
import { Bench } from "../../conformance/engines/bench.ts";
import { marksIn } from "../../conformance/engines/model.ts";
import { TEST_SANDBOX } from "../../support/server.ts";
import { vendorProgram } from "../../support/vendor-programs.ts";
import { noticed } from "../../support/vendor/processes.ts";

describe.skipIf(vendorProgram("codex") === undefined)("Codex is killed while a person is asked for money", () => {
  it("and the turn begins again once, when there is money", async () => {
    const bench = await Bench.open("codex", { api: "responses", sandbox: TEST_SANDBOX });
    try {
      const session = await bench.session({ max_cost_microusd: 1 });
      const begun = await session.begin([{ say: "Rich." }], { answer: () => undefined });
      await session.kind("approval.requested");
      const { pid = 0 } = (await bench.vendor(session)) ?? {};
      process.kill(pid, "SIGKILL");
      await noticed([pid]);
      // Nothing is begun before the answer.
      expect(await bench.vendor(session)).toBeUndefined();
      await session.answerWith(({ tool, input }) =>
        tool === BUDGET_TOOL
          ? { decision: "approve", updated_input: { ...input, limit_microusd: 100_000_000 } }
          : { decision: "approve" },
      );
      const turn = await session.finish(begun);
      expect(turn.end).toMatchObject({ type: "turn.completed" });
      expect(turn.items).toMatchObject([{ type: "agent_message", text: "Rich.", status: "completed" }]);
      expect(turn.requests.map(marksIn)).toEqual([[begun.mark]]);
    } finally {
      await bench.remove();
    }
  });
});
