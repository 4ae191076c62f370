// (b) A thousand sessions that stream at once in one process: what an idle one weighs, and how late the event loop is.
import { WebSocket } from "ws";
import { BENCH_TOKEN, benchPlace, SERVER, serverEnvironment, SIM, startAsked, startChild } from "./children.mjs";
import { sized } from "./size.mjs";

const SESSIONS = sized(1_000, 2);
const WARM_UP = sized(50, 1);
const TOKENS = sized(60, 2);
const PER_SECOND = sized(5, 50);

export async function sessionsBench() {
  const place = await benchPlace();
  const sim = await startChild([SIM]);
  const server = await startAsked([SERVER, place.home, place.workspace], serverEnvironment(sim.url));
  try {
    const socket = await connect(server.url);
    await streamAll(socket, WARM_UP, { tokens: 5, per_second: 0 });
    await socket.rest();
    const before = await server.ask("memory");
    await server.ask("reset");
    const start = performance.now();
    await streamAll(socket, SESSIONS, { tokens: TOKENS, per_second: PER_SECOND });
    const seconds = (performance.now() - start) / 1_000;
    const load = await server.ask("load");
    await socket.rest();
    const after = await server.ask("memory");
    socket.close();
    return {
      sessions: SESSIONS,
      deltas_a_second: Math.round(socket.deltas() / seconds),
      seconds,
      heap_kib_per_idle_session: (after.heap - before.heap) / SESSIONS / 1_024,
      rss_kib_per_idle_session: (after.rss - before.rss) / SESSIONS / 1_024,
      event_loop_delay_ms: { p50: load.p50_ms, p99: load.p99_ms },
      server_cpu_share: load.cpu_ms / (seconds * 1_000),
    };
  } finally {
    await server.stop();
    await sim.stop();
    await place.remove();
  }
}

async function connect(url) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, {
    headers: { authorization: `Bearer ${BENCH_TOKEN}` },
  });
  const listeners = new Map();
  let deltas = 0;
  let last = "";
  socket.on("message", (data) => {
    const message = JSON.parse(data);
    if (message.type === "item.delta") deltas += 1;
    listeners.get(message.type)?.(message);
    last = message.type;
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const say = (message) => socket.send(JSON.stringify(message));
  const welcome = new Promise((resolve) => listeners.set("welcome", resolve));
  say({ type: "hello", protocol: "1.0" });
  await welcome;
  const subscribed = new Set();
  return {
    say,
    on: (type, listener) => listeners.set(type, listener),
    subscribed,
    deltas: () => deltas,
    last: () => last,
    /** Nobody watches any more: what is left is what an idle session weighs. */
    rest: async () => {
      const pong = new Promise((resolve) => listeners.set("pong", resolve));
      for (const session_id of subscribed) say({ type: "unsubscribe", session_id });
      subscribed.clear();
      say({ type: "ping" });
      await pong;
    },
    close: () => socket.close(),
  };
}

let commands = 0;

async function streamAll(socket, count, stream) {
  const text = `sim: ${JSON.stringify([{ stream }])}`;
  let ended = 0;
  await new Promise((resolve, reject) => {
    socket.on("refused", (message) => reject(new Error(JSON.stringify(message))));
    socket.on("turn.failed", (message) => reject(new Error(JSON.stringify(message))));
    socket.on("turn.completed", () => {
      ended += 1;
      if (ended === count) resolve();
    });
    socket.on("receipt", ({ result }) => {
      socket.subscribed.add(result.id);
      socket.say({ type: "subscribe", session_id: result.id });
    });
    for (let index = 0; index < count; index += 1) {
      commands += 1;
      socket.say({ type: "create", command_id: `c${commands}`, session: { prompt: { text } } });
    }
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await sessionsBench(), null, 2));
