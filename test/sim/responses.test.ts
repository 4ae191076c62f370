import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { responseEvents, type Json } from "./wires.ts";
import { Client } from "./world.ts";

const PATH = "/v1/responses";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

const USER = { role: "user", content: "hi" };
const CALL = { type: "function_call", call_id: "call_1", name: "T", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "ok" };
const whole = (input: unknown, more: object = {}): object => ({ model: "m", input, ...more });
const play = (...steps: readonly unknown[]): string => `sim: ${JSON.stringify(steps)}`;

const stream = async (body: object): Promise<readonly Json[]> =>
  responseEvents(await (await client.post({ stream: true, ...body }, PATH)).text());
const ask = async (body: object): Promise<Json> => (await (await client.post(body, PATH)).json()) as Json;

/** Without their numbers, which were looked at before. */
const unnumbered = (events: readonly Json[]): readonly Json[] =>
  events.map((event) => {
    const { sequence_number: _, ...rest } = event;
    return rest;
  });

/** A response as it is before it says anything. */
const BEGUN = {
  id: expect.stringMatching(/^resp_[0-9a-f]{48}$/),
  object: "response",
  created_at: 1_735_689_600,
  status: "in_progress",
  background: false,
  error: null,
  incomplete_details: null,
  model: "m",
  output: [],
  previous_response_id: null,
  service_tier: "default",
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: null,
  user: null,
};
const usage = (input: number, output: number, reasoning = 0): object => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});
const outputText = (text: string): object => ({ type: "output_text", annotations: [], logprobs: [], text });

