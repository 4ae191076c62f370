import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allow, Editor } from "../e2e/acp/editor.ts";
import { script } from "../support/app.ts";
import { CALL, openMoneyApp, type MoneyApp } from "../support/money/app.ts";
import { AgentClient } from "./terminal-client.ts";
import { connect } from "./mcp/world.ts";

/** Micro-USD: less than any request may cost. */
const LITTLE = 10;
const TASK = script(CALL, { say: "Paid." });

let app: MoneyApp;
beforeAll(async () => {
  app = await openMoneyApp({ profile: { max_cost_microusd: 1_000_000_000, default_max_cost_microusd: LITTLE } });
});
afterAll(() => app[Symbol.asyncDispose]());

async function pending(): Promise<number> {
  return (await app.client.approvals({ status: "pending" })).approvals.length;
}

describe("an editor at the end of a budget", () => {
  const editors: Editor[] = [];
  afterAll(() => Promise.all(editors.map((editor) => editor.leave())));
  async function open(token: string, option?: string): Promise<Editor> {
    const editor = await Editor.open({
      words: ["--server", app.serving.url, "--token", token, "acp"],
      folder: app.place.workspace,
      ...(option === undefined ? {} : { permission: allow(option) }),
    });
    editors.push(editor);
    return editor;
  }

  it("is asked for more, and goes on with it", async () => {
    const editor = await open(app.serving.token, "allow_once");
    const { sessionId } = await editor.newSession(app.place.workspace);
    expect(await editor.prompt(sessionId, TASK)).toEqual({ stopReason: "end_turn" });
    expect(editor.spoken()).toBe("Paid.");
    expect(editor.asked.map(({ toolCall, options }) => [toolCall.title, options.map(({ name }) => name)])).toEqual([
      [
        expect.stringMatching(/^Budget: .*limit/) as unknown,
        [expect.stringMatching(/^Allow up to \$/) as unknown, "Reject"],
      ],
    ]);
    expect(editor.asked[0]?.toolCall.toolCallId).not.toBe("");
  });

  it("that gives no more reads why the prompt ended", async () => {
    const editor = await open(app.serving.token, "reject_once");
    const { sessionId } = await editor.newSession(app.place.workspace);
    await expect(editor.prompt(sessionId, TASK)).rejects.toMatchObject({
      data: { code: "budget_exceeded" },
      message: expect.stringContaining("limit") as unknown,
    });
  });

  it("that closes the question has cancelled the prompt", async () => {
    const editor = await open(app.serving.token);
    const { sessionId } = await editor.newSession(app.place.workspace);
    expect(await editor.prompt(sessionId, TASK)).toEqual({ stopReason: "cancelled" });
    expect(await pending()).toBe(0);
  });

  it("with a token that cannot approve reads at once why the prompt ended", async () => {
    const { token } = await app.as("agent", "poor editor");
    const editor = await open(token, "allow_once");
    const { sessionId } = await editor.newSession(app.place.workspace);
    await expect(editor.prompt(sessionId, TASK)).rejects.toMatchObject({ data: { code: "budget_exceeded" } });
    expect([editor.asked, await pending()]).toEqual([[], 0]);
  });

  it("with such a token and a session that waits for people does not wait", async () => {
    const agent = await app.as("agent", "poor editor of an older session");
    const session = await agent.createSession({});
    const editor = await open(agent.token, "allow_once");
    await editor.connection.agent.request("session/load", {
      sessionId: session.id,
      cwd: app.place.workspace,
      mcpServers: [],
    });
    await expect(editor.prompt(session.id, TASK)).rejects.toMatchObject({
      data: { code: "budget_exceeded" },
      message: expect.stringContaining("An operator can raise the limit") as unknown,
    });
    expect(await pending()).toBe(0);
  });

  it("whose answer the policy refuses reads that, and the prompt ends", async () => {
    const policy = await app.client.policy();
    const rich = { ...policy.profiles["money"], budget_approvers: ["somebody else"] };
    await app.client.setPolicy({ ...policy, profiles: { ...policy.profiles, money: rich } });
    const { token } = await app.as("operator", "not the approver");
    const editor = await open(token, "allow_once");
    const { sessionId } = await editor.newSession(app.place.workspace);
    await expect(editor.prompt(sessionId, TASK)).rejects.toMatchObject({ data: { code: "forbidden" } });
    expect(await pending()).toBe(0);
    await app.client.setPolicy(policy);
  });
});

describe("document 001's socket at the end of a budget", () => {
  it("shows the question, and goes on when it is answered", async () => {
    const client = new AgentClient(app);
    await client.next("connected");
    client.say({ command: "run", prompt: TASK, continue: false, permission_mode: "sdk" });
    const asked = await client.next("tool_approval_request");
    expect(asked).toMatchObject({ tool_name: "Budget" });
    client.say({ command: "tool_approval_response", request_id: asked["request_id"], approved: true });
    expect((await client.until("done")).find(({ type }) => type === "result")).toMatchObject({ subtype: "success" });
    client.socket.close();
  });

  it("ends a run of a token that cannot approve, with the reason", async () => {
    const { token } = await app.as("agent", "poor page");
    const client = new AgentClient(app, { token });
    await client.next("connected");
    client.say({ command: "run", prompt: TASK, continue: false, permission_mode: "sdk" });
    const messages = await client.until("error");
    expect(messages.some(({ type }) => type === "tool_approval_request")).toBe(false);
    expect(JSON.stringify(messages.at(-1))).toContain("limit");
    expect(await pending()).toBe(0);
    client.socket.close();
  });
});

describe("an MCP client at the end of a budget", () => {
  it("that waits is told who is asked and for what", async () => {
    const { token } = await app.as("agent", "poor mcp client");
    const mcp = await connect(app, { door: "http", era: "older" }, token);
    const call = async (name: string, input: object): Promise<Record<string, unknown>> =>
      (await mcp.client.callTool({ name, arguments: { ...input } })).structuredContent as Record<string, unknown>;
    const { session_id } = await call("claude_new", {
      model: "till-1",
      initial_prompt: TASK,
      max_cost_usd: LITTLE,
    });
    expect(await call("claude_wait", { session_id })).toMatchObject({
      status: "pending_approval",
      timed_out: false,
      tool: "Budget",
      pending_tools: [{ tool: "Budget", reason: expect.stringContaining("limit") as unknown }],
    });
    await call("claude_stop", { session_id });
    await mcp.close();
  });
});
