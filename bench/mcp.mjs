// (n) A call of an MCP server's tool through the toolbox and the session's client, against the bare official SDK client on the same program.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ServerClient } from "../dist/mcp-client/index.js";
import { LIMITS, makeNewId } from "../dist/protocol/index.js";
import { openLocalSandbox } from "../dist/sandbox/index.js";
import { createToolbox, openToolSession } from "../dist/tools/index.js";
import { median, percentile } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(3_000, 3);
const WARM_UP = sized(500, 0);
/** Calls of one side before it is the other's turn. */
const BLOCK = sized(20, 1);
const SERVER = fileURLToPath(new URL("mcp/server.mjs", import.meta.url));
const SMALL = { query: "who wrote this", limit: 10 };
const LARGE = { text: "x".repeat(20_000) };

export async function mcpBench() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-bench-")));
  const bare = await openBare();
  const ours = await openOurs(folder);
  try {
    return {
      goal: "at most 1.3 times",
      small: await compare(bare, ours, SMALL),
      large: await compare(bare, ours, LARGE),
    };
  } finally {
    await bare.close();
    await ours.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** In turn, in small blocks, so that whatever else the machine does meets both. Processor time is this process's own, without the server's. */
async function compare(bare, ours, input) {
  const sides = [bare, ours].map((side) => ({ side, times: [], cpu_us: 0 }));
  for (let round = 0; round < WARM_UP + ROUNDS; round += BLOCK) {
    for (const one of sides) {
      const before = process.cpuUsage();
      const times = [];
      for (let call = 0; call < BLOCK; call += 1) times.push(await timed(() => one.side.call(input)));
      const { user, system } = process.cpuUsage(before);
      if (round < WARM_UP) continue;
      one.times.push(...times);
      one.cpu_us += user + system;
    }
  }
  const [theirs, own] = sides;
  const [bare_ms, ours_ms] = [median(theirs.times), median(own.times)];
  const [bare_cpu_us, ours_cpu_us] = [theirs, own].map(({ cpu_us, times }) => Math.round(cpu_us / times.length));
  return {
    bare_ms,
    ours_ms,
    ratio: Number((ours_ms / bare_ms).toFixed(2)),
    bare_p99_ms: percentile(theirs.times, 0.99),
    ours_p99_ms: percentile(own.times, 0.99),
    bare_cpu_us,
    ours_cpu_us,
    cpu_ratio: Number((ours_cpu_us / bare_cpu_us).toFixed(2)),
  };
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function openBare() {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER] }));
  return {
    call: (input) => client.callTool({ name: "echo", arguments: input }),
    close: () => client.close(),
  };
}

async function openOurs(folder) {
  const sandbox = openLocalSandbox({
    sessionId: "ses_bench",
    home: folder,
    marker: `bench-${folder}`,
    environment: { PATH: process.env.PATH },
  });
  const session = openToolSession({
    workspace: folder,
    sandbox,
    outputFolder: join(folder, "output"),
    extraRead: [],
    webHosts: [],
    newId: makeNewId(Date.now, (bytes) => crypto.getRandomValues(bytes)),
    now: Date.now,
  });
  const toolbox = createToolbox(session);
  const client = new ServerClient(definition(folder), {
    sandbox,
    now: Date.now,
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    register: (tools, instead) => toolbox.register(tools, instead),
    tell: (message) => console.error(message),
  });
  await client.begin();
  const options = { signal: new AbortController().signal, onOutput: () => undefined };
  return {
    call: async (input) => {
      const result = await toolbox.run("mcp__bench__echo", input, options);
      if (result.is_error) throw new Error(result.content[0]?.text);
    },
    close: async () => {
      await client.close();
      await toolbox.close();
      await sandbox.close();
    },
  };
}

function definition(workspace) {
  return {
    name: "bench",
    from: "settings",
    transport: "stdio",
    isOwn: false,
    key: "bench",
    tiers: {},
    callMs: LIMITS.mcpCallMs,
    startMs: LIMITS.mcpStartMs,
    way: async () => ({ kind: "stdio", argv: [process.execPath, SERVER], cwd: workspace, env: {}, workspace }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(JSON.stringify(await mcpBench(), null, 2));
