import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { openMountWorld, type MountWorld } from "./world.ts";

let world: MountWorld;
let idle: string;
/** As they were before. */
let seq: number;
let policy: unknown;
beforeAll(async () => {
  world = await openMountWorld();
  idle = await world.admin.create({ initial_prompt: script({ say: "hello" }) });
  await world.admin.outputUntilIdle(idle);
  ({ seq } = await world.app.client.session(idle.split("/").at(-1) ?? ""));
  policy = await world.admin.json("/claude/policy");
});
afterAll(() => world[Symbol.asyncDispose]());

type Case = readonly [
  what: string,
  method: string,
  path: string,
  body: string | undefined,
  status: number,
  errno: string,
];

const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
const CASES: readonly Case[] = [
  ["an unknown file", "GET", "/claude/nothing", undefined, 404, "ENOENT"],
  ["an unknown session", "GET", "/claude/sessions/ses_none/status", undefined, 404, "ENOENT"],
  ["a file below a file", "GET", "/claude/policy/more", undefined, 400, "ENOTDIR"],
  ["reading a folder", "GET", "/claude/pool?read=1", undefined, 400, "EISDIR"],
  ["listing a file", "GET", "/claude/policy?list=1", undefined, 400, "ENOTDIR"],
  ["writing a folder", "PUT", "/claude/pool", "x", 400, "EISDIR"],
  ["writing what is only read", "PUT", "/claude/usage", "x", 403, "EACCES"],
  ["reading what is called", "GET", "/claude/new", undefined, 400, "EINVAL"],
  ["reading what is only written", "GET", "SESSION/ctl", undefined, 403, "EACCES"],
  ["a separator in a name", "GET", "/claude/sessions/a%2Fb/status", undefined, 400, "EINVAL"],
  ["a NUL in a name", "GET", "/claude/sessions/a%00b/status", undefined, 400, "EINVAL"],
  ["broken percent-encoding", "GET", "/claude/sessions/%zz/status", undefined, 400, "EINVAL"],
  ["a path that is too long", "GET", `/claude/${"x".repeat(LIMITS.mountPathChars)}`, undefined, 400, "EINVAL"],
  ["a path with too many parts", "GET", `/claude${"/x".repeat(LIMITS.mountPathParts)}`, undefined, 400, "EINVAL"],
  ["a pattern's own name", "GET", "/claude/sessions/:id/status", undefined, 404, "ENOENT"],
  ["another method", "DELETE", "SESSION/status", undefined, 403, "EACCES"],
  ["no JSON", "POST", "/claude/new", "hello", 400, "EINVAL"],
  ["JSON that is no object", "POST", "/claude/new", "[1]", 400, "EINVAL"],
  ["nothing at all", "POST", "/claude/new", "", 400, "EINVAL"],
  ["JSON that nests too deep", "POST", "/claude/new", deep, 400, "EINVAL"],
  ["no model", "POST", "/claude/new", "{}", 400, "EINVAL"],
  ["an unknown field", "POST", "/claude/new", '{"model":"sim","colour":"red"}', 400, "EINVAL"],
  ["money that is not whole", "POST", "/claude/new", '{"model":"sim","max_cost_usd":0.5}', 400, "EINVAL"],
  ["an unknown autonomy", "POST", "/claude/new", '{"model":"sim","autonomy":"wild"}', 400, "EINVAL"],
  [
    "a tool with a configuration that it does not have",
    "POST",
    "/claude/new",
    '{"model":"sim","tools":[{"name":"Read","config":{"a":1}}]}',
    400,
    "EINVAL",
  ],
  [
    "a tool with the configuration of another one",
    "POST",
    "/claude/new",
    '{"model":"sim","tools":[{"name":"Read","config":{"commands":["ls"]}}]}',
    400,
    "EINVAL",
  ],
  [
    "a configuration that is no rule",
    "POST",
    "/claude/new",
    '{"model":"sim","tools":[{"name":"Read","config":{"paths":["../x"]}}]}',
    400,
    "EINVAL",
  ],
  [
    "two configurations of one tool",
    "POST",
    "/claude/new",
    '{"model":"sim","tools":[{"name":"Bash","config":{"commands":["ls"]}},{"name":"Bash","config":{"commands":["id"]}}]}',
    400,
    "EINVAL",
  ],
  [
    "two configurations under two names of one tool",
    "POST",
    "/claude/new",
    '{"model":"sim","tools":[{"name":"Task","config":{"agents":["a"]}},{"name":"Agent","config":{"agents":["b"]}}]}',
    400,
    "EINVAL",
  ],
  ["a provider that is not there", "POST", "/claude/new", '{"model":"sim","provider":"moon"}', 403, "EACCES"],
  ["an engine that is not there", "POST", "/claude/new", '{"model":"sim","engine":"steam"}', 400, "ENOTSUP"],
  ["an empty prompt", "PUT", "SESSION/prompt", " \n", 400, "EINVAL"],
  ["a write that is too long", "PUT", "SESSION/prompt", "x".repeat(LIMITS.mountWriteBytes + 1), 413, "EFBIG"],
  ["a prompt that is too long", "PUT", "SESSION/prompt", "x".repeat(LIMITS.promptChars + 1), 413, "EFBIG"],
  ["an unknown command", "PUT", "SESSION/ctl", "dance", 400, "EINVAL"],
  ["an answer that is none", "PUT", "SESSION/tools/approve", "perhaps", 400, "EINVAL"],
  ["an answer whose name is missing", "PUT", "SESSION/tools/approve", "approve \n", 400, "EINVAL"],
  ["an answer whose name was cut", "PUT", "SESSION/tools/approve", "approve ", 400, "EINVAL"],
  ["an answer whose name is broken", "PUT", "SESSION/tools/approve", "approve apr-1", 400, "EINVAL"],
  ["an answer without approved", "PUT", "SESSION/tools/approve", '{"yes":true}', 400, "EINVAL"],
  ["an answer to nothing", "PUT", "SESSION/tools/approve", '{"approved":true}', 409, "EINVAL"],
  ["a fork of nothing", "POST", "SESSION/fork", '{"after_turn":"turn_none"}', 404, "ENOENT"],
  ["a fork with other fields", "POST", "SESSION/fork", '{"from":1}', 400, "EINVAL"],
  ["a policy that is none", "PUT", "/claude/policy", '{"allowed_tools":"all"}', 400, "EINVAL"],
  ["a wall that cannot be built", "PUT", "/claude/policy", '{"isolation_mode":"container"}', 400, "ENOTSUP"],
  ["a rule that is none", "PUT", "/claude/policy", '{"blocked_tools":["Bash("]}', 400, "EINVAL"],
  ["a pool without places", "PUT", "/claude/pool/config", '{"max_workers":0}', 400, "EINVAL"],
  [
    "a pool that does not fit together",
    "PUT",
    "/claude/pool/config",
    '{"min_workers":9,"max_workers":8}',
    400,
    "EINVAL",
  ],
  ["an empty allow-list", "PUT", "/claude/proxy/allowlist", "[]", 400, "EINVAL"],
  ["a challenge of no tunnel", "PUT", "/claude/auth/challenge", '{"tunnel_id":"x"}', 404, "ENOENT"],
  ["a worker that is not there", "GET", "/claude/workers/w99/status", undefined, 404, "ENOENT"],
  ["a provider's file that is not there", "GET", "/claude/providers/moon/info", undefined, 404, "ENOENT"],
  ["watching what does not move", "GET", "/claude/policy?watch=1", undefined, 400, "EINVAL"],
  ["following what does not grow", "GET", "/claude/policy?follow=1", undefined, 400, "EINVAL"],
  ["a cursor that is none", "GET", "SESSION/output?watch=1&after=abc", undefined, 400, "EINVAL"],
  ["a cursor past the end", "GET", "SESSION/output?watch=1&after=9999", undefined, 400, "EINVAL"],
  ["an offset that is none", "GET", "SESSION/output?follow=1&offset=-1", undefined, 400, "EINVAL"],
  ["an end that is none", "GET", "SESSION/output?follow=1&until=noon", undefined, 400, "EINVAL"],
];

