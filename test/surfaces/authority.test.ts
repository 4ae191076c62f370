import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { may, type Capability } from "../../src/gate/index.ts";
import type { Role } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { makeBrowserKeys } from "../support/push-service.ts";

/** The parts of the OpenAPI document that the table is made of. */
interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly "x-needs"?: Capability | "nothing" | "a token" }>>>
  >;
}

let app: TestApp;
let described: Described;
/** A session, its question, its jobs, a project and a token of another agent: what every route is tried on. */
let others: Readonly<Record<"session" | "approval" | "token" | "container" | "computation" | "project", string>>;

beforeAll(async () => {
  app = await openTestApp();
  const stranger = await app.as("agent", "other agent");
  const session = await stranger.createSession({
    prompt: { text: script({ tool: "Bash", input: { command: "true" } }) },
  });
  const container = await stranger.createJob("containers", { commands: ["true"] });
  const computation = await stranger.createJob("compute", { prompt: { text: "Hello" } });
  await stranger.projects.save("theirs", { name: "Theirs", content: { tables: [], queries: [], shown: 0 } });
  const jobs = { container: container.id, computation: computation.id };
  for await (const frame of app.client.watch(session.id)) {
    if (frame.type !== "approval.requested") continue;
    others = { session: session.id, approval: frame.approval.id, token: "tok_none", project: "theirs", ...jobs };
    break;
  }
  const response = await fetch(`${app.serving.url}/openapi.json`, {
    headers: { authorization: `Bearer ${app.serving.token}` },
  });
  described = (await response.json()) as Described;
});

afterAll(() => app[Symbol.asyncDispose]());

/** A body that is right for the route, so that only the right to use it decides. */
function bodyFor(path: string, input_hash: string): unknown {
  if (path === "/api/sessions/{id}") return { title: "Mine" };
  if (path === "/api/approvals") return { decisions: [{ id: others.approval, decision: "approve", input_hash }] };
  if (path === "/api/long-runs") return { name: "x", task: "x", max_cost_microusd: 1 };
  if (path.endsWith("/revoke")) return { rule: "Bash(ls)" };
  if (path.endsWith("/extend")) return { ms: 60_000 };
  if (path.endsWith("/prompts") || path.endsWith("/prompts/{turn_id}")) return { text: "hello" };
  if (path.endsWith("/queue")) return { order: [] };
  if (path.endsWith("/comments")) return { comments: [{ path: "a.txt", line: 1, text: "Why?" }] };
  if (path.endsWith("/settings")) return { autonomy: "restricted" };
  if (path.endsWith("/budget")) return { max_cost_microusd: 1_000_000 };
  if (path === "/api/approvals/{id}") return { decision: "approve", input_hash };
  if (path === "/api/approvals/{id}/preview") return { input: { command: "false" } };
  if (path === "/api/templates/{id}") return { name: "Mine", session: {} };
  if (path === "/api/workbench/projects/{id}") return { name: "Mine", revision: 1 };
  if (path === "/api/tunnels/{id}") return { auth: "nostr" };
  if (path === "/api/tunnel-offers") return { id: "mine", auth: "nostr" };
  if (path === "/api/tokens") return { role: "admin", name: "mine" };
  if (path === "/api/policy") return { default_profile: "full", profiles: { full: { autonomy: "full" } } };
  if (path.startsWith("/api/connections/{id}/")) return { sql: "SELECT 1" };
  if (path === "/api/connections/{id}") return { kind: "sqlite", path: "/nowhere.db" };
  if (path === "/api/containers") return { commands: ["true"] };
  if (path === "/api/compute") return { prompt: "Hello" };
  if (path === "/api/notifications")
    return { kind: "push", endpoint: "https://push.example.net/1", keys: { ...makeBrowserKeys().keys } };
  if (path === "/api/prune") return { max_age_days: 1, dry_run: true };
  if (path === "/api/imports") return { conversation: { source: "codex", turns: [{ prompt: "hi", items: [] }] } };
  if (path === "/api/policy/test") return { tool: "Read", input: { file_path: "x" } };
  return {};
}

