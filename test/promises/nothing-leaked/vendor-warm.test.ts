import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCOUNTS } from "../../../src/ledger/index.ts";
import type { CreateSession } from "../../../src/protocol/index.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { askProxy } from "../../support/vendor/ask.ts";
import { keyOf, openVendorApp, warmProcess, type VendorApp } from "../../support/vendor/app.ts";
import { markedProcesses, noticed, signal, type Marked } from "../../support/vendor/processes.ts";
import { sample } from "../../support/sample.ts";

let app: VendorApp;
beforeAll(async () => {
  app = await openVendorApp({ SALLYPORT_START_AHEAD: "on" });
});
afterAll(() => app[Symbol.asyncDispose]());

const hello = (engine: string): CreateSession => ({ engine, prompt: { text: 'Hello.\nsim: [{"say":"said-1"}]' } });

/** A session, after which there is a process for the next one like it. */
async function warmUp(engine: string): Promise<Marked> {
  const { client } = app.server;
  const { id } = await client.createSession(hello(engine));
  expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({ type: "turn.completed" });
  await client.control(id, "close");
  return warmProcess(app.place, engine);
}

const ENGINES = ["claude-sdk", "claude-cli"] as const;

describe.each(sample(ENGINES, 1))("a process of %s that is made ready for the next session", (engine) => {
  it("can ask nothing before it is taken, and nothing after its session was closed", async () => {
    const { client } = app.server;
    const warm = await warmUp(engine);
    const ask = (): Promise<readonly number[]> => Promise.all(app.doors.map((door) => askProxy(door, keyOf(warm))));
    const before = { answers: app.mind.answers, usage: (await client.usage()).total };
    expect((await ask()).map((status) => Math.floor(status / 100))).toEqual([4, 4]);
    expect({ answers: app.mind.answers, usage: (await client.usage()).total }).toEqual(before);
    await expect(client.session(warm.session)).rejects.toMatchObject({ code: "not_found" });
    const { id } = await client.createSession(hello(engine));
    expect(id).toBe(warm.session);
    expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({ type: "turn.completed" });
    await client.control(id, "close");
    expect(await ask()).toEqual([401, 401]);
    expect(markedProcesses(app.place).filter(({ session }) => session === id)).toEqual([]);
  });

  it("is no loss when it is killed before it is taken", async () => {
    const { client } = app.server;
    const warm = await warmUp(engine);
    expect(signal(warm.pid, "SIGKILL")).toBe(true);
    await noticed([warm.pid]);
    const { id } = await client.createSession(hello(engine));
    expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({ type: "turn.completed" });
    await client.control(id, "close");
  });

  it("draws on the budget of the session that its caller names", async () => {
    const { client } = app.server;
    await warmUp(engine);
    const before = app.mind.answers;
    const sponsor = await client.createSession({ engine: "loop", max_cost_microusd: 1_000 });
    const { id } = await client.createSession({ ...hello(engine), parent_session_id: sponsor.id });
    const events = await untilTurnEnds(client, id, {
      answer: ({ id: approval, input_hash }) => client.decide(approval, { decision: "reject", input_hash }),
    });
    const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event.approval.input] : []));
    expect({ asked, end: events.at(-1) }).toMatchObject({
      asked: [{ account: ACCOUNTS.session(sponsor.id) }],
      end: { type: "turn.failed", error: { code: "budget_exceeded" } },
    });
    expect(app.mind.answers).toBe(before);
  });
});