describe("a stream of a response", () => {
  test("has the events of the real API in their order", async () => {
    const events = await stream(
      whole(play({ think: "I see." }, { say: "Hello there." }, { tool: "Read", input: { path: "/a/b" } })),
    );
    const thought = { item_id: expect.stringMatching(/^rs_[0-9a-f]{24}$/), output_index: 0, summary_index: 0 };
    const text = { item_id: expect.stringMatching(/^msg_[0-9a-f]{24}$/), output_index: 1, content_index: 0 };
    const call = { item_id: expect.stringMatching(/^fc_[0-9a-f]{24}$/), output_index: 2 };
    const item = { id: call.item_id, type: "function_call", call_id: expect.stringMatching(/^call_/), name: "Read" };
    const items = [
      { id: thought.item_id, type: "reasoning", summary: [{ type: "summary_text", text: "I see." }] },
      {
        id: text.item_id,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [outputText("Hello there.")],
      },
      { ...item, status: "completed", arguments: '{"path":"/a/b"}' },
    ];
    const expected = [
      { type: "response.created", response: BEGUN },
      { type: "response.in_progress", response: BEGUN },
      { type: "response.output_item.added", output_index: 0, item: { ...items[0], summary: [] } },
      { type: "response.reasoning_summary_part.added", ...thought, part: { type: "summary_text", text: "" } },
      { type: "response.reasoning_summary_text.delta", ...thought, delta: "I " },
      { type: "response.reasoning_summary_text.delta", ...thought, delta: "see." },
      { type: "response.reasoning_summary_text.done", ...thought, text: "I see." },
      { type: "response.reasoning_summary_part.done", ...thought, part: { type: "summary_text", text: "I see." } },
      { type: "response.output_item.done", output_index: 0, item: items[0] },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { ...items[1], status: "in_progress", content: [] },
      },
      { type: "response.content_part.added", ...text, part: outputText("") },
      { type: "response.output_text.delta", ...text, delta: "Hello ", logprobs: [] },
      { type: "response.output_text.delta", ...text, delta: "there.", logprobs: [] },
      { type: "response.output_text.done", ...text, text: "Hello there.", logprobs: [] },
      { type: "response.content_part.done", ...text, part: outputText("Hello there.") },
      { type: "response.output_item.done", output_index: 1, item: items[1] },
      {
        type: "response.output_item.added",
        output_index: 2,
        item: { ...items[2], status: "in_progress", arguments: "" },
      },
      { type: "response.function_call_arguments.delta", ...call, delta: "{" },
      { type: "response.function_call_arguments.delta", ...call, delta: '"path":' },
      { type: "response.function_call_arguments.delta", ...call, delta: '"/a' },
      { type: "response.function_call_arguments.delta", ...call, delta: '/b"}' },
      { type: "response.function_call_arguments.done", ...call, arguments: '{"path":"/a/b"}' },
      { type: "response.output_item.done", output_index: 2, item: items[2] },
      {
        type: "response.completed",
        response: { ...BEGUN, status: "completed", output: items, usage: usage(22, 10, 2) },
      },
    ];
    expect(unnumbered(events)).toEqual(expected);
  });

  test("of a tool that takes plain text has events of its own", async () => {
    const tools = [{ type: "custom", name: "patch" }];
    const events = await stream(whole(play({ tool: "patch", input: { input: "abc" } }), { tools }));
    const item = {
      id: expect.stringMatching(/^ctc_/),
      type: "custom_tool_call",
      call_id: expect.stringMatching(/^call_/),
      name: "patch",
    };
    const place = { item_id: item.id, output_index: 0 };
    expect(unnumbered(events).slice(2, -1)).toEqual([
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", input: "" } },
      { type: "response.custom_tool_call_input.delta", ...place, delta: "a" },
      { type: "response.custom_tool_call_input.delta", ...place, delta: "bc" },
      { type: "response.custom_tool_call_input.done", ...place, input: "abc" },
      { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed", input: "abc" } },
    ]);
  });

  const ENDS = [
    ["end_turn", "completed", null],
    ["stop_sequence", "completed", null],
    ["pause_turn", "completed", null],
    ["max_tokens", "incomplete", "max_output_tokens"],
    ["model_context_window_exceeded", "incomplete", "max_output_tokens"],
    ["refusal", "incomplete", "content_filter"],
  ] as const;
  test.each(ENDS)("that ends with %s is %s for %s", async (stop_reason, status, reason) => {
    const last = (await stream(whole(play({ say: "a" }, { say: "b" }, { stop_reason })))).at(-1);
    expect(last).toMatchObject({
      type: `response.${status}`,
      response: {
        status,
        incomplete_details: reason === null ? null : { reason },
        output: [{ status: "completed" }, { status }],
        usage: { output_tokens: 2 },
      },
    });
  });

  test("that fails says why, what it had, and no usage", async () => {
    const steps = [{ say: "a" }, { say: "b" }, { error: { status: 429, message: "Try again in 2s." } }];
    expect((await stream(whole(play(...steps)))).slice(-2)).toMatchObject([
      {
        type: "error",
        error: { type: "requests", code: "rate_limit_exceeded", message: "Try again in 2s.", param: null },
      },
      {
        type: "response.failed",
        response: {
          status: "failed",
          error: { code: "rate_limit_exceeded", message: "Try again in 2s." },
          output: [{ type: "message", content: [{ text: "a" }] }],
          usage: null,
        },
      },
    ]);
  });

  test("that fails has the type and the usage that its script says", async () => {
    const steps = [
      { usage: { input_tokens: 9, output_tokens: 1 } },
      { say: "a" },
      { error: { status: 400, type: "context_length_exceeded" } },
    ];
    expect((await stream(whole(play(...steps)))).at(-1)).toMatchObject({
      response: { error: { code: "context_length_exceeded" }, usage: usage(9, 1) },
    });
  });
});

