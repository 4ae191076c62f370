import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreateSession, Policy, Profile } from "../../../src/protocol/index.ts";
import { Follow } from "../../support/money/follow.ts";
import { CALL, MODEL, openMoneyApp, policyOf, SMALL, type MoneyApp } from "../../support/money/app.ts";
import { script } from "../../support/app.ts";

const ONE_CALL = script(CALL, { say: "hello" });

/** One app for tests that look only at sessions of their own; each gives it its policy. */
let shared: MoneyApp;
beforeAll(async () => {
  shared = await openMoneyApp();
});
afterAll(() => shared[Symbol.asyncDispose]());

async function under(profile: Profile): Promise<MoneyApp> {
  await shared.client.setPolicy(policyOf({ profile }));
  return shared;
}

describe("what the policy does not allow", () => {
  const cases: readonly { name: string; profile: Profile; session: CreateSession; code: string }[] = [
    { name: "a model without a price", profile: {}, session: { model: "nobody-knows" }, code: "model_unpriced" },
    {
      name: "a model that is not on the list",
      profile: { allowed_models: ["other-*"] },
      session: {},
      code: "model_not_allowed",
    },
    {
      name: "a model that is on both lists",
      profile: { allowed_models: ["till-*"], blocked_models: ["*-1"] },
      session: {},
      code: "model_not_allowed",
    },
    {
      name: "a provider that is not on the list",
      profile: { allowed_providers: ["sim"] },
      session: {},
      code: "provider_not_allowed",
    },
    {
      name: "no limit where one is wanted",
      profile: { require_max_cost: true },
      session: {},
      code: "max_cost_required",
    },
    {
      name: "no key where one is wanted",
      profile: { require_idempotency: true },
      session: {},
      code: "idempotency_required",
    },
  ];

  it.each(cases)("refuses $name when a session is made", async ({ profile, session, code }) => {
    const { client, till } = await under(profile);
    const before = { ...(await client.sessions()), requests: till.requests };
    const made = client.createSession({ ...SMALL, prompt: { text: ONE_CALL }, ...session });
    await expect(made).rejects.toMatchObject({ code });
    expect({ ...(await client.sessions()), requests: till.requests }).toEqual(before);
  });

  it("makes it when everything that is required is there", async () => {
    const app = await under({
      require_max_cost: true,
      require_idempotency: true,
      allowed_models: ["till-*"],
      blocked_models: ["*-mini"],
      allowed_providers: ["t*"],
    });
    const session = { ...SMALL, max_cost_microusd: 1_000_000 };
    const [one, again] = [
      await app.client.createSession(session, { key: "first" }),
      await app.client.createSession(session, { key: "first" }),
    ];
    expect(again.id).toBe(one.id);
    expect(one).toMatchObject({ limit_microusd: 1_000_000 });
    await expect(app.client.createSession({ ...session, model: "till-mini" }, { key: "second" })).rejects.toMatchObject(
      { code: "model_not_allowed" },
    );
  });

  const later: readonly { name: string; profile: Profile; code: string }[] = [
    { name: "blocked models", profile: { blocked_models: ["till-1"] }, code: "model_not_allowed" },
    { name: "allowed models", profile: { allowed_models: ["till-2"] }, code: "model_not_allowed" },
    { name: "allowed providers", profile: { allowed_providers: ["sim"] }, code: "provider_not_allowed" },
  ];
  it.each(later)("holds at the proxy for sessions that were made before: $name", async ({ profile, code }) => {
    const app = await under({});
    const { requests } = app.till;
    const { id } = await app.client.createSession(SMALL);
    await app.client.setPolicy(policyOf({ profile }));
    await using follow = new Follow(app.client, id);
    await app.client.prompt(id, { text: ONE_CALL });
    expect(await follow.end()).toMatchObject({ type: "turn.failed", error: { code } });
    expect(app.till.requests).toBe(requests);
    expect(await app.client.sessionUsage(id)).toMatchObject({ cost_microusd: 0, reserved_microusd: 0 });
  });

  it("a price that is gone stops the model at the proxy", async () => {
    await using app = await openMoneyApp();
    const { id } = await app.client.createSession(SMALL);
    const path = join(app.place.home, "sallyport.yaml");
    const settings = JSON.parse(await readFile(path, "utf8")) as { prices: Record<string, unknown> };
    delete settings.prices[MODEL];
    await writeFile(path, JSON.stringify(settings));
    await app.restart();
    await using follow = new Follow(app.client, id);
    await app.client.prompt(id, { text: ONE_CALL });
    expect(await follow.end()).toMatchObject({ type: "turn.failed", error: { code: "model_unpriced" } });
    expect(app.till.requests).toBe(0);
  });

  it("a sub-agent cannot choose a model that its session may not have", async () => {
    const app = await under({ blocked_models: ["till-mini"] });
    const task = { tool: "Task", input: { description: "x", prompt: ONE_CALL, model: "till-mini" } };
    const { id } = await app.client.createSession({ max_tokens: 2_000, tools: ["Task"] });
    await using follow = new Follow(app.client, id);
    await app.client.prompt(id, { text: script(task, { say: "ok" }) });
    await follow.end();
    // Nobody else here asks for that model.
    expect(app.till.models).not.toContain("till-mini");
  });
});

