import { describe, expect, it } from "vitest";
import { openMountWorld, type Files } from "./world.ts";

/** A new container's folder. */
async function container(files: Files, request: Readonly<Record<string, unknown>>): Promise<string> {
  const { session_id } = await files.call("/containers/new", request);
  return `/containers/sessions/${session_id}`;
}

async function computation(files: Files, request: Readonly<Record<string, unknown>>): Promise<string> {
  const { job_id } = await files.call("/compute/new", { model: "sim", ...request });
  return `/compute/jobs/${job_id}`;
}

async function followed(files: Files, path: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const bytes of files.mount.follow(path)) parts.push(bytes);
  return Buffer.concat(parts).toString("utf8");
}

async function names(files: Files, path: string): Promise<readonly string[]> {
  return (await files.mount.list(path)).map(({ name }) => name);
}

describe("/containers", () => {
  it("runs commands: new, status, output, result", async () => {
    await using world = await openMountWorld();
    const { admin } = world;
    const created = await admin.call("/containers/new", {
      commands: ["echo one", "echo two >&2; exit 4", "echo never"],
      autonomy: "full",
    });
    const folder = `/containers/sessions/${created["session_id"]}`;
    expect(created).toEqual({
      session_id: created["session_id"],
      status: "provisioning",
      status_path: `${folder}/status`,
      output_path: `${folder}/output`,
      result_path: `${folder}/result`,
    });
    expect(await followed(admin, `${folder}/output`)).toBe("one\nExit code 4\ntwo\n");
    expect(await admin.until(folder, "complete", "failed")).toMatchObject({ status: "complete", exit_code: 4 });
    expect(await admin.json(`${folder}/result`)).toMatchObject({
      exit_code: 4,
      output: "one\nExit code 4\ntwo\n",
      cost_usd: 0,
      provider_id: "local",
      command_results: [
        { command: "echo one", exit_code: 0, output: "one" },
        { command: "echo two >&2; exit 4", exit_code: 4 },
      ],
    });
    const chunks = [];
    for await (const { chunk } of admin.mount.watch(`${folder}/output`)) chunks.push(chunk.chunk_type);
    expect(chunks).toContain("tool_done");
    expect(await names(admin, "/containers")).toEqual(["new", "policy", "usage", "providers", "sessions"]);
    expect(await names(admin, "/containers/sessions")).toEqual([created["session_id"]]);
    expect(await names(admin, folder)).toEqual(["status", "result", "output", "exec", "usage", "ctl", "tools"]);
    expect(await admin.json("/containers/providers/local/info")).toMatchObject({ id: "local", status: "available" });
  });

  it("asks as a Bash call does, is answered in the tree, and stops", async () => {
    await using world = await openMountWorld();
    const agent = await world.as("agent");
    const folder = await container(agent, { commands: ["touch a.txt && ls"] });
    const asked = await agent.until(folder, "pending_approval");
    expect(asked).toMatchObject({ tool: "Bash", params: { command: "touch a.txt && ls" } });
    await expect(agent.text(`${folder}/result`)).rejects.toMatchObject({ errno: "EAGAIN" });
    await expect(agent.write(`${folder}/tools/approve`, "approve")).rejects.toMatchObject({ code: "forbidden" });
    expect(await world.admin.json<unknown[]>(`${folder}/tools/pending`)).toHaveLength(1);
    await world.admin.write(`${folder}/tools/approve`, "approve");
    expect(await agent.until(folder, "complete", "failed")).toMatchObject({ status: "complete", exit_code: 0 });
    expect(await agent.text(`${folder}/output`)).toBe("a.txt\n");
    const waiting = await container(agent, { commands: ["touch b"] });
    await expect(agent.write(`${waiting}/ctl`, "pause")).rejects.toMatchObject({ code: "invalid_request" });
    await agent.write(`${waiting}/ctl`, "stop");
    expect(await agent.until(waiting, "failed")).toMatchObject({ error: "aborted" });
  });

  it("keeps an interactive container open: exec, its result and output, and a stop", async () => {
    await using world = await openMountWorld();
    const { admin } = world;
    const folder = await container(admin, { kind: "interactive", autonomy: "full" });
    const exec = (command: string) => admin.call(`${folder}/exec`, { command });
    expect(await admin.until(folder, "running")).not.toHaveProperty("exit_code");
    await expect(admin.text(`${folder}/result`)).rejects.toMatchObject({ errno: "EAGAIN" });
    const first = await exec("echo one > kept; cat kept");
    expect(first).toEqual({
      exec_id: expect.stringMatching(/^turn_/),
      queued: false,
      output_path: `${folder}/output`,
      result_path: `${folder}/result`,
    });
    const second = await exec("exit 4");
    const third = await exec("cat kept");
    const ended = async () =>
      (await admin.json<{ readonly command_results: readonly object[] }>(`${folder}/result`)).command_results;
    await expect.poll(async () => (await ended()).length).toBe(3);
    // What one command wrote is there for the next, and a failure ends nothing.
    expect(await ended()).toMatchObject([
      { exec_id: first["exec_id"], exit_code: 0, output: "one" },
      { exec_id: second["exec_id"], exit_code: 4 },
      { exec_id: third["exec_id"], exit_code: 0, output: "one" },
    ]);
    expect(await admin.until(folder, "running", "complete")).toMatchObject({ status: "running", exit_code: 0 });
    expect(await admin.text(`${folder}/output`)).toBe("one\nExit code 4\none\n");
    await expect(admin.call(`${folder}/exec`, { command: "" })).rejects.toMatchObject({ errno: "EINVAL" });
    const other = await world.as("agent", "stranger");
    await expect(other.call(`${folder}/exec`, { command: "id" })).rejects.toMatchObject({ code: "not_found" });
    await admin.write(`${folder}/ctl`, "stop");
    expect(await admin.until(folder, "complete", "failed")).toMatchObject({ status: "complete" });
    await expect(exec("echo late")).rejects.toMatchObject({ code: "session_closed" });
    const ephemeral = await container(admin, { commands: ["true"], autonomy: "full" });
    await expect(admin.call(`${ephemeral}/exec`, { command: "id" })).rejects.toMatchObject({ code: "conflict" });
  });

  it("asks about each command of an interactive container as it would alone", async () => {
    await using world = await openMountWorld();
    const agent = await world.as("agent");
    const folder = await container(agent, { kind: "interactive" });
    await agent.call(`${folder}/exec`, { command: "touch a" });
    expect(await agent.until(folder, "pending_approval")).toMatchObject({ params: { command: "touch a" } });
    expect(await world.admin.json<unknown[]>(`${folder}/tools/pending`)).toHaveLength(1);
    await world.admin.write(`${folder}/tools/approve`, "reject not now");
    expect(await agent.until(folder, "running", "failed")).toMatchObject({ status: "running" });
    expect(await agent.json(`${folder}/result`)).toMatchObject({ command_results: [{ status: "declined" }] });
  });

  it("has a policy that agents read and admins write", async () => {
    await using world = await openMountWorld();
    const agent = await world.as("agent");
    const before = await agent.json("/containers/policy");
    expect(before).toMatchObject({ allow_network: true, max_execution_time_secs: 600, max_concurrent: 3 });
    await expect(agent.write("/containers/policy", { max_memory_mb: 4_096 })).rejects.toMatchObject({
      errno: "EACCES",
    });
    await expect(world.admin.write("/containers/policy", { max_memory: 1 })).rejects.toMatchObject({ errno: "EINVAL" });
    await world.admin.write("/containers/policy", {
      max_memory_mb: 256,
      max_execution_time_secs: 5,
      max_concurrent: 2,
    });
    expect(await agent.json("/containers/policy")).toMatchObject({ max_memory_mb: 256, max_execution_time_secs: 5 });
    // Its sibling has a policy of its own.
    expect(await agent.json("/compute/policy")).toMatchObject({ max_timeout_ms: 600_000 });
    for (const limits of [{ max_time_secs: 6 }, { max_memory_mb: 512 }])
      await expect(container(agent, { commands: ["true"], limits })).rejects.toMatchObject({ code: "forbidden" });
    for (const wrong of [
      {},
      { commands: [] },
      { commands: ["x"], image: "node:20" },
      { commands: ["x"], kind: "interactive" },
      { commands: [] },
      { commands: ["x"], kind: "forever" },
    ])
      await expect(container(agent, wrong)).rejects.toMatchObject({ errno: "EINVAL" });
    await container(agent, { commands: ["touch 1"] });
    await container(agent, { commands: ["touch 2"] });
    await expect(container(agent, { commands: ["touch 3"] })).rejects.toMatchObject({ code: "limit_reached" });
  });
});

