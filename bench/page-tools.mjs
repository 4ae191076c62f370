// (g) One call of a page's tool, from the agent's side to the page and back, against a bare WebSocket echo of the same bytes.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { WebSocket, WebSocketServer } from "ws";
import { LiveConnection } from "../dist/client/index.js";
import { makeNewId } from "../dist/protocol/index.js";
import { CanonicalSocket } from "../dist/surfaces/canonical-socket.js";
import { SocketConnection } from "../dist/surfaces/connection.js";
import { PageService } from "../dist/sessions/services/page-service.js";
import { ClientTools } from "../dist/tools/client-tools.js";
import { median, percentile } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(3_000, 2);
const WARM_UP = sized(3_000, 0);
const SELF = fileURLToPath(import.meta.url);
const INPUT = { viewerType: "Histogram", viewerProperties: { valueColumnName: "Age", bins: 20 } };
const RESULT = "Added viewer with ID: viewer-4f9a1c-0b2d3e-77aa10";
const CALL = {
  type: "tool.call",
  session_id: "ses_0000000000000000000000",
  page: "app",
  call_id: "call_0000000000000000000000",
  tool: "add_viewer",
  input: INPUT,
  deadline_ms: 30_000,
  attempt: 1,
};
const ANSWER = { type: "tool.result", call_id: CALL.call_id, result: { content: [{ type: "text", text: RESULT }] } };

/** One turn has one signal for all its calls. */
const CONTEXT = { signal: new AbortController().signal, onOutput: () => undefined };

/** The page: a process of its own, as a browser is. It echoes what it must on the bare socket and runs the tool on ours. */
function page() {
  process.once("message", ({ bare, ours }) => {
    const echo = new WebSocket(bare);
    const answer = JSON.stringify(ANSWER);
    echo.on("message", () => echo.send(answer));
    const live = new LiveConnection({ url: ours, token: "bench", WebSocket });
    const schema = {
      type: "object",
      properties: { viewerType: { type: "string" }, viewerProperties: { type: "object" } },
      required: ["viewerType", "viewerProperties"],
    };
    const tools = [{ name: "add_viewer", description: "Adds one.", schema, handler: () => RESULT }];
    const offered = live.offer("ses_0000000000000000000000", { page: "app", tools });
    Promise.all([offered.ready(), new Promise((resolve) => echo.once("open", resolve))]).then(
      () => process.send("ready"),
      (error) => {
        throw error;
      },
    );
  });
}

export async function pageToolsBench() {
  const bare = await listen();
  const ours = await listen();
  const clientTools = new ClientTools();
  servePages(ours.server, clientTools);
  const child = fork(SELF, ["page"], { env: { PATH: process.env.PATH } });
  const echo = new Promise((resolve) => bare.server.once("connection", resolve));
  child.send({ bare: bare.url, ours: ours.url.replace("ws", "http") });
  await new Promise((resolve) => child.once("message", resolve));
  const socket = await echo;
  const sent = JSON.stringify(CALL);
  try {
    const times = { bare: [], ours: [] };
    for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
      const pair = { bare: await timed(() => roundTrip(socket, sent)), ours: await timed(() => call(clientTools)) };
      // The page is told that its answer arrived; that must not fall into the next echo.
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (round < WARM_UP) continue;
      times.bare.push(pair.bare);
      times.ours.push(pair.ours);
    }
    const figures = (values) => ({ p50: median(values), p99: percentile(values, 0.99) });
    const [echoed, called] = [figures(times.bare), figures(times.ours)];
    return {
      rounds: ROUNDS,
      bytes: { there: sent.length, back: JSON.stringify(ANSWER).length },
      echo_ms: echoed,
      page_tool_ms: called,
      ratio: { p50: called.p50 / echoed.p50, p99: called.p99 / echoed.p99 },
    };
  } finally {
    child.kill("SIGTERM");
    bare.server.close();
    ours.server.close();
    for (const client of [...bare.server.clients, ...ours.server.clients]) client.terminate();
  }
}

async function listen() {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, url: `ws://127.0.0.1:${server.address().port}` };
}

/** The real socket and service; of the app behind them only what takes tools. */
function servePages(server, clientTools) {
  const clock = {
    now: Date.now,
    elapsed: () => performance.now(),
    after: (ms, act) => clearLater(setTimeout(() => act(), ms)),
  };
  const newId = makeNewId(Date.now, (bytes) => crypto.getRandomValues(bytes));
  const sessions = {
    registerTools: async (_caller, _id, tools, instead) =>
      clientTools.register(tools, { isTaken: () => false, instead }),
  };
  const gateway = { pages: new PageService({ sessions, clock, newId }), tokens: { checkTime: () => undefined } };
  const guard = { meter: () => undefined };
  const caller = { id: "tok_bench", name: "bench", role: "admin" };
  server.on("connection", (socket) => {
    const options = { gateway, log: console, version: "bench" };
    return new CanonicalSocket(options, guard, { caller, connection: new SocketConnection(socket) });
  });
}

function clearLater(timer) {
  timer.unref();
  return () => clearTimeout(timer);
}

function roundTrip(socket, text) {
  return new Promise((resolve) => {
    socket.once("message", (data) => resolve(JSON.parse(data.toString())));
    socket.send(text);
  });
}

/** What an engine does: the input is checked, the tool is called, its result is awaited. */
async function call(clientTools) {
  const tool = clientTools.get("mcp__app__add_viewer");
  const { data } = tool.input.safeParse(INPUT);
  const { is_error } = await tool.execute(data, CONTEXT);
  if (is_error) throw new Error("the call failed");
}

async function timed(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

if (process.argv[2] === "page") page();
else if (process.argv[1] === SELF) console.log(JSON.stringify(await pageToolsBench(), null, 2));
