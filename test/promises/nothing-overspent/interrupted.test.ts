import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreateSession, Price } from "../../../src/protocol/index.ts";
import { Follow } from "../../support/money/follow.ts";
import {
  CALL,
  MODEL,
  ONE_COST,
  openMoneyApp,
  policyOf,
  SMALL,
  tillSettings,
  type MoneyApp,
} from "../../support/money/app.ts";
import { Till } from "../../support/money/till.ts";
import { script } from "../../support/app.ts";
import { makePlace, startServer, type ServerProcess } from "../../support/server.ts";

const ONE_CALL = script(CALL, { say: "hello" });
const SHORT: CreateSession = { ...SMALL, max_cost_microusd: 1, prompt: { text: ONE_CALL } };

/** One app without limits of its own; every test has a session of its own. */
let app: MoneyApp;
beforeAll(async () => {
  app = await openMoneyApp();
});
afterAll(() => app[Symbol.asyncDispose]());

describe("while the question is open", () => {
  it("a restart keeps it, and its answer lets the turn go on", async () => {
    const { count } = app.till;
    const { id } = await app.client.createSession(SHORT);
    const before = new Follow(app.client, id);
    const asked = await before.question();
    await before.stop();
    await app.restart();
    expect(await app.client.session(id)).toMatchObject({ status: "pending_approval", pending_approvals: [asked.id] });
    const { shortage: _, ...approval } = asked;
    expect(await app.client.approval(asked.id)).toEqual(approval);
    await using follow = new Follow(app.client, id, (await app.client.session(id)).seq);
    await app.client.decide(asked.id, { decision: "approve", input_hash: asked.input_hash });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    expect(app.till.count - count).toBe(ONE_COST);
    expect((await app.client.approvals({ session_id: id })).approvals.map(({ status }) => status)).toEqual([
      "approved",
    ]);
  });

  it("what a person gave outlives a restart", async () => {
    await using app = await openMoneyApp({ budget: { total_microusd: 1 } });
    const { id } = await app.client.createSession({ ...SHORT });
    {
      await using follow = new Follow(app.client, id);
      const updated_input = { limit_microusd: 1_000_000 };
      for (const kind of ["session", "total"]) {
        const { id: question, input_hash, shortage } = await follow.question();
        expect(shortage.kind).toBe(kind);
        await app.client.decide(question, { decision: "approve", input_hash, updated_input });
      }
      await follow.end();
    }
    await app.restart();
    await using follow = new Follow(app.client, id, (await app.client.session(id)).seq);
    await app.client.prompt(id, { text: ONE_CALL });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    const usage = await app.client.sessionUsage(id);
    expect(usage.budgets.map(({ kind, limit_microusd }) => [kind, limit_microusd])).toEqual(
      expect.arrayContaining([
        ["session", 1_000_000],
        ["total", 1_000_000],
      ]),
    );
    expect(app.till.count).toBe(2 * ONE_COST);
  });

  it.each(["interrupt", "close"] as const)("%s ends the turn and withdraws it", async (verb) => {
    const { requests } = app.till;
    const { id } = await app.client.createSession(SHORT);
    await using follow = new Follow(app.client, id);
    const question = await follow.question();
    await app.client.control(id, verb);
    expect(await follow.anyEnd()).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect(await app.client.approval(question.id)).toMatchObject({ status: "cancelled" });
    expect(await app.client.session(id)).toMatchObject({
      status: verb === "interrupt" ? "idle" : "complete",
      pending_approvals: [],
    });
    const late = app.client.decide(question.id, { decision: "approve", input_hash: question.input_hash });
    await expect(late).rejects.toMatchObject({ code: "already_answered" });
    expect(await app.client.session(id)).toMatchObject({ limit_microusd: 1 });
    expect(app.till.requests).toBe(requests);
  });

  it("a parked one has no end, another one an hour", async () => {
    for (const unattended of ["park", "deny"] as const) {
      const { id } = await app.client.createSession({ ...SHORT, unattended });
      await using follow = new Follow(app.client, id);
      const { created_at, expires_at } = await follow.question();
      const life = expires_at === undefined ? undefined : Date.parse(expires_at) - Date.parse(created_at);
      expect({ unattended, life }).toEqual({ unattended, life: unattended === "park" ? undefined : 3_600_000 });
    }
  });
});

