import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimModel, estimateTokens, type SimExchange, type SimModel } from "../../src/sim/index.ts";
import { Client, script } from "./world.ts";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
});
afterAll(() => client.server.close());

const USER = { role: "user", content: "hi" };
const CALL = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "T", input: {} }] };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
const whole = (messages: readonly unknown[], more: object = {}): object => ({
  model: "m",
  max_tokens: 10,
  messages,
  ...more,
});

const REFUSED: readonly { readonly body: object; readonly message: string | RegExp }[] = [
  { body: { max_tokens: 1, messages: [USER] }, message: "model: Field required" },
  { body: { model: "m", messages: [USER] }, message: "max_tokens: Field required" },
  {
    body: { model: "m", max_tokens: 0, messages: [USER] },
    message: "max_tokens: Input should be greater than or equal to 1",
  },
  { body: { model: "m", max_tokens: 1.5, messages: [USER] }, message: "max_tokens: Input should be a valid integer" },
  { body: { model: "m", max_tokens: 1 }, message: "messages: Field required" },
  { body: whole([]), message: "messages: at least one message is required" },
  { body: whole([{ role: "assistant", content: "hi" }]), message: 'messages: first message must use the "user" role' },
  {
    body: whole([{ role: "robot", content: "hi" }]),
    message: "messages.0.role: Input should be 'user' or 'assistant'",
  },
  { body: whole([{ role: "user", content: "" }]), message: /^messages\.0: all messages must have non-empty content/ },
  {
    body: whole([{ role: "user", content: [{ type: "text", text: "" }] }]),
    message: "messages: text content blocks must be non-empty",
  },
  {
    body: whole([{ role: "user", content: [{ type: "text", text: " \n" }] }]),
    message: "messages: text content blocks must contain non-whitespace text",
  },
  {
    body: whole([USER, { role: "assistant", content: "hi " }]),
    message: "messages: final assistant content cannot end with trailing whitespace",
  },
  {
    body: whole([USER, CALL]),
    message: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1\./,
  },
  { body: whole([USER, CALL, USER]), message: /^messages\.1: `tool_use` ids were found without/ },
  {
    body: whole([{ role: "user", content: [RESULT] }]),
    message: /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1\./,
  },
  {
    body: whole([USER, CALL, { role: "user", content: [RESULT, RESULT] }]),
    message: /each tool_use must have a single result/,
  },
  {
    body: whole([USER, CALL, { role: "user", content: [{ type: "text", text: "x" }, RESULT] }]),
    message: /must come before other content/,
  },
  {
    body: whole([USER, CALL, { role: "user", content: [RESULT] }, CALL, { role: "user", content: [RESULT] }]),
    message: "messages.3: `tool_use` ids must be unique",
  },
  {
    body: whole([USER, { role: "user", content: [{ type: "tool_use", id: "a", name: "b", input: {} }] }]),
    message: /blocks can only be in `assistant` messages/,
  },
  {
    body: whole([
      USER,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "x", signature: "sim.wrong" },
          { type: "text", text: "a" },
        ],
      },
      USER,
    ]),
    message: /Invalid `signature` in `thinking` block/,
  },
  {
    body: whole([USER, { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "other" }] }]),
    message: /The final block in an assistant message cannot be `thinking`/,
  },
  {
    body: whole([
      USER,
      CALL,
      {
        role: "user",
        content: [{ ...RESULT, is_error: true, content: [{ type: "image", source: { type: "base64", data: "A" } }] }],
      },
    ]),
    message: /all content must be type `text`/,
  },
  {
    body: whole([USER], { thinking: { type: "enabled", budget_tokens: 100 } }),
    message: /greater than or equal to 1024/,
  },
  {
    body: whole([USER], { thinking: { type: "enabled", budget_tokens: 2_000 } }),
    message: "`max_tokens` must be greater than `thinking.budget_tokens`",
  },
  {
    body: whole([USER], { tools: [{ name: "a b", input_schema: { type: "object" } }] }),
    message: /^tools\.0\.name: String should match pattern/,
  },
  { body: whole([USER], { tools: [{ name: "a" }] }), message: "tools.0.input_schema.type: Field required" },
  {
    body: whole([USER], {
      tools: [
        { name: "a", input_schema: { type: "object" } },
        { name: "a", input_schema: { type: "object" } },
      ],
    }),
    message: "tools: Tool names must be unique.",
  },
  {
    body: whole([
      {
        role: "user",
        content: Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: { type: "ephemeral" } })),
      },
    ]),
    message: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  },
];

describe("a request", () => {
  test.each(REFUSED)("is refused: $message", async ({ body, message }) => {
    const response = await client.post(body);
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: typeof message === "string" ? message : expect.stringMatching(message),
        },
        request_id: response.headers.get("request-id"),
      },
    ]);
  });

  test("that is no JSON is refused", async () => {
    const response = await fetch(`${client.server.url}/v1/messages`, { method: "POST", body: "{" });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error", message: "The request body is not valid JSON" } },
    ]);
  });

  const TAKEN: readonly { readonly name: string; readonly messages: readonly object[] }[] = [
    {
      name: "neighbours of one role",
      messages: [USER, USER, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }],
    },
    {
      name: "results without content, with text behind them",
      messages: [
        USER,
        CALL,
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1" },
            { type: "text", text: "go on" },
          ],
        },
      ],
    },
    {
      name: "pictures and kinds that it does not know",
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
            { type: "hologram" },
            { type: "text", text: "x" },
          ],
        },
      ],
    },
    { name: "instructions in between", messages: [USER, { role: "system", content: "be nice" }] },
  ];
  test.each(TAKEN)("is taken: $name", async ({ messages }) => {
    expect((await client.post(whole(messages))).status).toBe(200);
  });

  test("costs what its words cost; what was marked before the last answer came from the cache", async () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const part = (letter: string, more: object = {}): object => ({ type: "text", text: letter.repeat(36), ...more });
    const system = [part("s", mark)];
    const first = { role: "user" as const, content: [part("a", mark)] };
    const more = { system, max_tokens: 10 };
    const one = await client.ask([first], more);
    const two = await client.ask(
      [first, { role: "assistant", content: [part("b")] }, { role: "user", content: [part("c", mark), part("d")] }],
      more,
    );
    expect([one.usage, two.usage]).toMatchObject([
      { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 20 },
      { input_tokens: 10, cache_read_input_tokens: 20, cache_creation_input_tokens: 20 },
    ]);
  });
});

