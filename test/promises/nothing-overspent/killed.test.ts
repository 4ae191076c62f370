import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Failure, isTerminal, type CreateSession, type JournalEvent } from "../../../src/protocol/index.ts";
import { Phoenix } from "../../support/life.ts";
import { CALL, ONE_COST, policyOf, PRICES, SMALL, tillSettings } from "../../support/money/app.ts";
import { Till } from "../../support/money/till.ts";
import { script } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { sample } from "../../support/sample.ts";
import { makePlace } from "../../support/server.ts";

const TODO = { tool: "TodoWrite", input: { todos: [] } };
const TEXT = script(CALL, TODO, CALL, TODO, CALL, { say: "done" });
const CALLS = 3;
const TURNS = 2;

/** An answer may be on the disk though the server died before it could say so. */
async function approve(phoenix: Phoenix, id: string, input_hash: string): Promise<void> {
  try {
    await phoenix.insist(() => phoenix.client.decide(id, { decision: "approve", input_hash }));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "already_answered") throw error;
  }
}

/** Some turns with questions for money, by a client that never gives up. */
async function converse(phoenix: Phoenix, name: string, session: CreateSession): Promise<readonly JournalEvent[]> {
  const { client } = phoenix;
  const { id } = await phoenix.insist(() => client.createSession({ ...SMALL, ...session }, { key: name }));
  for (let turn = 0; turn < TURNS; turn += 1)
    await phoenix.insist(() => client.prompt(id, { text: TEXT }, { key: `${name}-${turn}` }));
  const events: JournalEvent[] = [];
  const answers: Promise<void>[] = [];
  for await (const frame of client.watch(id)) {
    if (!("seq" in frame)) continue;
    events.push(frame);
    if (frame.type === "approval.requested")
      answers.push(approve(phoenix, frame.approval.id, frame.approval.input_hash));
    if (events.filter(isTerminal).length === TURNS) break;
  }
  await Promise.all(answers);
  return events;
}

it("a server that is killed between question, answer and bill loses no money and no turn", async () => {
  const place = await makePlace();
  const till = await Till.open(PRICES);
  await mkdir(place.home, { recursive: true });
  await writeFile(join(place.home, "sallyport.yaml"), tillSettings(till));
  await writeFile(join(place.home, "policy.yaml"), JSON.stringify(policyOf({})));
  const points = sample(["budget.asked", "model.message_ended:5", "answer.durable:2"], 2);
  const phoenix = new Phoenix(place, await ownPort(), (start) => ({
    TILL_KEY: "till-key-of-the-test-0000000000",
    ...(points[start] === undefined ? {} : { SALLYPORT_CRASH_AT: points[start] }),
  }));
  try {
    const sponsor = await phoenix.insist(() =>
      phoenix.client.createSession({ ...SMALL, max_cost_microusd: 1 }, { key: "p" }),
    );
    const journals = await Promise.all([
      converse(phoenix, "a", { max_cost_microusd: 1 }),
      converse(phoenix, "b", { max_cost_microusd: 1, parent_session_id: sponsor.id }),
      converse(phoenix, "c", { parent_session_id: sponsor.id }),
    ]);
    expect(phoenix.kills).toBe(points.length);
    for (const events of journals) {
      const [first] = events;
      const id = first?.session_id ?? "";
      const ends = events.flatMap((event) => (isTerminal(event) ? [event] : []));
      expect(ends.map(({ type }) => type)).toEqual(["turn.completed", "turn.completed"]);
      const told = events.flatMap((event) => (event.type === "budget.updated" ? [event.cost_microusd ?? 0] : []));
      const { cost_microusd, reserved_microusd } = await phoenix.client.sessionUsage(id);
      const sum = (costs: readonly number[]): number => costs.reduce((all, one) => all + one, 0);
      expect({
        journal: sum(told),
        turns: sum(ends.map((end) => end.cost_microusd ?? 0)),
        reserved_microusd,
      }).toEqual({
        journal: cost_microusd,
        turns: cost_microusd,
        reserved_microusd: 0,
      });
      expect(cost_microusd).toBeGreaterThanOrEqual(TURNS * CALLS * ONE_COST);
    }
    const { total, budgets } = await phoenix.client.usage({ by: ["session"] });
    expect(total.cost_microusd).toBeGreaterThanOrEqual(till.count);
    // Only requests that were under way when a server died cost more than they were billed.
    expect(total.cost_microusd - total.bound_microusd).toBeLessThanOrEqual(till.count);
    expect(budgets.map(({ reserved_microusd }) => reserved_microusd)).toEqual(budgets.map(() => 0));
  } finally {
    await phoenix.stop();
    await till.close();
    await place.remove();
  }
});
