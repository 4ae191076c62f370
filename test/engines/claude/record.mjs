// Records what the vendor's program really says for a few scripts: `node test/engines/claude/record.mjs`, after a build. The
// files in golden/ are what `translate` is tested with; what differs from run to run (paths, ids, times) is made the same.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startSim } from "../../../dist/sim/index.js";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const sdk = createRequire(require.resolve("@anthropic-ai/claude-agent-sdk"));
const platform = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
const executable = join(dirname(sdk.resolve(`${platform}/package.json`)), "claude");

const sub = `Look.\nsim: ${JSON.stringify([{ think: "inner" }, { say: "I look." }, { tool: "Bash", input: { command: "echo sub" } }, { say: "sub done" }])}`;

/** `deny`: a call that is refused. `interruptAt`: after so many pieces of text. */
const SCRIPTS = {
  words: {
    steps: [
      { think: "hm hm" },
      { say: "Hello there." },
      { tool: "Bash", input: { command: "echo hi; exit 3" } },
      { say: "Done." },
    ],
  },
  files: {
    steps: [
      {
        tools: [
          { tool: "Write", input: { file_path: "n.txt", content: "one\ntwo\n" } },
          { tool: "Read", input: { file_path: "missing.txt" } },
        ],
      },
      { tool: "Edit", input: { file_path: "n.txt", old_string: "two", new_string: "TWO" } },
      { tool: "TodoWrite", input: { todos: [{ content: "a", status: "pending", activeForm: "doing a" }] } },
      { tool: "Nope", input: {} },
      { say: "Done." },
    ],
  },
  denied: { deny: true, steps: [{ tool: "Bash", input: { command: "touch x" } }, { say: "I see." }] },
  subagent: { steps: [{ tool: "Agent", input: { description: "look", prompt: sub } }, { say: "Done." }] },
  cut: { steps: [{ stream: { tokens: 8, per_second: 60 } }, { cut: true }, { say: "Rest." }] },
  interrupted: { interruptAt: 4, steps: [{ stream: { tokens: 400, per_second: 60 } }] },
  refused: { steps: [{ say: "Well." }, { stop_reason: "refusal" }] },
  unauthenticated: { steps: [{ error: { status: 401, message: "invalid x-api-key" }, times: 9 }] },
  structured: {
    jsonSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
    steps: [
      { tool: "StructuredOutput", input: { count: "two" } },
      { say: "Two." },
      { stop_reason: "end_turn" },
      { tool: "StructuredOutput", input: { count: 2 } },
    ],
  },
  compacted: {
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
    steps: [
      { tool: "Bash", input: { command: "echo a" } },
      { usage: { input_tokens: 96_000 } },
      { tool: "Bash", input: { command: "echo b" } },
      { say: "end" },
    ],
  },
};

