import { describe, expect, it } from "vitest";
import type { CreateSession } from "../../../src/protocol/index.ts";
import { untilTurnEnds } from "../../support/house.ts";
import { askProxy } from "../../support/vendor/ask.ts";
import { keyOf, openVendorHouse, warmProcess, type VendorHouse } from "../../support/vendor/house.ts";
import { markedProcesses, signal, type Marked } from "../../support/vendor/processes.ts";

const ENGINES = ["claude-sdk", "claude-cli"] as const;
const hello = (engine: string): CreateSession => ({ engine, prompt: { text: 'Hello.\nsim: [{"say":"said-1"}]' } });

/** The first session, after which there is a process for the next one. */
async function warmUp({ server, place }: VendorHouse, engine: string): Promise<Marked> {
  const { id } = await server.client.createSession(hello(engine));
  expect((await untilTurnEnds(server.client, id)).at(-1)).toMatchObject({ type: "turn.completed" });
  return warmProcess(place, [id]);
}

describe.each(ENGINES)("a process of %s that is made ready for the next session", (engine) => {
  it("can ask nothing before it is taken, and nothing after its session was closed", { timeout: 60_000 }, async () => {
    await using house = await openVendorHouse();
    const { client } = house.server;
    const warm = await warmUp(house, engine);
    const ask = (): Promise<readonly number[]> => Promise.all(house.doors.map((door) => askProxy(door, keyOf(warm))));
    const before = { answers: house.mind.answers, usage: (await client.usage()).total };
    const refused = await ask();
    expect(refused.every((status) => status >= 400 && status < 500)).toBe(true);
    expect({ answers: house.mind.answers, usage: (await client.usage()).total }).toEqual(before);
    await expect(client.session(warm.session)).rejects.toMatchObject({ code: "not_found" });
    const { id } = await client.createSession(hello(engine));
    expect(id).toBe(warm.session);
    expect((await untilTurnEnds(client, id)).at(-1)).toMatchObject({ type: "turn.completed" });
    expect(await ask()).toEqual([200, 200]);
    await client.control(id, "close");
    expect(await ask()).toEqual([401, 401]);
    expect(markedProcesses(house.place).filter(({ session }) => session === id)).toEqual([]);
  });

  it("is no loss when it is killed before it is taken", { timeout: 60_000 }, async () => {
    await using house = await openVendorHouse();
    const warm = await warmUp(house, engine);
    expect(signal(warm.pid, "SIGKILL")).toBe(true);
    const { id } = await house.server.client.createSession(hello(engine));
    expect((await untilTurnEnds(house.server.client, id)).at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("draws on the budget of the session that whoever takes it names", { timeout: 60_000 }, async () => {
    await using house = await openVendorHouse();
    const { client } = house.server;
    await warmUp(house, engine);
    const sponsor = await client.createSession({ engine: "loop", max_cost_usd: 1_000 });
    const { id } = await client.createSession({ ...hello(engine), parent_session_id: sponsor.id });
    const asked = await untilTurnEnds(client, id, {
      answer: ({ id: approval, input_hash }) => client.decide(approval, { decision: "reject", input_hash }),
    });
    expect(asked.find((event) => event.type === "approval.requested")).toMatchObject({
      approval: { tool: "Budget", input: { account: `session:${sponsor.id}` } },
    });
    expect(asked.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "budget_exceeded" } });
  });
});