describe("bad input", () => {
  it.each(CASES)("%s is refused by its errno", async (_what, method, path, body, status, errno) => {
    const answer = await world.admin.http(method, path.replace("SESSION", idle), {
      ...(body === undefined ? {} : { body }),
      headers: { accept: "application/json" },
    });
    expect({ status: answer.status, errno: answer.errno }).toEqual({ status, errno });
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String), errno },
    });
  });

  it("has changed nothing", async () => {
    expect((await world.admin.mount.list("/claude/sessions")).map(({ name }) => `/claude/sessions/${name}`)).toEqual([
      idle,
    ]);
    expect((await world.app.client.session(idle.split("/").at(-1) ?? "")).seq).toBe(seq);
    expect(await world.admin.json("/claude/policy")).toEqual(policy);
  });

  it("is explained in the session's error file until a write goes well", async () => {
    const folder = await world.admin.create({});
    expect(await world.admin.text(`${folder}/error`)).toBe("");
    await expect(world.admin.write(`${folder}/ctl`, "dance")).rejects.toMatchObject({ errno: "EINVAL" });
    expect(await world.admin.text(`${folder}/error`)).toContain("unknown command");
    const viewer = await world.as("viewer");
    expect(await viewer.text(`${folder}/error`)).toBe("");
    await world.admin.write(`${folder}/ctl`, "pause");
    expect(await world.admin.text(`${folder}/error`)).toBe("");
    await world.admin.write(`${folder}/ctl`, "resume");
    await world.admin.write(`${folder}/ctl`, "stop");
    expect(await world.admin.json(`${folder}/status`)).toMatchObject({ status: "complete" });
    await expect(world.admin.write(`${folder}/prompt`, "more")).rejects.toMatchObject({ errno: "EPIPE" });
    await expect(world.admin.text(`${folder}/response`)).rejects.toMatchObject({ errno: "EAGAIN" });
  });
});

