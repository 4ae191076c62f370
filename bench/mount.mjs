// (g) Agents as files: reads of a status over FUSE and HTTP against the same bytes from tmpfs and from a bare HTTP server, and the first byte
// of an output after a prompt, and the last bytes of a short and a long one. Rounds of all subjects are interleaved; ratios are of one run.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MountClient, SallyportClient } from "../dist/client/index.js";
import { BENCH_TOKEN, benchPlace, growJournal, MAIN, median, percentile, startChild } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(7, 1);
/** Round 0 warms everything up and does not count. */
const FIRST_ROUND = sized(0, 1);
const READS = sized(400, 4);
const PARALLEL = [1, 4];
const PROMPTS = sized(40, 1);
/** The first prompts of each way do not count. */
const WARM_PROMPTS = sized(5, 0);
const OPENS = sized(10_000, 5);
/** Events of the outputs whose last bytes are read, how often, and how many bytes. */
const LENGTHS = sized([1_000, 100_000], [100, 300]);
const TAILS = sized(200, 3);
const TAIL_BYTES = 100;

export async function mountBench() {
  if (!existsSync("/dev/fuse") || process.getuid() !== 0) return { skipped: "needs /dev/fuse and root" };
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const shared = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sallyport-bench-"));
  await mkdir(join(root, "workspace"));
  const words = ["serve", "--home", join(root, "home"), "--workspace", join(root, "workspace")];
  const server = await startChild([MAIN, ...words], {
    SALLYPORT_PORT: "0",
    SALLYPORT_SANDBOX: "local",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "100000000",
  });
  const folder = join(root, "claude");
  const mount = await startMount(server.url, folder);
  const files = new MountClient({ url: server.url, token: BENCH_TOKEN });
  let bare;
  try {
    const { session_id } = JSON.parse(Buffer.from(await files.call("/claude/new", '{"model":"sim"}')).toString());
    const path = `/claude/sessions/${session_id}/status`;
    const bytes = Buffer.from(await files.read(path));
    await writeFile(join(shared, "status"), bytes);
    bare = await bareServer(bytes);
    const subjects = {
      tmpfs: () => readOnce(join(shared, "status"), bytes.length),
      fuse: () => readOnce(join(folder, "sessions", session_id, "status"), 0),
      bare_http: () => fetchBytes(bare.url, {}),
      http: () => fetchBytes(`${server.url}${path}`, { authorization: `Bearer ${BENCH_TOKEN}` }),
    };
    return {
      status_bytes: bytes.length,
      status_reads_per_second: await statusReads(subjects),
      first_byte_after_prompt_ms: await firstBytes({ files, folder, url: server.url }),
      opens: await manyOpens(subjects.fuse, mount.pid),
      last_bytes_of_output: await outputTails(),
    };
  } finally {
    await mount.stop();
    await bare?.stop();
    await server.stop();
    await rm(root, { recursive: true, force: true });
    await rm(shared, { recursive: true, force: true });
  }
}

async function statusReads(subjects) {
  const rates = {};
  for (let round = FIRST_ROUND; round <= ROUNDS; round += 1) {
    for (const parallel of PARALLEL) {
      for (const [name, read] of Object.entries(subjects)) {
        const rate = await rateOf(read, parallel);
        if (round > 0) ((rates[parallel] ??= {})[name] ??= []).push(rate);
      }
    }
  }
  return Object.fromEntries(
    Object.entries(rates).map(([parallel, of]) => {
      const medians = Object.fromEntries(
        Object.entries(of).map(([name, values]) => [name, Math.round(median(values))]),
      );
      return [
        `${parallel}_at_once`,
        {
          ...medians,
          fuse_of_tmpfs: medians.fuse / medians.tmpfs,
          fuse_of_http: medians.fuse / medians.http,
          http_of_bare: medians.http / medians.bare_http,
        },
      ];
    }),
  );
}

