import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { WebSocket } from "ws";
import { isTerminal, type JournalEvent } from "../../src/protocol/index.ts";
import type { ServerProcess } from "./server.ts";

/** A small generator of its own, so that a seed gives the same attack everywhere. */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  of<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  }
}

const NASTY: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  "",
  " ",
  "\u0000",
  "../../etc/passwd",
  "🦄".repeat(10),
  "x".repeat(10_000),
  [],
  {},
  [[]],
  { a: { b: {} } },
  "__proto__",
  { __proto__: null, constructor: 1 },
  "ses_",
  Number.MAX_SAFE_INTEGER,
  "2026-01-01",
  "'; drop table events; --",
  "%00",
  "\uD800",
];

interface Known {
  readonly sessions: string[];
  readonly approvals: string[];
  readonly hashes: string[];
  readonly ended: string[];
}

const SESSIONS_KEPT = 50;

const PATHS = [
  "/api/sessions",
  "/api/sessions/{s}",
  "/api/sessions/{s}/prompts",
  "/api/sessions/{s}/events",
  "/api/sessions/{s}/interrupt",
  "/api/sessions/{s}/pause",
  "/api/sessions/{s}/resume",
  "/api/sessions/{s}/fork",
  "/api/sessions/{s}/close",
  "/api/approvals",
  "/api/approvals/{a}",
  "/api/policy",
  "/api/policy/test",
  "/api/tokens",
  "/api/tokens/tok_x",
  "/api/audit",
  "/openapi.json",
  "/",
  "/health",
  "/nowhere",
  "/api/sessions/%00",
  "/api/sessions/%2e%2e/x",
] as const;

/** A body that the route would take, so that the fuzz also reaches what lies behind the parsers. */
function rightBody(dice: Dice, known: Known, path: string): object {
  const hash = dice.of(["", "x", "0".repeat(64), ...known.hashes]);
  if (path === "/api/sessions") {
    return dice.of<object>([
      {},
      { prompt: { text: 'sim: [{"say":"hi"}]' } },
      { prompt: 'sim: [{"tool":"Bash","input":{"command":"true"}}]' },
      { prompt: { text: "list files" }, autonomy: dice.of(["full", "supervised", "restricted", "read_only"]) },
      {
        resume_session_id: dice.of([...known.sessions, "ses_x"]),
        workspace: dice.of(["/", ".", "\u0000", "/proc/self"]),
      },
    ]);
  }
  if (path.endsWith("/prompts")) {
    return {
      text: dice.of([
        'sim: [{"say":"hi"}]',
        'sim: [{"tool":"Bash","input":{"command":"true"}}]',
        "list files",
        "sim: [",
      ]),
    };
  }
  if (path.endsWith("/fork")) return dice.of<object>([{}, { after_turn: "turn_x" }]);
  if (path.startsWith("/api/approvals/")) return { decision: dice.of(["approve", "reject"]), input_hash: hash };
  if (path === "/api/tokens") return { role: dice.of(["viewer", "nobody"]), name: "fuzz" };
  if (path === "/api/policy/test")
    return { tool: dice.of(["Bash", "Read", "Nope"]), input: { command: "ls | $(", file_path: "../x" } };
  if (path === "/api/policy") return { default_profile: "nope", profiles: {} };
  return {};
}

function body(dice: Dice, known: Known, path: string): unknown {
  const start = { ...rightBody(dice, known, dice.next() < 0.8 ? path : dice.of(PATHS)) } as Record<string, unknown>;
  for (let changes = dice.next() < 0.4 ? 0 : dice.below(4); changes > 0; changes -= 1) {
    const keys = [...Object.keys(start), "extra", "text", "prompt", "limit"];
    start[dice.of(keys)] = dice.of(NASTY);
  }
  return dice.next() < 0.1 ? dice.of(NASTY) : start;
}

function mangle(dice: Dice, text: string): string {
  const kind = dice.below(12);
  if (kind === 0) return text.slice(0, dice.below(text.length + 1));
  if (kind === 1) return text + text;
  if (kind === 2) return "[".repeat(dice.below(3_000)) + text;
  if (kind === 3) return text.replaceAll('"', dice.of(["'", "", "\\"]));
  return text;
}

