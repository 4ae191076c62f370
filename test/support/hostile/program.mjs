// A vendor's program that means harm. It speaks enough of its protocol (`codex`, `acp` or `opencode`, its first argument) to be given a
// prompt. The prompt names an attack of attacks.mjs, which it plays before it ends its turn.
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { ATTACKS, VOICES } from "./attacks.mjs";

const [, , kind] = process.argv;
const voice = VOICES[kind];
let output = process.stdout;

async function put(text) {
  if (!output.write(text)) await once(output, "drain");
}

const NAME = /attack <([^>]*)>/;

async function play(prompt, deafen) {
  const [, name] = NAME.exec(prompt) ?? [];
  const attack = ATTACKS[kind][name];
  if (attack === undefined) return;
  for (const text of attack({ ...voice, deafen })) await put(text);
}

function speakLines(take) {
  const lines = createInterface({ input: process.stdin });
  // A program that is not read from any more reads nothing either.
  const deafen = () => {
    lines.pause();
    process.stdin.pause();
  };
  lines.on("line", (line) => void take(JSON.parse(line), deafen));
}

const CODEX = {
  initialize: { userAgent: "sallyport/99.0.0 (test)" },
  "thread/start": { thread: { id: "thread" } },
  "turn/start": { turn: { id: "turn" } },
};
const ACP = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  "session/new": { sessionId: "s" },
};

async function codex({ id, method, params }, deafen) {
  if (id === undefined || method === undefined) return;
  await put(voice.line(JSON.stringify({ id, result: CODEX[method] ?? {} })));
  if (method !== "turn/start") return;
  await put(voice.line(JSON.stringify({ method: "turn/started", params: { turn: { id: "turn" } } })));
  await play(JSON.stringify(params.input), deafen);
  await put(
    voice.line(JSON.stringify({ method: "turn/completed", params: { turn: { id: "turn", status: "completed" } } })),
  );
}

async function acp({ id, method, params }, deafen) {
  if (id === undefined || method === undefined) return;
  if (method === "session/prompt") await play(JSON.stringify(params.prompt), deafen);
  await put(voice.line(JSON.stringify({ jsonrpc: "2.0", id, result: ACP[method] ?? { stopReason: "end_turn" } })));
}

async function opencode(request, response) {
  const [path] = request.url.split("?");
  if (path === "/event") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    output = response;
    await put('data: {"type":"server.connected","properties":{}}\n\n');
    return;
  }
  let body = "";
  for await (const chunk of request) body += chunk;
  const made = path === "/session" ? { id: "ses_1" } : {};
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(made));
  if (!path.endsWith("/prompt_async")) return;
  const { parts } = JSON.parse(body);
  const tell = (type, properties) =>
    put(`data: ${JSON.stringify({ type, properties: { sessionID: "ses_1", ...properties } })}\n\n`);
  await play(JSON.stringify(parts), () => undefined);
  const info = {
    id: "msg_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
    sessionID: "ses_1",
    role: "assistant",
    finish: "stop",
    time: { completed: 1 },
  };
  await tell("message.updated", { info });
  await tell("session.status", { status: { type: "idle" } });
}

if (kind === "codex") speakLines(codex);
if (kind === "acp") speakLines(acp);
if (kind === "opencode") {
  const server = createServer((request, response) => void opencode(request, response).catch(() => undefined));
  server.listen(0, "127.0.0.1", () =>
    console.log(`opencode server listening on http://127.0.0.1:${server.address().port}`),
  );
  process.on("SIGTERM", () => process.exit(0));
}
