import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSimModel } from "../../src/sim/index.ts";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JournalEvent } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

/** Whole micro-USD for each kind of token. */
const PRICE = { input: 3_000_000, output: 7_000_000, cache_read: 1_000_000, cache_write: 5_000_000 };

let server: Server;
let app: TestApp;
const asked: { readonly path: string; readonly status: number; readonly body: unknown }[] = [];

beforeAll(async () => {
  const model = createSimModel({ onExchange: ({ path, status, body }) => asked.push({ path, status, body }) });
  server = createServer((request, response) => void model.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = { base_url, auth: "none" };
  const settings = {
    provider: "by-messages",
    providers: {
      "by-messages": { ...place, wire: "anthropic", default_model: "sim" },
      "by-responses": { ...place, wire: "openai", openai_api: "responses", default_model: "sim" },
      "by-chat": { ...place, wire: "openai", openai_api: "chat", default_model: "sim" },
      many: { ...place, kind: "openrouter", default_model: "anthropic/sim" },
    },
    prices: { sim: PRICE, "many/*": PRICE },
  };
  app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings));
        return () => Promise.resolve();
      },
    },
  );
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** What happened, without ids and times. Items come in the order of their beginning: two that only read may end in any. */
function story(events: readonly JournalEvent[]): readonly unknown[] {
  const ended = new Map(
    events.flatMap((event) => (event.type === "item.completed" ? [[event.item.id, event.item] as const] : [])),
  );
  return events.flatMap((event): unknown[] => {
    if (event.type === "turn.completed") return [[event.stop_reason, event.usage, event.cost_microusd]];
    const item = event.type === "item.started" ? ended.get(event.item.id) : undefined;
    if (item === undefined) return [];
    return [[item.type, item.status, "text" in item ? item.text : "output" in item ? item.output : undefined]];
  });
}

test("the same prompt with tools gives the same files and the same ledger, however the model is asked", async () => {
  const { client, place } = app;
  const usage = (count: number): object => ({
    usage: {
      input_tokens: 310 + count,
      output_tokens: 41,
      cache_creation_input_tokens: 64,
      cache_read_input_tokens: 7,
    },
  });
  const results = [];
  for (const api of ["messages", "responses", "chat"]) {
    const workspace = join(place.workspace, api);
    await mkdir(workspace);
    await writeFile(join(workspace, "in.txt"), "one\ntwo\n");
    const read = { tool: "Read", input: { file_path: "in.txt" } };
    const search = { tool: "Grep", input: { pattern: "two", path: "in.txt", output_mode: "content" } };
    const steps = [
      usage(1),
      { think: "I need both." },
      { say: "I look." },
      { tools: [read, search] },
      usage(2),
      { tool: "Write", input: { file_path: "out.txt", content: 'Grüße "👋"\n' } },
      usage(3),
      { tool: "Edit", input: { file_path: "out.txt", old_string: "👋", new_string: "世界" } },
      usage(4),
      { tool: "Bash", input: { command: "cat in.txt out.txt > both.txt" } },
      usage(5),
      { say: "Done." },
    ];
    const { session, events } = await runScript(
      client,
      { provider: `by-${api}`, workspace, prompt: { text: script(...steps) } },
      approveWith(client),
    );
    const { cost_microusd, reserved_microusd } = await client.sessionUsage(session.id);
    const files = await Promise.all(["out.txt", "both.txt"].map((name) => readFile(join(workspace, name), "utf8")));
    const told = JSON.stringify(story(events)).replaceAll(workspace, "");
    results.push({ told: JSON.parse(told) as unknown, cost_microusd, reserved_microusd, files });
  }
  const [first, ...others] = results;
  expect(first?.files).toEqual(['Grüße "世界"\n', 'one\ntwo\nGrüße "世界"\n']);
  expect(first?.cost_microusd).toBeGreaterThan(0);
  for (const other of others) expect(other).toEqual(first);
  expect(new Set(asked.map(({ path }) => path))).toEqual(
    new Set(["/v1/messages", "/v1/responses", "/v1/chat/completions"]),
  );
});

test.each([
  ["by-responses", { reasoning: { effort: "medium", summary: "auto" }, max_output_tokens: 20_192 }],
  ["by-chat", { reasoning_effort: "medium", max_tokens: 20_192 }],
])("%s is told how hard to think, and its price holds", async (provider, fields) => {
  asked.length = 0;
  const prompt = { text: script({ think: "Hm." }, { say: "Yes." }) };
  const { events } = await runScript(app.client, { provider, thinking_tokens: 12_000, prompt });
  expect(events.at(-1)).toMatchObject({ type: "turn.completed", cost_microusd: expect.any(Number) as unknown });
  expect(asked).toMatchObject([{ status: 200, body: fields }]);
});

test("a session switches to a model of another API and back, and forks there", async () => {
  const { client } = app;
  asked.length = 0;
  const think = { think: "A secret thought." };
  const created = await client.createSession({ provider: "many", prompt: { text: script(think, { say: "Alpha." }) } });
  let events = await untilTurnEnds(client, created.id, {});
  const turn = async (id: string, model: string, word: string): Promise<void> => {
    await client.configure(id, { model });
    const after = events.at(-1)?.seq ?? 0;
    await client.prompt(id, { text: script(think, { say: word }) });
    events = await untilTurnEnds(client, id, { after });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
  };
  await turn(created.id, "qwen/sim", "Beta.");
  await turn(created.id, "anthropic/sim", "Gamma.");
  await turn(created.id, "qwen/sim", "Delta.");
  const fork = await client.fork(created.id, {});
  events = (await client.events(fork.id, { after: 0, limit: 1_000 })).events;
  await turn(fork.id, "anthropic/sim", "Epsilon.");
  expect(asked.map(({ path, status }) => [path, status])).toEqual([
    ["/v1/messages", 200],
    ["/v1/chat/completions", 200],
    ["/v1/messages", 200],
    ["/v1/chat/completions", 200],
    ["/v1/messages", 200],
  ]);
  const last = JSON.stringify(asked.at(-1)?.body);
  for (const word of ["Alpha.", "Beta.", "Gamma.", "Delta."]) expect(last).toContain(word);
  // Of the other API's thoughts nothing is sent; its own are those of the first and the third turn.
  expect([...last.matchAll(/"thinking":"A secret thought\."/g)]).toHaveLength(2);
});