describe("a response", () => {
  test("repeats what it was asked", async () => {
    const more = {
      instructions: "Be nice.",
      max_output_tokens: 50,
      metadata: { a: "b" },
      parallel_tool_calls: false,
      prompt_cache_key: "k",
      reasoning: { effort: "low" },
      store: false,
      temperature: 0,
      tool_choice: "required",
      tools: [{ type: "function", name: "T", parameters: { type: "object" } }, { type: "web_search" }],
    };
    expect(await ask(whole(play({ say: "x" }), more))).toEqual({
      ...BEGUN,
      ...more,
      reasoning: { effort: "low", summary: null },
      status: "completed",
      output: [expect.objectContaining({ type: "message" })],
      usage: expect.objectContaining({ output_tokens: 1 }),
    });
  });

  test("proves its reasoning when it is asked to, and knows it again", async () => {
    const prompt = { role: "user", content: play({ think: "hm" }, { tool: "T" }, { say: "end" }) };
    const first = await ask(whole([prompt], { include: ["reasoning.encrypted_content"] }));
    const [reasoning, call] = first["output"] as readonly Json[];
    expect(reasoning).toMatchObject({ type: "reasoning", encrypted_content: expect.stringMatching(/^sim\./) });
    const output = { type: "function_call_output", call_id: call?.["call_id"], output: "ok" };
    expect(await ask(whole([prompt, reasoning, call, output]))).toMatchObject({
      output: [{ content: [{ text: "end" }] }],
    });
    const changed = { ...reasoning, summary: [{ type: "summary_text", text: "other" }] };
    expect(await ask(whole([prompt, changed, call, output]))).toMatchObject({
      error: { code: "invalid_encrypted_content", param: "input[1].encrypted_content" },
    });
  });

  test("follows a conversation as Codex sends it", async () => {
    const system = [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "permissions" }] },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "<environment_context>\n<cwd>/w</cwd>\n</environment_context>" }],
      },
    ];
    const prompt = {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: play({ tools: [{ tool: "shell" }, { tool: "shell" }] }, { say: "end" }) }],
    };
    const more = { instructions: "You are an agent.", store: false, stream: false, tools: [{ type: "local_shell" }] };
    const first = await ask(whole([...system, prompt], more));
    const calls = (first["output"] as readonly Json[]).map(({ call_id, name, arguments: text }) => ({
      type: "function_call",
      call_id,
      name,
      arguments: text,
    }));
    const outputs = calls.map(({ call_id }) => ({
      type: "function_call_output",
      call_id,
      output: [{ type: "input_text", text: "ok" }],
    }));
    expect(await ask(whole([...system, prompt, ...calls, ...outputs], more))).toMatchObject({
      output: [{ content: [{ text: "end" }] }],
    });
  });
});

const REFUSED: readonly { readonly body: unknown; readonly param: string; readonly code: string }[] = [
  { body: [], param: "body", code: "invalid_type" },
  { body: { input: "hi" }, param: "model", code: "missing_required_parameter" },
  { body: { model: 7, input: "hi" }, param: "model", code: "invalid_type" },
  { body: { model: "m" }, param: "input", code: "missing_required_parameter" },
  { body: whole(7), param: "input", code: "invalid_type" },
  { body: whole([]), param: "input", code: "empty_array" },
  { body: whole(["hi"]), param: "input[0]", code: "invalid_type" },
  { body: whole([{ role: "robot", content: "hi" }]), param: "input[0].role", code: "invalid_value" },
  { body: whole([{ content: "hi" }]), param: "input[0].role", code: "invalid_value" },
  { body: whole([{ role: "user" }]), param: "input[0].content", code: "missing_required_parameter" },
  {
    body: whole([{ role: "user", content: [{ type: "text", text: "x" }] }]),
    param: "input[0].content[0].type",
    code: "invalid_value",
  },
  {
    body: whole([USER, { role: "assistant", content: [{ type: "input_text", text: "x" }] }]),
    param: "input[1].content[0].type",
    code: "invalid_value",
  },
  { body: whole([USER, CALL]), param: "input[1]", code: "invalid_value" },
  { body: whole([USER, OUTPUT]), param: "input[1].call_id", code: "invalid_value" },
  { body: whole([USER, CALL, OUTPUT, OUTPUT]), param: "input[3].call_id", code: "invalid_value" },
  { body: whole([USER, CALL, OUTPUT, CALL, OUTPUT]), param: "input[3].call_id", code: "invalid_value" },
  {
    body: whole([USER, { ...CALL, arguments: {} }, OUTPUT]),
    param: "input[1].arguments",
    code: "invalid_type",
  },
  {
    body: whole([USER, { type: "custom_tool_call", call_id: "c", name: "T" }]),
    param: "input[1].input",
    code: "missing_required_parameter",
  },
  {
    body: whole([USER, { type: "reasoning" }]),
    param: "input[1].summary",
    code: "missing_required_parameter",
  },
  { body: whole([{ type: "item_reference", id: "msg_1" }]), param: "input[0].id", code: "item_not_found" },
  { body: whole("hi", { instructions: 7 }), param: "instructions", code: "invalid_type" },
  { body: whole("hi", { stream: 1 }), param: "stream", code: "invalid_type" },
  { body: whole("hi", { reasoning: "low" }), param: "reasoning", code: "invalid_type" },
  { body: whole("hi", { include: "all" }), param: "include", code: "invalid_type" },
  { body: whole("hi", { tools: [{ name: "T" }] }), param: "tools[0].type", code: "missing_required_parameter" },
  {
    body: whole("hi", { tools: [{ type: "function" }] }),
    param: "tools[0].name",
    code: "missing_required_parameter",
  },
  { body: whole("hi", { max_output_tokens: -1 }), param: "max_output_tokens", code: "integer_below_min_value" },
  { body: whole("hi", { max_output_tokens: "9" }), param: "max_output_tokens", code: "invalid_type" },
  {
    body: whole("hi", { previous_response_id: "resp_1" }),
    param: "previous_response_id",
    code: "previous_response_not_found",
  },
  { body: whole("hi", { conversation: "conv_1" }), param: "conversation", code: "conversation_not_found" },
  { body: whole("hi", { background: true }), param: "background", code: "invalid_value" },
];

