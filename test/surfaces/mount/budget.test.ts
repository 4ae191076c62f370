import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, script } from "../../support/app.ts";
import { worldOf, type Files, type MountWorld } from "./world.ts";

/** Document 003's mount configuration, but for the walls, which this server cannot build, and with a model that answers here. */
const SETTINGS = `
prices:
  "sim*": { input: 1000000, output: 1000000 }
mounts:
  /claude:
    type: claude
    access: budgeted  # REQUIRED: Claude API costs money
    budget:
      per_tick_usd: 1000000       # $1/tick (in micro-USD)
      per_day_usd: 3000000        # $3/day (in micro-USD)
      approval_threshold_usd: 900000
    policy:
      allowed_providers: ["tunnel", "cloud", "sim"]
      allowed_models: ["sim*", "claude-haiku-*"]
      blocked_models: ["sim-opus-*"]
      allowed_tools: ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "WebFetch"]
      blocked_tools: ["WebFetch"]
      approval_required_tools: ["Bash"]
      max_concurrent: 3
      max_context_tokens: 200000
      default_autonomy: supervised
      require_max_cost: true
    tunnels:
      - id: local-proxy
        url: wss://my-tunnel.ngrok.io/claude
        auth: nostr
    pool:
      min_workers: 1
      max_workers: 5
      idle_timeout_secs: 300
      scale_up_threshold: 0.8
  /claude-walled:
    type: claude
    access: budgeted
    policy:
      isolation_mode: container
      network_mode: proxy_only
      repo_filter: standard
  /claude-strict:
    type: claude
    access: budgeted
    policy:
      require_idempotency: true
      default_max_cost_usd: 1000
      max_concurrent: 1
`;

let world: MountWorld;
let agent: Files;

beforeAll(async () => {
  const app = await openTestApp();
  await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
  await app.restart();
  world = worldOf(app);
  agent = await world.as("agent", "worker");
});
afterAll(() => world[Symbol.asyncDispose]());

const refused = (request: object, mount = "/claude"): Promise<unknown> =>
  agent.call(`${mount}/new`, request).then(
    () => "made",
    ({ errno, message }: { errno: string; message: string }) => `${errno} ${message}`,
  );

describe("making a session under a mount's policy", () => {
  it.each([
    ["nothing that says the cost", { model: "sim" }, "EINVAL max_cost_usd required"],
    ["a model off the list", { model: "gpt-9", max_cost_usd: 1 }, "EACCES model not allowed: gpt-9"],
    ["a blocked model", { model: "sim-opus-1", max_cost_usd: 1 }, "EACCES model blocked: sim-opus-1"],
    [
      "a tunnel that is not there",
      { model: "sim", max_cost_usd: 1, tunnel_endpoint: "x" },
      "ENOENT tunnel not found: x",
    ],
    [
      "a tunnel before the agent has proved who it is",
      { model: "sim", max_cost_usd: 1, tunnel_endpoint: "local-proxy" },
      "EACCES tunnel auth required: local-proxy",
    ],
    [
      "a tool off the list",
      { model: "sim", max_cost_usd: 1, tools: [{ name: "Task" }] },
      "EACCES tool not allowed: Task",
    ],
    [
      "a blocked tool",
      { model: "sim", max_cost_usd: 1, tools: [{ name: "WebFetch" }] },
      "EACCES tool blocked: WebFetch",
    ],
    [
      "a model that only a provider without a key has",
      { model: "claude-haiku-4-5", max_cost_usd: 1, provider: "cloud" },
      "EACCES no provider available for model claude-haiku-4-5: no provider matches policy filters",
    ],
    [
      "a session to resume that is not there",
      { model: "sim", max_cost_usd: 1, resume_session_id: "ses_x" },
      "ENOENT resume session not found",
    ],
    ["more than a day has", { model: "sim", max_cost_usd: 3_000_001 }, "EDQUOT budget exceeded"],
    [
      "more autonomy than the policy gives",
      { model: "sim", max_cost_usd: 1, autonomy: "full" },
      "EACCES autonomy full",
    ],
  ])("refuses %s", async (_what, request, words) => {
    expect(await refused(request)).toEqual(expect.stringContaining(words));
  });

  it("refuses to make a session without the walls that an admin wants", async () => {
    const { sandboxes } = await world.app.client.engines();
    const isThere = sandboxes.some(({ id, available }) => id === "container" && available);
    const other = await world.as("agent", "walled");
    const made = other.call("/claude-walled/new", { model: "sim" });
    if (isThere)
      expect((await world.app.client.session((await made)["session_id"] ?? "")).settings).toMatchObject({
        sandbox: "container",
        network: "proxy_only",
        workspace_mode: "snapshot",
        repo_filter: "standard",
      });
    else await expect(made).rejects.toMatchObject({ errno: "ENOTSUP", message: expect.stringContaining("container") });
    expect(await agent.json("/claude-walled/policy")).toMatchObject({
      isolation_mode: "container",
      network_mode: "proxy_only",
      repo_filter: "standard",
      max_concurrent: 3,
    });
  });

  it("keeps each mount's own rules, and answers a retry also where no more sessions may be made", async () => {
    expect(await refused({ model: "sim" }, "/claude-strict")).toMatch(/^EINVAL idempotency key required/);
    const request = { model: "sim", idempotency_key: "k" };
    const first = await agent.call("/claude-strict/new", request);
    expect(first["status_path"]).toBe(`/claude-strict/sessions/${first["session_id"]}/status`);
    expect(await agent.call("/claude-strict/new", request)).toEqual(first);
    expect(await refused({ ...request, idempotency_key: "other" }, "/claude-strict")).toMatch(
      /^EDQUOT max concurrent sessions exceeded/,
    );
    const folder = `/claude/sessions/${first["session_id"]}`;
    expect(await agent.json(`${folder}/usage`)).toMatchObject({ limit_usd: 1_000, reserved_usd: 1_000 });
    await agent.write(`${folder}/ctl`, "stop");
  });

  it("reports tunnels as they are configured, without secrets", async () => {
    const url = "wss://my-tunnel.ngrok.io/claude";
    expect(await agent.json("/claude/auth/tunnels")).toEqual([{ id: "local-proxy", url, auth_type: "nostr" }]);
    expect(await agent.json("/claude/providers/tunnel/endpoints")).toEqual([
      { id: "local-proxy", url, auth_type: "nostr" },
    ]);
    expect(await agent.json("/claude/auth/status")).toEqual([
      { tunnel_id: "local-proxy", auth_type: "nostr", authorized: false },
    ]);
  });
});