describe("the other routes", () => {
  const get = async (path: string, method = "GET"): Promise<unknown> => {
    const response = await fetch(client.server.url + path, { method });
    const body = await response.text();
    return [response.status, body === "" ? "" : JSON.parse(body)];
  };
  const model = (id: string): object => ({
    type: "model",
    id,
    display_name: "Sallyport demo model (scripted)",
    created_at: "2025-01-01T00:00:00Z",
  });

  test("tell what there is", async () => {
    expect(await get("/")).toEqual([200, { name: "sim", status: "ok" }]);
    expect(await get("/", "HEAD")).toEqual([200, ""]);
    expect(await get("/v1/models?limit=5")).toEqual([
      200,
      { data: [model("sim")], has_more: false, first_id: "sim", last_id: "sim" },
    ]);
    expect(await get("/v1/models/claude-x")).toEqual([200, model("claude-x")]);
    expect(await get("/v1/other")).toMatchObject([
      404,
      { type: "error", error: { type: "not_found_error", message: "Not Found: /v1/other" } },
    ]);
    expect(await get("/v1/messages")).toMatchObject([405, { type: "error", error: { type: "invalid_request_error" } }]);
  });

  const openAiModel = (id: string): object => ({ id, object: "model", created: 1_735_689_600, owned_by: "sallyport" });
  const bearer = { authorization: "Bearer key" };
  const VENDORS: readonly { readonly headers: Record<string, string>; readonly vendor: "Anthropic" | "OpenAI" }[] = [
    { headers: {}, vendor: "Anthropic" },
    { headers: { "x-api-key": "key" }, vendor: "Anthropic" },
    { headers: { ...bearer, "anthropic-version": "2023-06-01" }, vendor: "Anthropic" },
    { headers: bearer, vendor: "OpenAI" },
  ];
  test.each(VENDORS)("speak $vendor's words to a caller with $headers", async ({ headers, vendor }) => {
    const answers = await Promise.all(
      ["/v1/models", "/v1/models/x", "/v1/other", "/v1/models/%"].map(async (path) =>
        (await fetch(client.server.url + path, { headers })).json(),
      ),
    );
    const notFound = (path: string): unknown =>
      vendor === "OpenAI"
        ? {
            error: { message: `Not Found: ${path}`, type: "invalid_request_error", param: null, code: null },
          }
        : expect.objectContaining({ type: "error", error: { type: "not_found_error", message: `Not Found: ${path}` } });
    expect(answers).toEqual(
      vendor === "OpenAI"
        ? [
            { object: "list", data: [openAiModel("sim")] },
            openAiModel("x"),
            notFound("/v1/other"),
            notFound("/v1/models/%"),
          ]
        : [
            { data: [model("sim")], has_more: false, first_id: "sim", last_id: "sim" },
            model("x"),
            notFound("/v1/other"),
            notFound("/v1/models/%"),
          ],
    );
  });

  test("count tokens", async () => {
    const response = await client.post(
      { model: "m", messages: [{ role: "user", content: "x".repeat(400) }] },
      "/v1/messages/count_tokens",
    );
    expect(await response.json()).toEqual({ input_tokens: 100 });
    expect((await client.post({ model: "m" }, "/v1/messages/count_tokens")).status).toBe(400);
    expect(["", "abcd", "abcde"].map(estimateTokens)).toEqual([0, 1, 2]);
  });

  test("can be served by anybody's server", async () => {
    const seen: SimExchange[] = [];
    const own: SimModel = createSimModel({ onExchange: (exchange) => seen.push(exchange) });
    const server = createServer((incoming, response) => {
      void own.handle(incoming, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const response = await fetch(`${url}/v1/models/x`, { headers: { "X-Api-Key": "key", "X-More": "a" } });
    expect([await response.json(), seen]).toEqual([
      model("x"),
      [
        {
          method: "GET",
          path: "/v1/models/x",
          headers: expect.objectContaining({ "x-api-key": "key", "x-more": "a" }),
          body: undefined,
          status: 200,
        },
      ],
    ]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("are there on a unix socket too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sim-"));
    const path = join(folder, "sim.sock");
    const local = await Client.start({ path });
    const answer = await new Promise<string>((resolve, reject) => {
      const outgoing = request({ socketPath: path, path: "/v1/messages", method: "POST" }, (response) => {
        text(response).then(resolve, reject);
      });
      outgoing.on("error", reject);
      outgoing.end(JSON.stringify({ model: "m", max_tokens: 5, messages: [script({ say: "hello" })] }));
    });
    expect([local.server.url, JSON.parse(answer)]).toMatchObject([
      `unix:${path}`,
      { content: [{ type: "text", text: "hello" }] },
    ]);
    await local.server.close();
    await rm(folder, { recursive: true });
  });
});
