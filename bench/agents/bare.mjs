// Vendors' programs driven by the smallest client that does: no journal, no questions, no meter, no HTTP of ours.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const TURN_MS = 60_000;
const KEPT_CHARS = 2_000;

/** A program with one conversation in it. `turn` answers how long it took to its first word and to its end. */
export const BARE = { codex: openCodex, opencode: openOpenCode, "acp:qwen": openAcp };

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

function start(argv, { env, cwd }) {
  const [program, ...words] = argv;
  const child = spawn(program, words, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-KEPT_CHARS);
  });
  child.stdin.on("error", () => undefined);
  return {
    child,
    words: () => said,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function late(what, { words }) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${what} took longer than ${TURN_MS} ms: ${words()}`)), TURN_MS).unref();
  });
}

/** JSON-RPC in lines, as Codex and agents of the Agent Client Protocol speak it. */
function rpc(program, { version, onNotified }) {
  const open = new Map();
  let count = 0;
  const send = (message) => program.child.stdin.write(`${JSON.stringify({ ...version, ...message })}\n`);
  createInterface({ input: program.child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const { id, method, params, result, error } = JSON.parse(line);
    if (method !== undefined && id === undefined) return void onNotified(method, params);
    if (method !== undefined) return void send({ id, error: { code: -32_601, message: "not here" } });
    const { resolve, reject } = open.get(id) ?? {};
    open.delete(id);
    if (error === undefined) resolve?.(result);
    else reject?.(new Error(JSON.stringify(error)));
  });
  return {
    notify: (method, params) => send({ method, params }),
    request: (method, params) => {
      count += 1;
      const id = count;
      send({ id, method, params });
      return Promise.race([new Promise((resolve, reject) => open.set(id, { resolve, reject })), late(method, program)]);
    },
  };
}

/** Times of one turn, from its beginning. */
function watch() {
  const begun = performance.now();
  let first;
  let end;
  const ended = new Promise((resolve) => {
    end = () => resolve({ first_ms: first ?? performance.now() - begun, whole_ms: performance.now() - begun });
  });
  return { word: () => (first ??= performance.now() - begun), end, ended };
}

const NOWHERE = { word: () => undefined, end: () => undefined };

function environment(folder, more) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_STATE_HOME: join(folder, "state"),
    ...more,
  };
}

async function openCodex({ program, folder, workspace, modelUrl, model }) {
  mkdirSync(folder, { recursive: true });
  const settings = [
    `model = "${model}"`,
    'model_provider = "bench"',
    "check_for_update_on_startup = false",
    'web_search = "disabled"',
    "[analytics]",
    "enabled = false",
    "[features]",
    "plugins = false",
    "unbounded_connection_retries = false",
    "[model_providers.bench]",
    'name = "bench"',
    `base_url = "${modelUrl}/v1"`,
    'wire_api = "responses"',
    'env_key = "BENCH_KEY"',
  ];
  writeFileSync(join(folder, "config.toml"), settings.join("\n"));
  const env = environment(folder, { CODEX_HOME: folder, BENCH_KEY: "bench", RUST_LOG: "error" });
  const process = start([program, "app-server"], { env, cwd: folder });
  let now = NOWHERE;
  const line = rpc(process, {
    version: {},
    onNotified: (method) => {
      if (method === "item/agentMessage/delta") now.word();
      if (method === "turn/completed") now.end();
    },
  });
  await line.request("initialize", {
    clientInfo: { name: "bench", version: "1" },
    capabilities: { experimentalApi: true },
  });
  line.notify("initialized");
  const { thread } = await line.request("thread/start", {
    cwd: workspace,
    approvalPolicy: "never",
    sandbox: "read-only",
  });
  const turn = async (text) => {
    const timed = watch();
    now = timed;
    const input = [{ type: "text", text, text_elements: [] }];
    await line.request("turn/start", { threadId: thread.id, input });
    return Promise.race([timed.ended, late("a turn", process)]);
  };
  return { pid: process.child.pid, turn, close: process.stop };
}

async function openAcp({ program, folder, workspace, modelUrl, model }) {
  mkdirSync(join(folder, ".qwen"), { recursive: true });
  const settings = {
    $version: 3,
    general: { disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
    memory: { enableManagedAutoMemory: false },
    experimental: { emitToolUseSummaries: false },
  };
  writeFileSync(join(folder, ".qwen", "settings.json"), JSON.stringify(settings));
  const env = environment(folder, {
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_API_KEY: "bench",
    OPENAI_MODEL: model,
    QWEN_HOME: join(folder, ".qwen"),
    QWEN_CODE_NO_RELAUNCH: "1",
    NO_BROWSER: "1",
  });
  const agent = start([process.execPath, program, "--acp"], { env, cwd: workspace });
  let now = NOWHERE;
  const line = rpc(agent, {
    version: { jsonrpc: "2.0" },
    onNotified: (_method, params) => {
      if (params?.update?.sessionUpdate === "agent_message_chunk") now.word();
    },
  });
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  await line.request("initialize", { protocolVersion: 1, clientCapabilities });
  await line.request("authenticate", { methodId: "openai" });
  const { sessionId } = await line.request("session/new", { cwd: workspace, mcpServers: [] });
  const turn = async (text) => {
    const timed = watch();
    now = timed;
    await line.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    timed.end();
    return timed.ended;
  };
  return { pid: agent.child.pid, turn, close: agent.stop };
}

async function openOpenCode({ program, folder, workspace, modelUrl, model }) {
  mkdirSync(folder, { recursive: true });
  const models = { [model]: { tool_call: true, limit: { context: 200_000, output: 8_192 } } };
  const options = { baseURL: `${modelUrl}/v1`, apiKey: "bench" };
  const config = {
    model: `bench/${model}`,
    small_model: `bench/${model}`,
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    enabled_providers: ["bench"],
    provider: { bench: { npm: "@ai-sdk/openai-compatible", options, models } },
  };
  const env = environment(folder, {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  });
  const server = start([program, "serve", "--port", "0", "--hostname", "127.0.0.1"], { env, cwd: workspace });
  const listening = new Promise((resolve) => {
    createInterface({ input: server.child.stdout }).on("line", (line) => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  const url = await Promise.race([listening, late("the start", server)]);
  const post = async (path, body) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const { id } = await post("/session", { title: "bench" });
  let now = NOWHERE;
  const events = await fetch(`${url}/event`);
  void follow(events.body, ({ type, properties }) => {
    if (type === "message.part.delta") now.word();
    if (type === "session.idle" && properties?.sessionID === id) now.end();
  });
  const turn = async (text) => {
    const timed = watch();
    now = timed;
    const part = { type: "text", text };
    await post(`/session/${id}/prompt_async`, { model: { providerID: "bench", modelID: model }, parts: [part] });
    const times = await Promise.race([timed.ended, late("a turn", server)]);
    now = NOWHERE;
    return times;
  };
  return { pid: server.child.pid, turn, close: server.stop };
}

/** Server-sent events until the stream ends. */
async function follow(body, onEvent) {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: ")) onEvent(JSON.parse(line.slice(6)));
    }
  } catch {
    // The server was ended.
  }
}
