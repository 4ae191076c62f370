import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { AgentClient, type Message } from "./terminal-client.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

function connected(query = ""): AgentClient {
  return new AgentClient(app, { query });
}

/** The documented fields only: extras may stand beside them. */
const documented = (message: Message): unknown => ({
  type: message.type,
  subtype: message["subtype"],
  content: message["content"],
});

describe("document 001's WebSocket", () => {
  it("plays the main flow with the documented messages", async () => {
    const client = connected();
    expect(await client.next("connected")).toEqual({ type: "connected", cwd: app.place.workspace });
    const path = join(app.place.workspace, "test.txt");
    const prompt = script(
      { say: "I'll create that file for you." },
      { tool: "Write", input: { file_path: path, content: "hello world" } },
      { say: "Done!" },
    );
    client.say({ command: "run", prompt, continue: false, permission_mode: "sdk", auto_approve_safe: true });
    const before = (await client.until("tool_approval_request")).filter(({ subtype }) => subtype !== "text_delta");
    const request = before.at(-1) as Message;
    const tool_use_id = request["tool_use_id"];
    expect(before.slice(0, -1).map(documented)).toEqual([
      { type: "user", subtype: "text", content: { text: prompt } },
      { type: "assistant", subtype: "text", content: { text: "I'll create that file for you." } },
      {
        type: "assistant",
        subtype: "tool_use",
        content: { id: tool_use_id, name: "Write", input: { file_path: path, content: "hello world" } },
      },
    ]);
    expect(request).toMatchObject({
      type: "tool_approval_request",
      request_id: expect.any(String),
      tool_name: "Write",
      tool_input: { file_path: path, content: "hello world" },
      preview_type: "diff",
      preview_data: { file_path: path, is_new_file: true, original_lines: 0, new_lines: 1 },
      file_path: path,
      original_content: "",
      new_content: "hello world",
      diff_lines: [`--- a/${path}`, `+++ b/${path}`, "@@ -0,0 +1 @@", "+hello world"],
    });
    client.say({ command: "tool_approval_response", request_id: request["request_id"], approved: true });
    const after = (await client.until("done")).filter(
      ({ type, subtype }) => subtype !== "text_delta" && type !== "tool_approval_resolved",
    );
    expect(after.map(documented)).toEqual([
      {
        type: "user",
        subtype: "tool_result",
        content: { tool_use_id, content: `Wrote 11 characters to ${path}`, is_error: false },
      },
      { type: "assistant", subtype: "text", content: { text: "Done!" } },
      { type: "result", subtype: "success", content: { message: "Conversation complete" } },
      { type: "done", subtype: undefined, content: undefined },
    ]);
    expect(await readFile(path, "utf8")).toBe("hello world");
    client.socket.close();
  });

  it("plays the rejection flow: the model reads why", async () => {
    const client = connected();
    await client.next("connected");
    client.say({ command: "run", prompt: script({ tool: "Bash", input: { command: "rm -rf build" } }, { say: "ok" }) });
    const request = await client.next("tool_approval_request");
    expect(request).toMatchObject({
      preview_type: "command",
      preview_data: {
        command: "rm -rf build",
        cwd: app.place.workspace,
        timeout_ms: 120_000,
        has_rm: true,
        has_sudo: false,
        has_pipe: false,
        has_redirect: false,
      },
    });
    client.say({
      command: "tool_approval_response",
      request_id: request["request_id"],
      approved: false,
      feedback: "Use X",
    });
    const after = await client.until("done");
    expect(after.find(({ subtype }) => subtype === "tool_result")).toMatchObject({
      content: { content: "User rejected: Use X", is_error: true },
    });
    client.socket.close();
  });

  it("runs safe tools without asking, unless told to ask for them too", async () => {
    await writeFile(join(app.place.workspace, "read.txt"), "content\n");
    const prompt = script({ tool: "Read", input: { file_path: join(app.place.workspace, "read.txt") } }, { say: "ok" });
    const client = connected();
    await client.next("connected");
    client.say({ command: "run", prompt, continue: false });
    const messages = await client.until("done");
    expect(messages.some(({ type }) => type === "tool_approval_request")).toBe(false);
    expect(messages.some(({ subtype }) => subtype === "tool_use")).toBe(true);
    expect(messages.find(({ subtype }) => subtype === "tool_result")).toMatchObject({
      content: { content: "     1\tcontent", is_error: false },
    });
    client.say({ command: "run", prompt, continue: false, auto_approve_safe: false });
    const request = await client.next("tool_approval_request");
    expect(request).toMatchObject({ tool_name: "Read", preview_type: "generic", preview_data: { tool_name: "Read" } });
    client.say({ command: "tool_approval_response", request_id: request["request_id"], approved: true });
    await client.until("done");
    client.socket.close();
  });

  it("shows one question at a time", async () => {
    const client = connected();
    await client.next("connected");
    const bash = (word: string): object => ({ tool: "Bash", input: { command: `echo ${word}` } });
    client.say({ command: "run", prompt: script({ tools: [bash("a"), bash("b"), bash("c")] }, { say: "ok" }) });
    const order: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const request = await client.next("tool_approval_request");
      order.push((request["tool_input"] as { command: string }).command);
      expect(client.said.filter(({ type }) => type === "tool_approval_request")).toEqual([]);
      client.say({ command: "tool_approval_response", request_id: request["request_id"], approved: true });
    }
    expect(order).toEqual(["echo a", "echo b", "echo c"]);
    await client.until("done");
    client.socket.close();
  });

  it("cancels, resets, tells its status, and says what is wrong", async () => {
    const client = connected();
    await client.next("connected");
    client.say({ command: "cancel" });
    expect(await client.next("cancelled")).toEqual({ type: "cancelled", note: "No running process" });
    client.say({ command: "status" });
    expect(await client.next("status")).toMatchObject({
      running: false,
      continue_session: false,
      session_info: { session_id: null },
    });
    client.say({ command: "run", prompt: script({ stream: { tokens: 100_000, per_second: 500 } }) });
    await client.next("assistant");
    client.say({ command: "status" });
    expect(await client.next("status")).toMatchObject({
      running: true,
      continue_session: true,
      session_info: { model: "sim" },
    });
    client.say({ command: "run", prompt: "other", continue: false });
    expect(await client.next("error")).toMatchObject({ content: "A prompt is running; cancel it first or continue" });
    client.say({ command: "cancel" });
    await client.next("cancelled");
    await client.next("done");
    client.say({ command: "new_session" });
    expect(await client.next("session_reset")).toEqual({ type: "session_reset" });
    for (const [message, content] of [
      [{ command: "run", prompt: "  " }, "Empty prompt"],
      [{ command: "fly" }, "Unknown command: fly"],
      ["{", expect.stringMatching(/^Invalid JSON: /)],
      [{ command: "tool_approval_response", request_id: "apr_none", approved: true }, "there is no approval apr_none"],
    ] as const) {
      client.say(message);
      expect(await client.next("error")).toMatchObject({ content });
    }
    client.socket.close();
  });

  it("keeps the conversation with continue, and finds it again after the connection was lost", async () => {
    const first = connected();
    await first.next("connected");
    first.say({ command: "run", prompt: script({ say: "one" }) });
    await first.until("done");
    first.say({
      command: "run",
      prompt: script({ tool: "Bash", input: { command: "echo later" } }, { say: "two" }),
      continue: true,
    });
    const lost = await first.next("tool_approval_request");
    first.socket.terminate();
    const second = connected(`&session_id=${String(lost["session_id"])}`);
    const again = await second.next("tool_approval_request");
    expect(again).toEqual(lost);
    second.say({ command: "tool_approval_response", request_id: again["request_id"], approved: true });
    await second.until("done");
    const session = await app.client.session(String(lost["session_id"]));
    expect(session.turns).toBe(2);
    second.socket.close();
  });

  it("executes without asking in Auto Execute", async () => {
    const client = connected(`&cwd=${encodeURIComponent(app.place.workspace)}`);
    await client.next("connected");
    client.say({
      command: "run",
      prompt: script({ tool: "Bash", input: { command: "echo auto" } }, { say: "ok" }),
      permission_mode: "bypassPermissions",
    });
    const messages = await client.until("done");
    expect(messages.find(({ subtype }) => subtype === "tool_result")).toMatchObject({
      content: { content: expect.stringContaining("auto"), is_error: false },
    });
    client.socket.close();
  });
});
