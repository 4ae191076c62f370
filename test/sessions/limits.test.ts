import { describe, expect, test } from "vitest";
import { purseOf, type HousePurse } from "../../src/sessions/budget/limits.ts";

const OWN: HousePurse = { kind: "session", account: "session:a", limit: 5 };
const PARENT: HousePurse = { kind: "parent", account: "session:p", limit: 10 };
const GRANDPARENT: HousePurse = { kind: "parent", account: "session:q", limit: 20 };

describe("the purse that lacked money", () => {
  test.each([
    { lacked: { kind: "session", limit_microusd: 5 }, purses: [OWN, PARENT], purse: OWN },
    // Its limit was raised meanwhile; the question is about the same purse.
    { lacked: { kind: "session", limit_microusd: 1 }, purses: [OWN, PARENT], purse: OWN },
    { lacked: { kind: "parent", limit_microusd: 20 }, purses: [OWN, PARENT, GRANDPARENT], purse: GRANDPARENT },
    // Another child of the same parent got it raised before this one could ask.
    { lacked: { kind: "parent", limit_microusd: 1 }, purses: [OWN, PARENT, GRANDPARENT], purse: "changed" },
    { lacked: { kind: "parent", limit_microusd: 1 }, purses: [OWN], purse: undefined },
    { lacked: { kind: "request", limit_microusd: 1 }, purses: [OWN, PARENT], purse: undefined },
  ] as const)("$lacked: $purse", ({ lacked, purses, purse }) => {
    expect(purseOf(purses, lacked)).toEqual(purse);
  });
});
