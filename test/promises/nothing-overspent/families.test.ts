import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { BudgetLine } from "../../../src/protocol/index.ts";
import { Follow } from "../../support/money/follow.ts";
import { CALL, ONE_COST, openMoneyApp, SMALL, type MoneyApp } from "../../support/money/app.ts";
import { script } from "../../support/app.ts";

const ONE_CALL = script(CALL, { say: "hello" });

/** One app for all: every test has sessions of its own, and nobody else's account has a limit. */
let app: MoneyApp;
beforeAll(async () => {
  app = await openMoneyApp();
});
afterAll(() => app[Symbol.asyncDispose]());

/** Bills of the tests before. */
let others = 0;
beforeEach(() => {
  others = app.till.bills.length;
});
const bills = (): readonly number[] => app.till.bills.slice(others);
const billed = (): number => bills().reduce((sum, one) => sum + one, 0);

async function run(client: SallyportClient, id: string, text = ONE_CALL): Promise<Follow> {
  const { seq } = await client.session(id);
  await client.prompt(id, { text });
  return new Follow(client, id, seq);
}

/** What is set aside for one small request, learnt from a question. */
async function askedFor(client: SallyportClient): Promise<number> {
  const { id } = await client.createSession({ ...SMALL, max_cost_microusd: 1 });
  await using follow = await run(client, id);
  const { asked_microusd } = (await follow.question()).shortage;
  await client.control(id, "close");
  return asked_microusd;
}

async function budget(client: SallyportClient, id: string, kind: BudgetLine["kind"]): Promise<readonly BudgetLine[]> {
  return (await client.sessionUsage(id)).budgets.filter((line) => line.kind === kind);
}

