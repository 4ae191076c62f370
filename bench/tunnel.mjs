// (o) A tunnel: the first byte of an answer beside a direct connection with the same latency on the way, its throughput beside bare HTTP/2
// over a WebSocket, 500 answers at once, and its memory. Rounds of all subjects are interleaved; ratios are of one run.
import { createServer } from "node:http";
import http2 from "node:http2";
import { connect, createServer as createTcp } from "node:net";
import { Pool } from "undici";
import { createWebSocketStream, WebSocket, WebSocketServer } from "ws";
import { openRequests, serveRequests, TunnelAcceptor, TunnelDialer, TunnelDispatcher } from "../dist/tunnels/index.js";
import { median } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(7, 1);
const REQUESTS = sized(60, 3);
/** Milliseconds in each direction. */
const LATENCY = 10;
const MEGABYTES = sized(128, 2);
const STREAMS = 500;
const STREAM_BYTES = sized(65_536, 1_024);
const MEMORY_ROUNDS = sized(20, 2);
const BLOCK = Buffer.alloc(65_536, 97);

export async function tunnelBench() {
  const origin = await directServer();
  const home = await tunnelServer();
  const far = { direct: await slowLine(origin.port, LATENCY), tunnel: await slowLine(home.port, LATENCY) };
  const opened = [];
  try {
    const direct = new Pool(`http://127.0.0.1:${far.direct.port}`, { connections: 8 });
    const overSlow = dial(far.tunnel.port);
    const near = dial(home.port);
    opened.push(overSlow, near);
    const bare = await bareTunnel(home.barePort);
    opened.push(bare);
    const firstByte = await firstBytes({ direct, tunnel: overSlow.dispatcher });
    const throughput = await speeds({ bare: bare.session, tunnel: await near.session() });
    const many = await manyStreams(near.dispatcher);
    const memory = await memoryOf(near.dispatcher);
    await direct.close();
    return { first_byte_ms: firstByte, throughput_mb_per_second: throughput, streams: many, memory };
  } finally {
    for (const one of opened) one.close();
    for (const one of [far.direct, far.tunnel, home, origin]) await one.close();
  }
}

/** What both servers answer: one short line, or so many bytes. */
function bytesOf(path) {
  return Number(/\/bytes\/(\d+)/.exec(path)?.[1] ?? 0);
}

async function directServer() {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end("data: hello\n\n");
  });
  return listening(server);
}

async function listening(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    close: () => {
      server.closeAllConnections?.();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request, response) {
  let left = bytesOf(request.url);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (left === 0) {
    response.end("data: hello\n\n");
    return;
  }
  const more = () => {
    while (left > 0) {
      const piece = left >= BLOCK.length ? BLOCK : BLOCK.subarray(0, left);
      left -= piece.length;
      if (!response.write(piece) && left > 0) {
        response.once("drain", more);
        return;
      }
    }
    response.end();
  };
  more();
}

const OPEN = {
  issue: () => ({ ok: false, message: "" }),
  verify: async () => ({ ok: false, message: "" }),
  admitLocal: () => ({ ok: true, value: { kind: "none" } }),
  forget: () => undefined,
};

/** The machine with the models: our tunnel, and bare HTTP/2 over a WebSocket. */
async function tunnelServer() {
  const acceptor = new TunnelAcceptor({
    find: () => ({
      authenticator: OPEN,
      needsProof: false,
      open: (link) => {
        serveRequests(link, { answer, console: () => undefined });
        return { message: () => undefined, cut: () => undefined, closed: () => undefined };
      },
    }),
  });
  const ours = createServer();
  new WebSocketServer({ server: ours, perMessageDeflate: false }).on("connection", (socket) => {
    void acceptor.accept(socket, { address: "127.0.0.1" });
  });
  const bare = createServer();
  new WebSocketServer({ server: bare, perMessageDeflate: false }).on("connection", (socket) => {
    const session = http2.performServerHandshake(createWebSocketStream(socket), WINDOWS);
    session.on("error", () => undefined);
    session.setLocalWindowSize?.(8_388_608);
    session.on("stream", (stream, headers) => {
      answer({ url: headers[":path"] }, { writeHead: () => stream.respond({ ":status": 200 }), ...bound(stream) });
    });
  });
  const [first, second] = [await listening(ours), await listening(bare)];
  return {
    port: first.port,
    barePort: second.port,
    close: async () => {
      acceptor.closeAll("over");
      await first.close();
      await second.close();
    },
  };
}

/** Both have the same windows: what is compared is the link. */
const WINDOWS = { settings: { initialWindowSize: 1_048_576 } };

function bound(stream) {
  return {
    write: (piece) => stream.write(piece),
    end: (piece) => stream.end(piece),
    once: (event, listener) => stream.once(event, listener),
  };
}

function dial(port) {
  let found = () => undefined;
  const session = new Promise((resolve) => {
    found = resolve;
  });
  const dialer = new TunnelDialer({
    url: `ws://127.0.0.1:${port}`,
    tunnel_id: "home",
    role: "gateway",
    credential: { answer: async () => ({ ok: false, message: "" }), isProof: () => true },
    open: (link) => {
      found(openRequests(link));
      return { message: () => undefined, cut: () => undefined, closed: () => undefined };
    },
  });
  dialer.start();
  return { session: () => session, dispatcher: new TunnelDispatcher(() => session), close: () => dialer.close() };
}

async function bareTunnel(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  // Before it is open: what the other side sends at once must not be lost.
  const stream = createWebSocketStream(socket);
  await new Promise((resolve) => socket.once("open", resolve));
  const session = http2.connect("http://tunnel", { createConnection: () => stream, ...WINDOWS });
  session.on("error", () => undefined);
  await new Promise((resolve) => session.once("connect", resolve));
  session.setLocalWindowSize(8_388_608);
  return { session, close: () => session.destroy() };
}

/** A line with latency: each piece arrives later, in order. */
async function slowLine(target, ms) {
  const server = createTcp((left) => {
    const right = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [left, right],
      [right, left],
    ]) {
      from.setNoDelay(true);
      from.on("data", (piece) => setTimeout(() => to.writable && to.write(piece), ms));
      from.on("error", () => to.destroy());
      from.on("close", () => setTimeout(() => to.destroy(), ms));
    }
    open.add(left).add(right);
  });
  const open = new Set();
  const line = await listening(server);
  return {
    port: line.port,
    close: () => {
      for (const socket of open) socket.destroy();
      return line.close();
    },
  };
}

