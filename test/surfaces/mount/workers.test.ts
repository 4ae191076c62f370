import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, script } from "../../support/app.ts";
import { LIMITS } from "../../../src/protocol/index.ts";
import { MovableClock } from "../../support/clock.ts";
import { until } from "../../support/until.ts";
import { TEST_SANDBOX } from "../../support/server.ts";
import { worldOf, type MountWorld } from "./world.ts";

let world: MountWorld;
beforeAll(async () => {
  world = worldOf(await openTestApp());
});
afterAll(() => world[Symbol.asyncDispose]());

const POOL = { min_workers: 0, max_workers: 10_000, idle_timeout_secs: 300, scale_up_threshold: 0.8 };

describe("document 003's workers and pool", () => {
  it("show each worker's status, isolation, sessions and metrics", async () => {
    const agent = await world.as("agent", "maker");
    expect(await agent.mount.list("/claude/workers")).toEqual([]);
    const session = await agent.create({ initial_prompt: script({ say: "Hello." }) });
    await agent.outputUntilIdle(session);
    expect((await agent.mount.list("/claude/workers")).map(({ name }) => name)).toEqual(["w1"]);
    const files: Record<string, unknown> = {};
    for (const { name } of await agent.mount.list("/claude/workers/w1"))
      files[name] = await agent.json(`/claude/workers/w1/${name}`);
    expect(files).toEqual({
      status: { status: "busy" },
      isolation: { isolation: TEST_SANDBOX, network: TEST_SANDBOX === "local" ? "host" : "proxy_only" },
      sessions: { sessions: 1 },
      metrics: { requests: 1, latency_ms: expect.any(Number), errors: 0 },
    });
    expect(await agent.json("/claude/pool/status")).toMatchObject({ total_workers: 1, busy_workers: 1 });
  });

  it("let admins change the pool, and nobody else", async () => {
    const { admin } = world;
    const agent = await world.as("agent", "curious");
    expect(await agent.json("/claude/pool/config")).toEqual(POOL);
    await expect(agent.write("/claude/pool/config", '{"max_workers":1}')).rejects.toMatchObject({ errno: "EACCES" });
    await admin.write("/claude/pool/config", '{"max_workers":7,"pins":{"curious":"w7"}}');
    expect(await agent.json("/claude/pool/config")).toEqual({ ...POOL, max_workers: 7, pins: { curious: "w7" } });
    const session = await agent.create({ initial_prompt: script({ say: "Hello." }) });
    await agent.outputUntilIdle(session);
    expect(await agent.json("/claude/workers/w7/sessions")).toEqual({ sessions: 1 });
    await expect(admin.write("/claude/pool/config", '{"max_workers":6}')).rejects.toMatchObject({ errno: "EINVAL" });
    expect(await agent.json("/claude/pool/config")).toMatchObject({ max_workers: 7 });
  });
});

const SETTINGS = `
mounts:
  /claude:
    type: claude
    access: budgeted
    policy: { require_max_cost: true }
    pool: { min_workers: 1, max_workers: 5 }
`;

it("a mount's pool prepares a worker for its first session", async () => {
  const clock = new MovableClock();
  const prepare = async ({ home }: { readonly home: string }) => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, "sallyport.yaml"), SETTINGS, { mode: 0o600 });
    return () => Promise.resolve();
  };
  const app = await openTestApp({}, { clock, prepare });
  await using own = worldOf(app);
  const agent = await own.as("agent", "maker");
  await until(async () => {
    clock.pass(LIMITS.warmFollowMs);
    return (await app.client.pool()).idle === 1;
  });
  expect(await agent.json("/claude/workers/w1/status")).toEqual({ status: "idle" });
  const session = await agent.create({ max_cost_usd: 1_000, initial_prompt: script({ say: "Hello." }) });
  await agent.outputUntilIdle(session);
  expect(await agent.json("/claude/workers/w1/status")).toEqual({ status: "busy" });
  expect(await app.client.pool()).toMatchObject({ taken: 1, config: { min_workers: 1, max_workers: 5 } });
});
