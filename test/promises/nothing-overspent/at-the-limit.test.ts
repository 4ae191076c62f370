import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { CreateSession, LimitKind, Policy, Profile } from "../../../src/protocol/index.ts";
import { Follow } from "../../support/money/follow.ts";
import { CALL, type MoneyApp, ONE_COST, openMoneyApp, policyOf, SMALL } from "../../support/money/app.ts";
import { script } from "../../support/app.ts";

const ONE_CALL = script(CALL, { say: "hello" });

async function begin(
  client: SallyportClient,
  session: CreateSession,
): Promise<{ readonly id: string; readonly follow: Follow }> {
  const { id } = await client.createSession({ ...SMALL, prompt: { text: ONE_CALL }, ...session });
  return { id, follow: new Follow(client, id) };
}

/** Nothing is set aside, and server and provider agree on what was spent. */
async function agreed(app: MoneyApp, id: string): Promise<void> {
  const { reserved_microusd, cost_microusd, bound_microusd } = await app.client.sessionUsage(id);
  expect({ reserved_microusd, cost_microusd, bound_microusd }).toEqual({
    reserved_microusd: 0,
    cost_microusd: app.till.count,
    bound_microusd: 0,
  });
}

describe("at its limit a session asks", () => {
  it("waits with the amounts, and goes on with what an operator gave", async () => {
    await using app = await openMoneyApp();
    const operator = await app.as("operator");
    const { id, follow } = await begin(app.client, { max_cost_microusd: 1 });
    const question = await follow.question();
    const { asked_microusd: asked } = question.shortage;
    expect(question).toMatchObject({
      tool: "Budget",
      status: "pending",
      session_id: id,
      input: { limit_microusd: asked, kind: "session", account: `session/${id}` },
      preview: { type: "budget", proposed_limit_microusd: asked },
      shortage: { kind: "session", limit_microusd: 1, spent_microusd: 0, reserved_microusd: 0 },
    });
    expect(await app.client.session(id)).toMatchObject({
      status: "pending_approval",
      pending_approvals: [question.id],
      cost_microusd: 0,
      limit_microusd: 1,
    });
    expect(app.till.requests).toBe(0);
    await operator.decide(question.id, { decision: "approve", input_hash: question.input_hash });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    expect(app.till.bills).toEqual([ONE_COST]);
    expect(await app.client.session(id)).toMatchObject({
      status: "idle",
      cost_microusd: ONE_COST,
      limit_microusd: asked,
    });
    await agreed(app, id);
    await follow.stop();
  });

  it("takes an edited limit, and refuses one that would not do", async () => {
    await using app = await openMoneyApp();
    const operator = await app.as("operator");
    const { id, follow } = await begin(app.client, { max_cost_microusd: 10 });
    const question = await follow.question();
    const answer = { decision: "approve" as const, input_hash: question.input_hash };
    const needed = question.shortage.asked_microusd;
    const refused = [
      { updated_input: { limit_microusd: needed - 1 } },
      { updated_input: { limit_microusd: -1 } },
      { updated_input: { limit_microusd: needed + 0.5 } },
      { updated_input: { limit_microusd: "lots" } },
      { updated_input: { limit_microusd: Number.MAX_SAFE_INTEGER + 1 } },
      { scope: "session" as const },
    ];
    for (const extra of refused)
      await expect(operator.decide(question.id, { ...answer, ...extra })).rejects.toMatchObject({
        code: "invalid_request",
      });
    await expect(operator.decide(question.id, { ...answer, input_hash: "0".repeat(64) })).rejects.toMatchObject({
      code: "input_changed",
    });
    expect(await app.client.session(id)).toMatchObject({ status: "pending_approval", limit_microusd: 10 });
    await operator.decide(question.id, { ...answer, updated_input: { limit_microusd: needed } });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    expect(await app.client.session(id)).toMatchObject({ limit_microusd: needed });
    await expect(operator.decide(question.id, answer)).rejects.toMatchObject({ code: "already_answered" });
    await follow.stop();
  });

  it("cannot be talked into raising another account than the one it asked for", async () => {
    await using app = await openMoneyApp({ budget: { total_microusd: 50_000 } });
    const operator = await app.as("operator");
    const { follow } = await begin(app.client, { max_cost_microusd: 1 });
    const question = await follow.question();
    await operator.decide(question.id, {
      decision: "approve",
      input_hash: question.input_hash,
      updated_input: { kind: "total", account: "total", limit_microusd: 99_999_999 },
    });
    await follow.end();
    const { budgets } = await app.client.usage({ by: ["day"] });
    expect(budgets.find(({ kind }) => kind === "total")).toMatchObject({ limit_microusd: 50_000 });
    await follow.stop();
  });

  it("fails the turn when the answer is no, and stays usable", async () => {
    await using app = await openMoneyApp();
    const { id, follow } = await begin(app.client, { max_cost_microusd: 1 });
    const question = await follow.question();
    const { input_hash } = question;
    await app.client.decide(question.id, { decision: "reject", input_hash, feedback: "not for this" });
    const end = await follow.end();
    expect(end).toMatchObject({ type: "turn.failed", error: { code: "budget_exceeded" } });
    expect(JSON.stringify(end)).toContain("not for this");
    expect(await app.client.session(id)).toMatchObject({ status: "idle", pending_approvals: [] });
    expect(app.till.requests).toBe(0);
    await app.client.setBudget(id, { max_cost_microusd: 1_000_000 });
    await app.client.prompt(id, { text: ONE_CALL });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await agreed(app, id);
    await follow.stop();
  });

  it("goes on by itself when its budget is set elsewhere, and not before it is enough", async () => {
    await using app = await openMoneyApp();
    const operator = await app.as("operator");
    const { id, follow } = await begin(app.client, { max_cost_microusd: 1 });
    const question = await follow.question();
    const needed = question.shortage.asked_microusd;
    await operator.setBudget(id, { max_cost_microusd: needed - 1 });
    expect(await app.client.approval(question.id)).toMatchObject({ status: "pending" });
    await operator.setBudget(id, { max_cost_microusd: needed });
    expect(await follow.resolution()).toMatchObject({ approval_id: question.id, outcome: "cancelled" });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await agreed(app, id);
    await follow.stop();
  });

  it("can be raised only by a person", async () => {
    await using app = await openMoneyApp();
    const agent = await app.as("agent");
    const viewer = await app.as("viewer");
    const { id, follow } = await begin(agent, { max_cost_microusd: 1 });
    const { id: question, input_hash } = await follow.question();
    for (const client of [agent, viewer]) {
      const approve = client.decide(question, { decision: "approve", input_hash });
      await expect(approve).rejects.toMatchObject({ code: "forbidden" });
      await expect(client.setBudget(id, { max_cost_microusd: 1_000_000 })).rejects.toMatchObject({ code: "forbidden" });
      await expect(client.setPolicy(policyOf({}))).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(await app.client.session(id)).toMatchObject({ status: "pending_approval", limit_microusd: 1 });
    expect(app.till.requests).toBe(0);
    await follow.stop();
  });
});

describe("limits that the policy gives to many", () => {
  const cases: readonly { kind: LimitKind; profile?: Profile; budget?: Policy["budget"] }[] = [
    { kind: "agent_day", profile: { max_cost_microusd_per_day: 1 } },
    { kind: "agent", profile: { max_cost_microusd_per_agent: 1 } },
    { kind: "day", budget: { per_day_microusd: 1 } },
    { kind: "total", budget: { total_microusd: 1 } },
    { kind: "session", profile: { max_cost_microusd: 1 } },
  ];

  it.each(cases)("$kind: an admin may raise it, an operator may not", async ({ kind, profile, budget }) => {
    await using app = await openMoneyApp({
      ...(profile === undefined ? {} : { profile }),
      ...(budget === undefined ? {} : { budget }),
    });
    const operator = await app.as("operator");
    const { follow } = await begin(operator, {});
    const { id, input_hash, shortage } = await follow.question();
    expect(shortage).toMatchObject({ kind, limit_microusd: 1, spent_microusd: 0 });
    await expect(operator.decide(id, { decision: "approve", input_hash })).rejects.toMatchObject({ code: "forbidden" });
    expect(await app.client.approval(id)).toMatchObject({ status: "pending" });
    await app.client.decide(id, { decision: "approve", input_hash });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await follow.stop();
  });

  it.each(cases)("$kind: a changed policy withdraws the question", async ({ kind, profile, budget }) => {
    const before = {
      ...(profile === undefined ? {} : { profile }),
      ...(budget === undefined ? {} : { budget }),
    };
    await using app = await openMoneyApp(before);
    const operator = await app.as("operator");
    const { follow } = await begin(operator, {});
    const question = await follow.question();
    expect(question.shortage.kind).toBe(kind);
    await app.client.setPolicy(policyOf(before));
    expect(await app.client.approval(question.id)).toMatchObject({ status: "pending" });
    const more = (limits: object): object => Object.fromEntries(Object.keys(limits).map((name) => [name, 1_000_000]));
    await app.client.setPolicy(
      policyOf({
        ...(profile === undefined ? {} : { profile: more(profile) }),
        ...(budget === undefined ? {} : { budget: more(budget) }),
      }),
    );
    if (kind !== "session") {
      expect(await follow.resolution()).toMatchObject({ approval_id: question.id, outcome: "cancelled" });
      expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    } else {
      // What the session was given when it was made stays its own: the policy only bounds it.
      expect(await app.client.approval(question.id)).toMatchObject({ status: "pending" });
    }
    await follow.stop();
  });

  it("hold again when the policy takes back what a person gave", async () => {
    await using app = await openMoneyApp({ budget: { total_microusd: 1 } });
    const { id, follow } = await begin(app.client, {});
    const { id: question, input_hash } = await follow.question();
    const updated_input = { limit_microusd: 1_000_000 };
    await app.client.decide(question, { decision: "approve", input_hash, updated_input });
    await follow.end();
    await app.client.setPolicy(policyOf({ budget: { total_microusd: ONE_COST } }));
    await app.client.prompt(id, { text: ONE_CALL });
    expect((await follow.question()).shortage).toMatchObject({ kind: "total", limit_microusd: ONE_COST });
    expect(app.till.count).toBe(ONE_COST);
    await follow.stop();
  });
});

it("proposes what an operator may give, where that is enough", async () => {
  await using probe = await openMoneyApp();
  const probed = await begin(probe.client, { max_cost_microusd: 1 });
  const { asked_microusd } = (await probed.follow.question()).shortage;
  await probed.follow.stop();
  const most = asked_microusd + 1_000;
  await using app = await openMoneyApp({ profile: { max_cost_microusd: most } });
  const operator = await app.as("operator");
  // Enough for the first turn. For the second one less than `most` is needed, which is less than twice as much.
  const { id, follow } = await begin(operator, { max_cost_microusd: asked_microusd });
  await follow.end();
  await operator.prompt(id, { text: ONE_CALL });
  const { id: question, input_hash, shortage, preview } = await follow.question();
  expect(shortage.spent_microusd + shortage.asked_microusd).toBeLessThanOrEqual(most);
  expect(preview).toMatchObject({ proposed_limit_microusd: most });
  await operator.decide(question, { decision: "approve", input_hash });
  expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
  await follow.stop();
});

describe("while others have money set aside", () => {
  it("a raise that is enough without them lets the turn go on", async () => {
    await using app = await openMoneyApp({ budget: { total_microusd: 60_000 } });
    // Takes four seconds, has some 40,000 set aside meanwhile, and costs next to nothing.
    const slow = script(CALL, { stream: { tokens: 20, per_second: 5 } });
    const other = await begin(app.client, { max_tokens: 20_000, prompt: { text: slow } });
    for await (const frame of app.client.watch(other.id)) if (frame.type === "item.delta") break;
    const { follow } = await begin(app.client, { max_tokens: 40_000 });
    const { shortage } = await follow.question();
    expect(shortage).toMatchObject({ kind: "total", limit_microusd: 60_000, spent_microusd: 0 });
    await app.client.setPolicy(policyOf({ budget: { total_microusd: shortage.asked_microusd + ONE_COST } }));
    expect(await other.follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    expect(await follow.resolution()).toMatchObject({ outcome: "cancelled" });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await Promise.all([other.follow.stop(), follow.stop()]);
  });
});

describe("limits of one turn", () => {
  it("a prompt's own limit holds for its turn alone", async () => {
    await using app = await openMoneyApp();
    const operator = await app.as("operator");
    const { id, follow } = await begin(operator, { prompt: { text: ONE_CALL, max_cost_microusd: 1 } });
    const { id: question, input_hash, shortage } = await follow.question();
    expect(shortage).toMatchObject({ kind: "turn", limit_microusd: 1 });
    await operator.decide(question, { decision: "approve", input_hash });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await operator.prompt(id, { text: ONE_CALL });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await operator.prompt(id, { text: ONE_CALL, max_cost_microusd: 1 });
    expect((await follow.question()).shortage).toMatchObject({ kind: "turn", limit_microusd: 1, spent_microusd: 0 });
    await follow.stop();
  });

  it("a prompt may not have more than the policy's turn", async () => {
    await using app = await openMoneyApp({ profile: { max_cost_microusd_per_tick: 2 } });
    const { follow } = await begin(app.client, { prompt: { text: ONE_CALL, max_cost_microusd: 1_000_000 } });
    expect((await follow.question()).shortage).toMatchObject({ kind: "turn", limit_microusd: 2 });
    await follow.stop();
  });

  it("above each multiple of the threshold a person is asked", async () => {
    const todo = { tool: "TodoWrite", input: { todos: [] } };
    const text = script(CALL, todo, CALL, todo, CALL, todo, CALL, { say: "done" });
    await using probe = await openMoneyApp({ profile: { max_cost_microusd: 1 } });
    const probed = await begin(probe.client, { prompt: { text } });
    const { asked_microusd } = (await probed.follow.question()).shortage;
    await probed.follow.stop();
    // Enough for the first request and what follows it, but not for all four.
    const threshold = asked_microusd + ONE_COST;
    await using app = await openMoneyApp({ profile: { approval_threshold_microusd: threshold } });
    const operator = await app.as("operator");
    const { id, follow } = await begin(operator, { prompt: { text } });
    const limits: number[] = [];
    for (;;) {
      const event = await follow.next(
        (found) =>
          found.type === "approval.requested" || found.type === "turn.completed" || found.type === "turn.failed",
      );
      if (event.type !== "approval.requested") {
        expect(event).toMatchObject({ type: "turn.completed", cost_microusd: 4 * ONE_COST });
        break;
      }
      const { preview } = event.approval;
      if (preview.type !== "budget") throw new Error("not about money");
      expect(preview.shortage).toMatchObject({ kind: "threshold" });
      limits.push(preview.shortage.limit_microusd);
      await operator.decide(event.approval.id, { decision: "approve", input_hash: event.approval.input_hash });
    }
    expect(limits[0]).toBe(threshold);
    expect(limits).toEqual([...limits].sort((one, other) => one - other));
    await agreed(app, id);
    await follow.stop();
  });
});