function idFor(path: string): string {
  if (path.startsWith("/api/approvals")) return others.approval;
  if (path.startsWith("/api/tokens")) return others.token;
  if (path.startsWith("/api/containers")) return others.container;
  if (path.startsWith("/api/compute")) return others.computation;
  if (path.startsWith("/api/workbench/projects")) return others.project;
  return path.startsWith("/api/providers") ? "sim" : others.session;
}

function queryFor(path: string): string {
  if (path === "/api/search") return "?q=word";
  if (/\/(diff|file)$/.test(path)) return "?path=a.txt&with=start";
  return path.endsWith("/compare") ? "?with=start" : "";
}

async function attempt(method: string, path: string, token: string): Promise<number> {
  const input_hash = (await app.client.approval(others.approval)).input_hash;
  const id = idFor(path);
  const query = queryFor(path);
  const response = await fetch(`${app.serving.url}${path.replace("{id}", id).replace("{catalog}", "main")}${query}`, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method === "post" || method === "put" || method === "patch"
      ? { body: JSON.stringify(bodyFor(path, input_hash)) }
      : {}),
  });
  await response.body?.cancel();
  return response.status;
}

function routes(): readonly {
  readonly method: string;
  readonly path: string;
  readonly needs: Capability | "nothing" | "a token" | undefined;
}[] {
  return Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => ({ method, path, needs: route["x-needs"] })),
  );
}

