// Records what Codex really says for a few scripts: `node test/engines/codex/record.mjs`, after a build. The files in golden/ are what
// `translate` is tested with; what differs from run to run (paths, ids, times) is made the same.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchCodex } from "../../../dist/engines/codex/launch.js";
import { findCodex } from "../../../dist/engines/codex/program.js";
import { OutputAllowance } from "../../../dist/engines/vendor/output.js";
import { openLocalSandbox } from "../../../dist/sandbox/index.js";
import { startSim } from "../../../dist/sim/index.js";

const here = dirname(fileURLToPath(import.meta.url));
const [executable] = findCodex({ installed: join(here, "../../../node_modules/.cache/sallyport-programs") });

const BASH = {
  type: "function",
  name: "Bash",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};
const bash = (command) => ({ tool: "Bash", input: { command } });

/** `interruptAt`: after so many pieces of text. */
const SCRIPTS = {
  words: { steps: [{ think: "hm hm" }, { say: "Hello there." }, bash("echo hi"), { say: "Done." }] },
  together: { steps: [{ tools: [bash("echo one"), bash("echo two")] }, { say: "Done." }] },
  unknown: { steps: [{ tool: "Teleport", input: { to: "Mars" } }, { say: "Pity." }] },
  cut: { steps: [{ stream: { tokens: 8, per_second: 60 } }, { cut: true }] },
  interrupted: { interruptAt: 4, steps: [{ stream: { tokens: 400, per_second: 60 } }] },
  refused: { steps: [{ say: "Well." }, { stop_reason: "refusal" }] },
  "cut-off": { steps: [{ say: "Well and much more." }, { stop_reason: "max_tokens" }] },
  unauthenticated: { steps: [{ error: { status: 401, message: "invalid key" }, times: 9 }] },
  overloaded: { steps: [{ error: { status: 529, message: "overloaded" }, times: 9 }] },
  "many-requests": { steps: [{ error: { status: 429, message: "slow down" }, times: 9 }] },
  wrong: { steps: [{ error: { status: 400, message: "no such thing" }, times: 9 }] },
};

async function record(name, { steps, interruptAt }) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-record-")));
  const sim = await startSim({ port: 0 });
  const sandbox = openLocalSandbox({
    sessionId: "ses_record",
    home: place,
    marker: "record",
    environment: process.env,
  });
  const lines = [];
  let pieces = 0;
  let turnId = "";
  let end = () => undefined;
  const ended = new Promise((resolve) => (end = resolve));
  let connection;
  const host = {
    folder: place,
    model: { baseUrl: sim.url, key: "key", name: "sim", facts: () => ({ api: "responses", contextTokens: 200_000 }) },
    sandbox: {
      kind: "local",
      open: async (request) => {
        const program = await sandbox.open(request);
        let text = "";
        program.stdout.on("data", (chunk) => {
          text += chunk.toString("utf8");
          const whole = text.split("\n");
          text = whole.pop();
          lines.push(...whole.map((line) => JSON.parse(line)));
        });
        return program;
      },
    },
    sleep: (_ms, signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
  };
  const listener = {
    heard: (notice) => {
      if (notice.type === "turn_started") turnId = notice.turn;
      if (notice.type === "text" && (pieces += 1) === interruptAt)
        void connection.request("turn/interrupt", { threadId: thread, turnId });
      if (notice.type === "turn_ended") end();
    },
    asked: ({ input }, answer) =>
      answer({ contentItems: [{ type: "inputText", text: `ran ${input.command}` }], success: true }),
    refused: () => undefined,
    noise: (line) => console.error(line),
    drained: () => Promise.resolve(),
    ended: () => end(),
  };
  const launched = await launchCodex({ executable, host, allowance: new OutputAllowance(), listener });
  connection = launched.connection;
  const begun = await connection.request("thread/start", {
    cwd: place,
    model: "sim",
    approvalPolicy: "untrusted",
    sandbox: "read-only",
    environments: [],
    dynamicTools: [BASH],
    baseInstructions: "You are recorded.",
  });
  const thread = begun.thread.id;
  const text = `Do as told.\nsim: ${JSON.stringify(steps)}`;
  await connection.request("turn/start", {
    threadId: thread,
    environments: [],
    input: [{ type: "text", text, text_elements: [] }],
  });
  await ended;
  await connection.kill();
  await sandbox.close();
  await sim.close();
  rmSync(place, { recursive: true, force: true });
  writeFileSync(join(here, "golden", `${name}.jsonl`), `${same(lines, place).join("\n")}\n`);
}

/** Answers to our own requests are left out. */
function same(lines, place) {
  const ids = new Map();
  const named = (prefix) => (id) => {
    if (!ids.has(id)) ids.set(id, `${prefix}${ids.size + 1}`);
    return ids.get(id);
  };
  return lines
    .filter((line) => line.method !== undefined)
    .map((line) =>
      JSON.stringify({ ...line, emittedAtMs: undefined })
        .replaceAll(place, "/r")
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, named("uuid-"))
        .replaceAll(/(?:call|msg|fc|rs)_[0-9a-f]{20,}/g, named("id-"))
        .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1")
        .replaceAll(/"(\w*At|\w*AtMs|durationMs)":\d+/g, '"$1":0')
        .replaceAll(/"serverName":"[^"]*"/g, '"serverName":"here"'),
    );
}

for (const [name, script] of Object.entries(SCRIPTS)) await record(name, script);