describe("HTTP", () => {
  it("reads files and folders with their types, whatever the content type of a write", async () => {
    const { admin } = world;
    expect(await admin.http("GET", "/claude/policy")).toMatchObject({ status: 200, type: "application/json" });
    expect(await admin.http("GET", `${idle}/output`)).toMatchObject({
      status: 200,
      type: "text/plain; charset=utf-8",
      text: "hello\n",
    });
    expect(await admin.http("GET", `${idle}/output?offset=2`)).toMatchObject({ text: "llo\n" });
    const root = JSON.parse((await admin.http("GET", "/claude/")).text) as {
      entries: { name: string; is_dir: boolean }[];
    };
    expect(root.entries.map(({ name, is_dir }) => (is_dir ? `${name}/` : name))).toEqual([
      "new",
      "policy",
      "usage",
      "providers/",
      "workers/",
      "pool/",
      "proxy/",
      "auth/",
      "sessions/",
    ]);
    expect(JSON.parse((await admin.http("GET", "/claude/workers")).text)).toMatchObject({ entries: [{ name: "w1" }] });
    expect(JSON.parse((await admin.http("GET", "/claude/providers/tunnel")).text)).toMatchObject({
      entries: [{ name: "info" }, { name: "endpoints" }, { name: "health" }],
    });
    const made = await admin.http("POST", "/claude/new", {
      body: '{"model":"sim"}',
      headers: { accept: "application/json" },
    });
    expect(made).toMatchObject({ status: 201, type: "application/json" });
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await admin.http("POST", "/claude/new", { body: '{"model":"sim"}', headers: form })).toMatchObject({
      status: 204,
      text: "",
    });
  });

  it("tells the true state of everything that later capabilities bring", async () => {
    const { admin } = world;
    expect(await admin.json("/claude/pool/config")).toEqual({
      min_workers: 0,
      max_workers: LIMITS.poolWorkers,
      idle_timeout_secs: LIMITS.poolIdleSeconds,
      scale_up_threshold: LIMITS.poolScaleUpThreshold,
    });
    expect(await admin.json("/claude/pool/status")).toEqual({
      total_workers: expect.any(Number),
      idle_workers: 0,
      busy_workers: expect.any(Number),
      unhealthy_workers: 0,
      max_workers: LIMITS.poolWorkers,
      waiting_sessions: 0,
      engines: { working: 0, idle: 0, warm: 0, capacity: LIMITS.engineProcesses },
    });
    expect(await admin.json("/claude/pool/metrics")).toMatchObject({ total_requests: expect.any(Number), errors: 0 });
    expect(await admin.json("/claude/proxy/metrics")).toMatchObject({ requests: expect.any(Number), blocked: 0 });
    expect(await admin.json("/claude/proxy/status")).toMatchObject({
      status: "healthy",
      providers: { sim: "available" },
    });
    expect(await admin.json("/claude/auth/status")).toEqual([]);
    expect(await admin.json("/claude/auth/challenge")).toEqual([]);
    expect(await admin.json("/claude/providers/sim/health")).toEqual({ status: "available" });
    expect(await admin.json("/claude/providers/cloud/health")).toEqual({
      status: "unavailable",
      message: "the provider cloud has no key: an admin has to set one",
    });
    const models = await admin.json<Record<string, unknown>[]>("/claude/providers/cloud/models");
    expect(models).toContainEqual({
      id: expect.stringMatching(/^claude-/),
      name: expect.any(String),
      context_length: expect.any(Number),
      output_limit: expect.any(Number),
      pricing: {
        input_per_1k_microusd: 3_000,
        output_per_1k_microusd: 15_000,
        cache_read_per_1k_microusd: 300,
        cache_write_per_1k_microusd: 3_750,
      },
    });
    expect(await admin.json("/claude/providers/cloud/info")).toMatchObject({
      id: "cloud",
      name: "Anthropic Cloud API",
      capabilities: { streaming: true, resume: true, fork: true, tools: true, vision: true },
      status: "unavailable",
    });
    expect(await admin.json("/claude/usage")).toMatchObject({
      tick: { reserved_usd: 0, spent_usd: 0, limit_usd: 1_000_000, remaining_usd: 1_000_000 },
      day: { spent_usd: 0, limit_usd: 100_000_000 },
    });
  });
});
