import { afterAll, beforeAll, expect, test } from "vitest";
import { runScript, script } from "../support/app.ts";
import { isFullRun } from "../support/sample.ts";
import { openTwoServers, type TwoServers } from "./two-servers.ts";

const REQUESTS = isFullRun ? 500 : 60;
const SESSIONS = isFullRun ? 100 : 8;
/** A request may wait for the link, and the link for its resumption; nothing waits longer. */
const BOUND_MS = 90_000;

let world: TwoServers;
beforeAll(async () => {
  world = await openTwoServers();
  await world.pair("home");
});
afterAll(() => world[Symbol.asyncDispose]());

/** The same numbers in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Does something to the network now and then, until it is stopped. */
function disturb(random: () => number): () => Promise<void> {
  const { network } = world;
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 30 + random() * 250));
      const what = random();
      if (what < 0.35) network.cut();
      // Reordered: the old connection ends at home only after the new one has begun.
      else if (what < 0.5) network.strand(50 + random() * 300);
      else if (what < 0.75) network.slow(Math.floor(random() * 15));
      else if (what < 0.9) network.slow(0);
      else {
        // Half open: nobody is told. The next cut ends it, before a ping would.
        network.freeze();
        await new Promise((resolve) => setTimeout(resolve, 100 + random() * 300));
        network.thaw();
      }
    }
    network.slow(0);
    network.thaw();
  })();
  return async () => {
    stopping.abort();
    await done;
  };
}

test(`${REQUESTS} requests over a bad network end once and are billed once`, async () => {
  const { key, base_url } = await world.gateway.client.createKey({ provider: "tunnel:home" });
  const before = world.home.asked.length;
  const post = async (index: number): Promise<"completed" | "failed"> => {
    const response = await fetch(`${base_url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        model: "sim",
        max_tokens: 2_000,
        stream: index % 3 !== 0,
        messages: [{ role: "user", content: script({ say: `number ${index} `.repeat(50 + (index % 7) * 100) }) }],
      }),
      signal: AbortSignal.timeout(BOUND_MS),
    });
    const text = await response.text();
    // A stream is whole when its last event has come.
    const isWhole = index % 3 === 0 ? text.includes(`number ${index} `) : text.includes("message_stop");
    return response.status === 200 && isWhole ? "completed" : "failed";
  };
  const calm = disturb(seeded(17));
  const ends: string[] = [];
  const queue = Array.from({ length: REQUESTS }, (_, index) => index);
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let index = queue.pop(); index !== undefined; index = queue.pop())
        ends.push(await post(index).catch((error: unknown) => String(error)));
    }),
  );
  await calm();
  expect(ends).toHaveLength(REQUESTS);
  // Each cut was shorter than the time in which a link can be resumed.
  expect(ends.filter((end) => end !== "completed")).toEqual([]);
  expect(world.home.asked.length - before).toBe(REQUESTS);
  const { keys } = await world.gateway.client.keys({ limit: 10 });
  const { offers } = await world.home.client.tunnels.offers();
  const [here, there] = [keys.find(({ bounds }) => bounds.provider === "tunnel:home"), offers[0]];
  expect(here).toMatchObject({ reserved_microusd: 0, spent_microusd: there?.spent_microusd });
  expect(there).toMatchObject({ reserved_microusd: 0, requests: REQUESTS, open_requests: 0 });
}, 600_000);

test(`${SESSIONS} sessions over a bad network end, and both ledgers agree`, async () => {
  const [before] = (await world.home.client.tunnels.offers()).offers;
  const calm = disturb(seeded(71));
  const made = await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) =>
      runScript(world.gateway.client, {
        provider: "tunnel:home",
        model: "sim",
        engine: "loop",
        autonomy: "full",
        prompt: {
          text: script({ tool: "Bash", input: { command: `echo ${index}` } }, { say: `session ${index} `.repeat(100) }),
        },
      }),
    ),
  );
  await calm();
  expect(made.map(({ events }) => events.at(-1)?.type)).toEqual(made.map(() => "turn.completed"));
  const costs = await Promise.all(made.map(({ session }) => world.gateway.client.sessionUsage(session.id)));
  const spent = costs.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0);
  const [after] = (await world.home.client.tunnels.offers()).offers;
  expect((after?.spent_microusd ?? 0) - (before?.spent_microusd ?? 0)).toBe(spent);
  expect(after).toMatchObject({ reserved_microusd: 0, open_requests: 0 });
}, 600_000);
