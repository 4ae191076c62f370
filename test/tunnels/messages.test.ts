import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { TunnelMessage } from "../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";

/** A client of document 003: it knows the document's messages and nothing else. */
class DocumentClient {
  readonly socket: WebSocket;
  readonly messages: TunnelMessage[] = [];

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on("message", (data: Buffer) => this.messages.push(TunnelMessage.parse(JSON.parse(data.toString()))));
  }

  async send(message: object): Promise<void> {
    if (this.socket.readyState === WebSocket.CONNECTING)
      await new Promise((resolve) => this.socket.once("open", resolve));
    this.socket.send(JSON.stringify(message));
  }

  of(type: TunnelMessage["type"]): readonly TunnelMessage[] {
    return this.messages.filter((message) => message.type === type);
  }

  text(session_id: string): string {
    return this.messages
      .flatMap((message) =>
        message.type === "chunk" && message.session_id === session_id && message.chunk_type === "text"
          ? [message.delta ?? ""]
          : [],
      )
      .join("");
  }
}

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await openTestApp();
  url = `${app.serving.url.replace("http", "ws")}/tunnel`;
  await app.client.tunnels.offer({ id: "local-proxy", auth: "none", sessions: true });
  await app.client.tunnels.offer({ id: "models-only", auth: "none" });
});
afterAll(() => app[Symbol.asyncDispose]());

test("create_session, session_created, prompt, chunk and stop, as the document writes them", async () => {
  const client = new DocumentClient(`${url}/local-proxy`);
  const request = {
    model: "sim",
    system_prompt: "You are a helpful coding assistant.",
    initial_prompt: script({ say: "Reviewed." }),
    tools: [{ name: "Read" }, { name: "Glob" }, { name: "Grep" }],
    tunnel_endpoint: "local-proxy",
    max_cost_usd: 1_000_000,
    autonomy: "supervised",
  };
  await client.send({ type: "create_session", request, session_id: "one" });
  await expect.poll(() => client.of("session_created")).toEqual([{ type: "session_created", session_id: "one" }]);
  await expect.poll(() => client.messages.some((one) => one.type === "chunk" && one.chunk_type === "done")).toBe(true);
  expect(client.text("one")).toBe("Reviewed.");
  await client.send({ type: "prompt", session_id: "one", content: script({ say: "Fixed." }) });
  await expect.poll(() => client.text("one")).toContain("Fixed.");
  const { sessions } = await app.client.sessions();
  expect(sessions[0]).toMatchObject({ created_by: { name: "tunnel local-proxy", role: "agent" } });
  await client.send({ type: "stop", session_id: "one" });
  await client.send({ type: "prompt", session_id: "nobody", content: "hello" });
  await expect
    .poll(() => client.of("error"))
    .toContainEqual({
      type: "error",
      session_id: "nobody",
      code: "not_found",
      error: expect.stringContaining("session not found"),
    });
  client.socket.close();
});

test("tool_approval asks, and the owner of the machine decides whether the other side may answer", async () => {
  const client = new DocumentClient(`${url}/local-proxy`);
  const request = {
    model: "sim",
    initial_prompt: script({ tool: "Bash", input: { command: "echo hello" } }, { say: "Done." }),
    max_cost_usd: 500_000,
    autonomy: "restricted",
  };
  await client.send({ type: "create_session", request, session_id: "two" });
  await expect
    .poll(() => client.of("tool_approval"))
    .toEqual([
      {
        type: "tool_approval",
        session_id: "two",
        tool: "Bash",
        params: expect.objectContaining({ command: "echo hello" }),
      },
    ]);
  await client.send({ type: "tool_approval_response", session_id: "two", approved: false });
  await expect.poll(() => client.of("error").length + Number(client.text("two").includes("Done."))).toBeGreaterThan(0);
  await client.send({ type: "stop", session_id: "two" });
  client.socket.close();
});

test("an offer without sessions, an unknown tunnel and other messages are refused in words", async () => {
  const models = new DocumentClient(`${url}/models-only`);
  await models.send({ type: "create_session", request: { model: "sim" }, session_id: "three" });
  await expect
    .poll(() => models.messages)
    .toEqual([
      { type: "error", session_id: "three", code: "forbidden", error: expect.stringContaining("models only") },
    ]);
  models.socket.close();
  const unknown = new DocumentClient(`${url}/nowhere`);
  await unknown.send({ type: "create_session", request: { model: "sim" }, session_id: "four" });
  await expect
    .poll(() => unknown.messages)
    .toEqual([{ type: "error", session_id: "", error: "unknown tunnel: nowhere" }]);
  const client = new DocumentClient(`${url}/local-proxy`);
  await client.send({ type: "create_session", request: { model: 5 }, session_id: "five" });
  await expect.poll(() => client.of("error")).toHaveLength(1);
  await client.send({ type: "session_created", session_id: "five" });
  await expect.poll(() => client.of("error")).toHaveLength(2);
  client.socket.close();
});

test("a web page cannot open a tunnel", async () => {
  const socket = new WebSocket(`${url}/local-proxy`, { origin: "https://evil.example" });
  const status = await new Promise<number | undefined>((resolve) => {
    socket.on("unexpected-response", (_request, { statusCode }) => resolve(statusCode));
    socket.on("open", () => resolve(101));
    socket.on("error", () => undefined);
  });
  expect(status).toBe(403);
});
