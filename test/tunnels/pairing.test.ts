import { readFile, stat } from "node:fs/promises";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocket, WebSocketServer } from "ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TunnelOfferView, TunnelView } from "../../src/protocol/index.ts";
import { runScript, script, openTestApp, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { openPricedApp, type PricedApp } from "../support/priced-app.ts";
import { until } from "../support/until.ts";

/** Ten minutes, as LIMITS has it. */
const LIFE_MS = 600_000;
const WRONG = "00000-00000";

let clock: MovableClock;
let home: PricedApp;
let gateway: TestApp;
beforeAll(async () => {
  clock = new MovableClock();
  [home, gateway] = await Promise.all([openPricedApp({}, { clock }), openTestApp({ SALLYPORT_PROVIDER: "sim" })]);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const address = (app: TestApp | PricedApp): string => `${app.serving.url.replace(/^http/, "ws")}/tunnel`;
const offerOf = async (id: string): Promise<TunnelOfferView | undefined> =>
  (await home.client.tunnels.offers()).offers.find((offer) => offer.id === id);
const tunnelOf = async (id: string): Promise<TunnelView | undefined> =>
  (await gateway.client.tunnels.list()).tunnels.find((tunnel) => tunnel.id === id);
const secretOf = async (app: TestApp | PricedApp, path: string): Promise<string> =>
  (await readFile(join(app.place.home, "secrets", "tunnels", path), "utf8")).trim();

describe("pairing with a code", () => {
  test("gives both machines a key that nobody has seen, and a session runs over the tunnel", async () => {
    const { secret } = await home.client.tunnels.offer({ id: "work", auth: "psk" });
    const shown = await home.client.tunnels.offerCode("work");
    expect(shown).toMatchObject({ id: "work", tries: 5 });
    expect(Date.parse(shown.expires_at) - clock.now()).toBeLessThanOrEqual(LIFE_MS);
    expect(await offerOf("work")).toMatchObject({ pairing_until: shown.expires_at, parties: [], paused: false });
    const wire = await openTap(address(home));
    // As a person types it.
    const code = shown.code.toLowerCase().replace("-", " ");
    const view = await gateway.client.tunnels.pair("work", { url: wire.url, code });
    expect(view).toMatchObject({ id: "work", auth_type: "psk", provider: "tunnel:work" });
    expect(await gateway.client.tunnels.test("work")).toMatchObject({ status: "ok" });
    const [here, there] = [await secretOf(home, "work"), await secretOf(gateway, "_endpoints/work")];
    expect(here).toBe(there);
    expect(here).not.toBe(secret);
    expect((await stat(join(gateway.place.home, "secrets/tunnels/_endpoints/work"))).mode & 0o777).toBe(0o600);
    const { events } = await runScript(gateway.client, {
      provider: "tunnel:work",
      model: "sim",
      prompt: { text: script({ say: "Hello." }) },
    });
    expect(events.at(-1)?.type).toBe("turn.completed");
    const served = await offerOf("work");
    expect(served).toMatchObject({ state: "connected", parties: [{ since: expect.any(String) as string }] });
    expect(served?.pairing_until).toBeUndefined();
    // Neither key nor code went over the wire, and neither is in an answer or the audit log.
    const said = wire.heard() + JSON.stringify([await home.client.audit({}), await gateway.client.audit({})]);
    for (const hidden of [here, shown.code, shown.code.replace("-", "")]) expect(said).not.toContain(hidden);
    await wire.close();
  });

  test("counts once, and a new code makes the one before it worthless", async () => {
    await home.client.tunnels.offer({ id: "once", auth: "psk" });
    const before = await home.client.tunnels.offerCode("once");
    const shown = await home.client.tunnels.offerCode("once");
    const pair = (code: string) => gateway.client.tunnels.pair("once", { url: address(home), code });
    await expect(pair(before.code)).rejects.toMatchObject({ code: "conflict" });
    expect(await tunnelOf("once")).toBeUndefined();
    await pair(shown.code);
    const key = await secretOf(home, "once");
    await expect(pair(shown.code)).rejects.toMatchObject({ code: "conflict" });
    expect(await secretOf(home, "once")).toBe(key);
  });

  test("five wrong codes end it, also at the same time; then the right one is refused too", async () => {
    await home.client.tunnels.offer({ id: "tried", auth: "psk" });
    const { code } = await home.client.tunnels.offerCode("tried");
    const pair = (tried: string) => gateway.client.tunnels.pair("tried", { url: address(home), code: tried });
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => pair(WRONG)));
    expect(tries.map(({ status }) => status)).toEqual(tries.map(() => "rejected"));
    await expect(pair(code)).rejects.toMatchObject({ code: "conflict" });
    expect((await offerOf("tried"))?.pairing_until).toBeUndefined();
    // Another code begins anew.
    await pair((await home.client.tunnels.offerCode("tried")).code);
  });

  test("works the other way round, for a machine that connects to the gateway", async () => {
    await gateway.client.tunnels.save("attic", { auth: { type: "psk", secret_path: "tunnels/_endpoints/attic" } });
    const { code } = await gateway.client.tunnels.code("attic");
    await home.client.tunnels.offer({ id: "attic", auth: "psk", dial: address(gateway) });
    await home.client.tunnels.pairOffer("attic", { code });
    await until(async () => (await tunnelOf("attic"))?.state === "connected");
    expect(await secretOf(home, "attic")).toBe(await secretOf(gateway, "_endpoints/attic"));
    // Who shows and who is told is clear.
    await expect(home.client.tunnels.offerCode("attic")).rejects.toMatchObject({ code: "conflict" });
    await expect(home.client.tunnels.pairOffer("attic", { code })).rejects.toMatchObject({ code: "conflict" });
  });

  test("refuses invalid codes, addresses that do not answer, other kinds of proof and other roles", async () => {
    const pair = (code: string, url = address(home)) => gateway.client.tunnels.pair("bad", { url, code });
    await expect(pair("12345")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(pair(WRONG, "ws://127.0.0.1:1/tunnel")).rejects.toMatchObject({ code: "connection_failed" });
    await home.client.tunnels.offer({ id: "signed", auth: "nostr" });
    await expect(home.client.tunnels.offerCode("signed")).rejects.toMatchObject({ code: "conflict" });
    await expect(home.client.tunnels.offerCode("none")).rejects.toMatchObject({ code: "not_found" });
    const operator = await home.as("operator");
    await expect(operator.tunnels.offerCode("signed")).rejects.toMatchObject({ code: "forbidden" });
    expect(await tunnelOf("bad")).toBeUndefined();
    await expect(secretOf(gateway, "_endpoints/bad")).rejects.toThrow("ENOENT");
  });
});

test("an offer that is paused is cut at once, lets nobody in, and goes on as it was", async () => {
  await home.client.tunnels.offer({ id: "held", auth: "psk", max_cost_microusd: 1_000_000 });
  const { code } = await home.client.tunnels.offerCode("held");
  await gateway.client.tunnels.pair("held", { url: address(home), code });
  const state = async (): Promise<string | undefined> => (await tunnelOf("held"))?.state;
  await until(async () => (await state()) === "connected");
  expect(await home.client.tunnels.pauseOffer("held")).toMatchObject({ paused: true, parties: [] });
  await until(async () => (await state()) === "refused");
  // Also after a restart.
  await home.restart();
  expect(await offerOf("held")).toMatchObject({ paused: true, state: "waiting" });
  expect(await home.client.tunnels.continueOffer("held")).toMatchObject({ paused: false });
});

// The last one: afterwards the clocks of the two machines differ too much for challenges.
test("a code ends after ten minutes, and with the offer", async () => {
  await home.client.tunnels.offer({ id: "short", auth: "psk" });
  const pair = (code: string) => gateway.client.tunnels.pair("short", { url: address(home), code });
  const { code } = await home.client.tunnels.offerCode("short");
  clock.pass(LIFE_MS);
  await expect(pair(code)).rejects.toMatchObject({ code: "conflict" });
  const again = await home.client.tunnels.offerCode("short");
  await home.client.tunnels.revoke("short");
  await expect(pair(again.code)).rejects.toMatchObject({ code: "conflict" });
  // A tunnel that never was gets the same words.
  const words = await Promise.all(
    ["short", "never"].map((id) =>
      gateway.client.tunnels.pair(id, { url: address(home), code: again.code }).catch((error: Error) => error.message),
    ),
  );
  expect(words[0]).toBe(words[1]);
});

/** A relay that reads every message in both directions, as the host of a tunnel could. */
async function openTap(target: string): Promise<{ url: string; heard(): string; close(): Promise<void> }> {
  const messages: string[] = [];
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (left) => {
    const right = new WebSocket(target);
    const isOpen = once(right, "open");
    const pass = (from: WebSocket, to: WebSocket): void => {
      from.on("message", (data: Buffer, binary) => {
        messages.push(data.toString("latin1"));
        void isOpen.then(() => to.send(data, { binary }));
      });
      from.on("close", () => to.close());
      from.on("error", () => to.terminate());
    };
    pass(left, right);
    pass(right, left);
  });
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heard: () => messages.join("\n"),
    close: async () => {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
