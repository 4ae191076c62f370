import { describe, expect, test } from "vitest";
import type { PricedModel } from "../../src/protocol/index.ts";
import { actionWords, approvalOf, detailWords, sessionOf } from "../../src/web/console/pages/audit/actions.ts";
import { areas, peopleOf } from "../../src/web/console/pages/audit/filter.ts";
import { matching, rate } from "../../src/web/console/pages/providers/prices.ts";
import { linkFor } from "../../src/web/console/pages/tokens/roles.ts";

describe("the audit log", () => {
  test("an action has words; one that is not known its name", () => {
    expect(actionWords({ action: "token.create", details: undefined })).toBe("created a token");
    expect(actionWords({ action: "house.paint", details: undefined })).toBe("house.paint");
  });

  test.each([
    [undefined, "answered an approval"],
    [{ decision: "approve" }, "approved a call"],
    [{ decision: "approve", scope: "session" }, "approved a call for the session"],
    [{ decision: "approve", edited: true }, "approved a changed call"],
    [{ decision: "approve", limit_microusd: 5 }, "approved a new limit"],
    [{ decision: "reject" }, "rejected a call"],
  ])("an answer says which way it went: %j", (details, words) => {
    expect(actionWords({ action: "approval.decide", details })).toBe(words);
  });

  test.each([
    [undefined, undefined],
    [null, undefined],
    [{}, undefined],
    ["text", '"text"'],
    [{ name: "Ada", roles: ["a"] }, 'name: Ada, roles: ["a"]'],
    [{ long: "x".repeat(100) }, `long: ${"x".repeat(80)}…`],
  ])("details %#", (details, words) => {
    expect(detailWords(details)).toBe(words);
  });

  test("targets lead to sessions and approvals", () => {
    expect([sessionOf({ target: "ses_1" }), sessionOf({ target: "tok_1" })]).toEqual(["ses_1", undefined]);
    expect([approvalOf({ target: "apr_1" }), approvalOf({ target: "policy" })]).toEqual(["apr_1", undefined]);
  });

  test("actions are offered by area", () => {
    expect(areas(["token.create", "policy.set", "token.delete"])).toEqual([
      { area: "token", actions: ["token.create", "token.delete"] },
      { area: "policy", actions: ["policy.set"] },
    ]);
  });

  test("people are those with a token and those who did something, once each", () => {
    const ada = { id: "tok_1", name: "Ada", role: "operator" } as const;
    const gone = { id: "tok_0", name: "Zoe", role: "admin" } as const;
    expect(
      peopleOf(
        [{ ...ada, principal_id: ada.id, created_at: "", bounds: {} }],
        [{ by: gone }, { by: ada }, { by: gone }],
      ),
    ).toEqual([ada, gone]);
  });
});

describe("prices and links", () => {
  const priced = (provider: string, model: string): PricedModel => ({
    provider,
    model,
    price: { input: 1, output: 1 },
    from: "shipped",
  });

  test("every word of a search must be there", () => {
    const prices = [priced("cloud", "claude-sonnet-5"), priced("openrouter", "anthropic/claude-sonnet-5")];
    expect(matching(prices, "router SONNET").map(({ provider }) => provider)).toEqual(["openrouter"]);
    expect(matching(prices, " ")).toHaveLength(2);
  });

  test.each([
    [3_000_000, "$3"],
    [300_000, "$0.30"],
    [75_000, "$0.075"],
    [undefined, ""],
  ])("%s", (microusd, text) => {
    expect(rate(microusd)).toBe(text);
  });

  test("a token's link", () => {
    expect(linkFor("https://x.org", "sp_a+b")).toBe("https://x.org/?token=sp_a%2Bb");
  });
});
