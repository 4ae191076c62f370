import { describe, expect, it } from "vitest";
import { SallyportClient } from "../../../src/client/index.ts";
import type { CreateToken, JournalEvent, LimitKind } from "../../../src/protocol/index.ts";
import { Follow } from "../../support/money/follow.ts";
import { CALL, type MoneyApp, ONE_COST, openMoneyApp, SMALL } from "../../support/money/app.ts";
import { script, untilTurnEnds } from "../../support/app.ts";

const PROMPT = { text: script(CALL, { say: "hello" }) };
const PROFILE = { client_may_choose: ["max_tokens" as const] };

type Limits = Pick<CreateToken, "max_cost_microusd" | "max_cost_microusd_per_day" | "max_cost_microusd_per_session">;

/** A product's server with limits of its own, and what it makes visitors with. */
async function issuerWith(
  app: MoneyApp,
  limits: Limits,
): Promise<(name: string, own?: Limits) => Promise<SallyportClient>> {
  const { url } = app.serving;
  const made = await app.client.createToken({ role: "issuer", name: "shop", profile: "money", ...limits });
  const issuer = new SallyportClient({ url, token: made.token });
  return async (name, own = {}) => {
    const { token } = await issuer.createToken({ role: "visitor", name, subject: name, ...own });
    return new SallyportClient({ url, token });
  };
}

/** What one request sets aside, micro-USD: found by asking with a limit that it cannot keep. */
async function needed(app: MoneyApp): Promise<number> {
  const visitor = await (await issuerWith(app, {}))("probe", { max_cost_microusd: 1 });
  const { id } = await visitor.createSession({ ...SMALL, prompt: PROMPT });
  await using follow = new Follow(app.client, id);
  const { shortage } = await follow.question();
  await app.client.interrupt(id);
  return shortage.asked_microusd;
}

/** One turn: what it cost, or what it lacked. A question that waits is withdrawn. */
async function turn(app: MoneyApp, visitor: SallyportClient): Promise<unknown> {
  const { id } = await visitor.createSession({ ...SMALL, prompt: PROMPT });
  const lacked: unknown[] = [];
  const events: readonly JournalEvent[] = await untilTurnEnds(app.client, id, {
    answer: async ({ preview }) => {
      if (preview.type === "budget") lacked.push(preview.shortage);
      await app.client.interrupt(id);
    },
  });
  const end = events.at(-1);
  return lacked[0] ?? (end?.type === "turn.completed" ? end.cost_microusd : end);
}

describe("visitors of one issuer spend its money together", () => {
  const cases: readonly { readonly kind: LimitKind; readonly limits: (amount: number) => Limits }[] = [
    { kind: "agent", limits: (amount) => ({ max_cost_microusd: amount }) },
    { kind: "agent_day", limits: (amount) => ({ max_cost_microusd_per_day: amount }) },
  ];

  it.each(cases)("$kind: to the last micro-USD, and not one more", async ({ kind, limits }) => {
    await using app = await openMoneyApp({ profile: PROFILE });
    const most = await needed(app);
    for (const [spare, third] of [
      [0, ONE_COST],
      [-1, expect.objectContaining({ kind, spent_microusd: 2 * ONE_COST, reserved_microusd: 0 })],
    ] as const) {
      const visit = await issuerWith(app, limits(2 * ONE_COST + most + spare));
      // A visitor's own limit is as high as its issuer's: what the others spent counts.
      expect(await turn(app, await visit("ann"))).toBe(ONE_COST);
      expect(await turn(app, await visit("ben"))).toBe(ONE_COST);
      expect([spare, await turn(app, await visit("cleo"))]).toEqual([spare, third]);
    }
  });

  it("at once: many visitors cannot set aside more than there is", async () => {
    await using app = await openMoneyApp({ profile: PROFILE });
    const most = await needed(app);
    const visit = await issuerWith(app, { max_cost_microusd: 3 * most });
    const before = app.till.count;
    const visitors = await Promise.all(Array.from({ length: 10 }, (_, index) => visit(`v${index}`)));
    const all = await Promise.all(visitors.map((visitor) => turn(app, visitor)));
    const paid = all.filter((each) => each === ONE_COST).length;
    expect(app.till.count - before).toBe(paid * ONE_COST);
    expect(app.till.count - before).toBeLessThanOrEqual(3 * most);
    expect(paid).toBeGreaterThanOrEqual(3);
  });

  it("a visitor's own limit is its own: a new token of the same visitor has no more", async () => {
    await using app = await openMoneyApp({ profile: PROFILE });
    const most = await needed(app);
    const visit = await issuerWith(app, { max_cost_microusd: 1_000_000 });
    const own = { max_cost_microusd: most };
    expect(await turn(app, await visit("ann", own))).toBe(ONE_COST);
    expect(await turn(app, await visit("ann", own))).toMatchObject({ kind: "agent", spent_microusd: ONE_COST });
    expect(await turn(app, await visit("ben", own))).toBe(ONE_COST);
  });

  it("a session's own limit holds for each session alone", async () => {
    await using app = await openMoneyApp({ profile: PROFILE });
    const most = await needed(app);
    const visit = await issuerWith(app, { max_cost_microusd_per_session: most });
    const ann = await visit("ann");
    expect([await turn(app, ann), await turn(app, ann)]).toEqual([ONE_COST, ONE_COST]);
    const small = await visit("ben", { max_cost_microusd_per_session: most - 1 });
    expect(await turn(app, small)).toMatchObject({ kind: "session", limit_microusd: most - 1 });
  });

  it("what was spent counts after a restart, and after the token is gone", async () => {
    await using app = await openMoneyApp({ profile: PROFILE });
    const most = await needed(app);
    const made = await app.client.createToken({
      role: "operator",
      name: "lead",
      profile: "money",
      max_cost_microusd: ONE_COST + most - 1,
    });
    const as = (token: string): SallyportClient => new SallyportClient({ url: app.serving.url, token });
    const one = await as(made.token).createToken({ role: "agent", name: "one" });
    expect(await turn(app, as(one.token))).toBe(ONE_COST);
    await app.client.deleteToken(one.id);
    await app.restart();
    const two = await as(made.token).createToken({ role: "agent", name: "two" });
    expect(await turn(app, as(two.token))).toMatchObject({ kind: "agent", spent_microusd: ONE_COST });
  });
});
