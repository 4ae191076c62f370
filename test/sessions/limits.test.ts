import { describe, expect, test } from "vitest";
import { spendingLimitOf, type PolicyLimit } from "../../src/sessions/budget/limits.ts";

const OWN: PolicyLimit = { kind: "session", account: "session:a", limit: 5 };
const PARENT: PolicyLimit = { kind: "parent", account: "session:p", limit: 10 };
const GRANDPARENT: PolicyLimit = { kind: "parent", account: "session:q", limit: 20 };

describe("the limit that was too small", () => {
  test.each([
    { lacked: { kind: "session", limit_microusd: 5 }, spendingLimits: [OWN, PARENT], spendingLimit: OWN },
    // Its limit was raised meanwhile, so the request is tried again; was it lowered, the question is about the same limit.
    { lacked: { kind: "session", limit_microusd: 1 }, spendingLimits: [OWN, PARENT], spendingLimit: "changed" },
    { lacked: { kind: "session", limit_microusd: 9 }, spendingLimits: [OWN, PARENT], spendingLimit: OWN },
    {
      lacked: { kind: "parent", limit_microusd: 20 },
      spendingLimits: [OWN, PARENT, GRANDPARENT],
      spendingLimit: GRANDPARENT,
    },
    // Another child of the same parent got it raised before this one could ask.
    {
      lacked: { kind: "parent", limit_microusd: 1 },
      spendingLimits: [OWN, PARENT, GRANDPARENT],
      spendingLimit: "changed",
    },
    { lacked: { kind: "parent", limit_microusd: 1 }, spendingLimits: [OWN], spendingLimit: undefined },
    { lacked: { kind: "request", limit_microusd: 1 }, spendingLimits: [OWN, PARENT], spendingLimit: undefined },
  ] as const)("$lacked: $spendingLimit", ({ lacked, spendingLimits, spendingLimit }) => {
    expect(spendingLimitOf(spendingLimits, lacked)).toEqual(spendingLimit);
  });
});
