import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { WebSocket } from "ws";
import type { Approval, SessionView } from "../../../src/protocol/index.ts";
import { makeSqlite } from "../../connections/place.ts";
import { approveWith, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import type { Contract } from "./contract.ts";

/** Where the tour goes, and with what. */
export interface Tour {
  readonly contract: Contract;
  readonly app: TestApp;
}

export async function tourOfServer({ contract, app }: Tour): Promise<void> {
  for (const operation of [
    "getHealth",
    "getLiveness",
    "getReady",
    "getReadiness",
    "getOpenApiDocument",
    "getMe",
    "listEngines",
    "listProviders",
    "listModels",
    "listPrices",
  ])
    await contract.get(operation);
  await contract.get("listFolders");
  await contract.get("getJsonSchema", { params: { name: "rich-row" } });
  await contract.get("listFolders", { query: { path: app.place.workspace } });
  await contract.get("testProvider", { params: { id: "sim" } });
  await contract.get("getMetrics");
  await contract.get("getUsage", { query: { by: "day,model", limit: "5" } });
  await contract.get("getUsage", { query: { format: "csv" } });
  await contract.get("saveTemplate", { params: { id: "mine" }, body: { name: "Mine", session: { autonomy: "full" } } });
  await contract.get("listTemplates");
  await contract.get("deleteTemplate", { params: { id: "mine" } });
  const content = {
    tables: [{ name: "demog", columns: ["AGE"], source: { kind: "sample", id: "demog" }, layout: "{}" }],
    shown: 0,
    queries: [{ name: "Query 1", source: "page", sql: "SELECT 1" }],
  };
  await contract.get("saveWorkbenchProject", { params: { id: "ages" }, body: { name: "Ages", content } });
  await contract.get("listWorkbenchProjects");
  await contract.get("getWorkbenchProject", { params: { id: "ages" } });
  await contract.get("deleteWorkbenchProject", { params: { id: "ages" } });
  await contract.get("saveTunnel", { params: { id: "home" }, body: { auth: "nostr" } });
  await contract.get("listTunnels");
  await contract.get("deleteTunnel", { params: { id: "home" } });
  await contract.get("createTunnelOffer", { body: { id: "work", auth: "none" } });
  await contract.get("listTunnelOffers");
  await contract.get("saveTunnel", {
    params: { id: "work" },
    body: { url: `${app.serving.url.replace("http", "ws")}/tunnel`, auth: "none" },
  });
  await contract.get("testTunnel", { params: { id: "work" } });
  await contract.get("revokeTunnelOffer", { params: { id: "work" } });
  await contract.get("deleteTunnel", { params: { id: "work" } });
  await contract.get("listWorkers");
  await contract.get("getPool");
  await contract.get("setPool", { body: { max_workers: 1_000 } });
  const { id } = await contract.get<{ id: string }>("createToken", {
    body: { role: "agent", name: "short", max_cost_microusd: 5, origins: ["https://a.example"], expires_in_s: 60 },
    headers: { "idempotency-key": "one" },
  });
  await contract.get("listTokens", { query: { limit: "2" } });
  await contract.get("deleteToken", { params: { id } });
  const key = await contract.get<{ id: string }>("createKey", {
    body: { name: "notebook", models: ["sim"], max_cost_microusd: 1_000, rate: { requests_per_minute: 9 } },
  });
  await contract.get("listKeys", { query: { limit: "2" } });
  await contract.get("deleteKey", { params: { id: key.id } });
  expect((await contract.send("createKey", { body: { name: "x", models: [] } })).status).toBe(400);
  const policy = await contract.get<{ default_profile: string }>("getPolicy");
  await contract.get("setPolicy", {
    body: {
      default_profile: policy.default_profile,
      profiles: { mine: { autonomy: "full" }, brief: { approval_timeout_ms: 1_000 } },
    },
  });
  await contract.get("listPolicyChanges");
  await contract.get("testPolicy", { body: { tool: "Bash", input: { command: "rm -rf x" } } });
  await contract.get("listAuditEntries", { query: { action: "token." } });
  await contract.get("listAuditEntries", { headers: { accept: "text/csv" } });
  expect((await contract.send("createToken", { body: { role: "king", name: "x" } })).status).toBe(400);
}

/** A call of each kind, so that the journal has an item of each. */
const EVERYTHING = script(
  { think: "I look around." },
  { tool: "TodoWrite", input: { todos: [{ content: "look", status: "pending", activeForm: "looking" }] } },
  { tool: "Write", input: { file_path: "a.txt", content: "hello\n" } },
  { tool: "Edit", input: { file_path: "a.txt", old_string: "hello", new_string: "bye" } },
  { tool: "Read", input: { file_path: "a.txt" } },
  { tool: "Bash", input: { command: "sudo cat a.txt | wc -l > b.txt" } },
  { tool: "NoSuchTool", input: {} },
  { say: "Done." },
);

/** A prompt that waits, and words of the conversation. */
async function tourOfQueue(
  contract: Contract,
  params: { readonly id: string; readonly turn_id: string },
): Promise<void> {
  await contract.get("searchConversations", { query: { q: "todo", session: params.id } });
  await contract.get("getQueuedPrompt", { params });
  await contract.get("editQueuedPrompt", { params, body: { text: "later, but better" } });
  await contract.get("orderQueue", { params: { id: params.id }, body: { order: [params.turn_id] } });
}

/** A prompt that waits is sent into the running turn. */
async function tourOfSteering({ contract, app }: Tour): Promise<void> {
  const text = script({ tool: "Bash", input: { command: "true > steered.txt" } });
  const { id } = await app.client.createSession({ prompt: { text } });
  for await (const { type } of app.client.watch(id)) if (type === "approval.requested") break;
  const { turn_id } = await contract.get<{ turn_id: string }>("sendPrompt", {
    params: { id },
    body: { text: "later" },
  });
  await contract.get("sendQueuedPromptNow", { params: { id, turn_id } });
  await app.client.control(id, "close");
}

export async function tourOfSessions({ contract, app }: Tour): Promise<void> {
  const { id } = await contract.get<SessionView>("createSession", {
    body: { prompt: { text: EVERYTHING }, metadata: { mine: 1 }, max_cost_microusd: 1_000_000 },
    headers: { "idempotency-key": "first" },
  });
  const params = { id };
  await untilTurnEnds(app.client, id, { answer: (approval) => answerOne({ contract, app }, approval) });
  await contract.get("listApprovals", { query: { session_id: id } });
  await contract.get("listSessions", { query: { limit: "1", search: "todo" } });
  await contract.get("getSession", { params });
  await contract.get("labelSession", { params, body: { title: "Tour", tags: ["a", "b"], archived: true } });
  await contract.get("listSessions", { query: { archived: "true", tag: "a", workspace: app.place.workspace } });
  await contract.get("labelSession", { params, body: { title: "", tags: [], archived: false } });
  await contract.get("getSessionUsage", { params });
  await contract.get("listSessionModels", { params });
  await contract.get("getSessionMcpServers", { params });
  await contract.get("getSessionContext", { params });
  await contract.get("listSessionCommands", { params });
  for (const format of ["markdown", "html", "json"]) await contract.get("exportSession", { params, query: { format } });
  const share = await contract.get<{ id: string; path: string }>("shareSession", { params, body: { tools: true } });
  await contract.get("listShares", { params });
  await contract.get("openShare", { params: { secret: share.path.slice("/share/".length) }, token: null });
  await contract.get("revokeShare", { params: { id, share_id: share.id } });
  await contract.get("importSession", {
    body: { conversation: { source: "codex", turns: [{ prompt: "hi", items: [{ type: "message", text: "hello" }] }] } },
  });
  await contract.get("findSessionFiles", { params, query: { query: "a" } });
  await contract.get("setSessionBudget", { params, body: { max_cost_microusd: 2_000_000 } });
  await contract.get("configureSession", { params, body: { permission_mode: "plan" } });
  await contract.get("pauseSession", { params });
  const { turn_id } = await contract.get<{ turn_id: string }>("sendPrompt", { params, body: { text: "later" } });
  await tourOfQueue(contract, { id, turn_id });
  await contract.get("removePrompt", { params: { id, turn_id } });
  await contract.get("resumeSession", { params });
  await tourOfExpired({ contract, app });
  await tourOfSteering({ contract, app });
  const { grants } = await contract.get<SessionView>("getSession", { params });
  await contract.get("revokeGrant", { params, body: { rule: grants[0] } });
  const fork = await contract.get<SessionView>("forkSession", { params, body: {} });
  await contract.get("interruptSession", { params: { id: fork.id }, body: { hold_queue: true } });
  await contract.get("closeSession", { params });
  await contract.get("listSessionEvents", { params, query: { after: "0", limit: "1000" } });
  // The session has ended, so the stream ends too.
  const frames = await contract.get<readonly object[]>("listSessionEvents", {
    params,
    headers: { accept: "text/event-stream" },
  });
  expect(frames.length).toBeGreaterThan(30);
  expect((await contract.send("sendPrompt", { params, body: { text: "too late" } })).status).toBe(409);
  await contract.get("pruneSessions", { body: { max_age_days: 1, dry_run: true } });
  await contract.get("deleteSession", { params: { id: fork.id } });
}

/** A question that nobody answers, and that is asked again. */
async function tourOfExpired({ contract, app }: Tour): Promise<void> {
  const text = script({ tool: "Bash", input: { command: "echo late" } }, { say: "Done." });
  const { id } = await app.client.createSession({ profile: "brief", prompt: { text } });
  await untilTurnEnds(app.client, id, { answer: () => Promise.resolve() });
  const [expired] = (await app.client.approvals({ status: "timed_out", session_id: id })).approvals;
  await contract.get("askApprovalAgain", { params: { id: expired?.id ?? "" } });
  await app.client.deleteSession(id);
}

/** A session in a snapshot of a repository, with changes to decide on. */
export async function tourOfChanges({ contract, app }: Tour): Promise<void> {
  const workspace = join(app.place.workspace, "repository");
  const git = (...words: readonly string[]): Buffer =>
    execFileSync("git", ["-C", workspace, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words]);
  await mkdir(workspace);
  await writeFile(join(workspace, "a.txt"), "one\n");
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=all");
  await writeFile(join(workspace, ".env"), "A=1\n");
  const write = (file_path: string): object => ({ tool: "Write", input: { file_path, content: "two\n" } });
  const text = script(...["a.txt", "b.txt", "c.txt", "d.txt"].map(write), { say: "Done." });
  const { id } = await contract.get<SessionView>("createSession", {
    body: { workspace, workspace_mode: "snapshot", repo_filter: "strict", autonomy: "full", prompt: { text } },
  });
  await untilTurnEnds(app.client, id, { answer: approveWith(app.client) });
  const params = { id };
  await writeFile(join(workspace, "a.txt"), "theirs\n");
  await contract.get("listChanges", { params });
  await contract.get("diffChange", { params, query: { path: "a.txt" } });
  expect((await contract.send("applyChanges", { params, body: {} })).status).toBe(409);
  await contract.get("applyChanges", { params, body: { paths: ["b.txt"] } });
  const { commit } = await contract.get<{ commit: string }>("commitChanges", {
    params,
    body: { branch: "mine", message: "Mine" },
  });
  await tourOfReview({ contract, app }, { id, commit, workspace });
  await contract.get("readClaudeSessionChanges", { params });
  await contract.get("writeClaudeSessionChanges", { params, body: { action: "discard", paths: ["c.txt"] } });
  await contract.get("sendClaudeSessionChanges", { params, body: { action: "discard", paths: ["d.txt"] } });
  await contract.get("discardChanges", { params, body: {} });
}

/** Comments, moments and pushing. */
async function tourOfReview(
  { contract, app }: Tour,
  { id, commit, workspace }: { readonly id: string; readonly commit: string; readonly workspace: string },
): Promise<void> {
  const params = { id };
  const bare = join(app.place.workspace, "..", "tour.git");
  execFileSync("git", ["init", "--quiet", "--bare", bare]);
  execFileSync("git", ["-C", workspace, "remote", "add", "origin", bare]);
  const { remotes } = await contract.get<{ remotes: { url: string }[] }>("lookAtPublishing", { params });
  const target = { branch: "mine", remote: "origin", url: remotes[0]?.url ?? "" };
  await contract.get("pushChanges", { params, body: { ...target, commit } });
  execFileSync("git", ["-C", workspace, "remote", "add", "hub", "https://github.com/org/app.git"]);
  const hub = { branch: "mine", remote: "hub", url: "https://github.com/org/app.git" };
  await contract.get("openPullRequest", { params, body: { ...hub, title: "Mine" } });
  const { moments } = await contract.get<{ moments: { id: string }[] }>("listMoments", { params });
  expect(moments.map((moment) => moment.id)[0]).toBe("start");
  await contract.get("openSessionFile", { params, query: { path: "c.txt" } });
  await contract.get("compareFiles", { params, query: { with: "start" } });
  await contract.get("compareFile", { params, query: { with: "start", path: "c.txt" } });
  expect((await contract.send("rewindFiles", { params, body: { to: "start", revision: "other" } })).status).toBe(409);
  const { revision } = await app.client.reviews.compare(id, "start");
  await contract.get("rewindFiles", { params, body: { to: "start", revision, paths: ["b.txt"] } });
  const comments = [{ path: "c.txt", line: 1, text: "Say more." }];
  const { seq } = await contract.get<{ seq: number }>("commentOnChanges", { params, body: { comments } });
  await untilTurnEnds(app.client, id, { after: seq - 1, answer: approveWith(app.client) });
}

async function answerOne({ contract }: Tour, { id, input, input_hash }: Approval): Promise<void> {
  const params = { id };
  await contract.get("getApproval", { params });
  await contract.get("previewApprovalEdit", { params, body: { input } });
  expect(
    (await contract.send("decideApproval", { params, body: { decision: "approve", input_hash: "x" } })).status,
  ).toBe(409);
  await contract.get("extendApproval", { params, body: { ms: 600_000 } });
  await contract.get("refreshApproval", { params });
  expect((await contract.send("askApprovalAgain", { params })).status).toBe(409);
  const wrong = { id: "apr_none", decision: "approve", input_hash };
  await contract.get("decideApprovals", { body: { decisions: [wrong] } });
  await contract.get("decideApproval", { params, body: { decision: "approve", input_hash, scope: "session" } });
}

/** Deltas and snapshots, which only a live stream has. */
export async function tourOfLiveStream({ contract, app }: Tour): Promise<void> {
  const { id } = await contract.get<SessionView>("createSession", { body: {} });
  const stream = contract.get<readonly { type: string }[]>("listSessionEvents", {
    params: { id },
    query: { after: "0" },
    headers: { accept: "text/event-stream" },
  });
  const { seq } = await app.client.prompt(id, { text: script({ stream: { tokens: 200 } }) });
  await untilTurnEnds(app.client, id, { after: seq - 1 });
  await app.client.control(id, "close");
  expect((await stream).map(({ type }) => type)).toContain("item.delta");
}

export async function tourOfConnections({ contract }: Tour): Promise<void> {
  const place = makeSqlite();
  const params = { id: "books" };
  try {
    await contract.get("setConnection", { params, body: { kind: "sqlite", path: place.path, name: "Books" } });
    for (const operation of ["getConnection", "testConnection", "listCatalogs"])
      await contract.get(operation, { params });
    await contract.get("listConnections");
    await contract.get("getCatalog", { params: { ...params, catalog: "main" } });
    await contract.get("classifySql", { params, body: { sql: "DELETE FROM ledger" } });
    await contract.get("runQuery", { params, body: { sql: "SELECT * FROM ledger", max_rows: 2 } });
    expect((await contract.send("runQuery", { params, body: { sql: "DELETE FROM ledger" } })).status).toBe(403);
    await contract.get("deleteConnection", { params });
  } finally {
    place.remove();
  }
}

const SOCKETS = {
  openApiSocket: "/api/ws",
  openAgentSocket: "/api/terminal/ws/agent",
  openShellSocket: "/api/shell",
  openBridgeSocket: "/bridge",
  openRuntimeSocket: "/ws",
} as const;

export async function tourOfSockets({ contract, app }: Tour): Promise<void> {
  for (const [operation, path] of Object.entries(SOCKETS)) {
    for (const token of [app.serving.token, "sp_wrong"]) {
      const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const status = await new Promise<number>((resolve) => {
        socket.on("upgrade", ({ statusCode = 0 }) => resolve(statusCode));
        socket.on("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode));
        socket.on("error", () => undefined);
      });
      contract.upgraded(operation, status);
      socket.terminate();
    }
    expect((await contract.send(operation)).status).toBe(400);
  }
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
};

export async function tourOfMcp({ contract }: Tour): Promise<void> {
  const accept = "application/json, text/event-stream";
  const { headers } = await contract.send("sendMcpMessage", { body: INITIALIZE, headers: { accept } });
  const session = { "mcp-session-id": headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" };
  const notice = { jsonrpc: "2.0", method: "notifications/initialized" };
  await contract.get("sendMcpMessage", { body: notice, headers: { accept, ...session } });
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  await contract.get("sendMcpMessage", { body: list, headers: { accept, ...session } });
  await contract.get("openMcpStream", { headers: { accept: "text/event-stream", ...session }, events: 0 });
  await contract.get("closeMcpSession", { headers: session });
  expect((await contract.send("sendMcpMessage", { body: list, headers: { accept, ...session } })).status).toBe(404);
  expect((await contract.send("sendMcpMessage", { body: list, headers: { accept: "text/html" } })).status).toBe(406);
}

/** A login at an MCP server. `agree`: the person who says yes. */
export async function tourOfMcpLogins(contract: Contract, agree: (url: string) => Promise<URL>): Promise<void> {
  const body = { redirect_url: "http://127.0.0.1:1/callback" };
  const far = { params: { name: "far" } };
  const started = await contract.get<{ authorization_url: string; state: string }>("startMcpLogin", { ...far, body });
  const code = (await agree(started.authorization_url)).searchParams.get("code");
  await contract.get("finishMcpLogin", { body: { state: started.state, code } });
  await contract.get("listMcpLogins");
  await contract.get("endMcpLogin", far);
  expect((await contract.send("startMcpLogin", { params: { name: "none" }, body })).status).toBe(404);
  expect((await contract.send("finishMcpLogin", { body: { state: "none", code: "none" } })).status).toBe(404);
  expect((await contract.send("endMcpLogin", { params: { name: "none" } })).status).toBe(404);
}
