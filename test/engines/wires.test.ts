import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { modelBodyText, type EventBody, type ModelApi } from "../../src/protocol/index.ts";
import type { EngineEvent } from "../../src/engines/index.ts";
import { modelRequest } from "../../src/engines/loop/request.ts";
import { toolDefinitions } from "../../src/tools/index.ts";
import { journalOf, never, promptEvent, readTurn, script, World, type TestHost } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

type Fields = Readonly<Record<string, unknown>>;

const OPENAI = ["responses", "chat"] as const;
const ALL = ["messages", ...OPENAI] as const;
const PATHS = { messages: "/v1/messages", responses: "/v1/responses", chat: "/v1/chat/completions" } as const;

/** What a person would see of a turn. */
function seen(arrays: readonly (readonly EngineEvent[])[]): readonly unknown[] {
  return arrays.flat().flatMap((event): unknown[] => {
    if (event.type === "notice") return [event.message];
    if (event.type === "turn.completed") return [event.stop_reason];
    if (event.type === "turn.failed") return [event.error.code];
    if (event.type !== "item.completed") return [];
    const { item } = event;
    return [[item.type, item.status, "text" in item ? item.text : ""]];
  });
}

/** The conversation of a request, without its system prompt. */
function said(body: unknown): readonly Fields[] {
  const { input, messages } = body as { readonly input?: readonly Fields[]; readonly messages?: readonly Fields[] };
  return (input ?? messages ?? []).filter(({ role }) => role !== "system");
}

function turnOf(host: TestHost, steps: readonly unknown[], words?: string) {
  return world
    .open(host)
    .then((conversation) => readTurn(conversation.turn(script(steps, words), never())))
    .then((told) => ({ ...told, requests: world.take() }));
}

const known = (api: ModelApi): TestHost["model"] => ({ ...world.host(api).model });

describe("a request", () => {
  test("for responses stores nothing, asks for thoughts as they must come back, and names its cache", async () => {
    const { requests } = await turnOf(world.host("responses"), [{ say: "Yes." }]);
    expect(requests).toMatchObject([{ path: PATHS.responses, headers: { authorization: "Bearer key" }, status: 200 }]);
    const { input, tools, ...rest } = (requests[0]?.body ?? {}) as Fields & {
      readonly input: readonly Fields[];
    };
    expect(rest).toEqual({
      model: "sim",
      max_output_tokens: 8_192,
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "ses_1",
    });
    expect(input.map(({ role }) => role)).toEqual(["system", "user"]);
    expect((tools as readonly unknown[])[0]).toEqual({
      type: "function",
      name: "Read",
      description: "The tool Read.",
      parameters: { type: "object", properties: {} },
      strict: false,
    });
  });

  test("for a chat completion asks for its usage", async () => {
    const { requests } = await turnOf(world.host("chat"), [{ say: "Yes." }]);
    expect(requests).toMatchObject([{ path: PATHS.chat, headers: { authorization: "Bearer key" }, status: 200 }]);
    const { messages, tools, ...rest } = (requests[0]?.body ?? {}) as Fields & {
      readonly messages: readonly Fields[];
    };
    expect(rest).toEqual({ model: "sim", max_tokens: 8_192, stream: true, stream_options: { include_usage: true } });
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect((tools as readonly unknown[])[0]).toEqual({
      type: "function",
      function: { name: "Read", description: "The tool Read.", parameters: { type: "object", properties: {} } },
    });
  });

  const MODELS = [
    ["responses", "gpt-4.1", { max_output_tokens: 10_192 }],
    ["responses", "gpt-5-chat-latest", { max_output_tokens: 10_192 }],
    [
      "responses",
      "gpt-5-nano",
      {
        max_output_tokens: 10_192,
        include: ["reasoning.encrypted_content"],
        reasoning: { effort: "low", summary: "auto" },
      },
    ],
    ["responses", "grok-4-1-fast-reasoning", { max_output_tokens: 10_192, include: ["reasoning.encrypted_content"] }],
    ["chat", "qwen3-coder", { max_tokens: 10_192, reasoning_effort: "low" }],
    ["chat", "openai/gpt-5", { max_completion_tokens: 10_192, reasoning_effort: "low" }],
  ] as const;
  test.each(MODELS)("for %s of %s thinks as that one can", async (api, name, expected) => {
    const host = world.host(api);
    host.model = { ...host.model, name };
    const conversation = await world.open(host, { settings: { thinking_tokens: 2_000 } });
    await readTurn(conversation.turn(script([{ say: "Yes." }]), never()));
    const [body] = world.take().map((exchange) => exchange.body as Fields);
    const fields = new Set([
      "max_tokens",
      "max_completion_tokens",
      "max_output_tokens",
      "include",
      "reasoning",
      "reasoning_effort",
    ]);
    const sent = Object.fromEntries(Object.entries(body ?? {}).filter(([field]) => fields.has(field)));
    expect(sent).toEqual(expected);
  });

  test.each(OPENAI)("for %s leaves room for the answer in a small window", async (api) => {
    const host = world.host(api);
    host.model = { ...host.model, facts: () => ({ api, contextTokens: 10_000, outputTokens: 4_000 }) };
    const { requests } = await turnOf(host, [{ say: "Yes." }]);
    const { max_tokens, max_output_tokens } = (requests[0]?.body ?? {}) as Fields;
    expect(max_tokens ?? max_output_tokens).toBe(2_000);
  });
});

