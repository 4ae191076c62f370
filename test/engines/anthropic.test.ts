import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV3CallOptions, LanguageModelV3Message, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/engines/loop/blocks.ts";
import { StreamFailure } from "../../src/engines/loop/failure.ts";
import { modelRequest as requestOf, type ModelAddress } from "../../src/engines/loop/request.ts";
import { EventReader } from "../../src/engines/loop/sse.ts";
import { MessageReader } from "../../src/engines/loop/wires/messages-reader.ts";
import type { MessagePart, ModelPrompt } from "../../src/engines/loop/wires/wire.ts";
import { modelBodyText } from "../../src/protocol/index.ts";
import { startSim, type SimServer } from "../../src/sim/index.ts";
import { script } from "./world.ts";

const modelRequest = (address: Omit<ModelAddress, "facts">, prompt: ModelPrompt): ReturnType<typeof requestOf> =>
  requestOf({ ...address, facts: { api: "messages" } }, prompt);

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

/** What the AI SDK's provider says of a stream, in our words. */
function asOurs(part: LanguageModelV3StreamPart): readonly MessagePart[] {
  switch (part.type) {
    case "text-delta":
      return [{ type: "text", id: part.id, text: part.delta }];
    case "reasoning-delta": {
      const { signature } = part.providerMetadata?.["anthropic"] ?? {};
      return [
        { type: "thought", id: part.id, text: part.delta, ...(typeof signature === "string" ? { signature } : {}) },
      ];
    }
    case "text-end":
    case "reasoning-end":
      return [{ type: "end", id: part.id }];
    case "tool-call":
      return [{ type: "call", tool_use_id: part.toolCallId, tool: part.toolName, input: part.input }];
    case "error":
      return [{ type: "error", error: part.error }];
    case "finish": {
      const { inputTokens, outputTokens } = part.usage;
      const usage = {
        input_tokens: inputTokens.noCache ?? 0,
        output_tokens: outputTokens.total ?? 0,
        cache_read_tokens: inputTokens.cacheRead ?? 0,
        cache_write_tokens: inputTokens.cacheWrite ?? 0,
        reasoning_tokens: outputTokens.reasoning ?? 0,
        model_calls: 1,
      };
      return [{ type: "finish", stop_reason: part.finishReason.raw, usage }];
    }
    default:
      return [];
  }
}

/** Empty text is nothing to see. */
function told(parts: readonly MessagePart[]): readonly MessagePart[] {
  return parts.filter((part) => part.type !== "text" || part.text !== "");
}

async function throughProvider(prompt: string): Promise<readonly MessagePart[]> {
  const model = createAnthropic({ baseURL: `${sim.url}/v1`, apiKey: "key" })("sim");
  const { stream } = await model.doStream(inTheirWords(promptOf([said(prompt)])));
  const parts: MessagePart[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV3StreamPart>) parts.push(...asOurs(part));
  return parts;
}

function promptOf(messages: readonly ModelMessage[], more: Partial<ModelPrompt> = {}): ModelPrompt {
  return { system: "Be careful.", messages, tools: [], settings: { max_tokens: 1_000 }, ...more };
}

const said = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });

async function raw(prompt: string): Promise<string> {
  const request = modelRequest({ baseUrl: sim.url, key: "key", name: "sim" }, promptOf([said(prompt)]));
  const response = await fetch(request.url, {
    method: "POST",
    headers: request.headers,
    body: modelBodyText(request.body),
  });
  return response.text();
}

function read(chunks: readonly string[]): readonly MessagePart[] {
  const events = new EventReader();
  const message = new MessageReader();
  return told(chunks.flatMap((chunk) => [...events.read(chunk)].flatMap((event) => message.read(event))));
}

describe("our reader of a Messages stream", () => {
  test.each(SCRIPTS.map((steps) => ({ steps })))("says what the provider's own says: $steps", async ({ steps }) => {
    const { text } = script(steps);
    expect(read([await raw(text)])).toEqual(told(await throughProvider(text)));
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
      { type: "thought", id: "1", text: "", redacted: "secret" },
      { type: "end", id: "1" },
      {
        type: "finish",
        stop_reason: "end_turn",
        usage: {
          input_tokens: 3,
          output_tokens: 4,
          cache_read_tokens: 0,
          cache_write_tokens: 0,
          reasoning_tokens: 0,
          model_calls: 1,
        },
      },
    ]);
  });
});

describe("the request", () => {
  test.each([
    { baseUrl: "http://127.0.0.1:1", url: "http://127.0.0.1:1/v1/messages", socketPath: undefined },
    { baseUrl: "http://127.0.0.1:1/", url: "http://127.0.0.1:1/v1/messages", socketPath: undefined },
    { baseUrl: "https://api.example/v1", url: "https://api.example/v1/messages", socketPath: undefined },
    { baseUrl: "unix:/run/model.sock", url: "http://localhost/v1/messages", socketPath: "/run/model.sock" },
  ])("goes from $baseUrl to $url", ({ baseUrl, url, socketPath }) => {
    const request = modelRequest({ baseUrl, key: "key", name: "some-model" }, promptOf([said("hi")]));
    expect({ ...request, body: JSON.parse(modelBodyText(request.body)) as unknown }).toEqual({
      url,
      socketPath,
      headers: {
        "content-type": "application/json",
        "x-api-key": "key",
        "anthropic-version": "2023-06-01",
        "user-agent": "sallyport",
      },
      body: {
        model: "some-model",
        max_tokens: 1_000,
        stream: true,
        system: [{ type: "text", text: "Be careful.", cache_control: { type: "ephemeral" } }],
        messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] }],
      },
    });
  });
});

