import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chunksOf } from "./wires.ts";
import { Client } from "./world.ts";

const PATH = "/v1/chat/completions";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

const USER = { role: "user", content: "hi" };
const CALL = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "T", arguments: "{}" } }],
};
const RESULT = { role: "tool", tool_call_id: "call_1", content: "ok" };
const whole = (messages: readonly unknown[], more: object = {}): object => ({ model: "m", messages, ...more });
const play = (...steps: readonly unknown[]): object => ({ role: "user", content: `sim: ${JSON.stringify(steps)}` });

describe("a stream of chat completions", () => {
  const stream = async (body: object): Promise<string> => (await client.post({ stream: true, ...body }, PATH)).text();
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
    object: "chat.completion.chunk",
    created: 1_735_689_600,
    model: "m",
    service_tier: "default",
    system_fingerprint: null,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const call = (index: number, id: string, fields: object): object => ({
    tool_calls: [{ index, id: expect.stringMatching(id), type: "function", function: fields }],
  });
  const piece = (index: number, text: string): object => ({ tool_calls: [{ index, function: { arguments: text } }] });

  test("has the chunks of the real API in their order", async () => {
    const tools = [{ tool: "Read", input: { path: "/a/b" } }, { tool: "T" }];
    const text = await stream(whole([play({ think: "I see." }, { say: "Hello there." }, { tools })]));
    expect(text.endsWith("\n\ndata: [DONE]\n\n")).toBe(true);
    expect(chunksOf(text)).toEqual([
      chunk({ role: "assistant", content: "", refusal: null }),
      chunk({ reasoning_content: "I " }),
      chunk({ reasoning_content: "see." }),
      chunk({ content: "Hello " }),
      chunk({ content: "there." }),
      chunk(call(0, "^call_[0-9a-f]{20}0002$", { name: "Read", arguments: "" })),
      chunk(piece(0, "{")),
      chunk(piece(0, '"path":')),
      chunk(piece(0, '"/a')),
      chunk(piece(0, '/b"}')),
      chunk(call(1, "^call_[0-9a-f]{20}0003$", { name: "T", arguments: "" })),
      chunk(piece(1, "{")),
      chunk(piece(1, "}")),
      chunk({}, "tool_calls"),
    ]);
  });

  test("tells the usage at its end, and only when it is asked to", async () => {
    const body = whole([play({ think: "12345678" }, { say: "x" })]);
    const plain = chunksOf(await stream(body));
    const asked = chunksOf(await stream({ ...body, stream_options: { include_usage: true } }));
    expect(plain.filter((part) => "usage" in part)).toEqual([]);
    expect(asked.slice(0, -1).map(({ usage, ...part }) => [part, usage])).toEqual(plain.map((part) => [part, null]));
    expect(asked.at(-1)).toEqual({
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 3,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });

  const ENDS = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
  ] as const;
  test.each(ENDS)("that ends with %s says %s", async (stop_reason, finish_reason) => {
    const chunks = chunksOf(await stream(whole([play({ say: "x" }, { stop_reason })])));
    expect(chunks.at(-1)).toEqual(chunk({}, finish_reason));
  });
});

const REFUSED: readonly { readonly body: unknown; readonly param: string; readonly code: string }[] = [
  { body: [], param: "body", code: "invalid_type" },
  { body: { messages: [USER] }, param: "model", code: "missing_required_parameter" },
  { body: { model: "", messages: [USER] }, param: "model", code: "empty_string" },
  { body: { model: "m" }, param: "messages", code: "missing_required_parameter" },
  { body: { model: "m", messages: "hi" }, param: "messages", code: "invalid_type" },
  { body: whole([]), param: "messages", code: "empty_array" },
  { body: whole([7]), param: "messages[0]", code: "invalid_type" },
  { body: whole([{ content: "hi" }]), param: "messages[0].role", code: "missing_required_parameter" },
  { body: whole([{ role: "robot", content: "hi" }]), param: "messages[0].role", code: "invalid_value" },
  { body: whole([{ role: "user" }]), param: "messages[0].content", code: "missing_required_parameter" },
  { body: whole([{ role: "user", content: null }]), param: "messages[0].content", code: "invalid_type" },
  { body: whole([{ role: "user", content: [] }]), param: "messages[0].content", code: "empty_array" },
  {
    body: whole([{ role: "user", content: [{ type: "input_text", text: "x" }] }]),
    param: "messages[0].content[0].type",
    code: "invalid_value",
  },
  {
    body: whole([{ role: "user", content: [{ type: "image_url", image_url: {} }] }]),
    param: "messages[0].content[0].image_url.url",
    code: "missing_required_parameter",
  },
  { body: whole([USER, { role: "assistant" }]), param: "messages[1].content", code: "invalid_value" },
  { body: whole([USER, CALL]), param: "messages", code: "invalid_value" },
  { body: whole([USER, CALL, USER]), param: "messages[2]", code: "invalid_value" },
  { body: whole([USER, RESULT]), param: "messages[1].tool_call_id", code: "invalid_value" },
  { body: whole([USER, CALL, RESULT, RESULT]), param: "messages[3].tool_call_id", code: "invalid_value" },
  {
    body: whole([USER, CALL, { role: "tool", content: "ok" }]),
    param: "messages[2].tool_call_id",
    code: "missing_required_parameter",
  },
  {
    body: whole([USER, { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "T" } }] }]),
    param: "messages[1].tool_calls[0].function.arguments",
    code: "missing_required_parameter",
  },
  {
    body: whole([USER, { role: "assistant", tool_calls: [{ id: "a", type: "magic" }] }]),
    param: "messages[1].tool_calls[0].type",
    code: "invalid_value",
  },
  { body: whole([USER], { tools: {} }), param: "tools", code: "invalid_type" },
  { body: whole([USER], { tools: [{ type: "web_search" }] }), param: "tools[0].type", code: "invalid_value" },
  {
    body: whole([USER], { tools: [{ type: "function", name: "T" }] }),
    param: "tools[0].function",
    code: "missing_required_parameter",
  },
  {
    body: whole([USER], { tools: [{ type: "function", function: { name: "a b" } }] }),
    param: "tools[0].function.name",
    code: "invalid_value",
  },
  { body: whole([USER], { n: 2 }), param: "n", code: "invalid_value" },
  { body: whole([USER], { stream: "yes" }), param: "stream", code: "invalid_type" },
  { body: whole([USER], { max_tokens: 0 }), param: "max_tokens", code: "integer_below_min_value" },
  { body: whole([USER], { max_completion_tokens: 1.5 }), param: "max_completion_tokens", code: "invalid_type" },
  {
    body: whole([USER], { max_tokens: 1, max_completion_tokens: 1 }),
    param: "max_tokens",
    code: "invalid_parameter_combination",
  },
  {
    body: whole([USER], { stream_options: { include_usage: true } }),
    param: "stream_options",
    code: "invalid_parameter_combination",
  },
];