test("every API is told of the same tools, with the same schemas", () => {
  const tools = toolDefinitions("anthropic");
  const told = (api: ModelApi): readonly unknown[] => {
    const prompt = { system: "s", messages: [], tools, settings: { max_tokens: 1 } };
    const { body } = modelRequest({ baseUrl: "http://x", key: "k", name: "sim", facts: { api } }, prompt);
    return (JSON.parse(modelBodyText(body)) as { readonly tools: readonly unknown[] }).tools;
  };
  expect(told("chat")).toEqual(JSON.parse(JSON.stringify(toolDefinitions("openai"))));
  expect(told("responses")).toEqual(
    tools.map(({ name, description, input_schema: parameters }) => {
      return { type: "function", name, description, parameters, strict: false };
    }),
  );
  expect(told("messages").slice(0, -1)).toEqual(tools.slice(0, -1));
});

describe("thoughts", () => {
  const STEPS = [{ think: "Hm." }, { say: "I look." }, { tool: "Bash" }, { say: "Done." }];

  test("of responses go back with their proof, also after a restart", async () => {
    const host = world.host("responses");
    const first = await turnOf(host, STEPS);
    const proof = {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: expect.any(String),
    };
    expect(said(first.requests[1]?.body)).toMatchObject([
      { role: "user" },
      proof,
      { role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", name: "Bash", arguments: "{}" },
      { type: "function_call_output", output: "one\ntwo" },
    ]);
    const journal = [promptEvent(script(STEPS)), ...journalOf(first.arrays)];
    const again = await world.open(world.host("responses"), { journal });
    await readTurn(again.turn(script([{ say: "Again." }]), never()));
    const [request] = world.take();
    expect(request?.status).toBe(200);
    expect(said(request?.body)[1]).toMatchObject(proof);
  });

  test("of a chat completion go back while the model works on the same prompt", async () => {
    const host = world.host("chat");
    const conversation = await world.open(host);
    await readTurn(conversation.turn(script(STEPS), never()));
    const [, second] = world.take();
    expect(said(second?.body)).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "I look.", reasoning_content: "Hm.", tool_calls: [{ type: "function" }] },
      { role: "tool", content: "one\ntwo" },
    ]);
    await readTurn(conversation.turn(script([{ say: "Again." }]), never()));
    expect(JSON.stringify(world.take()[0]?.body)).not.toContain("reasoning_content");
  });

  test("that are not taken back are left out, and a notice says so", async () => {
    const host = world.host("responses");
    const first = await turnOf(host, STEPS);
    const journal = [promptEvent(script(STEPS)), ...journalOf(first.arrays)].map((event): EventBody => {
      if (event.type !== "item.completed" || event.item.type !== "reasoning") return event;
      return { type: "item.completed", item: Object.assign({}, event.item, { signature: "sim.changed" }) };
    });
    const conversation = await world.open(world.host("responses"), { journal });
    const told = await readTurn(conversation.turn(script([{ say: "Again." }]), never()));
    expect(seen(told.arrays)).toEqual([
      expect.stringMatching(
        /^the model answered 400 \(invalid_encrypted_content: .*; asking again without the earlier/,
      ),
      ["agent_message", "completed", "Again."],
      "end_turn",
    ]);
    expect(world.take().map(({ status }) => status)).toEqual([400, 200]);
  });
});

