import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import type {
  ComputationView,
  ContainerView,
  CreateComputation,
  CreateContainer,
  CreateSession,
} from "../../src/protocol/index.ts";
import { approveWith, openTestApp, untilTurnEnds } from "../support/app.ts";

/** Runs commands to their end; nobody is asked. */
async function run(client: SallyportClient, job: CreateContainer): Promise<ContainerView> {
  const { id } = await client.createJob("containers", { autonomy: "full", ...job });
  await untilTurnEnds(client, id);
  return client.job("containers", id);
}

async function ask(client: SallyportClient, job: CreateComputation): Promise<ComputationView> {
  const { id } = await client.createJob("compute", job);
  await untilTurnEnds(client, id);
  return client.job("compute", id);
}

describe("commands as a job", () => {
  it("run in an empty folder of their own, one after the other until one fails, and end their session", async () => {
    await using app = await openTestApp();
    const job = await run(app.client, {
      commands: ["pwd; ls -A", ["printf", "%s\n", "a b", "$HOME", "it's"], "exit 3", "echo never"],
    });
    expect(job).toMatchObject({ status: "complete", exit_code: 3, network: "host", workspace_mode: "empty" });
    expect(job.results.map(({ status, exit_code, output }) => ({ status, exit_code, output }))).toEqual([
      { status: "completed", exit_code: 0, output: job.workspace },
      { status: "completed", exit_code: 0, output: "a b\n$HOME\nit's" },
      { status: "failed", exit_code: 3, output: "Exit code 3" },
    ]);
    const session = await app.client.session(job.id);
    expect(session).toMatchObject({ status: "complete", turns: 1, settings: { engine: "command", model: "none" } });
    await expect(app.client.prompt(job.id, { text: "echo more" })).rejects.toMatchObject({ code: "session_closed" });
    // Its files are there until it is deleted.
    expect(existsSync(job.workspace)).toBe(true);
    await app.client.deleteJob("containers", job.id);
    expect(existsSync(job.workspace)).toBe(false);
    await expect(app.client.job("containers", job.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("show the same question as a Bash call, and do what the answer says", async () => {
    await using app = await openTestApp();
    const { id } = await app.client.createJob("containers", { commands: ["echo hi > a.txt", "cat a.txt"] });
    const previews: unknown[] = [];
    await untilTurnEnds(app.client, id, {
      answer: (approval) => {
        previews.push(approval.preview);
        return approveWith(app.client)(approval);
      },
    });
    const job = await app.client.job("containers", id);
    expect(previews).toMatchObject([{ type: "command", command: "echo hi > a.txt", cwd: job.workspace }]);
    expect(job).toMatchObject({ status: "complete", exit_code: 0 });
    expect(job.results.map(({ output }) => output)).toEqual(["(no output)", "hi"]);
    const refused = await app.client.createJob("containers", { commands: ["touch x", "touch y"] });
    await untilTurnEnds(app.client, refused.id, {
      answer: ({ id: approval, input_hash }) =>
        app.client.decide(approval, { decision: "reject", input_hash, feedback: "not now" }),
    });
    const ended = await app.client.job("containers", refused.id);
    expect(ended).toMatchObject({ status: "failed", results: [{ status: "declined" }] });
    expect(ended.error).toContain("not now");
    expect(ended).not.toHaveProperty("exit_code");
  });

  it("are ended by their limits of time and output, and by a stop", async () => {
    await using app = await openTestApp();
    const slow = await run(app.client, { commands: ["echo begun; sleep 60", "echo never"], timeout_ms: 300 });
    expect(slow).toMatchObject({ status: "failed", results: [{ status: "failed" }] });
    expect(slow.error).toBe("Command timed out after 0.3s\nbegun");
    const loud = await run(app.client, { commands: ["yes"], max_output_chars: 1_000 });
    expect(loud).toMatchObject({ status: "failed", results: [{ status: "failed" }] });
    expect(loud.error).toMatch(/^The command was ended: it wrote more than 1000 characters\./);
    const { id } = await app.client.createJob("containers", { autonomy: "full", commands: ["echo up; sleep 60"] });
    const ended = untilTurnEnds(app.client, id, {
      onFrame: (frame) => {
        if (frame.type === "item.delta") void app.client.stopJob("containers", id);
      },
    });
    expect((await ended).at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect(await app.client.job("containers", id)).toMatchObject({ status: "failed", error: "aborted" });
  });

  it("refuse what the policy does not allow, and change nothing", async () => {
    await using app = await openTestApp();
    await app.client.setPolicy({
      default_profile: "small",
      profiles: { small: { max_job_time_ms: 5_000, max_job_memory_mib: 256, deny: ["Bash(rm:*)"] } },
    });
    const start = (job: Partial<CreateContainer>) => app.client.createJob("containers", { commands: ["true"], ...job });
    await expect(start({ timeout_ms: 5_001 })).rejects.toMatchObject({ code: "forbidden" });
    await expect(start({ memory_mib: 257 })).rejects.toMatchObject({ code: "forbidden" });
    await expect(start({ commands: [] })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(start({ commands: [[]] })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(start({ workspace: "nowhere" })).rejects.toMatchObject({ code: "workspace_missing" });
    expect(await app.client.jobs("containers")).toEqual({ jobs: [] });
    const job = await run(app.client, { commands: ["rm -r ."] });
    expect(job).toMatchObject({ status: "failed", results: [{ status: "declined" }] });
    const { settings } = await app.client.session(job.id);
    expect(settings.job).toEqual({ timeout_ms: 5_000, memory_mib: 256 });
  });

  it("can be made as sessions, which say the same; and stay open without job", async () => {
    await using app = await openTestApp();
    const { client } = app;
    const command = { engine: "command", autonomy: "full", workspace_mode: "empty" } as const;
    const wrong: readonly CreateSession[] = [
      { engine: "loop", prompt: { text: "hi" }, job: {} },
      { ...command, job: {} },
      { ...command, model: "sim", prompt: { text: "true" }, job: {} },
      { ...command, prompt: { text: "true" }, job: { messages: [{ role: "user", text: "x" }] } },
      { ...command, prompt: { text: "ls" }, job: { commands: ["touch a", "touch b"] } },
      { engine: "compute", prompt: { text: "hi" }, job: { memory_mib: 256 } },
    ];
    for (const session of wrong)
      await expect(client.createSession(session)).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid_request|unsupported)$/) as unknown,
      });
    expect((await client.sessions()).sessions).toEqual([]);
    const { id } = await client.createSession({ ...command, prompt: { text: "echo one > a" } });
    await untilTurnEnds(client, id);
    const { seq, status } = await client.session(id);
    expect(status).toBe("idle");
    await client.prompt(id, { text: "cat a" });
    const events = await untilTurnEnds(client, id, { after: seq });
    expect(events.find(({ type }) => type === "item.completed")).toMatchObject({
      item: { command: "cat a", exit_code: 0, aggregated_output: "one" },
    });
    await expect(client.job("containers", id)).rejects.toMatchObject({ code: "not_found" });
    const fork = await client.fork(id);
    expect(fork.settings).toMatchObject({ engine: "command", workspace_mode: "empty" });
    expect(fork.settings.workspace).not.toBe((await client.session(id)).settings.workspace);
  });

  it("belong to whom they belong as sessions do, and are listed", async () => {
    await using app = await openTestApp();
    const agent = await app.as("agent");
    const other = await app.as("agent", "other");
    const viewer = await app.as("viewer");
    const { id } = await agent.createJob("containers", { commands: ["echo mine"] });
    await untilTurnEnds(agent, id, { answer: approveWith(app.client) });
    expect((await agent.jobs("containers")).jobs.map((job) => job.id)).toEqual([id]);
    expect((await other.jobs("containers")).jobs).toEqual([]);
    await expect(other.job("containers", id)).rejects.toMatchObject({ code: "not_found" });
    await expect(agent.job("compute", id)).rejects.toMatchObject({ code: "not_found" });
    await expect(agent.deleteJob("containers", id)).rejects.toMatchObject({ code: "forbidden" });
    await expect(viewer.createJob("containers", { commands: ["true"] })).rejects.toMatchObject({ code: "forbidden" });
    expect(await viewer.job("containers", id)).toMatchObject({ status: "complete", results: [{ output: "mine" }] });
  });

  it("work in a folder that they name, and once for each key", async () => {
    await using app = await openTestApp();
    writeFileSync(join(app.place.workspace, "here.txt"), "here\n");
    const request: CreateContainer = { autonomy: "full", workspace: ".", commands: [["cat", "here.txt"]] };
    const first = await app.client.createJob("containers", request, { key: "once" });
    await untilTurnEnds(app.client, first.id);
    expect(await app.client.createJob("containers", request, { key: "once" })).toMatchObject({
      id: first.id,
      status: "complete",
      workspace_mode: "direct",
      results: [{ output: "here" }],
    });
  });
});

describe("a model call as a job", () => {
  it("answers once, with its cost, and ends its session", async () => {
    await using app = await openTestApp();
    const job = await ask(app.client, {
      prompt: { text: 'sim: [{"say":"Forty-two."}]' },
      max_cost_microusd: 1_000_000,
    });
    expect(job).toMatchObject({ status: "complete", text: "Forty-two.", provider: "sim", usage: { model_calls: 1 } });
    expect(await app.client.session(job.id)).toMatchObject({ status: "complete", settings: { engine: "compute" } });
    expect((await app.client.jobs("compute")).jobs.map(({ id }) => id)).toEqual([job.id]);
  });

  it("has no tools, whatever the model tries", async () => {
    await using app = await openTestApp();
    const job = await ask(app.client, {
      prompt: { text: 'sim: [{"tool":"Bash","input":{"command":"touch x"}},{"say":"Done."}]' },
    });
    expect(job.status).toBe("failed");
    expect((await app.client.approvals()).approvals).toEqual([]);
  });

  it("knows what was said before, and ends when its time is over", async () => {
    await using app = await openTestApp();
    const job = await ask(app.client, {
      messages: [
        { role: "user", text: "Say red." },
        { role: "assistant", text: "Red." },
      ],
      prompt: { text: 'sim: [{"say":"Blue."}]' },
    });
    expect(job).toMatchObject({ status: "complete", text: "Blue." });
    const late = await ask(app.client, {
      prompt: { text: 'sim: [{"delay_ms":60000},{"say":"Late."}]' },
      timeout_ms: 50,
    });
    expect(late).toMatchObject({ status: "failed", error: "the model did not answer within 50 ms" });
  });
});
