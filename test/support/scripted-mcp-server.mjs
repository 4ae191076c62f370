// An MCP server on standard streams for tests, written without an SDK so that it can misbehave. Its behaviour is its argument, as JSON:
// tools: [{name, description, inputSchema}], or toolsFile · hangAtStart · exitAtStart: code · stderr: text at the start · noise: bytes on stdout at the
// start · prompts: [{name, arguments, text}] · resources: {uri: text} · flood: notifications at the start · pidFile: where it writes its process id. What a call does is in its input, `do`:
// echo · hang (file: adds a line) · exit · big (bytes) · longLine (bytes) · change (tools: the next list) · environment · exists (paths) · noise (bytes) · lines (as they are) · result (as it is) · stderr (bytes) ·
// flood (messages) · record (file: adds a line) · hangAll · ask (method, params: of a request to the client; times: how often, one after the other; answers
// with the last outcome)
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const behaviour = JSON.parse(process.argv[2] ?? "{}");
let tools = behaviour.tools ??
  (behaviour.toolsFile === undefined ? undefined : JSON.parse(readFileSync(behaviour.toolsFile, "utf8"))) ?? [
    { name: "act", description: "Acts.", inputSchema: { type: "object" } },
  ];
let prompts = behaviour.prompts ?? [];
let isDeaf = false;
/** What is asked of the client, and what becomes of its answer. */
const questions = new Map();

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const flood = (count) => {
  for (let index = 0; index < count; index += 1)
    send({ method: "notifications/message", params: { level: "info", data: index } });
};

const actions = {
  echo: (input) => text(`echo ${JSON.stringify(input)}`),
  hang: ({ file }) => {
    if (file !== undefined) appendFileSync(file, "hangs\n");
    return undefined;
  },
  hangAll: () => {
    isDeaf = true;
    return undefined;
  },
  exit: () => process.exit(3),
  big: ({ bytes }) => text("x".repeat(bytes)),
  longLine: ({ bytes }) => {
    process.stdout.write("y".repeat(bytes));
    return undefined;
  },
  change: ({ next }) => {
    tools = next;
    send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
  changePrompts: ({ next }) => {
    prompts = next;
    send({ method: "notifications/prompts/list_changed" });
    return text("changed");
  },
  exists: ({ paths }) => text(JSON.stringify(paths.map((path) => existsSync(path)))),
  environment: () => text(JSON.stringify(process.env)),
  noise: ({ bytes }) => {
    process.stdout.write(`${"n".repeat(1_000)}\n`.repeat(Math.ceil(bytes / 1_001)));
    return text("noise");
  },
  lines: ({ lines }) => {
    process.stdout.write(`${lines.join("\n")}\n`);
    return text("lines");
  },
  result: ({ result }) => result,
  stderr: ({ bytes }) => {
    process.stderr.write("e".repeat(bytes));
    return text("stderr");
  },
  flood: ({ count }) => {
    flood(count);
    return text("flood");
  },
  ask: ({ method, params, times = 1 }, id) => {
    const ask = (left) => {
      const asked = `ask-${String(id)}-${String(left)}`;
      questions.set(asked, (outcome) =>
        left > 1 ? ask(left - 1) : send({ id, result: text(JSON.stringify(outcome)) }),
      );
      send({ id: asked, method, params });
    };
    ask(times);
    return undefined;
  },
  record: ({ file }) => {
    appendFileSync(file, "ran\n");
    return text("recorded");
  },
};

function sendPrompt(id, { name, arguments: input = {} }) {
  const { text: words } = prompts.find((prompt) => prompt.name === name) ?? {};
  if (words === undefined) return send({ id, error: { code: -32_602, message: `no prompt ${name}` } });
  const content = { type: "text", text: `${words} ${JSON.stringify(input)}` };
  return send({ id, result: { messages: [{ role: "user", content }] } });
}

function sendResource(id, { uri }) {
  const found = behaviour.resources?.[uri];
  if (found === undefined) return send({ id, error: { code: -32_002, message: `no resource ${uri}` } });
  return send({ id, result: { contents: [{ uri, text: found }] } });
}

function answer({ id, method, params, result: outcome, error }) {
  if (id === undefined || isDeaf) return;
  if (method === undefined) {
    questions.get(id)?.(outcome ?? { error: error.message });
    questions.delete(id);
    return;
  }
  if (method === "initialize") {
    if (behaviour.hangAtStart) return;
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: {
          tools: { listChanged: true },
          ...(behaviour.prompts === undefined ? {} : { prompts: { listChanged: true } }),
          ...(behaviour.resources === undefined ? {} : { resources: {} }),
        },
        serverInfo: { name: "scripted", version: "1" },
      },
    });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "prompts/list") send({ id, result: { prompts } });
  else if (method === "prompts/get") sendPrompt(id, params);
  else if (method === "resources/read") sendResource(id, params);
  else if (method === "ping") send({ id, result: {} });
  else if (method === "tools/call") {
    const input = params.arguments ?? {};
    const result = (actions[input.do] ?? actions.echo)(input, id);
    if (result !== undefined) send({ id, result });
  } else send({ id, error: { code: -32_601, message: `unknown method ${method}` } });
}

if (behaviour.pidFile !== undefined) writeFileSync(behaviour.pidFile, String(process.pid));
if (behaviour.stderr !== undefined) process.stderr.write(behaviour.stderr);
if (behaviour.exitAtStart !== undefined) process.exit(behaviour.exitAtStart);
if (behaviour.noise !== undefined) actions.noise({ bytes: behaviour.noise });
if (behaviour.flood !== undefined) flood(behaviour.flood);
createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
