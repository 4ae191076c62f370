import { expect } from "vitest";
import { assemble, eventsOf, type Answer, type Block } from "./world.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What any wire says, in the same words. */
interface Said {
  readonly text: string;
  readonly thought: string;
  /** `input` is the text that was sent, where the wire carries a text. */
  readonly calls: readonly { readonly name: unknown; readonly input: unknown }[];
  readonly stop: unknown;
  readonly usage: {
    readonly input: unknown;
    readonly output: unknown;
    readonly read: unknown;
    readonly write: unknown;
  };
}

/** One API of the scripted model, for tests that must hold for all of them. */
export interface Wire {
  readonly name: string;
  readonly path: string;
  readonly maxTokens: string;
  /** What the three ends of a reply are called: whole, with calls, out of tokens. */
  readonly ends: { readonly whole: unknown; readonly calls: unknown; readonly tokens: unknown };
  body(conversation: readonly unknown[], more?: object): Json;
  user(text: string): readonly unknown[];
  /** What a caller sends after an answer whose calls gave these results. */
  after(answer: Json, results: readonly string[]): readonly unknown[];
  tool(name: string): object;
  /** The answer that a stream carries. */
  assemble(stream: string): Json;
  said(answer: Json): Said;
  errorBody(status: number, message: string): Json;
}

const list = (value: unknown): readonly Json[] => (value ?? []) as readonly Json[];
const join = (parts: readonly Json[], field: string): string =>
  parts.map((part) => (part[field] ?? "") as string).join("");

/** The JSON of each `data:` line without a name; the last one must be the end mark. */
export function chunksOf(stream: string): readonly Json[] {
  const frames = stream.split("\n\n").filter((frame) => frame !== "");
  return frames
    .map((frame) => /^data: (.*)$/.exec(frame)?.[1] ?? "")
    .filter((data, index) => !(data === "[DONE]" && index === frames.length - 1))
    .map((data) => JSON.parse(data) as Json);
}

function assembleChat(stream: string): Json {
  let message: Json = {};
  let last: Json = {};
  let usage: unknown;
  const calls: Json[] = [];
  for (const chunk of chunksOf(stream)) {
    if (chunk["usage"] !== null && chunk["usage"] !== undefined) usage = chunk["usage"];
    for (const choice of list(chunk["choices"])) {
      last = { ...chunk, choices: [choice] };
      const { tool_calls, ...delta } = choice["delta"] as Json;
      for (const call of list(tool_calls)) {
        const { index, ...rest } = call;
        calls[index as number] = grow(calls[index as number] ?? {}, rest);
      }
      message = grow(message, delta);
    }
  }
  const finish_reason = list(last["choices"])[0]?.["finish_reason"];
  return {
    ...last,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { ...message, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
        logprobs: null,
        finish_reason,
      },
    ],
    usage,
  };
}

/** Texts grow, objects are merged, `id`, `type` and `role` come once. */
function grow(whole: Json, delta: Json): Json {
  const grown: Record<string, unknown> = { ...whole };
  for (const [name, value] of Object.entries(delta)) {
    const before = grown[name];
    if (typeof before === "string" && typeof value === "string") grown[name] = before + value;
    else if (typeof before === "object" && before !== null) grown[name] = grow(before as Json, value as Json);
    else grown[name] = value;
  }
  return grown;
}

/** The JSON of each event of a Responses stream; names are types and numbers count. */
export function responseEvents(stream: string): readonly Json[] {
  const events = stream
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const match = /^event: ([\w.]+)\ndata: (.*)$/.exec(frame);
      const data = JSON.parse(match?.[2] ?? "null") as Json;
      if (data["type"] !== match?.[1]) throw new Error(`bad frame: ${frame}`);
      return data;
    });
  if (events.some((event, index) => event["sequence_number"] !== index)) throw new Error("numbers have a gap");
  return events;
}

/** Built from the pieces; throws where a `done` event or the last one says something else than they do. */
function assembleResponses(stream: string): Json {
  const events = responseEvents(stream);
  const texts: string[] = [];
  const items: Json[] = [];
  for (const event of events) {
    const index = event["output_index"] as number;
    const type = String(event["type"]);
    if (type.endsWith(".delta")) texts[index] = (texts[index] ?? "") + String(event["delta"]);
    const whole = event["text"] ?? event["arguments"] ?? event["input"];
    if (type.endsWith(".done") && whole !== undefined && whole !== (texts[index] ?? ""))
      throw new Error(`${type} says ${JSON.stringify(whole)}`);
    if (type === "response.output_item.done") {
      const item = event["item"] as Json;
      const text = item["arguments"] ?? item["input"] ?? join(list(item["content"] ?? item["summary"]), "text");
      if (text !== (texts[index] ?? "")) throw new Error(`an item says ${JSON.stringify(text)}`);
      items[index] = item;
    }
  }
  const response = (events.at(-1) ?? {})["response"] as Json;
  if (JSON.stringify(response["output"]) !== JSON.stringify(items)) throw new Error("the output is not its items");
  return response;
}