describe("sessions draw on those that they came from", () => {
  it("counts a child's and a grandchild's spending on all of them", async () => {
    const { client } = app;
    const parent = await client.createSession({ ...SMALL, max_cost_microusd: 1_000_000 });
    const child = await client.createSession({ ...SMALL, parent_session_id: parent.id });
    const grandchild = await client.createSession({ ...SMALL, parent_session_id: child.id });
    for (const { id } of [parent, child, grandchild]) {
      await using follow = await run(client, id);
      expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    }
    expect(await budget(client, parent.id, "session")).toEqual([
      {
        kind: "session",
        of: parent.id,
        spent_microusd: 3 * ONE_COST,
        reserved_microusd: 0,
        limit_microusd: 1_000_000,
        remaining_microusd: 1_000_000 - 3 * ONE_COST,
      },
    ]);
    expect(
      (await budget(client, grandchild.id, "parent")).map(({ of, spent_microusd }) => [of, spent_microusd]),
    ).toEqual([
      [parent.id, 3 * ONE_COST],
      [child.id, 2 * ONE_COST],
    ]);
    expect(await client.sessionUsage(grandchild.id)).toMatchObject({ cost_microusd: ONE_COST });
  });

  it.each(["fork", "parent_session_id", "resume_session_id"] as const)(
    "%s: the parent's limit holds for both together",
    async (way) => {
      const { client } = app;
      const asked = await askedFor(client);
      // Room for exactly one request; what it leaves is not enough for a second one.
      const limit = asked + ONE_COST - 1;
      const parent = await client.createSession({ ...SMALL, max_cost_microusd: limit });
      {
        await using follow = await run(client, parent.id);
        await follow.end();
      }
      const child =
        way === "fork"
          ? await client.fork(parent.id)
          : await client.createSession({ ...SMALL, max_cost_microusd: 1_000_000, [way]: parent.id });
      await using follow = await run(client, child.id);
      const question = await follow.question();
      expect(question.shortage).toMatchObject({ limit_microusd: limit, spent_microusd: ONE_COST });
      expect(question.shortage.kind).toBe("parent");
      expect(billed()).toBe(ONE_COST);
    },
  );

  it("goes on when the parent's budget is raised", async () => {
    const operator = await app.as("operator");
    const parent = await operator.createSession({ ...SMALL, max_cost_microusd: 1 });
    const child = await operator.createSession({ ...SMALL, parent_session_id: parent.id });
    await using follow = await run(operator, child.id);
    const question = await follow.question();
    expect(question.shortage).toMatchObject({ kind: "parent", limit_microusd: 1 });
    await operator.setBudget(parent.id, { max_cost_microusd: 1_000_000 });
    expect(await follow.resolution()).toMatchObject({ approval_id: question.id, outcome: "cancelled" });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
  });

  it("a question of a child raises the parent's limit, for both", async () => {
    const operator = await app.as("operator");
    const parent = await operator.createSession({ ...SMALL, max_cost_microusd: 1 });
    const child = await operator.createSession({ ...SMALL, parent_session_id: parent.id });
    await using follow = await run(operator, child.id);
    const { id, input_hash } = await follow.question();
    await operator.decide(id, { decision: "approve", input_hash, updated_input: { limit_microusd: 1_000_000 } });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    expect(await budget(operator, parent.id, "session")).toMatchObject([{ limit_microusd: 1_000_000 }]);
    await using own = await run(operator, parent.id);
    expect(await own.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
  });

  it("keeps a parent's budget that was lowered", async () => {
    const { client } = app;
    const parent = await client.createSession({ ...SMALL, max_cost_microusd: 1_000_000 });
    const child = await client.createSession({ ...SMALL, parent_session_id: parent.id });
    {
      await using follow = await run(client, child.id);
      await follow.end();
    }
    await client.setBudget(parent.id, { max_cost_microusd: ONE_COST });
    await using follow = await run(client, child.id);
    expect((await follow.question()).shortage).toMatchObject({ kind: "parent", limit_microusd: ONE_COST });
    expect(billed()).toBe(ONE_COST);
  });

  it("an agent cannot draw on another's session", async () => {
    const agent = await app.as("agent");
    const theirs = await app.client.createSession({ ...SMALL, max_cost_microusd: 1_000_000 });
    const made = agent.createSession({ ...SMALL, parent_session_id: theirs.id });
    await expect(made).rejects.toMatchObject({ code: expect.stringMatching(/forbidden|not_found/) as string });
  });
});

describe("sub-agents", () => {
  const errand = (index: number): object => ({
    tool: "Task",
    input: {
      description: `errand ${index}`,
      prompt: `Errand ${index}.\nsim: ${JSON.stringify([CALL, { say: `errand ${index} is done` }])}`,
      subagent_type: "general-purpose",
    },
  });
  const text = script(CALL, { tools: [errand(1), errand(2), errand(3)] }, CALL, { say: "all done" });

  it("are counted on the turn and the session that started them", async () => {
    const { id } = await app.client.createSession({
      max_tokens: 2_000,
      tools: ["Task"],
      max_cost_microusd: 10_000_000,
    });
    await using follow = await run(app.client, id, text);
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: 5 * ONE_COST });
    expect(bills()).toEqual(Array.from({ length: 5 }, () => ONE_COST));
    expect(await budget(app.client, id, "session")).toMatchObject([
      { spent_microusd: 5 * ONE_COST, reserved_microusd: 0 },
    ]);
  });

  it("that lack money at once ask one question together", async () => {
    const { client } = app;
    const pending = async (): Promise<readonly string[]> =>
      (await client.approvals({ status: "pending" })).approvals.map((one) => one.id);
    const before = await pending();
    const { id } = await client.createSession({ max_tokens: 2_000, tools: ["Task"], max_cost_microusd: 1 });
    await using follow = await run(client, id, text);
    const first = await follow.question();
    // Just enough for the first call of the turn.
    const limit_microusd = first.shortage.asked_microusd;
    const answer = { decision: "approve" as const, input_hash: first.input_hash };
    await client.decide(first.id, { ...answer, updated_input: { limit_microusd } });
    const second = await follow.question();
    expect(second.shortage).toMatchObject({ kind: "session", spent_microusd: ONE_COST });
    expect((await pending()).filter((one) => !before.includes(one))).toEqual([second.id]);
    expect(billed()).toBe(ONE_COST);
    await client.setBudget(id, { max_cost_microusd: 10_000_000 });
    expect(await follow.end()).toMatchObject({ type: "turn.completed", cost_microusd: 5 * ONE_COST });
    expect(billed()).toBe(5 * ONE_COST);
  });
});
