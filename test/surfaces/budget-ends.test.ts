import { afterAll, beforeAll, expect, it } from "vitest";
import { CALL, openMoneyApp, SMALL, type MoneyApp } from "../support/money/app.ts";
import { script } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { BridgeClient } from "./bridge-client.ts";
import { PageClient } from "./runtime-world.ts";

/** Micro-USD: less than any request may cost. */
const LITTLE = 10;
const TASK = script({ say: "never", ...CALL });

let app: MoneyApp;
beforeAll(async () => {
  app = await openMoneyApp({ profile: { max_cost_microusd: LITTLE, default_max_cost_microusd: LITTLE } });
  const policy = await app.client.policy();
  const server = { ...policy.profiles["server"], client_may_choose: ["profile" as const] };
  await app.client.setPolicy({ ...policy, profiles: { ...policy.profiles, server } });
});
afterAll(() => app[Symbol.asyncDispose]());

/** Nobody waits for an answer, and nothing was asked for. */
async function expectNothingOpen(): Promise<void> {
  const { approvals } = await app.client.approvals({ status: "pending" });
  expect([approvals, app.till.bills]).toEqual([[], []]);
}

it("ends a message of document 000 with an error that says what to do", async () => {
  const page = new PageClient(app.serving.url, TEST_TOKEN);
  await page.opened;
  page.ask("poor", TASK, { profile: "money" });
  const error = (await page.until("error")).at(-1);
  expect(error).toMatchObject({ type: "error", sessionId: "poor" });
  expect(String(error?.["message"])).toMatch(/limit.*send the message again/s);
  await expectNothingOpen();
});

it("ends a message whose own budget ends", async () => {
  const page = new PageClient(app.serving.url, TEST_TOKEN);
  await page.opened;
  page.ask("own", TASK, { profile: "money", max_budget_usd: 0.000_001 });
  expect((await page.until("error")).at(-1)).toMatchObject({ type: "error", sessionId: "own" });
  await expectNothingOpen();
});

it("ends a run of document 002 where the client knows the document alone", async () => {
  const bridge = new BridgeClient(app);
  await bridge.submit(TASK);
  const rows = await bridge.turn();
  expect(rows.at(-1)).toMatchObject({ type: "turn.failed" });
  bridge.socket.close();
  await expectNothingOpen();
});

it("asks everywhere else, and document 002 shows that", async () => {
  const session = await app.client.createSession({ ...SMALL, engine: "loop" });
  const bridge = new BridgeClient(app);
  await bridge.submit(TASK, { resumeId: session.id });
  expect((await bridge.until("error")).at(-1)).toMatchObject({
    message: expect.stringMatching(/waits for an answer in the inbox \(apr_/) as unknown,
  });
  await app.client.control(session.id, "interrupt");
  bridge.socket.close();
});