describe("a request under way", () => {
  const endless = script({ stream: { tokens: 100_000, per_second: 200 } });
  const big: CreateSession = { ...SMALL, max_tokens: 100_000, prompt: { text: endless } };

  it("that is interrupted is charged to its bound, once, and nothing stays set aside", async () => {
    const { id } = await app.client.createSession(big);
    for await (const frame of app.client.watch(id)) if (frame.type === "item.delta") break;
    const under = await app.client.sessionUsage(id);
    expect(under.reserved_microusd).toBeGreaterThan(200_000);
    await app.client.control(id, "interrupt");
    // The proxy notices a moment later that its caller is gone.
    await expect.poll(async () => (await app.client.sessionUsage(id)).reserved_microusd, { interval: 5 }).toBe(0);
    const usage = await app.client.sessionUsage(id);
    // The provider may have generated all that it was allowed to.
    expect(usage.cost_microusd).toBeGreaterThan(200_000);
    expect(usage.cost_microusd).toBeLessThanOrEqual(under.reserved_microusd);
    expect(usage.bound_microusd).toBeGreaterThan(0);
    expect(await app.client.session(id)).toMatchObject({ cost_microusd: usage.cost_microusd });
    const { events } = await app.client.events(id);
    const told = events.flatMap((event) => (event.type === "budget.updated" ? [event.cost_microusd] : []));
    expect(told).toEqual([usage.cost_microusd]);
  });

  it("that a restart cuts off is charged to its bound, and the turn that goes on is charged too", async () => {
    const { id } = await app.client.createSession(big);
    for await (const frame of app.client.watch(id)) if (frame.type === "item.delta") break;
    await app.restart();
    const { cost_microusd, budgets } = await app.client.sessionUsage(id);
    expect(cost_microusd).toBeGreaterThan(200_000);
    expect(budgets.find(({ kind }) => kind === "session")?.spent_microusd).toBe(cost_microusd);
    await app.client.control(id, "interrupt");
    await expect.poll(async () => (await app.client.sessionUsage(id)).reserved_microusd, { interval: 5 }).toBe(0);
    const after = await app.client.sessionUsage(id);
    const told = async (): Promise<number> => (await app.client.session(id)).cost_microusd;
    await expect.poll(told, { interval: 5 }).toBe(after.cost_microusd);
  });
});

describe("a killed server", () => {
  const PRICES: Readonly<Record<string, Price>> = { [MODEL]: { input: 1_000_000, output: 2_000_000 } };

  /** A home whose provider is the till. */
  async function prepared(): Promise<{ place: Awaited<ReturnType<typeof makePlace>>; till: Till }> {
    const place = await makePlace();
    const till = await Till.open(PRICES);
    await mkdir(place.home, { recursive: true });
    await writeFile(join(place.home, "sallyport.yaml"), tillSettings(till));
    await writeFile(join(place.home, "policy.yaml"), JSON.stringify(policyOf({})));
    return { place, till };
  }
  const environment = { TILL_KEY: "till-key-of-the-test-0000000000" };

  it("comes back with the question, and with every micro-USD that it had set aside counted as spent", async () => {
    const { place, till } = await prepared();
    const servers: ServerProcess[] = [];
    try {
      const first = await startServer(place, environment);
      servers.push(first);
      const waiting = await first.client.createSession(SHORT);
      const before = new Follow(first.client, waiting.id);
      const question = await before.question();
      const streaming = await first.client.createSession({
        ...SMALL,
        max_tokens: 100_000,
        prompt: { text: script({ stream: { tokens: 100_000, per_second: 200 } }) },
      });
      for await (const frame of first.client.watch(streaming.id)) if (frame.type === "item.delta") break;
      const { reserved_microusd } = await first.client.sessionUsage(streaming.id);
      await Promise.all([first.kill(), before.stop()]);
      const second = await startServer(place, environment);
      servers.push(second);
      const usage = await second.client.sessionUsage(streaming.id);
      expect(usage.cost_microusd).toBeGreaterThanOrEqual(reserved_microusd);
      expect(usage.bound_microusd).toBeGreaterThanOrEqual(reserved_microusd);
      await second.client.control(streaming.id, "close");
      await using follow = new Follow(second.client, waiting.id, (await second.client.session(waiting.id)).seq);
      await second.client.decide(question.id, { decision: "approve", input_hash: question.input_hash });
      expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
      const { budgets } = await second.client.usage({ by: ["session"] });
      expect(budgets.map(({ reserved_microusd: left }) => left)).toEqual(budgets.map(() => 0));
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
      await till.close();
      await place.remove();
    }
  });
});
