// Records what OpenCode's server says, against the scripted model: npm run build && node test/engines/opencode/record.mjs
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  configOf,
  environmentOf,
  modelsFile,
  recordFolder,
  workFolder,
} from "../../../dist/engines/opencode/config.js";
import { openCodeProgram } from "../../../dist/engines/opencode/find.js";
import { promptIdAt } from "../../../dist/engines/opencode/ids.js";
import { answerMcp } from "../../../dist/engines/opencode/tools.js";
import { startSim } from "../../../dist/sim/index.js";

const GOLDEN = join(import.meta.dirname, "golden");
const PROGRAMS = join(import.meta.dirname, "../../../node_modules/.cache/sallyport-programs");
const KEPT = /^(message\.|session\.(status|error)$)/;
const bash = (command) => ({ tool: "Bash", input: { command } });

const SCRIPTS = {
  words: [{ think: "I ponder." }, { say: "I have pondered." }],
  call: [{ say: "I look." }, bash("echo called"), { say: "Done." }],
  parallel: [{ tools: [bash("echo one"), bash("echo two")] }, { say: "Done." }],
  unknown: [{ tool: "Teleport", input: { to: "Mars" } }, { say: "Pity." }],
  cut: [{ stream: { tokens: 6, per_second: 60 } }, { cut: true }, { say: "Rest." }],
  unauthenticated: [{ error: { status: 401, message: "scripted 401" }, times: 50 }],
};

const TOOL = {
  name: "Bash",
  served: "Bash",
  definition: {
    name: "Bash",
    description: "Runs a command.",
    input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
};

/** A folder of this machine's is nobody's business. */
const anonymous = (text, folder) => text.replaceAll(folder, "/folder");

async function record(name, steps) {
  const folder = mkdtempSync(join(tmpdir(), "opencode-"));
  const sim = await startSim();
  mkdirSync(recordFolder(folder), { recursive: true });
  const model = { baseUrl: sim.url, key: "none", name: "sim", facts: () => ({ api: "messages" }) };
  const settings = { max_tokens: 8_192, workspace: folder };
  const relay = spawn(process.execPath, [join(import.meta.dirname, "../../../dist/engines/opencode/relay.js")], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const send = (message) => relay.stdin.write(`${JSON.stringify(message)}\n`);
  const lines = [];
  const id = promptIdAt(Date.now(), undefined);
  const take = async (message) => {
    if (message.type === "event" && message.event.type === "server.connected")
      send({ type: "request", id: 1, method: "POST", path: "/session", body: '{"title":"recorded"}' });
    if (message.type === "response" && message.id === 1) {
      const { id: session } = JSON.parse(message.body);
      lines.push({ type: "prompt", session, id });
      const parts = [{ type: "text", text: `Do as told.\nsim: ${JSON.stringify(steps)}` }];
      const body = JSON.stringify({ messageID: id, model: { providerID: "sallyport", modelID: "sim" }, parts });
      send({ type: "request", id: 2, method: "POST", path: `/session/${session}/prompt_async`, body });
    }
    if (message.type === "mcp") {
      const call = async (tool, input) => {
        const text = input.command.replace("echo ", "");
        lines.push({ type: "ran", tool: tool.name, input, text });
        return { content: [{ type: "text", text }], is_error: false };
      };
      const answer = await answerMcp(message.message, { tools: [TOOL], call });
      if (answer !== undefined) send({ type: "answer", id: message.id, message: answer });
    }
    if (message.type !== "event") return;
    if (KEPT.test(message.event.type)) lines.push(message.event);
    if (message.event.type === "session.idle") relay.stdin.end();
  };
  let rest = "";
  relay.stdout.setEncoding("utf8");
  relay.stdout.on("data", (chunk) => {
    const whole = (rest + chunk).split("\n");
    rest = whole.pop() ?? "";
    for (const line of whole) void take(JSON.parse(line));
  });
  send({
    type: "start",
    executable: openCodeProgram({ installed: PROGRAMS }),
    arguments: ["serve", "--hostname", "127.0.0.1", "--port", "0"],
    config: configOf({ model }, settings),
    environment: environmentOf(folder, settings),
    folder: workFolder(folder),
    files: [{ path: modelsFile(folder), text: "{}" }],
    password: "recorded",
    keepAliveMs: 20_000,
    messageBytes: 10_000_000,
    reconnects: 0,
  });
  await new Promise((resolve) => relay.once("exit", resolve));
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
  const text = lines.map((line) => `${anonymous(JSON.stringify(line), folder)}\n`).join("");
  writeFileSync(join(GOLDEN, `${name}.jsonl`), text);
}

mkdirSync(GOLDEN, { recursive: true });
const wanted = process.argv.slice(2);
for (const [name, steps] of Object.entries(SCRIPTS))
  if (wanted.length === 0 || wanted.includes(name)) await record(name, steps);