async function record(name, { steps, deny, interruptAt, env, jsonSchema }) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sp-record-")));
  for (const folder of ["workspace", "home", "claude", "tmp"]) mkdirSync(join(root, folder));
  const socket = join(root, "model.sock");
  const sim = await startSim({ path: socket }, { demoDelayMs: 0 });
  const flags = [
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
    "--include-partial-messages",
  ];
  const safety = [
    "--permission-prompt-tool=stdio",
    "--permission-mode=default",
    "--setting-sources=",
    "--strict-mcp-config",
  ];
  const tools = "--tools=Read,Write,Edit,Bash,TodoWrite,Agent";
  const child = spawn(executable, ["-p", ...flags, ...safety, "--disable-slash-commands", "--model=sim", tools], {
    cwd: join(root, "workspace"),
    env: {
      PATH: process.env.PATH,
      HOME: join(root, "home"),
      CLAUDE_CONFIG_DIR: join(root, "claude"),
      CLAUDE_CODE_TMPDIR: join(root, "tmp"),
      ANTHROPIC_BASE_URL: "http://sallyport",
      ANTHROPIC_UNIX_SOCKET: socket,
      ANTHROPIC_AUTH_TOKEN: "key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
      CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: "1",
      CLAUDE_CODE_ENABLE_TASKS: "0",
      CLAUDE_CODE_MAX_RETRIES: "1",
      CLAUDE_CODE_SUBAGENT_MODEL: "sim",
      ...env,
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = [];
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const answer = (request_id, response) =>
    send({ type: "control_response", response: { subtype: "success", request_id, response } });
  let pieces = 0;
  const take = (message) => {
    if (message.type === "control_response") return;
    const { request, request_id } = message;
    if (request?.subtype === "hook_callback") {
      answer(request_id, { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } });
      return;
    }
    // Pieces of a tool's input are many, and nobody reads them.
    if (message.event?.delta?.type === "input_json_delta") return;
    lines.push(message);
    if (request?.subtype === "can_use_tool") {
      const decision = deny
        ? { behavior: "deny", message: "User rejected: use make" }
        : { behavior: "allow", updatedInput: request.input };
      lines.push({ type: "answer", tool_use_id: request.tool_use_id, ...decision });
      answer(request_id, decision);
    }
    if (message.event?.delta?.type === "text_delta" && ++pieces === interruptAt)
      send({ type: "control_request", request_id: "stop", request: { subtype: "interrupt" } });
    if (message.type === "result") child.stdin.end();
  };
  createInterface({ input: child.stdout }).on("line", (line) => take(JSON.parse(line)));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const hooks = { PreToolUse: [{ matcher: null, hookCallbackIds: ["ask"], timeout: 600 }] };
  const text = `Do it.\nsim: ${JSON.stringify(steps)}`;
  send({
    type: "control_request",
    request_id: "init",
    request: { subtype: "initialize", hooks, forwardSubagentText: true, jsonSchema },
  });
  send({
    type: "user",
    client_composed: true,
    session_id: "",
    parent_tool_use_id: null,
    message: { role: "user", content: text },
  });
  await ended;
  clearTimeout(timer);
  await sim.close();
  rmSync(root, { recursive: true, force: true });
  writeFileSync(join(here, "golden", `${name}.jsonl`), normalised(lines, root));
}

const VOLATILE = /(?:_ms|_at|timestamp|_usd|USD|time|total_tokens|estimated_tokens|ttft|run_id|task_id_suffix)$/;
const LONGEST = 120;
const DROPPED = new Set(["slash_commands", "skills", "agents", "plugins", "commands", "memory_paths", "apiKeySource"]);

/** Numbers that no two runs share become 0, except costs, which follow from the script. */
function plain(value, key = "") {
  if (Array.isArray(value)) return value.map((part) => plain(part));
  if (typeof value === "number" && VOLATILE.test(key) && !/usd$/i.test(key)) return 0;
  // The vendor's own prose is not ours to keep; its beginning is enough to see what it was.
  if (typeof value === "string") return key === "timestamp" ? "" : value.slice(0, LONGEST);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !DROPPED.has(name));
  return Object.fromEntries(entries.map(([name, part]) => [name, plain(part, name)]));
}

function normalised(lines, root) {
  const names = new Map();
  const named = (kind, found) => {
    if (!names.has(found))
      names.set(found, `${kind}${[...names.values()].filter((name) => name.startsWith(kind)).length + 1}`);
    return names.get(found);
  };
  const text = lines.map((line) => JSON.stringify(plain(line))).join("\n");
  return `${text
    .replaceAll(root, "/r")
    .replaceAll(root.replaceAll("/", "-"), "-r")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (found) => named("uuid-", found))
    .replaceAll(/\b(?:toolu|msg|req)_[0-9a-f]{24}\b/g, (found) => named(`${found.split("_")[0]}_`, found))
    .replaceAll(/\ba[0-9a-f]{16}\b/g, (found) => named("agent-", found))
    .replaceAll(/\b[0-9a-z]{9}-[0-9a-f]{8}\b/g, (found) => named("run-", found))
    .replaceAll(/cc-socks\/\d+/g, "cc-socks/1")}\n`;
}

for (const [name, script] of Object.entries(SCRIPTS)) await record(name, script);