describe("limits that a session is given", () => {
  const cases: readonly { profile: Profile; asked?: number; given: number | undefined }[] = [
    { profile: {}, given: undefined },
    { profile: {}, asked: 7, given: 7 },
    { profile: { max_cost_microusd: 5 }, given: 5 },
    { profile: { max_cost_microusd: 5 }, asked: 7, given: 5 },
    { profile: { max_cost_microusd: 5 }, asked: 3, given: 3 },
    { profile: { default_max_cost_microusd: 4 }, given: 4 },
    { profile: { default_max_cost_microusd: 4 }, asked: 7, given: 7 },
    { profile: { default_max_cost_microusd: 4, max_cost_microusd: 5 }, given: 4 },
    { profile: { default_max_cost_microusd: 6, max_cost_microusd: 5 }, given: 5 },
    { profile: { default_max_cost_microusd: 4, max_cost_microusd: 5 }, asked: 9, given: 5 },
    { profile: { default_max_cost_microusd: 4 }, asked: 0, given: 0 },
  ];
  it.each(cases)("$profile, asked for $asked: $given", async ({ profile, asked, given }) => {
    const app = await under(profile);
    const session = await app.client.createSession({
      ...SMALL,
      ...(asked === undefined ? {} : { max_cost_microusd: asked }),
    });
    expect(session.limit_microusd).toBe(given);
    expect((await app.client.fork(session.id)).limit_microusd).toBe(given);
    const own = (await app.client.sessionUsage(session.id)).budgets.find(({ kind }) => kind === "session");
    expect(own?.limit_microusd).toBe(given);
  });

  it("a limit of nothing lets nothing through", async () => {
    const app = await under({});
    const { requests } = app.till;
    const { id } = await app.client.createSession({ ...SMALL, max_cost_microusd: 0, prompt: { text: ONE_CALL } });
    await using follow = new Follow(app.client, id);
    expect((await follow.question()).shortage).toMatchObject({ kind: "session", limit_microusd: 0 });
    expect(app.till.requests).toBe(requests);
  });

  it("an operator may give what the policy allows, and no more", async () => {
    const app = await under({ max_cost_microusd: 50_000 });
    const operator = await app.as("operator");
    const { id } = await operator.createSession({ ...SMALL, max_cost_microusd: 1 });
    expect(await operator.setBudget(id, { max_cost_microusd: 50_000 })).toMatchObject({ limit_microusd: 50_000 });
    await expect(operator.setBudget(id, { max_cost_microusd: 50_001 })).rejects.toMatchObject({ code: "forbidden" });
    expect(await app.client.session(id)).toMatchObject({ limit_microusd: 50_000 });
    expect(await app.client.setBudget(id, { max_cost_microusd: 50_001 })).toMatchObject({ limit_microusd: 50_001 });
  });
});

describe("max_concurrent", () => {
  const policy = (max_concurrent: number): Policy => policyOf({ profile: { max_concurrent } });

  it("holds under concurrent creates, forks included, and is each principal's own", async () => {
    await using app = await openMoneyApp();
    const [one, other] = [await app.as("operator", "one"), await app.as("operator", "other")];
    await app.client.setPolicy(policy(3));
    const made = await Promise.allSettled(Array.from({ length: 12 }, () => one.createSession(SMALL)));
    const ids = made.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []));
    const codes = made.flatMap((result) =>
      result.status === "rejected" ? [(result.reason as { code: string }).code] : [],
    );
    expect(ids).toHaveLength(3);
    expect(new Set(codes)).toEqual(new Set(["limit_reached"]));
    const [first = "", second = ""] = ids;
    await expect(one.fork(first)).rejects.toMatchObject({ code: "limit_reached" });
    expect(await other.createSession(SMALL)).toMatchObject({ status: "ready" });
    await one.control(first, "close");
    const fork = await one.fork(second);
    await expect(one.createSession(SMALL)).rejects.toMatchObject({ code: "limit_reached" });
    await one.control(fork.id, "close");
    expect(await one.createSession({ ...SMALL, prompt: { text: ONE_CALL } })).toMatchObject({ status: "working" });
  });

  it("gives every place that is free, however they come", async () => {
    const app = await under({});
    const one = await app.as("operator", "for eight");
    await app.client.setPolicy(policy(8));
    for (let round = 0; round < 5; round += 1) {
      const made = await Promise.all(Array.from({ length: 8 }, () => one.createSession(SMALL)));
      await expect(one.createSession(SMALL)).rejects.toMatchObject({ code: "limit_reached" });
      await Promise.all(made.map(({ id }) => one.control(id, "close")));
    }
  });
});

describe("max_context_tokens", () => {
  it("keeps a longer conversation from the model", async () => {
    const app = await under({ max_context_tokens: 1_000 });
    const { requests } = app.till;
    const session = await app.client.createSession({ ...SMALL, max_context_tokens: 100_000 });
    expect(session.settings.max_context_tokens).toBe(1_000);
    await using follow = new Follow(app.client, session.id);
    await app.client.prompt(session.id, { text: `${"long words ".repeat(5_000)}\n${ONE_CALL}` });
    expect(await follow.end()).toMatchObject({ type: "turn.failed", error: { code: "context_exceeded" } });
    expect(app.till.requests).toBe(requests);
  });
});