describe("a request for a response", () => {
  test.each(REFUSED)("is refused for $param: $code", async ({ body, param, code }) => {
    const response = await client.post(body as object, PATH);
    expect([response.status, response.headers.get("x-request-id"), await response.json()]).toEqual([
      400,
      expect.stringMatching(/^req_[0-9a-f]{24}$/),
      { error: { message: expect.stringMatching(/\w/), type: "invalid_request_error", param, code } },
    ]);
  });

  const TAKEN: readonly { readonly name: string; readonly body: object }[] = [
    { name: "a text", body: whole("hi") },
    { name: "null for absent", body: whole("hi", { instructions: null, tools: null, max_output_tokens: null }) },
    {
      name: "pictures, files and texts",
      body: whole([
        {
          role: "user",
          content: [
            { type: "input_image", image_url: "data:image/png;base64,AA" },
            { type: "input_file", file_data: "AA" },
            { type: "input_text", text: "x" },
          ],
        },
      ]),
    },
    {
      name: "items of tools that the provider runs, and those that it does not know",
      body: whole([
        USER,
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { type: "local_shell_call", call_id: "c", action: {} },
        { type: "local_shell_call_output", call_id: "c", output: "ok" },
        { type: "hologram" },
      ]),
    },
    { name: "tools without names", body: whole("hi", { tools: [{ type: "web_search" }, { type: "local_shell" }] }) },
    { name: "fields that it does not know", body: whole("hi", { client_metadata: { a: 1 }, user: "x" }) },
  ];
  test.each(TAKEN)("is taken: $name", async ({ body }) => {
    const response = await client.post(body, PATH);
    expect([response.status, await response.json()]).toMatchObject([200, { object: "response" }]);
  });

  test("of another kind is refused", async () => {
    const get = await fetch(client.server.url + PATH);
    const broken = await fetch(client.server.url + PATH, { method: "POST", body: "{" });
    const empty = await fetch(client.server.url + PATH, { method: "POST" });
    const error = (message: string, more: object = {}): object => ({
      error: { message, type: "invalid_request_error", param: null, code: null, ...more },
    });
    expect([get.status, await get.json()]).toEqual([405, error("Method Not Allowed: GET")]);
    expect([broken.status, await broken.json()]).toEqual([400, error("The request body is not valid JSON")]);
    expect([empty.status, await empty.json()]).toEqual([
      400,
      error("Missing required parameter: 'body'.", { param: "body", code: "missing_required_parameter" }),
    ]);
  });
});