const ANTHROPIC: Wire = {
  name: "Messages",
  path: "/v1/messages",
  maxTokens: "max_tokens",
  ends: { whole: "end_turn", calls: "tool_use", tokens: "max_tokens" },
  body: (messages, more) => ({ model: "sim", max_tokens: 100_000, messages, ...more }),
  user: (content) => [{ role: "user", content }],
  after: ({ content }, results) => [
    { role: "assistant", content },
    {
      role: "user",
      content: (content as readonly Block[])
        .filter((block) => block.type === "tool_use")
        .map((block, index) => ({
          type: "tool_result",
          tool_use_id: block.id,
          content: results[index],
          // The other wires have no mark for what failed.
          is_error: results[index]?.startsWith("User rejected"),
        })),
    },
  ],
  tool: (name) => ({ name, input_schema: { type: "object" } }),
  assemble: (stream) => assemble(stream) as unknown as Json,
  said: (answer) => {
    const { content, stop_reason, usage } = answer as unknown as Answer;
    return {
      text: content.map((block) => block.text ?? "").join(""),
      thought: content.map((block) => block.thinking ?? "").join(""),
      calls: content
        .filter((block) => block.type === "tool_use")
        .map(({ name, input }) => ({ name, input: JSON.stringify(input) })),
      stop: stop_reason,
      usage: {
        input: usage["input_tokens"],
        output: usage["output_tokens"],
        read: usage["cache_read_input_tokens"],
        write: usage["cache_creation_input_tokens"],
      },
    };
  },
  errorBody: (status, message) => ({
    type: "error",
    error: { type: { 429: "rate_limit_error", 500: "api_error" }[status], message },
    request_id: expect.stringMatching(/^req_/),
  }),
};

const openAiError: Wire["errorBody"] = (status, message) => ({
  error: {
    message,
    type: { 429: "requests", 500: "server_error" }[status],
    param: null,
    code: status === 429 ? "rate_limit_exceeded" : null,
  },
});

/** Of all that went in, what the caches had no part in. */
const fresh = (input: unknown, details: Json): unknown =>
  Number(input) - Number(details["cached_tokens"]) - Number(details["cache_write_tokens"] ?? 0);

const CHAT: Wire = {
  name: "Chat Completions",
  path: "/v1/chat/completions",
  maxTokens: "max_completion_tokens",
  ends: { whole: "stop", calls: "tool_calls", tokens: "length" },
  body: (messages, more = {}) => ({
    model: "sim",
    messages,
    ...("stream" in more ? { stream_options: { include_usage: true } } : {}),
    ...more,
  }),
  user: (content) => [{ role: "user", content }],
  after: (answer, results) => {
    const message = list(answer["choices"])[0]?.["message"] as Json;
    const calls = list(message["tool_calls"]);
    return [message, ...calls.map(({ id }, index) => ({ role: "tool", tool_call_id: id, content: results[index] }))];
  },
  tool: (name) => ({ type: "function", function: { name, parameters: { type: "object" } } }),
  assemble: assembleChat,
  said: (answer) => {
    const { message, finish_reason } = list(answer["choices"])[0] as { message: Json; finish_reason: unknown };
    const usage = answer["usage"] as Json;
    const details = usage["prompt_tokens_details"] as Json;
    return {
      text: (message["content"] ?? "") as string,
      thought: (message["reasoning_content"] ?? "") as string,
      calls: list(message["tool_calls"]).map((call) => {
        const inner = (call["function"] ?? call["custom"]) as Json;
        return { name: inner["name"], input: inner["arguments"] ?? inner["input"] };
      }),
      stop: finish_reason,
      usage: {
        input: fresh(usage["prompt_tokens"], details),
        output: usage["completion_tokens"],
        read: details["cached_tokens"],
        write: details["cache_write_tokens"] ?? 0,
      },
    };
  },
  errorBody: openAiError,
};

const RESPONSES: Wire = {
  name: "Responses",
  path: "/v1/responses",
  maxTokens: "max_output_tokens",
  ends: { whole: "completed", calls: "completed", tokens: "max_output_tokens" },
  body: (input, more) => ({ model: "sim", store: false, input, ...more }),
  user: (text) => [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
  after: (answer, results) => {
    const output = list(answer["output"]);
    const calls = output.filter(({ call_id }) => call_id !== undefined);
    return [
      ...output,
      ...calls.map(({ type, call_id }, index) => ({ type: `${String(type)}_output`, call_id, output: results[index] })),
    ];
  },
  tool: (name) => ({ type: "function", name, parameters: { type: "object" }, strict: false }),
  assemble: assembleResponses,
  said: (answer) => {
    const output = list(answer["output"]);
    const usage = answer["usage"] as Json;
    const details = usage["input_tokens_details"] as Json;
    return {
      text: output.map((item) => join(list(item["content"]), "text")).join(""),
      thought: output.map((item) => join(list(item["summary"]), "text")).join(""),
      calls: output
        .filter(({ call_id }) => call_id !== undefined)
        .map((item) => ({ name: item["name"], input: item["arguments"] ?? item["input"] })),
      stop: (answer["incomplete_details"] as Json | null)?.["reason"] ?? answer["status"],
      usage: {
        input: fresh(usage["input_tokens"], details),
        output: usage["output_tokens"],
        read: details["cached_tokens"],
        write: details["cache_write_tokens"] ?? 0,
      },
    };
  },
  errorBody: openAiError,
};

export const WIRES = { anthropic: ANTHROPIC, chat: CHAT, responses: RESPONSES } as const;

/** The last thing that a broken stream says, whichever wire it is on. */
export function lastOf(wire: Wire, stream: string): Json | undefined {
  if (wire === CHAT) return chunksOf(stream).at(-1);
  return (wire === RESPONSES ? responseEvents(stream) : eventsOf(stream)).at(-1);
}
