import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MessageReader, prepare } from "../../src/engines/loop/anthropic.ts";
import { StreamFailure } from "../../src/engines/loop/failure.ts";
import { EventReader } from "../../src/engines/loop/sse.ts";
import { startSim, type SimServer } from "../../src/sim/index.ts";
import { script } from "./world.ts";

let sim: SimServer;
beforeAll(async () => {
  sim = await startSim();
});
afterAll(() => sim.close());

const SCRIPTS = [
  [{ say: "Hello, world." }],
  [{ think: "Hm. Well." }, { say: "Yes." }, { say: "No." }],
  [
    { say: "I call." },
    { tools: [{ tool: "Read", input: { file_path: 'ä \u{1F600} "quoted" \\ \n' } }, { tool: "Bash" }] },
  ],
  [{ say: "cut" }, { stop_reason: "max_tokens" }],
  [{ tool: "Write", input: { content: "long enough to be cut" } }, { stop_reason: "max_tokens" }],
  [
    { usage: { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 7, cache_creation_input_tokens: 8 } },
    { say: "counted" },
    { stop_reason: "refusal" },
  ],
  [{ stream: { tokens: 700 } }, { stop_reason: "pause_turn" }],
  [{ say: "x" }, { error: { status: 529, times: 2 } }],
];

/** The kinds of parts that the loop looks at, with neighbouring deltas joined. */
function essence(parts: readonly LanguageModelV3StreamPart[]): readonly unknown[] {
  const kept: unknown[] = [];
  for (const part of parts) {
    if (part.type === "stream-start" || part.type === "response-metadata" || part.type.startsWith("tool-input"))
      continue;
    if (part.type === "finish") {
      const { raw: _, ...usage } = part.usage;
      // The provider leaves thinking out where the API does not say; we say 0.
      const { total, reasoning = 0 } = usage.outputTokens;
      kept.push({ ...part, providerMetadata: undefined, usage: { ...usage, outputTokens: { total, reasoning } } });
    } else kept.push(Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)));
  }
  return kept.map((part) => JSON.parse(JSON.stringify(part)) as unknown);
}

async function throughProvider(prompt: string): Promise<readonly LanguageModelV3StreamPart[]> {
  const model = createAnthropic({ baseURL: `${sim.url}/v1`, apiKey: "key" })("sim");
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }] });
  const parts: LanguageModelV3StreamPart[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV3StreamPart>) parts.push(part);
  return parts;
}

async function raw(prompt: string): Promise<string> {
  const request = await prepare(
    { baseUrl: sim.url, key: "key", name: "sim" },
    { prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }] },
  );
  const response = await fetch(request.url, { method: "POST", headers: request.headers, body: request.body });
  return response.text();
}

function read(chunks: readonly string[]): readonly LanguageModelV3StreamPart[] {
  const events = new EventReader();
  const message = new MessageReader();
  return chunks.flatMap((chunk) => [...events.read(chunk)].flatMap((event) => message.read(event)));
}

describe("our reader of a Messages stream", () => {
  test.each(SCRIPTS.map((steps) => ({ steps })))("says what the provider's own says: $steps", async ({ steps }) => {
    const { text } = script(steps);
    expect(essence(read([await raw(text)]))).toEqual(essence(await throughProvider(text)));
  });

  test("does not mind where the network cuts", async () => {
    const whole = await raw(script(SCRIPTS[2] ?? []).text);
    const parts = read([whole]);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 60 }), fc.constantFrom("\n", "\r\n"), (cuts, lineEnd) => {
        const sorted = [0, ...cuts.toSorted((left, right) => left - right), whole.length];
        const chunks = sorted.slice(1).map((end, index) => whole.slice(sorted[index], end).replaceAll("\n", lineEnd));
        expect(read(chunks)).toEqual(parts);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  test.each([
    { name: "data that is no JSON", stream: "data: {\n\n" },
    { name: "data that is no object", stream: "data: 7\n\n" },
    { name: "a delta without its block's number", stream: 'data: {"type":"content_block_delta","delta":{}}\n\n' },
    {
      name: "a delta without its text",
      stream:
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}\n\n',
    },
  ])("calls $name a broken stream", ({ stream }) => {
    expect(() => read([stream])).toThrow(StreamFailure);
  });

  test("passes over what it does not know", () => {
    const stream = [
      { type: "message_start", message: { usage: { input_tokens: 3 } } },
      { type: "something_new", index: 0 },
      { type: "content_block_start", index: 0, content_block: { type: "hologram" } },
      { type: "content_block_delta", index: 0, delta: { type: "photon" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "secret" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4, input_tokens: null } },
      { type: "message_stop" },
    ];
    const text = stream
      .map((event) => `: a comment\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
    expect(read([text])).toEqual([
      { type: "reasoning-start", id: "1", providerMetadata: { anthropic: { redactedData: "secret" } } },
      { type: "reasoning-end", id: "1" },
      {
        type: "finish",
        finishReason: { unified: "stop", raw: "end_turn" },
        usage: {
          inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 4, text: 4, reasoning: 0 },
        },
      },
    ]);
  });
});

describe("the request", () => {
  const options = {
    prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
    maxOutputTokens: 10,
  };
  test.each([
    { baseUrl: "http://127.0.0.1:1", url: "http://127.0.0.1:1/v1/messages", socketPath: undefined },
    { baseUrl: "http://127.0.0.1:1/", url: "http://127.0.0.1:1/v1/messages", socketPath: undefined },
    { baseUrl: "https://api.example/v1", url: "https://api.example/v1/messages", socketPath: undefined },
    { baseUrl: "unix:/run/model.sock", url: "http://localhost/v1/messages", socketPath: "/run/model.sock" },
  ])("goes from $baseUrl to $url", async ({ baseUrl, url, socketPath }) => {
    const request = await prepare({ baseUrl, key: "key", name: "some-model" }, options);
    expect({ ...request, body: JSON.parse(request.body) as unknown }).toEqual({
      url,
      socketPath,
      headers: expect.objectContaining({
        "content-type": "application/json",
        "x-api-key": "key",
        "anthropic-version": "2023-06-01",
      }),
      body: {
        model: "some-model",
        max_tokens: 10,
        stream: true,
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      },
    });
  });
});
