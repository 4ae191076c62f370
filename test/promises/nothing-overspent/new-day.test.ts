import { expect, it } from "vitest";
import { LIMITS, type Policy } from "../../../src/protocol/index.ts";
import { MovableClock } from "../../support/clock.ts";
import { script } from "../../support/app.ts";
import { Follow } from "../../support/money/follow.ts";
import { CALL, type MoneyApp, ONE_COST, openMoneyApp, policyOf, SMALL } from "../../support/money/app.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const LIMIT_OF: Readonly<Record<string, (most: number) => Policy>> = {
  agent_day: (most) => policyOf({ profile: { unattended: "park", max_cost_microusd_per_day: most } }),
  day: (most) => policyOf({ profile: { unattended: "park" }, budget: { per_day_microusd: most } }),
};

async function begin({ client }: MoneyApp): Promise<{ readonly id: string; readonly follow: Follow }> {
  const { id } = await client.createSession({ ...SMALL, prompt: { text: script(CALL, { say: "hello" }) } });
  return { id, follow: new Follow(client, id) };
}

/** What is set aside for one request. */
async function neededFor(app: MoneyApp): Promise<number> {
  await using follow = (await begin(app)).follow;
  const { id, input_hash, shortage } = await follow.question();
  await app.client.decide(id, { decision: "reject", input_hash });
  await follow.end();
  return shortage.asked_microusd;
}

it("a question of a day that a wrong clock was in does not wait for that day to end", async () => {
  const clock = new MovableClock();
  await using app = await openMoneyApp({ profile: { unattended: "park", max_cost_microusd: 1 }, clock });
  const needed = await neededFor(app);
  clock.jump(365 * DAY);
  await app.client.setPolicy(
    policyOf({ profile: { unattended: "park" }, budget: { per_day_microusd: needed + ONE_COST - 1 } }),
  );
  await using first = (await begin(app)).follow;
  await first.end();
  await using second = (await begin(app)).follow;
  const question = await second.question();
  clock.jump(-365 * DAY);
  clock.pass(DAY);
  expect(await second.resolution()).toMatchObject({ approval_id: question.id, outcome: "cancelled" });
  expect(await second.end()).toMatchObject({ type: "turn.completed" });
});

for (const [kind, policyFor] of Object.entries(LIMIT_OF)) {
  it(`${kind}: a question is withdrawn on the next day, also where the machine slept over midnight`, async () => {
    const clock = new MovableClock();
    // Eight in the evening.
    clock.jump(DAY - (clock.now() % DAY) + 20 * HOUR);
    await using app = await openMoneyApp({ profile: { unattended: "park", max_cost_microusd: 1 }, clock });
    const needed = await neededFor(app);
    await app.client.setPolicy(policyFor(needed + ONE_COST - 1));
    await using first = (await begin(app)).follow;
    expect(await first.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    await using second = (await begin(app)).follow;
    const question = await second.question();
    expect(question.shortage).toMatchObject({ kind, spent_microusd: ONE_COST, asked_microusd: needed });
    // Timers know nothing of a sleep: the question is found by looking at the clock.
    clock.jump(13 * HOUR);
    clock.pass(LIMITS.expiryCheckMs);
    expect(await second.resolution()).toMatchObject({ approval_id: question.id, outcome: "cancelled" });
    expect(await second.end()).toMatchObject({ type: "turn.completed", cost_microusd: ONE_COST });
    expect(app.till.bills).toEqual([ONE_COST, ONE_COST]);
  });
}
