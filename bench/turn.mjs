// (a) A full loop turn with one tool call over HTTP, against the same two model calls done by hand with fetch.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SallyportClient } from "../dist/client/index.js";
import { BENCH_TOKEN, MAIN, median, percentile, SIM, startChild } from "./children.mjs";
import { sized } from "./size.mjs";

const ROUNDS = sized(200, 1);
const WARM_UP = sized(30, 0);

export async function turnBench() {
  const root = await mkdtemp(join(tmpdir(), "sallyport-bench-"));
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  const file_path = join(workspace, "file.txt");
  await writeFile(file_path, "one line\n".repeat(20));
  const prompt = `Read it.\nsim: ${JSON.stringify([{ tool: "Read", input: { file_path } }, { say: "It has twenty lines." }])}`;
  const sim = await startChild([SIM]);
  const server = await startChild([MAIN, "serve", "--home", join(root, "home"), "--workspace", workspace], {
    SALLYPORT_PORT: "0",
    SALLYPORT_SANDBOX: "local",
    SALLYPORT_TOKEN: BENCH_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: sim.url,
  });
  const client = new SallyportClient({ url: server.url, token: BENCH_TOKEN });
  const tools = await toolDefinitions();
  try {
    const bare = [];
    const ours = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
      const turn = await openTurn(client, prompt);
      const times = [await timed(() => byHand(sim.url, prompt, tools)), await timed(turn.run)];
      await turn.close();
      if (round < WARM_UP) continue;
      bare.push(times[0]);
      ours.push(times[1]);
    }
    const ratio = median(ours) / median(bare);
    return {
      rounds: ROUNDS,
      bare_ms: { p50: median(bare), p99: percentile(bare, 0.99) },
      sallyport_ms: { p50: median(ours), p99: percentile(ours, 0.99) },
      ratio,
      added_ms_per_model_call: (median(ours) - median(bare)) / 2,
    };
  } finally {
    await server.stop();
    await sim.stop();
    await rm(root, { recursive: true, force: true });
  }
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

/** What a careful script would do without us: two streamed calls, the tool between them, nothing kept. */
async function byHand(url, prompt, tools) {
  const messages = [{ role: "user", content: prompt }];
  for (;;) {
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "bench", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        model: "sim",
        max_tokens: 8192,
        stream: true,
        system: "You are a careful assistant.",
        tools,
        messages,
      }),
    });
    const blocks = await readMessage(response.body);
    messages.push({ role: "assistant", content: blocks });
    const uses = blocks.filter(({ type }) => type === "tool_use");
    if (uses.length === 0) return;
    const results = await Promise.all(
      uses.map(async ({ id, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: await readFile(input.file_path, "utf8"),
      })),
    );
    messages.push({ role: "user", content: results });
  }
}

async function readMessage(body) {
  const blocks = [];
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
      const line = rest
        .slice(0, end)
        .split("\n")
        .find((text) => text.startsWith("data: "));
      rest = rest.slice(end + 2);
      if (line === undefined) continue;
      const event = JSON.parse(line.slice(6));
      if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" };
      if (event.type !== "content_block_delta") continue;
      if (event.delta.type === "text_delta") blocks[event.index].text += event.delta.text;
      if (event.delta.type === "input_json_delta") blocks[event.index].json += event.delta.partial_json;
    }
  }
  for (const block of blocks) {
    if (block.type === "tool_use") block.input = JSON.parse(block.json || "{}");
    delete block.json;
  }
  return blocks;
}

/**
 * The same through the product. Session and stream are there, as in a conversation; the time runs from the prompt to its
 * terminal event: one Read that policy allows, everything journaled and on the disk before it is seen.
 */
async function openTurn(client, prompt) {
  const session = await client.createSession({});
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

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await turnBench(), null, 2));
