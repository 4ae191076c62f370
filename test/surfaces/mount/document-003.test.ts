import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClaudeChunk } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { openMountWorld, type Files, type MountWorld } from "./world.ts";

/** The usage examples of document 003, one after the other, as its programs read. */
let world: MountWorld;
let files: Files;

beforeAll(async () => {
  world = await openMountWorld();
  files = world.admin;
});
afterAll(() => world[Symbol.asyncDispose]());

describe("document 003, usage examples over HTTP", () => {
  it("creates a session, waits until it is ready, sends prompts", async () => {
    const request = {
      model: "claude-sonnet-4-20250514",
      system_prompt: "You are a helpful coding assistant.",
      tools: [{ name: "Read" }, { name: "Glob" }, { name: "Grep" }],
      max_cost_usd: 5_000_000,
      autonomy: "supervised",
      idempotency_key: "review_session_123",
    };
    const info = await files.call("/claude/new", request);
    const id = info["session_id"] ?? "";
    expect(info).toEqual({
      session_id: expect.stringMatching(/^ses_/),
      status: "creating",
      status_path: `/claude/sessions/${id}/status`,
      output_path: `/claude/sessions/${id}/output`,
      response_path: `/claude/sessions/${id}/response`,
      prompt_path: `/claude/sessions/${id}/prompt`,
    });
    await files.until(`/claude/sessions/${id}`, "ready");
    await files.write(`/claude/sessions/${id}/prompt`, script({ say: "Fixed." }));
    expect(await files.outputUntilIdle(`/claude/sessions/${id}`)).toBe("Fixed.\n");
    expect(await files.text(`/claude/sessions/${id}/response`)).toBe("Fixed.\n");
    expect(await files.call("/claude/new", request)).toEqual(info);
  });

  it("a tool's configuration narrows its calls, also of one who resumes, and its description is told", async () => {
    const steps = [
      { tool: "Bash", input: { command: "echo one" } },
      { tool: "Bash", input: { command: "echo two" } },
      { tool: "Read", input: { file_path: "a.txt" } },
      { say: "Done." },
    ];
    const tools = [
      { name: "Bash", description: "Only to count.", config: { commands: ["echo one"] } },
      { name: "Read" },
    ];
    const folder = await files.create({ tools, autonomy: "full", initial_prompt: script(...steps) });
    expect(await files.outputUntilIdle(folder)).toMatch(
      /\[Bash\] echo one → completed\n\[Bash\] echo two → declined\n\[Read\] a.txt → failed\nDone.\n$/,
    );
    expect(await files.json(`${folder}/context`)).toMatchObject({
      tools: ["Bash", "Read"],
      tool_config: { Bash: { commands: ["echo one"] } },
    });
    const id = folder.slice(folder.lastIndexOf("/") + 1);
    const { settings } = await world.app.client.session(id);
    expect(settings.system_prompt).toBe("What your tools are for here:\n- Bash: Only to count.");
    const resumed = await files.create({ resume_session_id: id, autonomy: "full", initial_prompt: script(...steps) });
    expect(await files.outputUntilIdle(resumed)).toContain("[Bash] echo two → declined");
  });

  it("refuses the example's tunnel by name: none is configured", async () => {
    const refused = files.call("/claude/new", { model: "sim", tunnel_endpoint: "local-proxy" });
    await expect(refused).rejects.toMatchObject({
      errno: "ENOENT",
      message: expect.stringContaining("tunnel not found"),
    });
  });

  it("watches streaming output, chunk type by chunk type", async () => {
    const folder = await files.create({
      autonomy: "full",
      initial_prompt: script(
        { say: "I look." },
        { tool: "Bash", input: { command: "echo one two" } },
        { say: "Done looking." },
      ),
    });
    const seen: [string, string][] = [];
    for await (const { chunk } of files.mount.watch(`${folder}/output`)) {
      const parsed = ClaudeChunk.parse(chunk);
      const { tool, delta } = parsed;
      seen.push([parsed.chunk_type, tool?.name ?? delta ?? ""]);
      if (parsed.chunk_type === "tool_start") expect(tool?.params).toEqual({ command: "echo one two" });
      if (parsed.chunk_type === "tool_done") expect(tool?.result).toContain("one two");
      if (parsed.chunk_type === "done") {
        expect(parsed.usage?.total_tokens).toBeGreaterThan(0);
        break;
      }
    }
    const text = (from: number, to: number): string =>
      seen
        .slice(from, to)
        .map(([, words]) => words)
        .join("");
    const types = seen.map(([type]) => type);
    const start = types.indexOf("tool_start");
    const done = types.indexOf("tool_done");
    expect(text(0, start)).toBe("I look.");
    expect(new Set(types.slice(start + 1, done))).toEqual(new Set(["tool_output"]));
    expect(text(done + 1, seen.length - 1)).toBe("Done looking.");
    expect(types.at(-1)).toBe("done");
  });

  it("handles two tool approvals from the status, by JSON and by a word", async () => {
    const folder = await files.create({
      initial_prompt: script(
        { tool: "Bash", input: { command: "echo first > a.txt" } },
        { tool: "Bash", input: { command: "echo second > b.txt" } },
        { say: "Both are there." },
      ),
    });
    const status = await files.until(folder, "pending_approval");
    expect(status).toMatchObject({
      status: "pending_approval",
      tool: "Bash",
      params: { command: "echo first > a.txt" },
    });
    const [pending] = await files.json<Record<string, unknown>[]>(`${folder}/tools/pending`);
    expect(pending).toMatchObject({
      tool: "Bash",
      params: { command: "echo first > a.txt" },
      tool_use_id: status["tool_use_id"],
    });
    await files.write(`${folder}/tools/approve`, { approved: true });
    for (;;) {
      const next = await files.until(folder, "pending_approval");
      if (next["tool_use_id"] !== status["tool_use_id"]) break;
    }
    await files.write(`${folder}/tools/approve`, "approve\n");
    expect(await files.outputUntilIdle(folder)).toBe(
      "[Bash] echo first > a.txt → completed\n[Bash] echo second > b.txt → completed\nBoth are there.\n",
    );
    const log = (await files.text(`${folder}/tools/log`))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(log).toMatchObject([
      { tool: "Bash", params: { command: "echo first > a.txt" }, timestamp: expect.any(String) },
      { tool: "Bash", approved: true },
      { tool: "Bash", params: { command: "echo second > b.txt" } },
      { tool: "Bash", approved: true },
    ]);
    await expect(files.write(`${folder}/tools/approve`, { approved: true })).rejects.toMatchObject({
      message: expect.stringContaining("no pending tool"),
    });
  });

  it("forks a session that is listed, budgeted and usable", async () => {
    const folder = await files.create({ max_cost_usd: 1_000_000, initial_prompt: script({ say: "The first way." }) });
    await files.outputUntilIdle(folder);
    const { session_id } = await files.call(`${folder}/fork`, "{}");
    const child = `/claude/sessions/${session_id}`;
    await files.write(`${child}/prompt`, script({ say: "Another way." }));
    expect(await files.outputUntilIdle(child)).toBe("The first way.\nAnother way.\n");
    expect(await files.outputUntilIdle(folder)).toBe("The first way.\n");
    const names = (await files.mount.list("/claude/sessions")).map(({ name }) => name);
    expect(names).toContain(session_id);
    expect(await files.json(`${child}/usage`)).toMatchObject({ limit_usd: 1_000_000, reserved_usd: 1_000_000 });
  });

  it("reads the configured tunnels and the session's cost", async () => {
    expect(await files.json("/claude/auth/tunnels")).toEqual([]);
    const folder = await files.create({ initial_prompt: script({ say: "x" }) });
    await files.outputUntilIdle(folder);
    const usage = await files.json(`${folder}/usage`);
    expect(usage).toMatchObject({
      cost_usd: 0,
      output_tokens: expect.any(Number),
      usage: { total_tokens: expect.any(Number) },
    });
    expect(await files.json(`${folder}/response.json`)).toMatchObject({
      status: "idle",
      response: "x",
      provider_id: "sim",
      model: "sim",
      cost_usd: 0,
      tunnel_endpoint: null,
    });
  });
});
