// (a) A full loop turn with one tool call over HTTP, against the same two model calls done by hand with fetch, and against
// the least server that keeps the turn's promises (promises-child.mjs). And the same turn by each API of models.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportClient } from "../dist/client/index.js";
import { byHand } from "./by-hand.mjs";
import { BENCH_TOKEN, MAIN, median, percentile, PROMISES, SIM, startChild } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(200, 1);
const WARM_UP = sized(30, 0);
const APIS = ["messages", "responses", "chat"];

export async function turnBench() {
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  const file_path = join(workspace, "file.txt");
  await writeFile(file_path, "one line\n".repeat(20));
  const prompt = `Read it.\nsim: ${JSON.stringify([{ tool: "Read", input: { file_path } }, { say: "It has twenty lines." }])}`;
  const sim = await startChild([SIM]);
  await mkdir(join(root, "home"));
  await writeFile(join(root, "home", "sallyport.yaml"), JSON.stringify(settingsFor(sim.url)));
  const server = await startChild([MAIN, "serve", "--home", join(root, "home"), "--workspace", workspace], {
    SALLYPORT_PORT: "0",
    SALLYPORT_SANDBOX: "local",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: sim.url,
  });
  const client = new SallyportClient({ url: server.url, token: BENCH_TOKEN });
  const least = await startChild([PROMISES, join(root, "least.db"), sim.url]);
  const watched = await watchLeast(least.url);
  const tools = await toolDefinitions();
  try {
    const bare = [];
    const promises = [];
    const ours = [];
    const byApi = APIS.map(() => []);
    for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
      for (const place of APIS.keys()) {
        // Each is the first as often as the others: what comes first after the other measurements is slower.
        const index = (place + round) % APIS.length;
        const turn = await openTurn(client, prompt, { provider: APIS[index] });
        const time = await timed(turn.run);
        await turn.close();
        if (round >= WARM_UP) byApi[index].push(time);
      }
      const turn = await openTurn(client, prompt);
      const times = [
        await timed(() => byHand(sim.url, { prompt, tools })),
        await timed(() => runLeast(least.url, watched, prompt)),
        await timed(turn.run),
      ];
      await turn.close();
      if (round < WARM_UP) continue;
      for (const [index, values] of [bare, promises, ours].entries()) values.push(times[index]);
    }
    const figures = (values) => ({ p50: median(values), p99: percentile(values, 0.99) });
    return {
      rounds: ROUNDS,
      bare_ms: figures(bare),
      promises_ms: figures(promises),
      sallyport_ms: figures(ours),
      ratio: median(ours) / median(bare),
      ratio_of_promises: { to_bare: median(promises) / median(bare), ours_to_them: median(ours) / median(promises) },
      added_ms_per_model_call: (median(ours) - median(bare)) / 2,
      apis: Object.fromEntries(
        APIS.map((api, index) => [
          api,
          { ...figures(byApi[index]), ratio_to_messages: median(byApi[index]) / median(byApi[0]) },
        ]),
      ),
    };
  } finally {
    await server.stop();
    await watched.return();
    await least.stop();
    await sim.stop();
    await rm(root, { recursive: true, force: true });
  }
}

/** One provider for each API, at one price. */
function settingsFor(base_url) {
  const place = { base_url, auth: "none", default_model: "sim" };
  const price = { input: 3_000_000, output: 15_000_000 };
  return {
    provider: "cloud",
    providers: {
      messages: { ...place, wire: "anthropic" },
      responses: { ...place, wire: "openai", openai_api: "responses" },
      chat: { ...place, wire: "openai", openai_api: "chat" },
    },
    prices: Object.fromEntries(APIS.map((api) => [`${api}/sim`, price])),
  };
}

async function toolDefinitions() {
  const { toolDefinitions: definitions } = await import("../dist/tools/index.js");
  return definitions("anthropic");
}

async function timed(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/**
 * The same through the product. Session and stream are there, as in a conversation; the time runs from the prompt to its
 * terminal event: one Read that policy allows, everything journaled and on the disk before it is seen.
 */
async function openTurn(client, prompt, settings = {}) {
  const session = await client.createSession(settings);
  const stream = client.watch(session.id)[Symbol.asyncIterator]();
  const until = async (type) => {
    for (;;) {
      const { value } = await stream.next();
      if (value.type === type) return;
      if (value.type === "turn.failed") throw new Error(value.error.message);
    }
  };
  await until("session.updated");
  return {
    run: async () => {
      await Promise.all([client.prompt(session.id, { text: prompt }), until("turn.completed")]);
    },
    close: async () => {
      await stream.return();
      await client.control(session.id, "close");
    },
  };
}

/** The control's stream of server-sent events, chunk by chunk. */
async function watchLeast(url) {
  const { body } = await fetch(`${url}/events`);
  return body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
}

async function runLeast(url, watched, prompt) {
  const ended = async () => {
    for (let text = ""; !text.includes("turn.completed");) text += (await watched.next()).value;
  };
  const asked = fetch(`${url}/prompts`, { method: "POST", body: JSON.stringify({ text: prompt }) });
  await Promise.all([asked.then((response) => response.json()), ended()]);
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await turnBench(), null, 2));