describe("/compute", () => {
  it("asks a model once: new, status, stream, result", async () => {
    await using world = await openMountWorld();
    const { admin } = world;
    const folder = await computation(admin, {
      input: {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Say red." },
          { role: "assistant", content: "Red." },
          { role: "user", content: 'sim: [{"say":"Blue."}]' },
        ],
      },
      max_cost_usd: 100_000,
    });
    expect(await followed(admin, `${folder}/stream`)).toBe("Blue.\n");
    expect(await admin.until(folder, "complete", "failed")).toMatchObject({ status: "complete" });
    expect(await admin.json(`${folder}/result`)).toMatchObject({
      output: { text: "Blue.", finish_reason: "end_turn" },
      provider_id: "sim",
      model: "sim",
    });
    expect(await names(admin, "/compute")).toEqual(["new", "policy", "usage", "providers", "jobs"]);
    expect(await names(admin, folder)).toEqual(["status", "result", "stream", "ctl"]);
  });

  it("refuses what it cannot do, in words, and what belongs to others", async () => {
    await using world = await openMountWorld();
    const agent = await world.as("agent");
    const other = await world.as("agent", "other");
    const chat = { input: { messages: [{ role: "user", content: "Hi" }] } };
    for (const wrong of [
      { kind: "embeddings", input: { prompt: "x" } },
      { kind: "speech", input: { texts: ["x"] } },
      { input: { texts: ["x"] } },
      { input: { prompt: "x" } },
      { input: { messages: [{ role: "assistant", content: "x" }] } },
      { ...chat, temperature: 1 },
    ])
      await expect(computation(agent, wrong)).rejects.toMatchObject({ errno: "EINVAL" });
    await world.admin.write("/compute/policy", { blocked_models: ["sim"], require_idempotency: true });
    await expect(computation(agent, chat)).rejects.toMatchObject({ code: "idempotency_required" });
    await expect(computation(agent, { ...chat, idempotency_key: "k" })).rejects.toMatchObject({
      code: "model_not_allowed",
    });
    await world.admin.write("/compute/policy", { blocked_models: [], max_cost_usd_per_day: 1_000 });
    await expect(computation(agent, { ...chat, idempotency_key: "k", max_cost_usd: 2_000 })).rejects.toMatchObject({
      code: "budget_exceeded",
    });
    const request = { ...chat, idempotency_key: "k", max_cost_usd: 1_000 };
    const folder = await computation(agent, request);
    expect(await computation(agent, request)).toBe(folder);
    await expect(other.json(`${folder}/status`)).rejects.toMatchObject({ errno: "ENOENT" });
    const agentSession = await agent.create({ initial_prompt: 'sim: [{"say":"Hi."}]' });
    await expect(
      agent.text(`${agentSession.replace("/claude/sessions", "/compute/jobs")}/stream`),
    ).rejects.toMatchObject({
      errno: "ENOENT",
    });
    await expect(agent.json(folder.replace("/compute/jobs", "/containers/sessions") + "/status")).rejects.toMatchObject(
      {
        errno: "ENOENT",
      },
    );
  });
});
