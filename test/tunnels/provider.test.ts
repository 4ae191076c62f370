import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runScript, script, untilTurnEnds } from "../support/app.ts";
import { keepSecret, openTwoServers, type TwoServers } from "./two-servers.ts";

let world: TwoServers;
beforeAll(async () => {
  world = await openTwoServers();
  await world.pair("home", { max_cost_microusd: 10_000_000 });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Runs one turn of the gateway's own loop on the model at home. */
async function ask(
  provider: string,
  text = "Hello from home.",
): Promise<{ readonly id: string; readonly said: string }> {
  const { session, events } = await runScript(world.gateway.client, {
    provider,
    model: "sim",
    engine: "loop",
    prompt: { text: script({ say: text }) },
  });
  const said = events.flatMap((event) =>
    event.type === "item.completed" && event.item.type === "agent_message" ? [JSON.stringify(event.item)] : [],
  );
  const failed = events.find(({ type }) => type === "turn.failed");
  return { id: session.id, said: failed === undefined ? said.join(" ") : JSON.stringify(failed) };
}

describe("a gateway that uses a provider at home", () => {
  test("a session runs on it, at the owner's price, and both ledgers have the same bill", async () => {
    const before = world.home.asked.length;
    const { id, said } = await ask("tunnel:home");
    expect(said).toContain("Hello from home.");
    expect(world.home.asked.length).toBeGreaterThan(before);
    const usage = await world.gateway.client.sessionUsage(id);
    expect(usage.cost_microusd).toBeGreaterThan(0);
    const { offers } = await world.home.client.tunnels.offers();
    expect(offers).toMatchObject([
      { id: "home", state: "connected", auth_type: "psk", spent_microusd: usage.cost_microusd, reserved_microusd: 0 },
    ]);
    expect(offers[0]?.requests).toBeGreaterThan(0);
  });

  test("a session on it is resumed after a restart of the gateway, and forked, with all that was said", async () => {
    const { id } = await ask("tunnel:home", "The word is lighthouse.");
    await world.gateway.restart();
    await world.gateway.client.tunnels.test("home");
    const fork = await world.gateway.client.fork(id);
    for (const session of [id, fork.id]) {
      const before = world.home.asked.length;
      const prompt = { text: script({ say: `Again in ${session}.` }) };
      const { seq } = await world.gateway.client.prompt(session, prompt);
      const events = await untilTurnEnds(world.gateway.client, session, { after: seq - 1 });
      expect(events.at(-1)?.type).toBe("turn.completed");
      expect(JSON.stringify(world.home.asked.slice(before))).toContain("The word is lighthouse.");
    }
    expect((await world.gateway.client.session(fork.id)).settings.provider).toBe("tunnel:home");
  });

  test("its models and prices come from home", async () => {
    const { tunnels } = await world.gateway.client.tunnels.list();
    expect(tunnels).toMatchObject([
      { id: "home", provider: "tunnel:home", state: "connected", from: "stored", auth_type: "psk" },
    ]);
    expect(tunnels[0]?.models).toContain("sim");
    const { prices } = await world.gateway.client.prices({ model: "sim", provider: "tunnel:home" });
    expect(prices).toMatchObject([{ provider: "tunnel:home", from: "owner", price: { input: 1_000_000 } }]);
    expect(await world.gateway.client.tunnels.test("home")).toMatchObject({ status: "ok" });
    expect(await world.gateway.client.testProvider("tunnel:home")).toMatchObject({ status: "ok" });
  });

  test("the gateway's rate limit of a tunnel holds", async () => {
    await world.home.client.tunnels.offer({ id: "slow", auth: "none" });
    await world.gateway.client.tunnels.save("slow", {
      url: world.url,
      auth: "none",
      rate_limit: { requests_per_minute: 1, tokens_per_minute: 1_000_000 },
    });
    await world.gateway.client.tunnels.test("slow");
    const { key, base_url } = await world.gateway.client.createKey({ provider: "tunnel:slow" });
    const post = (): Promise<Response> =>
      fetch(`${base_url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify({ model: "sim", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] }),
      });
    expect((await post()).status).toBe(200);
    const refused = await post();
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("tunnel:slow")]);
  });

  test("the owner's limits hold: a party that spent its money is refused, others go on", async () => {
    await world.pair("poor", { max_cost_microusd: 1 });
    expect((await ask("tunnel:poor")).said).toMatch(/budget|cost|limit/);
    expect((await ask("tunnel:home")).said).toContain("Hello from home.");
  });

  test("the owner cuts a party at once: its principal and key are gone, others go on", async () => {
    await world.pair("guest");
    expect((await ask("tunnel:guest")).said).toContain("Hello from home.");
    await world.home.client.tunnels.revoke("guest");
    await expect
      .poll(async () => (await world.gateway.client.tunnels.list()).tunnels.find(({ id }) => id === "guest")?.state)
      .not.toBe("connected");
    expect(await world.gateway.client.tunnels.test("guest")).toMatchObject({
      status: expect.stringMatching(/refused|unreachable/),
    });
    const { keys } = await world.home.client.keys({ limit: 100 });
    expect(keys.map(({ name }) => name)).not.toContain("tunnel guest");
    expect((await ask("tunnel:home")).said).toContain("Hello from home.");
  });

  test("a wrong key is refused, says so, and disturbs nobody", async () => {
    await world.home.client.tunnels.offer({ id: "locked", auth: "psk" });
    await keepSecret(world.gateway.place.home, "wrong", "not-the-key-of-this-tunnel-at-all-0123456789");
    await world.gateway.client.tunnels.save("locked", {
      url: world.url,
      auth: { type: "psk", secret_path: "tunnels/wrong" },
    });
    await expect
      .poll(async () => (await world.gateway.client.tunnels.list()).tunnels.find(({ id }) => id === "locked"))
      .toMatchObject({ state: "refused", message: expect.stringContaining("invalid signature") });
    expect((await ask("tunnel:home")).said).toContain("Hello from home.");
  });
});

test("home can connect to the gateway instead", async () => {
  const id = "reverse";
  const secret = "a-pre-shared-key-of-two-servers-0123456789abcdef";
  await keepSecret(world.gateway.place.home, id, secret);
  await keepSecret(world.home.place.home, id, secret);
  const auth = { type: "psk" as const, secret_path: `tunnels/${id}` };
  await world.gateway.client.tunnels.save(id, { auth });
  const dial = `${world.gateway.serving.url.replace("http", "ws")}/tunnel`;
  await world.home.client.tunnels.offer({ id, auth, dial });
  await expect.poll(async () => (await world.gateway.client.tunnels.test(id)).status).toBe("ok");
  expect((await ask(`tunnel:${id}`)).said).toContain("Hello from home.");
});

test("a request goes on where it was when the tunnel is cut, and is billed once", async () => {
  const { id, said } = await new Promise<Awaited<ReturnType<typeof ask>>>((resolve, reject) => {
    const asked = ask("tunnel:home", "word ".repeat(2_000));
    const timer = setInterval(() => world.network.cut(), 60);
    asked.finally(() => clearInterval(timer)).then(resolve, reject);
  });
  expect(said).toContain("word word");
  const usage = await world.gateway.client.sessionUsage(id);
  expect(usage).toMatchObject({ bound_microusd: 0 });
});