describe("a mount's money", () => {
  it("is reserved when a session is made, spent as it works, and given back when it ends", async () => {
    const day = async (): Promise<unknown> => (await agent.json("/claude/usage"))["day"];
    expect(await day()).toEqual({ reserved_usd: 0, spent_usd: 0, limit_usd: 3_000_000, remaining_usd: 3_000_000 });
    const first = await agent.create({ max_cost_usd: 2_000_000 });
    expect(await day()).toEqual({
      reserved_usd: 2_000_000,
      spent_usd: 0,
      limit_usd: 3_000_000,
      remaining_usd: 1_000_000,
    });
    const many = await Promise.all(Array.from({ length: 4 }, () => refused({ model: "sim", max_cost_usd: 600_000 })));
    expect(many.filter((answer) => answer === "made")).toHaveLength(1);
    expect(many.filter((answer) => String(answer).startsWith("EDQUOT budget exceeded"))).toHaveLength(3);
    await agent.write(`${first}/prompt`, script({ say: "a few words" }));
    await agent.outputUntilIdle(first);
    const usage = await agent.json(`${first}/usage`);
    const cost = Number(usage["cost_usd"]);
    expect(cost).toBeGreaterThan(0);
    expect(usage).toMatchObject({
      limit_usd: 2_000_000,
      reserved_usd: 2_000_000 - cost,
      remaining_usd: 2_000_000 - cost,
    });
    await agent.write(`${first}/ctl`, "stop");
    expect(await agent.json(`${first}/usage`)).toMatchObject({ cost_usd: cost, reserved_usd: 0 });
    expect(await day()).toMatchObject({ reserved_usd: 600_000, spent_usd: cost });
    expect(await refused({ model: "sim", max_cost_usd: 2_000_000 })).toBe("made");
  });

  it("is a wall for the agent's own session and for its children", async () => {
    const other = await world.as("agent", "spender");
    const parent = await other.create({ max_cost_usd: 200_000 });
    await expect(
      other.create({ max_cost_usd: 300_000, parent_session_id: parent.split("/").at(-1) }),
    ).rejects.toMatchObject({ errno: "EDQUOT" });
    const child = await other.create({ max_cost_usd: 1, parent_session_id: parent.split("/").at(-1) });
    await other.write(`${child}/prompt`, script({ say: "too dear" }));
    const status = await other.until(child, "pending_approval");
    expect(status).toMatchObject({ tool: "Budget" });
    await expect(other.write(`${child}/tools/approve`, "approve")).rejects.toMatchObject({ errno: "EACCES" });
    await world.admin.json(`${child}/status`);
    await world.admin.write(`${child}/tools/approve`, "reject");
    await other.until(child, "idle");
    expect(await other.json(`${child}/usage`)).toMatchObject({ cost_usd: 0 });
    expect(await other.text(`${child}/error`)).not.toBe("");
  });
});

describe("the policy file", () => {
  it("is the mount's profile in document 003's words, written by admins alone, in force at once", async () => {
    const before = await agent.json("/claude/policy");
    expect(before).toEqual({
      allowed_providers: ["tunnel", "cloud", "sim"],
      allowed_models: ["sim*", "claude-haiku-*"],
      blocked_models: ["sim-opus-*"],
      allowed_tools: ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "WebFetch"],
      blocked_tools: ["WebFetch"],
      approval_required_tools: ["Bash"],
      approvers: [],
      max_cost_usd_per_tick: 1_000_000,
      max_cost_usd_per_day: 3_000_000,
      default_max_cost_usd: null,
      require_max_cost: true,
      max_concurrent: 3,
      max_context_tokens: 200_000,
      default_autonomy: "supervised",
      require_idempotency: false,
      allowed_tunnels: [],
      isolation_mode: "local",
      network_mode: "host",
      repo_filter: "none",
      proxy_allowlist: expect.any(Array),
    });
    await expect(agent.write("/claude/policy", before)).rejects.toMatchObject({ errno: "EACCES" });
    await world.admin.write("/claude/policy", { ...before, allowed_models: ["sim-small"] });
    expect(await refused({ model: "sim", max_cost_usd: 1 })).toMatch(/^EACCES model not allowed: sim/);
    await world.admin.write("/claude/policy", before);
    expect(await agent.json("/claude/policy")).toEqual(before);
    // The threshold is not document 003's, and stays.
    const { profiles } = await world.app.client.policy();
    expect(profiles["mount:/claude"]).toMatchObject({ approval_threshold_microusd: 900_000 });
  });
});
