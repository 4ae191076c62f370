import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { Approval } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { CALL, MODEL, ONE_COST, openMoneyApp, tillSettings, type MoneyApp } from "../../support/money/app.ts";
import { Follow } from "../../support/money/follow.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { Files } from "./world.ts";

// Document 003: what is spent above `approval_threshold_usd` needs the yes of one of the `approvers`, before it is spent.

async function openBudgeted(threshold: number): Promise<MoneyApp> {
  const app = await openMoneyApp();
  const settings = JSON.parse(tillSettings(app.till)) as object;
  const budget = {
    per_tick_usd: 900_000,
    per_day_usd: 9_000_000,
    approval_threshold_usd: threshold,
    approvers: ["treasurer"],
  };
  const mounts = { "/claude": { type: "claude", access: "budgeted", budget } };
  await writeFile(join(app.place.home, "sallyport.yaml"), JSON.stringify({ ...settings, mounts }));
  await app.restart();
  return app;
}

async function begin(app: MoneyApp, text: string): Promise<string> {
  const files = new Files(app.serving.url, TEST_TOKEN);
  const request = { model: MODEL, max_cost_usd: 800_000, initial_prompt: text };
  const { session_id } = await files.call("/claude/new", request);
  return session_id ?? "";
}

const answerAs = (client: SallyportClient, { id, input_hash }: Approval, decision: "approve" | "reject") =>
  client.decide(id, { decision, input_hash });

it("what stays below the threshold is spent without a question", async () => {
  await using app = await openBudgeted(500_000);
  const id = await begin(app, script({ say: "paid", ...CALL }));
  await using follow = new Follow(app.client, id);
  expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
});

it("the question comes before the request that could pass it; what was spent before counts, also in earlier turns", async () => {
  await using app = await openBudgeted(1);
  const treasurer = await app.as("admin", "treasurer");
  const id = await begin(app, script({ say: "first", ...CALL }));
  await using follow = new Follow(app.client, id);
  const first = await follow.question();
  expect([first.shortage, app.till.requests]).toMatchObject([
    { kind: "threshold", limit_microusd: 1, spent_microusd: 0 },
    0,
  ]);
  // Another admin, and whoever asked, is not an approver.
  await expect(answerAs(app.client, first, "approve")).rejects.toThrow("is approved by treasurer");
  // Enough for this request, too little for two.
  const limit_microusd = first.shortage.asked_microusd + ONE_COST - 1;
  await treasurer.decide(first.id, {
    decision: "approve",
    input_hash: first.input_hash,
    updated_input: { limit_microusd },
  });
  expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
  await app.client.prompt(id, { text: script({ say: "second", ...CALL }) });
  const second = await follow.question();
  expect(second.shortage).toMatchObject({ kind: "threshold", limit_microusd, spent_microusd: ONE_COST });
  expect(app.till.requests).toBe(1);
  await answerAs(treasurer, second, "reject");
  expect(await follow.anyEnd()).toMatchObject({ type: "turn.failed", error: { code: "budget_exceeded" } });
  expect([app.till.requests, app.till.count]).toEqual([1, ONE_COST]);
});
