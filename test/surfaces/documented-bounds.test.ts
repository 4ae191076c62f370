import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TunnelAuthChallenge } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { worldOf } from "./mount/world.ts";

const SETTINGS = `
idempotency_seconds: 1200
client_sessions: 2
challenge_seconds: 600
mounts:
  /claude:
    type: claude
    access: budgeted
    policy: { allowed_tunnels: [there] }
    tunnels: [{ id: there, url: "wss://there.example/tunnel", auth: nostr }]
`;

let app: TestApp;
let clock: MovableClock;
beforeAll(async () => {
  clock = new MovableClock({ stands: true });
  app = await openTestApp({}, { clock });
  await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
  await app.restart();
});
afterAll(() => app[Symbol.asyncDispose]());

describe("bounds of the documents that an operator changed", () => {
  it("answers a retry as long as idempotency_seconds says, and no longer", async () => {
    const make = async (): Promise<string> => (await app.client.createSession({}, { key: "again" })).id;
    const first = await make();
    clock.pass(1_199_999);
    expect(await make()).toBe(first);
    clock.pass(1);
    expect(await make()).not.toBe(first);
  });

  it("remembers as many client sessions as client_sessions says, also across a restart", async () => {
    const callerOf = () => app.serving.gateway.tokens.authenticate(TEST_TOKEN);
    const caller = await callerOf();
    for (const name of ["a", "b", "c"]) await app.serving.gateway.clients.create(caller, name, { request: {} });
    const known = async (): Promise<readonly boolean[]> => {
      const { clients } = app.serving.gateway;
      const again = await callerOf();
      return Promise.all(["a", "b", "c"].map(async (name) => (await clients.find(again, name)) !== undefined));
    };
    expect(await known()).toEqual([false, true, true]);
    await app.restart();
    expect(await known()).toEqual([false, true, true]);
  });

  it("lets a tunnel's challenge be answered as long as challenge_seconds says", async () => {
    const { admin } = worldOf(app);
    const challenge = async (): Promise<TunnelAuthChallenge> => {
      const [first] = await admin.json<readonly TunnelAuthChallenge[]>("/claude/auth/challenge");
      if (first === undefined) throw new Error("there is no challenge");
      return first;
    };
    const first = await challenge();
    expect(Date.parse(first.expires_at) - clock.now()).toBe(600_000);
    clock.pass(599_999);
    expect(await challenge()).toEqual(first);
    clock.pass(1);
    expect((await challenge()).challenge).not.toBe(first.challenge);
  });
});