const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** The same prompt in the AI SDK's words. */
function inTheirWords({ system, messages, tools, settings }: ModelPrompt): LanguageModelV3CallOptions {
  const { max_tokens, thinking_tokens } = settings;
  const prompt = messages.map(theirMessage);
  for (const marked of prompt.filter(({ role }) => role !== "assistant").slice(-2)) marked.providerOptions = CACHED;
  return {
    prompt: [{ role: "system", content: system, providerOptions: CACHED }, ...prompt],
    maxOutputTokens: max_tokens,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input_schema }, index) => ({
            type: "function" as const,
            name,
            description,
            inputSchema: input_schema,
            ...(index === tools.length - 1 ? { providerOptions: CACHED } : {}),
          })),
        }),
    providerOptions: {
      anthropic: {
        toolStreaming: false,
        ...(thinking_tokens === undefined ? {} : { thinking: { type: "enabled", budgetTokens: thinking_tokens } }),
      },
    },
  };
}

function theirMessage({ role, content }: ModelMessage): LanguageModelV3Message {
  const parts = content.map((block) => {
    switch (block.type) {
      case "text":
        return block;
      case "image":
        return { type: "file", mediaType: block.source.media_type, data: block.source.data };
      case "thinking":
        return {
          type: "reasoning",
          text: block.thinking,
          providerOptions: { anthropic: { signature: block.signature } },
        };
      case "redacted_thinking":
        return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block.data } } };
      case "tool_use":
        return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input };
      case "tool_result": {
        const type = block.is_error === true ? "error-text" : "text";
        const output =
          typeof block.content === "string"
            ? { type, value: block.content }
            : {
                type: "content",
                value: block.content.map((part) =>
                  part.type === "text"
                    ? part
                    : { type: "image-data", data: part.source.data, mediaType: part.source.media_type },
                ),
              };
        return { type: "tool-result", toolCallId: block.tool_use_id, toolName: "Read", output };
      }
    }
  });
  const isResults = content.some(({ type }) => type === "tool_result");
  return { role: isResults ? "tool" : role, content: parts } as LanguageModelV3Message;
}

async function writtenByProvider(model: string, prompt: ModelPrompt): Promise<unknown> {
  let body = "";
  const provider = createAnthropic({
    apiKey: "key",
    fetch: (_url, init) => {
      body = typeof init?.body === "string" ? init.body : "";
      return Promise.resolve(new Response("{}", { status: 400 }));
    },
  });
  await Promise.resolve(provider(model).doStream(inTheirWords(prompt))).catch(() => undefined);
  return JSON.parse(body);
}

describe("our writer of requests writes what the provider's own writes", () => {
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } } as const;
  const call = (id: string) =>
    ({ type: "tool_use", id, name: "Read", input: { file_path: `/${id}`, deep: [1, null] } }) as const;
  const conversation: readonly ModelMessage[] = [
    { role: "user", content: [picture, { type: "text", text: 'Look \u2028 "at" it 😀' }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "sig" },
        { type: "redacted_thinking", data: "hidden" },
        { type: "text", text: "I read.\n" },
        call("a"),
        call("b"),
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "text" }, picture] },
        { type: "tool_result", tool_use_id: "b", content: "Error", is_error: true },
      ],
    },
    said("And now?"),
    { role: "assistant", content: [{ type: "text", text: "Half " }] },
    { role: "assistant", content: [{ type: "text", text: "a word. \n" }] },
  ];
  const tools = ["Read", "Write"].map((name) => ({
    name,
    description: `Does ${name}.`,
    input_schema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
  }));

  test.each(conversation.map((_, index) => ({ length: index + 1 })))("$length messages", async ({ length }) => {
    const prompt = promptOf(conversation.slice(0, length), { tools });
    const request = modelRequest({ baseUrl: "http://x", key: "key", name: "claude-sonnet-4-5" }, prompt);
    expect(JSON.parse(modelBodyText(request.body))).toEqual(await writtenByProvider("claude-sonnet-4-5", prompt));
  });

  const MODELS =
    "sonnet-5-5 opus-5-5 haiku-5-5 opus-5 sonnet-5 fable-5 fable-5-1 opus-4-8 opus-4-7 opus-4-6 opus-4-5 opus-4-1 " +
    "opus-4-20250514 sonnet-4-6 sonnet-4-5 sonnet-4-20250514 haiku-4-5 3-haiku-20240307 3-5-sonnet-20241022 haiku-9";
  const SETTINGS = [
    { max_tokens: 4_000 },
    { max_tokens: 200_000 },
    { max_tokens: 4_000, thinking_tokens: 2_000 },
    { max_tokens: 30_000, thinking_tokens: 120_000 },
  ];
  const models = [...MODELS.split(" ").map((name) => `claude-${name}`), "anthropic/claude-opus-4-1@1", "qwen3"];
  test.each(models.map((model) => ({ model })))("to $model", async ({ model }) => {
    for (const settings of SETTINGS) {
      const prompt = promptOf([said("hi")], { settings });
      const request = modelRequest({ baseUrl: "http://x", key: "key", name: model }, prompt);
      expect(JSON.parse(modelBodyText(request.body))).toEqual(await writtenByProvider(model, prompt));
    }
  });
});