describe("a request for chat completions", () => {
  test.each(REFUSED)("is refused for $param: $code", async ({ body, param, code }) => {
    const response = await client.post(body as object, PATH);
    expect([response.status, response.headers.get("x-request-id"), await response.json()]).toEqual([
      400,
      expect.stringMatching(/^req_[0-9a-f]{24}$/),
      { error: { message: expect.stringMatching(/\w/), type: "invalid_request_error", param, code } },
    ]);
  });

  const TAKEN: readonly { readonly name: string; readonly body: object }[] = [
    { name: "null for absent", body: whole([USER], { n: null, tools: null, max_tokens: null, stream: null }) },
    { name: "one answer", body: whole([USER], { n: 1, max_tokens: 5 }) },
    {
      name: "pictures, sounds, files and texts",
      body: whole([
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
            { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
            { type: "file", file: { file_data: "AA" } },
            { type: "text", text: "x" },
          ],
        },
      ]),
    },
    {
      name: "instructions anywhere and parts in results",
      body: whole([
        { role: "developer", content: [{ type: "text", text: "be nice" }] },
        USER,
        CALL,
        { ...RESULT, content: [{ type: "text", text: "ok" }] },
        { role: "system", content: "go on" },
      ]),
    },
    {
      name: "an empty answer, and neighbours of one role",
      body: whole([USER, USER, { role: "assistant", content: "" }]),
    },
    { name: "fields that it does not know", body: whole([USER], { seed: 1, reasoning_effort: "low", user: "x" }) },
  ];
  test.each(TAKEN)("is taken: $name", async ({ body }) => {
    const response = await client.post(body, PATH);
    expect([response.status, await response.json()]).toMatchObject([200, { object: "chat.completion" }]);
  });

  test("with instructions tells the demo where it works", async () => {
    const body = whole(
      [
        { role: "system", content: "You are an agent.\nWorking directory: /w\n" },
        { role: "user", content: "read a.txt" },
      ],
      { tools: [{ type: "function", function: { name: "Read" } }] },
    );
    expect(await (await client.post(body, PATH)).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: "Read", arguments: '{"file_path":"/w/a.txt"}' } }] } }],
    });
  });

  test("of another kind is refused", async () => {
    const get = await fetch(client.server.url + PATH);
    const broken = await fetch(client.server.url + PATH, { method: "POST", body: "{" });
    const deep = await fetch(client.server.url + PATH, {
      method: "POST",
      body: `{"model":"m","messages":[],"tools":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    });
    const error = (message: string): object => ({
      error: { message, type: "invalid_request_error", param: null, code: null },
    });
    expect([get.status, await get.json()]).toEqual([405, error("Method Not Allowed: GET")]);
    expect([broken.status, await broken.json()]).toEqual([400, error("The request body is not valid JSON")]);
    expect([deep.status, await deep.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
  });
});
