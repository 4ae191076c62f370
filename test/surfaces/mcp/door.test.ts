import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { makePlace } from "../../support/server.ts";
import { call, connect, connectOver, spawned } from "./world.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

let app: TestApp;

beforeAll(async () => {
  app = await openTestApp();
});

afterAll(() => app[Symbol.asyncDispose]());

interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function send({ method = "POST", token = app.serving.token, headers, body }: Sent): Promise<Response> {
  return fetch(`${app.serving.url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** Begins a session of the protocol; answers its id. */
async function begin(token?: string): Promise<string> {
  const response = await send({ token, body: JSON.stringify(INITIALIZE) });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

describe("the door of /mcp", () => {
  it.each([
    ["no token", { headers: { authorization: "" }, body: JSON.stringify(INITIALIZE) }, 401],
    ["a wrong token", { token: "sp_wrong", body: JSON.stringify(INITIALIZE) }, 401],
    ["another site's page", { headers: { origin: "https://evil.example" }, body: JSON.stringify(INITIALIZE) }, 403],
    ["no JSON", { body: "{" }, 400],
    ["nothing", { body: "" }, 400],
    ["another kind of content", { headers: { "content-type": "text/plain" }, body: JSON.stringify(INITIALIZE) }, 400],
    ["JSON that nests too deep", { body: `${"[".repeat(500)}${"]".repeat(500)}` }, 400],
    ["more messages at once than may be", { body: JSON.stringify(Array.from({ length: 51 }, () => INITIALIZE)) }, 413],
    ["a call before the beginning", { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) }, 400],
    ["a session that is not there", { headers: { "mcp-session-id": "none" }, body: JSON.stringify(INITIALIZE) }, 404],
    ["a stream without a session", { method: "GET" }, 400],
    ["the end of no session", { method: "DELETE" }, 400],
    ["another verb", { method: "PUT", body: "{}" }, 404],
  ])("refuses %s", async (_what, sent, status) => {
    const response = await send(sent);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) as unknown } });
  });

  it("refuses a foreign name for this host", async () => {
    const status = await new Promise((resolve) => {
      request(`${app.serving.url}/mcp`, { method: "POST", headers: { host: "evil.example" } }, (response) =>
        resolve(response.resume().statusCode),
      ).end();
    });
    expect(status).toBe(403);
  });

  it("counts requests as everywhere", async () => {
    await using slow = await openTestApp({ SALLYPORT_REQUESTS_PER_MINUTE: "5" });
    const statuses: number[] = [];
    for (let sent = 0; sent < 7; sent += 1) {
      const response = await fetch(`${slow.serving.url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${slow.serving.token}`, "content-type": "application/json" },
        body: JSON.stringify(INITIALIZE),
      });
      await response.text();
      statuses.push(response.status);
    }
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });

  it("knows a session by its principal too", async () => {
    const id = await begin();
    const { token } = await app.as("admin", "another admin");
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-06-18" };
    expect((await send({ headers, body: list })).status).toBe(200);
    for (const sent of [{ body: list }, { method: "GET" }, { method: "DELETE" }])
      expect((await send({ ...sent, token, headers })).status).toBe(404);
    expect((await send({ method: "DELETE", headers })).status).toBe(200);
    expect((await send({ headers, body: list })).status).toBe(404);
  });

  it("ends with the token", async () => {
    const made = await app.client.createToken({ role: "viewer", name: "short" });
    const id = await begin(made.token);
    await app.client.deleteToken(made.id);
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await send({ token: made.token, headers: { "mcp-session-id": id }, body: list })).status).toBe(401);
  });

  it("keeps a session across many requests and streams of one client, and its newest ones only", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 101; made += 1) ids.push(await begin());
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const status = async (id: string | undefined): Promise<number> => {
      const response = await send({ headers: { "mcp-session-id": id ?? "" }, body: list });
      await response.text();
      return response.status;
    };
    expect([await status(ids[0]), await status(ids.at(-1))]).toEqual([404, 200]);
  });
});

describe("sallyport mcp, the real command", () => {
  it.each(["older", "newer"] as const)("works without a server, in the %s form, and says nothing else", async (era) => {
    const place = await makePlace();
    try {
      const transport = spawned([`--home=${place.home}`, "mcp"], { HOME: place.home });
      const errors: Buffer[] = [];
      transport.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
      const troubles: Error[] = [];
      const mcp = await connectOver(transport, era);
      Object.assign(mcp.client, { onerror: (error: Error) => troubles.push(error) });
      const created = await call(mcp, "claude_new", { model: "sim", initial_prompt: script({ say: "Alone." }) });
      const session_id = String(created["session_id"]);
      expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({ status: "idle", response: "Alone.\n" });
      await mcp.close();
      expect({ troubles, errors: Buffer.concat(errors).toString() }).toEqual({ troubles: [], errors: "" });
    } finally {
      await place.remove();
    }
  });

  it("talks to the server that is named, with the token that it was given", async () => {
    const { token } = await app.as("agent", "spawned");
    const words = ["--server", app.serving.url, "--token", token, "mcp"];
    const mcp = await connectOver(spawned(words, { HOME: app.place.home }), "older");
    const created = await call(mcp, "claude_new", { model: "sim", initial_prompt: script({ say: "There." }) });
    const session_id = String(created["session_id"]);
    expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({ response: "There.\n" });
    expect((await app.client.session(session_id)).created_by).toMatchObject({ name: "spawned", role: "agent" });
    await mcp.close();
  });
});

describe("a client in the middle of something", () => {
  it("takes its followers with it when it goes", async () => {
    const mcp = await connect(app, { door: "http", era: "newer" });
    const created = await call(mcp, "claude_new", { model: "sim", initial_prompt: script({ delay_ms: 60_000 }) });
    const session_id = String(created["session_id"]);
    await mcp.subscribe(`claude:///sessions/${session_id}/status`);
    const waiting = call(mcp, "claude_wait", { session_id });
    waiting.catch(() => undefined);
    await mcp.close();
    await call(await connect(app, { door: "http", era: "newer" }), "claude_stop", { session_id });
    const metrics = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${app.serving.token}` };
      return (await fetch(`${app.serving.url}/metrics`, { headers })).text();
    };
    await expect.poll(metrics).toMatch(/^sallyport_watchers 0$/m);
  });
});