describe("who may do what, route by route", () => {
  it("names a right for every route that the server has", () => {
    expect(routes().filter(({ needs }) => needs === undefined)).toEqual([]);
    expect(routes().length).toBeGreaterThan(15);
  });

  it("answers nobody without a token, but for /health and the pages", async () => {
    for (const { method, path, needs } of routes()) {
      const response = await fetch(`${app.serving.url}${path.replace("{id}", others.session)}`, {
        method: method.toUpperCase(),
      });
      // A share link needs no token, but it must be one; a delivery has a signature in its place.
      // A notification's answer and a phone's code are in the body.
      const inBody = path === "/api/notifications/answers" || path === "/api/pairings/redeem";
      const open = path.includes("{secret}") ? 404 : path === "/hooks/{id}" ? 401 : inBody ? 400 : 200;
      expect({ path, status: response.status }).toEqual({ path, status: needs === "nothing" ? open : 401 });
    }
    for (const path of ["/openapi.json", "/nowhere"])
      expect((await fetch(`${app.serving.url}${path}`)).status).toBe(401);
  });

  it.each(["agent", "viewer"] as const satisfies readonly Role[])(
    "keeps an %s from what it may not do, on another's session",
    async (role) => {
      const { token } = await app.as(role);
      for (const { method, path, needs } of routes()) {
        if (needs === undefined || needs === "nothing" || needs === "a token") continue;
        const scope = may(role, needs);
        const status = await attempt(method, path, token);
        const onSomething = path.includes("{id}");
        if (scope === "no") expect({ method, path, status }).toEqual({ method, path, status: 403 });
        else if (scope === "own" && onSomething)
          expect({ method, path, status }).toEqual({ method, path, status: 404 });
        // There is none.
        else if (path.startsWith("/api/long-runs/{id}") || path.endsWith("/prompts/{turn_id}"))
          expect({ path, status }).toEqual({ path, status: 404 });
        // The session has changed nothing: there is no diff.
        else if (/\/(changes\/diff|compare|compare\/diff|file)$/.test(path))
          expect({ path, status }).toEqual({ path, status: 404 });
        else expect({ method, path, ok: status < 300 }).toEqual({ method, path, ok: true });
      }
      // Nothing of all that has answered the question.
      expect((await app.client.approval(others.approval)).status).toBe("pending");
    },
  );

  it("keeps an agent from its own approvals too", async () => {
    const agent = await app.as("agent", "self");
    const tried: unknown[] = [];
    const { events } = await runScript(
      agent,
      { prompt: { text: script({ tool: "Bash", input: { command: "echo hi" } }, { say: "end" }) } },
      async (approval) => {
        tried.push(
          await agent
            .decide(approval.id, { decision: "approve", input_hash: approval.input_hash })
            .catch((error: unknown) => error),
        );
        await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash, feedback: "no" });
      },
    );
    expect(tried).toMatchObject([{ code: "forbidden" }]);
    expect(events.find(({ type }) => type === "approval.resolved")).toMatchObject({
      outcome: "rejected",
      by: { role: "admin" },
    });
  });

  it("keeps an agent from approving, and from another's session, over the sockets", async () => {
    const agent = await app.as("agent", "socket");
    const input_hash = (await app.client.approval(others.approval)).input_hash;
    const canonical = await talk(agent.token, "/api/ws", [
      { type: "hello", protocol: "1.0" },
      { type: "subscribe", session_id: others.session },
      { type: "decide", command_id: "c1", approval_id: others.approval, decision: { decision: "approve", input_hash } },
      { type: "interrupt", command_id: "c2", session_id: others.session },
    ]);
    expect(
      new Set(canonical.map(({ type, command_id, error }) => `${type} ${command_id ?? "-"} ${error?.code ?? "-"}`)),
    ).toEqual(new Set(["welcome - -", "refused - not_found", "refused c1 not_found", "refused c2 not_found"]));
    const approval = await talk(agent.token, "/api/terminal/ws/agent", [
      { command: "tool_approval_response", request_id: others.approval, approved: true },
      { command: "status" },
    ]);
    expect(approval.map(({ type, code }) => [type, code])).toEqual([
      ["connected", undefined],
      ["error", "not_found"],
      ["status", undefined],
    ]);
    expect((await app.client.approval(others.approval)).status).toBe("pending");
  });

  it("lets an agent ask for less autonomy than the policy gives, never for more", async () => {
    const agent = await app.as("agent", "narrow");
    await expect(agent.createSession({ autonomy: "full" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(agent.createSession({ permission_mode: "bypassPermissions" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(agent.createSession({ workspace: "/" })).rejects.toMatchObject({ code: "forbidden" });
    expect((await agent.createSession({ autonomy: "restricted" })).settings.autonomy).toBe("restricted");
    expect((await app.client.createSession({ autonomy: "full" })).settings.autonomy).toBe("full");
  });

  it("forgets a token at once when it is deleted", async () => {
    const made = await app.client.createToken({ role: "viewer", name: "short" });
    const { SallyportClient } = await import("../../src/client/index.ts");
    const viewer = new SallyportClient({ url: app.serving.url, token: made.token });
    await viewer.sessions();
    await app.client.deleteToken(made.id);
    await expect(viewer.sessions()).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("refuses another site's page and a foreign name for this host", async () => {
    const headers = { authorization: `Bearer ${app.serving.token}` };
    const refused = await fetch(`${app.serving.url}/api/sessions`, {
      headers: { ...headers, origin: "https://evil.example" },
    });
    expect(refused.status).toBe(403);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      request(`${app.serving.url}/health`, { headers: { host: "evil.example" } }, (response) =>
        resolve(response.resume().statusCode),
      ).end();
    });
    expect(status).toBe(403);
    const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws`, {
      headers: { ...headers, origin: "https://evil.example" },
    });
    await expect(new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))).rejects.toThrow(
      "403",
    );
  });

  it("takes the session to its end when an operator approves", async () => {
    const operator = await app.as("operator");
    await approveWith(operator)(await app.client.approval(others.approval));
    const events = await untilTurnEnds(app.client, others.session);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });
});

interface Said {
  readonly type: string;
  readonly command_id?: string;
  readonly code?: string;
  readonly error?: { readonly code: string };
}

/** Says everything, waits for as many answers plus the greeting. */
async function talk(token: string, path: string, messages: readonly object[]): Promise<readonly Said[]> {
  const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const wanted = path === "/api/ws" ? messages.length : messages.length + 1;
  const said: Said[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      for (const message of messages) socket.send(JSON.stringify(message));
    });
    socket.on("message", (data: Buffer) => {
      said.push(JSON.parse(data.toString()) as Said);
      if (said.length === wanted) resolve();
    });
  });
  socket.close();
  return said;
}