async function firstByteOf(dispatcher) {
  const startedAt = performance.now();
  const { body } = await dispatcher.request({
    origin: "http://tunnel",
    path: "/v1/messages",
    method: "POST",
    body: "{}",
  });
  for await (const _piece of body) {
    const ms = performance.now() - startedAt;
    await body.dump();
    return ms;
  }
  return Number.NaN;
}

async function firstBytes({ direct, tunnel }) {
  const subjects = { direct, tunnel: asClient(tunnel) };
  const all = { direct: [], tunnel: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, dispatcher] of Object.entries(subjects)) {
      for (let count = 0; count < REQUESTS; count += 1) {
        const ms = await firstByteOf(dispatcher);
        // Round 0 connects and warms up.
        if (round > 0) all[name].push(ms);
      }
    }
  }
  const [without, through] = [median(all.direct), median(all.tunnel)];
  return {
    latency_each_way: LATENCY,
    direct: without,
    tunnel: through,
    added: through - without,
    goal_added: 5 + 2 * LATENCY,
  };
}

/** undici's `request` on a dispatcher of our own. */
function asClient(dispatcher) {
  return {
    request: async (options) => {
      const { request } = await import("undici");
      return request(`http://tunnel${options.path}`, { dispatcher, method: options.method, body: options.body });
    },
  };
}

function download(session, bytes) {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": `/bytes/${bytes}` });
    let got = 0;
    stream.on("data", (piece) => {
      got += piece.length;
    });
    stream.on("end", () => resolve(got));
    stream.on("error", reject);
  });
}

async function speeds(sessions) {
  const all = { bare: [], tunnel: [] };
  const bytes = MEGABYTES * 1_048_576;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, session] of Object.entries(sessions)) {
      const startedAt = performance.now();
      const got = await download(session, bytes);
      if (got !== bytes) throw new Error(`${name}: ${got} of ${bytes} bytes`);
      if (round > 0) all[name].push(MEGABYTES / ((performance.now() - startedAt) / 1_000));
    }
  }
  const [bare, tunnel] = [median(all.bare), median(all.tunnel)];
  return { bare_http2_over_websocket: bare, tunnel, ratio: tunnel / bare, goal_ratio: 0.8 };
}

async function manyStreams(dispatcher) {
  const client = asClient(dispatcher);
  const startedAt = performance.now();
  const sizes = await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      const { body } = await client.request({ path: `/bytes/${STREAM_BYTES}`, method: "GET" });
      return (await body.arrayBuffer()).byteLength;
    }),
  );
  const complete = sizes.filter((size) => size === STREAM_BYTES).length;
  return { at_once: STREAMS, bytes_each: STREAM_BYTES, complete, ms: performance.now() - startedAt };
}

/** What is held after the same work again and again. */
async function memoryOf(dispatcher) {
  const measure = async () => {
    // The last acknowledgements have come, and what they free is gone.
    for (let count = 0; count < 3; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      globalThis.gc?.();
    }
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1_048_576;
  };
  await manyStreams(dispatcher);
  const before = await measure();
  for (let round = 0; round < MEMORY_ROUNDS; round += 1) await manyStreams(dispatcher);
  const after = await measure();
  return {
    rounds: MEMORY_ROUNDS,
    mib_before: before,
    mib_after: after,
    gc_exposed: Number(globalThis.gc !== undefined),
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await tunnelBench(), null, 2));
