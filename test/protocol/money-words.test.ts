import { describe, expect, it } from "vitest";
import { shortageWords, spendingWords, type Shortage, type Spending } from "../../src/protocol/index.ts";

describe("money in words: spent, reserved and at most", () => {
  it.each<readonly [Spending, string]>([
    [{ cost_microusd: 0 }, "spent $0.00"],
    [{ cost_microusd: 120_000 }, "spent $0.12"],
    [{ cost_microusd: 120_000, bound_microusd: 0, reserved_microusd: 0 }, "spent $0.12"],
    [{ cost_microusd: 120_000, reserved_microusd: 30_000 }, "spent $0.12, $0.03 reserved, at most $0.15"],
    [{ cost_microusd: 120_000, bound_microusd: 20_000 }, "spent $0.10, at most $0.12"],
    [
      { cost_microusd: 120_000, bound_microusd: 20_000, reserved_microusd: 30_000 },
      "spent $0.10, $0.03 reserved, at most $0.15",
    ],
    // Nothing was measured: it is not called spent.
    [{ cost_microusd: 120_000, bound_microusd: 120_000 }, "at most $0.12"],
    [{ cost_microusd: 0, reserved_microusd: 30_000 }, "spent $0.00, $0.03 reserved, at most $0.03"],
  ])("%j", (spending, words) => {
    expect(spendingWords(spending)).toBe(words);
  });

  it("writes amounts as its caller does", () => {
    expect(spendingWords({ cost_microusd: 2, bound_microusd: 1 }, (amount) => `${amount}µ`)).toBe(
      "spent 1µ, at most 2µ",
    );
  });

  it("a question for more money calls nothing spent that may be a bound", () => {
    const shortage: Shortage = {
      kind: "session",
      limit_microusd: 200_000,
      spent_microusd: 120_000,
      reserved_microusd: 30_000,
      asked_microusd: 90_000,
    };
    expect([shortageWords(shortage), shortageWords({ ...shortage, spent_microusd: 0, reserved_microusd: 0 })]).toEqual([
      "The next model request may cost at most $0.09; with at most $0.12 spent and $0.03 reserved that would pass this session's limit of $0.20.",
      "The next model request may cost at most $0.09; with nothing spent that would pass this session's limit of $0.20.",
    ]);
  });
});