async function overHttp(server: ServerProcess, agent: Agent, dice: Dice, known: Known): Promise<number> {
  const pattern = dice.next() < 0.2 ? "/api/sessions" : dice.of(PATHS);
  const path = pattern
    .replace("{s}", dice.of([...known.sessions.slice(-5), "ses_unknown", "x".repeat(300)]))
    .replace("{a}", dice.of([...known.approvals.slice(-5), "apr_unknown"]));
  const query =
    dice.next() < 0.3
      ? `?${dice.of(["after", "limit", "cursor", "status", "token"])}=${encodeURIComponent(dice.of(["-1", "x", "1e9", "%", "pending", "0", "999999999999999999999"]))}`
      : "";
  const method = dice.of(["GET", "POST", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]);
  const text = mangle(dice, JSON.stringify(body(dice, known, pattern)) ?? "");
  const headers: Record<string, string> = {
    authorization:
      dice.next() < 0.95 ? `Bearer ${server.token}` : dice.of(["", "Bearer", "Basic x", `Bearer ${"y".repeat(2_000)}`]),
    "content-type":
      dice.next() < 0.9 ? "application/json" : dice.of(["text/plain", "application/x-www-form-urlencoded", ""]),
  };
  if (dice.next() < 0.2) headers["idempotency-key"] = dice.of(["k", "k2", "x".repeat(500)]);
  if (dice.next() < 0.05) headers["accept"] = "text/event-stream";
  if (dice.next() < 0.05) headers["last-event-id"] = dice.of(["-1", "x", "99999", "0"]);
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}${query}`, { method, agent, headers }, (response) => {
      const stream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
      if (stream) {
        response.destroy();
        resolve(response.statusCode ?? 0);
        return;
      }
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("end", () => {
        remember(answer, known);
        resolve(response.statusCode ?? 0);
      });
      response.on("error", reject);
    });
    sent.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(0) : reject(error),
    );
    if (method === "GET" || method === "OPTIONS") sent.end();
    else sent.end(text);
  });
}

function remember(answer: string, known: Known): void {
  for (const [id] of answer.matchAll(/ses_[0-9a-z]{22}/g))
    if (!known.sessions.includes(id) && !known.ended.includes(id)) known.sessions.push(id);
  for (const [id] of answer.matchAll(/apr_[0-9a-z]{22}/g))
    if (!known.approvals.includes(id) && known.approvals.length < 500) known.approvals.push(id);
  for (const [, hash] of answer.matchAll(/"input_hash":"([0-9a-f]{64})"/g))
    if (hash !== undefined && !known.hashes.includes(hash) && known.hashes.length < 500) known.hashes.push(hash);
}

function socketMessage(dice: Dice, known: Known, path: string): string {
  const session_id = dice.of([...known.sessions.slice(-3), "ses_unknown"]);
  const right: readonly object[] =
    path === "/api/ws"
      ? [
          { type: "hello", protocol: "1.0" },
          { type: "subscribe", session_id, after: dice.of([0, 5, 1e9, -1]) },
          { type: "unsubscribe", session_id },
          { type: "prompt", command_id: dice.of(["a", "b", ""]), session_id, prompt: { text: "hi" } },
          {
            type: "decide",
            command_id: "d",
            approval_id: dice.of([...known.approvals, "x"]),
            decision: { decision: "approve", input_hash: "x" },
          },
          { type: "ping" },
        ]
      : [
          {
            command: "run",
            prompt: dice.of(["hello", "", "sim: [", 'sim: [{"say":"x"}]']),
            continue: dice.of([true, false, 1, null]),
          },
          { command: "cancel" },
          { command: "status" },
          { command: "new_session" },
          {
            command: "tool_approval_response",
            request_id: dice.of([...known.approvals, "x", 5]),
            approved: dice.of([true, "yes"]),
          },
          { command: "permission_response", approved: false },
        ];
  const start = { ...dice.of(right) } as Record<string, unknown>;
  if (dice.next() < 0.4) start[dice.of([...Object.keys(start), "extra"])] = dice.of(NASTY);
  return mangle(dice, JSON.stringify(start));
}

/** Sends a burst over one socket and waits until it has answered a last status or ping, or closed the connection. */
async function overSocket(server: ServerProcess, dice: Dice, known: Known, count: number): Promise<void> {
  const path = dice.of(["/api/ws", "/api/terminal/ws/agent"]);
  const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  await new Promise<void>((resolve) => {
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    socket.on("message", (data: Buffer) => {
      const text = data.toString();
      remember(text, known);
      if (text.includes('"pong"') || text.includes('"last":true') || text.includes('"pending":')) {
        if (text.includes("pong") || text.includes('"type":"status"')) finished += 1;
        if (finished >= 1 && sentAll) socket.close();
      }
    });
    let finished = 0;
    let sentAll = false;
    socket.on("open", () => {
      if (path === "/api/ws") socket.send('{"type":"hello","protocol":"1.0"}');
      for (let index = 0; index < count; index += 1) {
        if (dice.next() < 0.01) socket.send(Buffer.from([0, 255, 254]), { binary: true });
        else socket.send(socketMessage(dice, known, path));
      }
      sentAll = true;
      finished = 0;
      socket.send(path === "/api/ws" ? '{"type":"ping"}' : '{"command":"status"}');
    });
  });
}

export interface Fuzzed {
  readonly sent: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** Resident memory in MiB, at a tenth of the attack and at its end. */
  readonly memoryMib: readonly [number, number];
  readonly faults: readonly string[];
}

/** Sends malformed, oversized, reordered and doubled messages, then looks whether everything still holds. */
export async function fuzz(
  server: ServerProcess,
  options: { readonly count: number; readonly seed: number },
): Promise<Fuzzed> {
  const dice = new Dice(options.seed);
  const known: Known = { sessions: [], approvals: [], hashes: [], ended: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const statuses: Record<number, number> = {};
  let sent = 0;
  let early = 0;
  while (sent < options.count) {
    const burst = Array.from({ length: 16 }, () => overHttp(server, agent, dice, known));
    for (const status of await Promise.all(burst)) statuses[status] = (statuses[status] ?? 0) + 1;
    sent += burst.length;
    const messages = 32;
    await overSocket(server, dice, known, messages);
    sent += messages;
    await tidy(server, known);
    if (early === 0 && sent > options.count / 10) early = await residentMib(server);
  }
  agent.destroy();
  const faults = await inconsistencies(server, known);
  if ((statuses[500] ?? 0) > 0)
    faults.push(`${statuses[500] ?? 0} requests were answered with 500: ${server.log().slice(-2_000)}`);
  return { sent, statuses, memoryMib: [early, await residentMib(server)], faults };
}

/** Ends all but the newest sessions, as people do: what is then left in memory should not grow with their number. */
async function tidy(server: ServerProcess, known: Known): Promise<void> {
  while (known.sessions.length > SESSIONS_KEPT) {
    const id = known.sessions.shift();
    if (id === undefined) return;
    known.ended.push(id);
    // A fork or an id from an error text may not be there: that is an answer too.
    await server.client.control(id, "close").catch(() => undefined);
  }
}

async function residentMib(server: ServerProcess): Promise<number> {
  const text = await readFile(`/proc/${server.child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1_024);
}

async function inconsistencies(server: ServerProcess, known: Known): Promise<string[]> {
  const faults: string[] = [];
  if ((await server.client.health()).status !== "ok") faults.push("the server is not well");
  for (const id of [...known.sessions, ...known.ended]) {
    const { events } = await server.client.events(id, { limit: 1_000 }).catch(() => ({ events: [] as JournalEvent[] }));
    if (!events.every((event, index) => event.seq === index + 1)) faults.push(`${id} has a gap`);
    const ends = events.flatMap((event) => (isTerminal(event) ? [event.turn_id] : []));
    if (new Set(ends).size !== ends.length) faults.push(`${id} has a turn that ended twice`);
  }
  return faults;
}