test("a conversation goes on with a model of another API, without thoughts of the others", async () => {
  const host = world.host("messages");
  const conversation = await world.open(host);
  const order = ["messages", "responses", "chat", "messages", "chat", "responses"] as const;
  for (const [turn, api] of order.entries()) {
    host.model = known(api);
    const steps = [{ think: `By ${api}.` }, { say: `Turn ${turn}.` }, { tool: "Read", input: { file_path: "/a" } }];
    const told = await readTurn(conversation.turn(script([...steps, { say: "On." }]), never()));
    expect(told.arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
    const requests = world.take();
    expect(requests.map(({ path, status }) => [path, status])).toEqual([
      [PATHS[api], 200],
      [PATHS[api], 200],
    ]);
    const body = JSON.stringify(said(requests[0]?.body));
    for (let before = 0; before < turn; before += 1) expect(body).toContain(`Turn ${before}.`);
    for (const other of ALL)
      if (other !== api) expect(body).not.toMatch(new RegExp(`"(?:text|thinking)":"By ${other}`));
  }
});

describe.each(OPENAI)("on %s", (api) => {
  test("a name that no API takes back does not end the conversation", async () => {
    const host = world.host(api);
    const { arrays, requests } = await turnOf(host, [{ tool: "tele.port ünd" }, { say: "Pity." }]);
    expect(requests.map(({ status }) => status)).toEqual([200, 200]);
    expect(JSON.stringify(said(requests[1]?.body))).toContain('"tele_port__nd"');
    expect(seen(arrays).at(-1)).toBe("end_turn");
  });

  test("a call whose input is no JSON is not run, and the model reads why", async () => {
    const host = world.host(api);
    const steps = [
      { tool: "Write", input: { file_path: "/a", content: "long enough" } },
      { stop_reason: "max_tokens" },
    ];
    const { requests } = await turnOf(host, [...steps, { say: "I see." }]);
    expect(host.toolbox.log).toEqual([]);
    expect(JSON.stringify(said(requests[1]?.body))).toContain("reached max_tokens in the middle of this call");
  });

  test("the pictures of a result reach the model", async () => {
    const { requests } = await turnOf(world.host(api), [
      { tools: [{ tool: "Picture" }, { tool: "Bash" }] },
      { say: "A dot." },
    ]);
    expect(requests.map(({ status }) => status)).toEqual([200, 200]);
    const after = said(requests[1]?.body).slice(api === "chat" ? 2 : 3);
    const url = "data:image/png;base64,iVBORw0KGgo=";
    expect(after).toMatchObject(
      api === "chat"
        ? [
            { role: "tool", content: "a dot" },
            { role: "tool", content: "one\ntwo" },
            { role: "user", content: [{ type: "text" }, { type: "image_url", image_url: { url } }] },
          ]
        : [
            {
              output: [
                { type: "input_text", text: "a dot" },
                { type: "input_image", image_url: url },
              ],
            },
            { output: "one\ntwo" },
          ],
    );
  });

  test("a failed call says so", async () => {
    const { requests } = await turnOf(world.host(api), [
      { tool: "Read", input: { file_path: "/none" } },
      { say: "No." },
    ]);
    expect(said(requests[1]?.body).at(-1)).toMatchObject({
      [api === "chat" ? "content" : "output"]: "Error: File does not exist: /none",
    });
  });

  const FAILURES = [
    ["overloaded twice", { error: { status: 529, times: 2 } }, "(server_is_overloaded: scripted error 529)", 3],
    ["limited", { error: { status: 429, retry_after: 7 } }, "(rate_limit_exceeded: scripted error 429)", 2],
    ["broken", { error: { status: 500 } }, "(server_error: scripted error 500)", 2],
  ] as const;
  test.each(FAILURES)("a model that is %s is asked again", async (_how, step, words, calls) => {
    const { arrays, requests } = await turnOf(world.host(api), [step, { say: "hello" }]);
    expect(requests).toHaveLength(calls);
    expect(seen(arrays).slice(calls - 2)).toEqual([
      expect.stringContaining(words),
      ["agent_message", "completed", "hello"],
      "end_turn",
    ]);
  });

  test.each([
    ["an error in the stream", { error: { status: 529 } }],
    ["a cut", { cut: true }],
    ["what is no JSON", { malformed: true }],
  ])("%s supersedes the half message, and no tool has run", async (_what, step) => {
    const host = world.host(api);
    const { arrays } = await turnOf(host, [{ think: "hm" }, { say: "half" }, step, { tool: "Bash" }, { say: "end" }]);
    expect(seen(arrays).filter((line) => typeof line !== "string")).toEqual([
      ["reasoning", "superseded", "hm"],
      ["agent_message", "superseded", "half"],
      ["reasoning", "completed", "hm"],
      ["agent_message", "completed", "half"],
      ["command_execution", "completed", ""],
      ["agent_message", "completed", "end"],
    ]);
    expect(host.toolbox.log).toEqual(["start Bash", "end Bash"]);
  });

  test.each([
    [401, undefined, "model_unauthenticated"],
    [404, undefined, "model_error"],
    [429, "insufficient_quota", "model_error"],
  ])("%s %s fails at once", async (status, type, code) => {
    const { arrays, requests } = await turnOf(world.host(api), [
      { error: { status, times: 9, ...(type && { type }) } },
    ]);
    expect(seen(arrays)).toEqual([code]);
    expect(requests).toHaveLength(1);
  });

  test.each([
    [{ stop_reason: "max_tokens" }, "max_tokens"],
    [{ stop_reason: "refusal" }, "refusal"],
  ])("%s ends the turn", async (step, end) => {
    const { arrays } = await turnOf(world.host(api), [{ say: "So far." }, step]);
    expect(seen(arrays).at(-1)).toBe(end);
  });

  test("what is too long is summarised once, then the turn fails", async () => {
    const conversation = await world.open(world.host(api));
    for (const word of ["one", "two"]) await readTurn(conversation.turn(script([{ say: word }]), never()));
    world.take();
    const error = { status: 400, type: "context_length_exceeded", message: "Too much.", times: 9 };
    const told = await readTurn(conversation.turn(script([{ error }]), never()));
    expect(seen(told.arrays)).toEqual([["compaction", "completed", ""], "context_exceeded"]);
    expect(world.take().map(({ path, status }) => [path, status])).toEqual([
      [PATHS[api], 400],
      [PATHS[api], 200],
      [PATHS[api], 400],
    ]);
  });

  test("a conversation that outgrows the model's window is summarised before", async () => {
    const host = world.host(api);
    host.model = { ...host.model, facts: () => ({ api, contextTokens: 4_000 }) };
    const conversation = await world.open(host);
    const long = [{ usage: { input_tokens: 3_600, output_tokens: 10 } }, { say: "long" }];
    for (const steps of [long, long]) await readTurn(conversation.turn(script(steps), never()));
    const told = await readTurn(conversation.turn(script([{ say: "Short." }]), never()));
    expect(seen(told.arrays)).toEqual([
      ["compaction", "completed", ""],
      ["agent_message", "completed", "Short."],
      "end_turn",
    ]);
  });
});