async function rateOf(read, parallel) {
  const start = performance.now();
  const lane = async () => {
    for (let count = 0; count < READS / parallel; count += 1) await read();
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return READS / ((performance.now() - start) / 1_000);
}

async function readOnce(path, expected) {
  const file = await open(path, "r");
  try {
    const { bytesRead } = await file.read(Buffer.allocUnsafe(65_536), 0, 65_536, null);
    if (bytesRead === 0 || (expected > 0 && bytesRead !== expected)) throw new Error(`${path}: ${bytesRead} bytes`);
  } finally {
    await file.close();
  }
}

async function fetchBytes(url, headers) {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
}

/** From the prompt to the first byte of what the agent says: over files, over HTTP, and as the first delta of the event stream. */
async function firstBytes({ files, folder, url }) {
  const client = new SallyportClient({ url, token: BENCH_TOKEN });
  const times = { fuse: [], http: [], events: [] };
  const words = 'Say it.\nsim: [{"say":"hello"}]';
  const session = JSON.parse(Buffer.from(await files.call("/claude/new", '{"model":"sim"}')).toString()).session_id;
  const local = join(folder, "sessions", session);
  const remote = `/claude/sessions/${session}`;
  const settle = async () => {
    for await (const _ of files.follow(`${remote}/output`, { until: "idle", offset: 0 }));
    return (await files.read(`${remote}/output`)).length;
  };
  const ways = {
    fuse: async (offset, prompt) => {
      await prompt(() => writeFile(join(local, "prompt"), words));
      const file = await open(join(local, "output"), "r");
      await file.read(Buffer.allocUnsafe(4_096), 0, 4_096, offset);
      return () => file.close();
    },
    http: async (offset, prompt) => {
      await prompt(() => files.write(`${remote}/prompt`, words));
      const pieces = files.follow(`${remote}/output`, { until: "idle", offset });
      await pieces.next();
      return () => pieces.return();
    },
    events: async (_, prompt) => {
      const { seq } = await client.session(session);
      const frames = client.watch(session, { after: seq });
      await prompt(() => client.prompt(session, { text: words }));
      for await (const frame of frames) {
        if (frame.type === "item.delta" || (frame.type === "item.completed" && frame.item.type === "agent_message"))
          break;
      }
      return () => undefined;
    },
  };
  for (let round = 0; round < PROMPTS; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const offset = round === 0 && name === "fuse" ? 0 : await settle();
      let started = 0;
      const done = await way(offset, async (send) => {
        started = performance.now();
        await send();
      });
      if (round >= WARM_PROMPTS) times[name].push(performance.now() - started);
      await done();
    }
  }
  const figures = Object.entries(times).map(([name, values]) => [
    name,
    { p50: median(values), p95: percentile(values, 0.95) },
  ]);
  const all = Object.fromEntries(figures);
  return { ...all, fuse_of_http: all.fuse.p50 / all.http.p50 };
}

/** Resident memory of the mount after the first fifth of the opens and after all of them. */
async function manyOpens(read, pid) {
  const resident = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))[1]) / 1_024;
  for (let count = 0; count < OPENS / 5; count += 1) await read();
  const first = await resident();
  for (let count = OPENS / 5; count < OPENS; count += 1) await read();
  return { opens: OPENS, resident_mib: { after_a_fifth: Math.round(first), at_the_end: Math.round(await resident()) } };
}

/** A message or a call that ended, as an output has them: a line each. */
function lineOf(seq) {
  const item = { id: `item_${seq}`, status: "completed" };
  return seq % 2 === 0
    ? { type: "item.completed", item: { ...item, type: "agent_message", text: `Step ${seq} is done.` } }
    : {
        type: "item.completed",
        item: { ...item, type: "mcp_tool_call", tool: "Read", tool_use_id: `use_${seq}`, input: { file_path: "a.ts" } },
      };
}

/** The last bytes of a short and a long output: the first read after a start, which counts the journal, and all others. */
async function outputTails() {
  const place = await benchPlace();
  const environment = {
    SALLYPORT_PORT: "0",
    SALLYPORT_SANDBOX: "local",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "100000000",
  };
  const start = () => startChild([MAIN, "serve", "--home", place.home, "--workspace", place.workspace], environment);
  let server = await start();
  try {
    const client = new SallyportClient({ url: server.url, token: BENCH_TOKEN });
    const sessions = [];
    for (const events of LENGTHS) sessions.push({ events, id: (await client.createSession({})).id });
    await server.stop();
    for (const { id, events } of sessions) await growJournal(place.home, id, { events, body: lineOf });
    server = await start();
    const authorization = { authorization: `Bearer ${BENCH_TOKEN}` };
    const files = new MountClient({ url: server.url, token: BENCH_TOKEN });
    const tails = [];
    for (const { id, events } of sessions) {
      const path = `/claude/sessions/${id}/output`;
      const started = performance.now();
      const { size } = await files.stat(path);
      const tail = { events, first_ms: performance.now() - started, read: [], follow: [] };
      const offset = size - TAIL_BYTES;
      tail.ways = {
        read: () => fetchBytes(`${server.url}${path}?read=1&offset=${offset}`, authorization),
        follow: () => fetchBytes(`${server.url}${path}?follow=1&until=idle&offset=${offset}`, authorization),
      };
      tails.push(tail);
    }
    for (let round = 0; round < TAILS; round += 1) {
      for (const tail of tails) {
        for (const [name, way] of Object.entries(tail.ways)) {
          const started = performance.now();
          await way();
          tail[name].push(performance.now() - started);
        }
      }
    }
    const figures = tails.map(({ events, first_ms, read, follow }) => ({
      events,
      first_ms,
      read_ms: median(read),
      follow_ms: median(follow),
    }));
    const [short, long] = figures;
    return {
      figures,
      long_of_short: { read: long.read_ms / short.read_ms, follow: long.follow_ms / short.follow_ms },
    };
  } finally {
    await server.stop();
    await place.remove();
  }
}

async function startMount(url, folder) {
  const child = spawn(process.execPath, [MAIN, "--server", url, "mount", folder], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SALLYPORT_TOKEN: BENCH_TOKEN },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise((ready, failed) => {
    createInterface({ input: child.stderr }).on("line", (line) => line.includes("is ready") && ready());
    child.once("exit", (code) => failed(new Error(`mount ended with ${code}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { pid: child.pid, stop };
}

async function bareServer(bytes) {
  const bare = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(bytes);
  });
  await new Promise((resolve) => bare.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${bare.address().port}/`,
    stop: () => {
      bare.closeAllConnections();
      return new Promise((resolve) => bare.close(resolve));
    },
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await mountBench(), null, 2));
