import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { script } from "../support/app.ts";
import { describeWithFuse, MountPlace } from "../support/fuse.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { newSession, ok, startMount, type MountProcess } from "../e2e/mount/world.ts";
import { Files } from "../surfaces/mount/world.ts";
import { openTwoServers, type TwoServers } from "./two-servers.ts";

let world: TwoServers;
let files: Files;
beforeAll(async () => {
  world = await openTwoServers();
  await world.pair("local-proxy", { models: ["claude-sonnet-4-20250514", "sim"] });
  files = new Files(world.gateway.serving.url, world.gateway.serving.token);
});
afterAll(() => world[Symbol.asyncDispose]());

/** The document's example, with a script for the model in the place of its words. */
const REQUEST = {
  model: "claude-sonnet-4-20250514",
  system_prompt: "You are a helpful coding assistant.",
  initial_prompt: script({ say: "I suggest improvements." }),
  tools: [{ name: "Read" }, { name: "Glob" }, { name: "Grep" }],
  tunnel_endpoint: "local-proxy",
  // Micro-USD; the document's five dollars are more than a turn may cost here.
  max_cost_usd: 500_000,
  autonomy: "supervised",
  idempotency_key: "review_session_123",
};

describe("document 003's example of a session via a tunnel, over HTTP", () => {
  test("creates it, waits for it, prompts it, reads its cost; the same key answers the same session", async () => {
    const made = await files.call("/claude/new", REQUEST);
    const folder = `/claude/sessions/${made["session_id"]}`;
    await files.until(folder, "idle");
    expect(await files.text(`${folder}/response`)).toContain("I suggest improvements.");
    await files.write(`${folder}/prompt`, script({ say: "Fixed." }));
    expect(await files.outputUntilIdle(folder)).toContain("Fixed.");
    expect(await files.call("/claude/new", REQUEST)).toEqual(made);
    const usage = await files.json(`${folder}/usage`);
    expect(usage["cost_usd"]).toBeGreaterThan(0);
    const [offer] = (await world.home.client.tunnels.offers()).offers;
    expect(offer?.spent_microusd).toBe(usage["cost_usd"]);
  });

  test("reads the tunnels, the provider, its endpoints and its health", async () => {
    const summary = [{ id: "local-proxy", url: world.url, auth_type: "psk" }];
    expect(await files.json("/claude/auth/tunnels")).toMatchObject(summary);
    expect(await files.json("/claude/providers/tunnel/endpoints")).toEqual(summary);
    expect(await files.json("/claude/providers/tunnel/health")).toEqual({ status: "available" });
    expect(await files.json("/claude/providers/tunnel/info")).toMatchObject({
      id: "tunnel",
      name: "Tunnel to Local Proxy",
      capabilities: { streaming: true, resume: true, fork: true, tools: true, vision: true },
      pricing: null,
      status: "available",
      models: expect.arrayContaining([expect.objectContaining({ id: "claude-sonnet-4-20250514" })]),
    });
  });

  test.each([
    ["tunnel required", { provider: "tunnel" }, 400, "EINVAL"],
    ["tunnel not found", { tunnel_endpoint: "nowhere" }, 404, "ENOENT"],
    ["tunnel auth required", { tunnel_endpoint: "locked" }, 403, "EACCES"],
    ["does not offer it", { tunnel_endpoint: "local-proxy", model: "other" }, 403, "EACCES"],
  ])("refuses with %s", async (words, request, status, errno) => {
    await world.home.client.tunnels.offer({ id: "locked", auth: "psk" }).catch(() => undefined);
    const auth = { type: "psk" as const, secret_path: "tunnels/local-proxy" };
    await world.gateway.client.tunnels.save("locked", { url: world.url, auth });
    await expect
      .poll(async () => (await world.gateway.client.tunnels.list()).tunnels.find(({ id }) => id === "locked")?.state)
      .toBe("refused");
    const body = JSON.stringify({ model: "sim", max_cost_usd: 1_000, ...request });
    const answer = await files.http("POST", "/claude/new", { body, headers: { accept: "application/json" } });
    expect([answer.status, answer.errno, answer.text]).toEqual([status, errno, expect.stringContaining(words)]);
    await world.gateway.client.tunnels.remove("locked");
  });
});

describeWithFuse("the same through the FUSE mount", () => {
  const place = new MountPlace();
  let mount: MountProcess;
  beforeAll(async () => {
    mount = await startMount({ url: world.gateway.serving.url, token: TEST_TOKEN, folder: place.folder });
  }, 60_000);
  afterAll(async () => {
    await mount.end("SIGTERM");
    place.remove();
  }, 60_000);

  test("creates it, waits for it, prompts it, reads what it said", { timeout: 60_000 }, async () => {
    const id = await newSession(place.folder, { ...REQUEST, idempotency_key: "through_fuse" });
    const session = `sessions/${id}`;
    await ok(place.folder, `until grep -q idle ${session}/status; do sleep 0.05; done`);
    expect(await ok(place.folder, `cat ${session}/response`)).toContain("I suggest improvements.");
    expect(JSON.parse(await ok(place.folder, "cat auth/tunnels"))).toMatchObject([{ id: "local-proxy" }]);
    expect(await ok(place.folder, "cat providers/tunnel/health")).toContain("available");
  });
});
