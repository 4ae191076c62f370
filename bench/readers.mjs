// (g) Readers that come back to a long journal and do not read: what each costs, and how long a new connection waits meanwhile.
import { connect } from "node:net";
import { get } from "node:http";
import {
  BENCH_TOKEN,
  benchPlace,
  growJournal,
  percentile,
  SERVER,
  serverEnvironment,
  SIM,
  startAsked,
  startChild,
} from "./children.mjs";
import { sized } from "./size.mjs";

const READERS = sized(500, 2);
const EVENTS = sized(1_000_000, 200);
const FIRST_READERS = sized(10, 1);
const PROBES = sized(40, 2);
/** The server is watched for so long, ms, to see whether it still has something to do. */
const WATCHED_MS = sized(1_000, 20);

export async function readersBench({ readers = READERS, events = EVENTS, probes = PROBES } = {}) {
  const place = await benchPlace();
  const sim = await startChild([SIM]);
  const environment = serverEnvironment(sim.url);
  const withServer = async (use) => {
    const server = await startAsked([SERVER, place.home, place.workspace], environment);
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  };
  try {
    const session_id = await withServer(({ url }) => createSession(url));
    await growJournal(place.home, session_id, { events, body: notice });
    const figures = {};
    const measureKinds = (kinds) =>
      withServer(async (server) => {
        for (const kind of kinds) figures[kind] = await measure(server, { kind, session_id, readers, probes });
      });
    // Each on a server that has had no other readers; a quick run has one server for both.
    for (const kinds of sized([["sse"], ["websocket"]], [["sse", "websocket"]])) await measureKinds(kinds);
    return { readers, events, ...figures };
  } finally {
    await sim.stop();
    await place.remove();
  }
}

async function createSession(url) {
  const answer = await fetch(`${url}/api/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${BENCH_TOKEN}`, "content-type": "application/json" },
    body: "{}",
  });
  return (await answer.json()).id;
}

/** What stands in the long journal. */
function notice(seq) {
  return { type: "notice", level: "info", message: `event ${seq} ${"x".repeat(90)}` };
}

async function measure(server, { kind, session_id, readers, probes }) {
  // What the first readers load is shared by all that follow.
  const sockets = Array.from({ length: FIRST_READERS }, () => openReader(server.url, kind, session_id));
  await probe(server.url);
  await settled(server);
  const before = await server.ask("memory");
  await server.ask("reset");
  const waits = [];
  for (let index = 0; index < readers; index += 1) sockets.push(openReader(server.url, kind, session_id));
  for (let index = 0; index < probes; index += 1) waits.push(await probe(server.url));
  await settled(server);
  const after = await server.ask("memory");
  const { p99_ms } = await server.ask("load");
  for (const socket of sockets) socket.destroy();
  return {
    heap_kib_a_reader: (after.heap - before.heap) / readers / 1_024,
    rss_kib_a_reader: (after.rss - before.rss) / readers / 1_024,
    health_ms_p50: percentile(waits, 0.5),
    health_ms_max: Math.max(...waits),
    event_loop_delay_ms_p99: p99_ms,
  };
}

/** A raw connection that asks for everything and reads nothing. */
function openReader(url, kind, session_id) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.pause();
  const authorization = `Authorization: Bearer ${BENCH_TOKEN}\r\n`;
  if (kind === "sse") {
    socket.write(
      `GET /api/sessions/${session_id}/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: text/event-stream\r\n${authorization}\r\n`,
    );
    return socket;
  }
  const upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
  socket.write(`GET /api/ws HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${upgrade}${authorization}\r\n`);
  socket.write(frame({ type: "hello", protocol: "1.0" }));
  socket.write(frame({ type: "subscribe", session_id, after: 0 }));
  return socket;
}

/** One masked text frame; a mask of zeros leaves the text as it is. */
function frame(message) {
  const text = Buffer.from(JSON.stringify(message));
  const head =
    text.length < 126
      ? Buffer.from([0x81, 0x80 | text.length])
      : Buffer.from([0x81, 0xfe, text.length >> 8, text.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), text]);
}

/** `/health` over a connection of its own, in milliseconds. */
function probe(url) {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    get(`${url}/health`, { agent: false }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(performance.now() - begun));
    }).once("error", reject);
  });
}

/** Until the server has filled what its readers' connections take: its processor has nothing more to do. */
async function settled(server) {
  for (let round = 0; round < 120; round += 1) {
    await server.ask("reset");
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
    const { cpu_ms } = await server.ask("load");
    if (cpu_ms < 100) return;
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await readersBench(), null, 2));
