import { afterAll, beforeAll, expect, test } from "vitest";
import { ACCOUNTS, costOf, type SpendingLimit } from "../../src/ledger/index.ts";
import { Failure, NO_TOKENS } from "../../src/protocol/index.ts";
import { json, MESSAGE, PRICE, SESSION, World, type Answer, type Asking } from "./world.ts";

const ANSWER = { type: "message", usage: { input_tokens: 10, output_tokens: 5 } };
const COST = costOf(PRICE, { ...NO_TOKENS, input: 10, output: 5 });
const CHAT = { model: "gpt-test", max_tokens: 100, messages: [] };

function errorOf(answer: Answer) {
  const { error } = JSON.parse(answer.body) as { error: { type: string; message: string } };
  return { status: answer.status, code: answer.headers["x-sallyport-code"], ...error };
}

/** Nothing went out and nothing was paid. */
async function expectUntouched(world: World): Promise<void> {
  expect([world.arrivals, await world.balance()]).toEqual([[], { spent: 0, reserved: 0 }]);
}

/** One world for requests that are refused: nothing of them is left for the next one. */
let shared: World;
beforeAll(async () => {
  shared = await World.open();
});
afterAll(() => shared[Symbol.asyncDispose]());

test("a key opens the door in both headers, until it is revoked", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, ANSWER);
  const { key } = world.lease;
  const bearer = { authorization: `Bearer ${key}` };
  expect(key).toMatch(/^sp_model_[\w-]{43}$/);
  expect((await world.ask({ key })).status).toBe(200);
  expect((await world.ask({ key: "", headers: bearer })).status).toBe(200);
  expect((await world.ask({ key: "sk-ant-some-key-of-my-own", headers: bearer })).status).toBe(200);
  world.lease.revoke();
  const dead = await world.ask({ key });
  expect([errorOf(dead), JSON.parse(dead.body)]).toMatchObject([
    { status: 401, code: "unauthenticated", type: "authentication_error" },
    { type: "error", request_id: dead.headers["x-sallyport-request-id"] },
  ]);
  expect([world.arrivals.length, world.exchanges.length]).toEqual([3, 3]);
});

const YEAR_MS = 365 * 86_400_000;

test.each([
  ["time passes", YEAR_MS, YEAR_MS],
  ["the machine was suspended, or the clock set forward", YEAR_MS, 0],
  ["the clock is set back", -YEAR_MS, 1_000],
])("a key is valid as long as its owner has it: %s", async (_, wall, elapsed) => {
  await using world = await World.open();
  world.behaviour = (_arrival, response) => json(response, ANSWER);
  const other = world.proxy.lease({ context: () => world.context });
  expect([(await world.ask()).status, world.proxy.sessionKeys]).toEqual([200, 2]);
  world.now += wall;
  world.elapsed += elapsed;
  for (const key of [undefined, other.key]) expect((await world.ask({ key })).status).toBe(200);
  other.revoke();
  expect([(await world.ask({ key: other.key })).status, world.proxy.sessionKeys]).toEqual([401, 1]);
});

test.each([
  ["no key", { key: "" }],
  ["somebody else's form of key", { key: "sk-ant-api03-xxxx" }],
  ["a key that never was", { key: `sp_model_${"A".repeat(43)}` }],
  ["two keys in one header", { key: "", headers: { "x-api-key": ["a", "b"] } }],
  ["a basic password", { key: "", headers: { authorization: "Basic Zm9vOmJhcg==" } }],
] satisfies readonly (readonly [string, Asking])[])(
  "%s is refused, with nothing told to anybody",
  async (_, asking) => {
    const answer = await shared.ask({ path: "/v1/chat/completions", body: CHAT, ...asking });
    expect([errorOf(answer), shared.exchanges]).toMatchObject([{ status: 401, code: "unauthenticated" }, []]);
    await expectUntouched(shared);
  },
);

const THERE = new Failure("session_closed", "session ses_1 is complete");

test("a session that may not ask any more is refused in the caller's own format", async () => {
  await using world = await World.open();
  world.context = THERE;
  const anthropic = await world.ask();
  expect([anthropic.status, JSON.parse(anthropic.body)]).toEqual([
    403,
    {
      type: "error",
      error: { type: "permission_error", message: THERE.message, sallyport_code: "session_closed" },
      request_id: anthropic.headers["x-sallyport-request-id"],
    },
  ]);
  const openai = await world.ask({ path: "/v1/responses", body: { model: "gpt-test", input: "" } });
  expect([openai.status, JSON.parse(openai.body)]).toEqual([
    403,
    { error: { message: THERE.message, type: "permission_error", param: null, code: "session_closed" } },
  ]);
  expect(await world.exchange()).toMatchObject({
    session_id: "",
    outcome: "refused",
    code: "session_closed",
    status: 403,
  });
  await expectUntouched(world);
});

test.each([
  ["block wins over allow", { allowedModels: ["claude-*"], blockedModels: ["*-test"] }, "model_not_allowed"],
  ["allow names others", { allowedModels: ["claude-opus-*", "gpt-*"] }, "model_not_allowed"],
  ["the provider is not allowed", { allowedProviders: ["cloud", "local*"] }, "provider_not_allowed"],
  ["allow fits", { allowedModels: ["claude-*"], allowedProviders: ["t*"], blockedModels: ["claude"] }, undefined],
  ["empty lists allow all", { allowedModels: [], allowedProviders: [], blockedModels: [] }, undefined],
] as const)("models: %s", async (_, context, code) => {
  await using world = await World.open({ context });
  world.behaviour = (_arrival, response) => json(response, ANSWER);
  const answer = await world.ask();
  expect([answer.status, answer.headers["x-sallyport-code"]]).toEqual([code === undefined ? 200 : 403, code]);
  expect(world.arrivals.length).toBe(code === undefined ? 1 : 0);
});

test.each([
  ["anthropic", "/v1/chat/completions", CHAT, "invalid_request_error"],
  ["anthropic", "/v1/responses", { model: "gpt-test", input: "" }, "invalid_request_error"],
  ["openai", "/v1/messages", MESSAGE, "invalid_request_error"],
  ["openai", "/v1/messages/count_tokens", MESSAGE, "invalid_request_error"],
] as const)("a provider that speaks only %s refuses %s and says so", async (wire, path, body, type) => {
  await using world = await World.open({ wires: [wire] });
  const error = errorOf(await world.ask({ path, body }));
  expect(error).toMatchObject({ status: 400, code: "wire_unsupported", type });
  expect(error.message).toContain(wire === "anthropic" ? "only Anthropic's Messages" : "only OpenAI's Responses");
  await expectUntouched(world);
});

test.each([
  ["an unknown model", { ...MESSAGE, model: "claude-unheard-of" }, 403, "model_unpriced"],
  ["no model", { max_tokens: 5 }, 400, "invalid_request"],
  ["a model that is no name", { ...MESSAGE, model: 5 }, 400, "invalid_request"],
  ["a long name", { ...MESSAGE, model: "x".repeat(257) }, 400, "invalid_request"],
  ["a list", [], 400, "invalid_request"],
  ["no JSON", "{", 400, "invalid_request"],
  ["nothing", "", 400, "invalid_request"],
  ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, "invalid_request"],
  ["a name twice", '{"model":"gpt-test","messages":[],"model":"claude-test"}', 400, "invalid_request"],
  ["a name twice, in disguise", '{"model":"claude-test","x":{"a":1,"\\u0061":2}}', 400, "invalid_request"],
  ["fallbacks", { ...MESSAGE, fallbacks: ["claude-dear"] }, 400, "unsupported"],
  ["a number that is none", { ...MESSAGE, n: "2" }, 400, "invalid_request"],
  ["a tier without a price", { ...MESSAGE, speed: "fast" }, 403, "model_unpriced"],
  [
    "a tool of the provider without a price",
    { ...MESSAGE, tools: [{ type: "code_execution_20250825" }] },
    403,
    "model_unpriced",
  ],
] as const)("%s is refused", async (_, body, status, code) => {
  expect(errorOf(await shared.ask({ body }))).toMatchObject({ status, code });
  // This takes it away: the next test finds none.
  expect(await shared.exchange()).toMatchObject({ outcome: "refused", code, status, cost_microusd: 0 });
  await expectUntouched(shared);
});

test("strings that look like names do not count as names", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, ANSWER);
  const content = `a \\ "model": "x", {"model": "y"} ${'\\"'.repeat(50)} ${"long ".repeat(50)}\\`;
  const body = {
    ...MESSAGE,
    messages: [
      { role: "user", content },
      { role: "user", content: ["", {}, [[{}]], null, { "a:b": ":" }] },
    ],
  };
  expect((await world.ask({ body })).status).toBe(200);
  expect(world.arrivals[0]?.body).toBe(JSON.stringify(body));
});

test("a page of the web, an unknown address, another method, the root", async () => {
  await using world = await World.open();
  const page = await world.ask({ headers: { origin: "http://127.0.0.1:5353" } });
  expect(errorOf(page)).toMatchObject({ status: 403, code: "forbidden" });
  for (const path of [
    "/v1/messages/batches",
    "/v1/files",
    "/v1/completions",
    "/metrics",
    "/v1/messages/",
    "//v1/messages",
  ]) {
    expect(errorOf(await world.ask({ path }))).toMatchObject({ status: 404, code: "not_found" });
  }
  expect(errorOf(await world.ask({ method: "PUT" }))).toMatchObject({ status: 405, code: "invalid_request" });
  expect(errorOf(await world.ask({ path: "/v1/models", method: "POST" }))).toMatchObject({ status: 405 });
  const root = await world.ask({ path: "/", method: "GET", key: "" });
  expect([root.status, JSON.parse(root.body)]).toEqual([200, { service: "sallyport model proxy", protocol: "1.0" }]);
  const head = await world.ask({ path: "/", method: "HEAD", key: "" });
  expect([head.status, head.body]).toEqual([200, ""]);
  expect(world.exchanges.map(({ route, status }) => `${status} ${route}`)).toEqual([
    ...Array.from({ length: 6 }, () => "404 unknown"),
    "405 /v1/messages",
    "405 /v1/models",
  ]);
  await expectUntouched(world);
});

test("counting and lists of models cost nothing and pass as they are", async () => {
  await using world = await World.open({ context: { blockedModels: ["gpt-*"] } });
  world.behaviour = ({ url }, response) => json(response, { url });
  const count = await world.ask({ path: "/v1/messages/count_tokens" });
  const blocked = await world.ask({ path: "/v1/messages/count_tokens", body: { ...MESSAGE, model: "gpt-5" } });
  expect([count.status, count.body, blocked.status]).toEqual([200, '{"url":"/v1/messages/count_tokens"}', 403]);
  for (const path of [
    "/v1/models?limit=5",
    "/v1/models/claude-test",
    "/v1/models/anthropic%2Fclaude-5",
    "/v1/models/a/b:free",
  ]) {
    expect((await world.ask({ path, headers: { "anthropic-version": "2023-06-01" } })).body).toBe(
      JSON.stringify({ url: path }),
    );
  }
  const others = await world.ask({
    path: "/v1/models",
    key: "",
    headers: { authorization: `Bearer ${world.lease.key}` },
  });
  expect(others.status).toBe(200);
  for (const path of ["/v1/models/../files", "/v1/models/a%2F..%2Fb", "/v1/models/%", "/v1/models/"]) {
    expect((await world.ask({ path })).status).toBe(404);
  }
  expect(world.arrivals.map(({ headers }) => headers["x-api-key"] ?? headers.authorization)).toEqual([
    ...Array.from({ length: 5 }, () => "secret-key-one-1111"),
    "Bearer secret-key-one-1111",
  ]);
  expect(
    world.exchanges.filter(({ cost_microusd, reserved_microusd }) => cost_microusd + reserved_microusd > 0),
  ).toEqual([]);
});

const spendingLimit = (limit: number, kind: SpendingLimit["kind"] = "session"): readonly SpendingLimit[] => [
  { kind, account: ACCOUNTS.session(SESSION), limit },
];

test("without money a request is refused with what is missing and what to do", async () => {
  await using world = await World.open({ free: false, context: { spendingLimits: spendingLimit(10_000) } });
  world.behaviour = (_, response) => json(response, {}, 404);
  const answer = await world.ask();
  const { shortage, ...exchange } = await world.exchange();
  expect(shortage).toEqual({
    kind: "session",
    limit_microusd: 10_000,
    spent_microusd: 0,
    reserved_microusd: 0,
    asked_microusd: shortage?.asked_microusd,
  });
  expect([answer.status, answer.headers["x-should-retry"], JSON.parse(answer.body)]).toEqual([
    402,
    "false",
    {
      type: "error",
      error: {
        type: "billing_error",
        message: expect.stringMatching(
          /may cost at most \$0\.03\d+; with nothing spent that would pass this session's limit of \$0\.01\. Raise/,
        ),
        sallyport_code: "budget_exceeded",
        details: { shortage },
      },
      request_id: exchange.id,
    },
  ]);
  expect(exchange).toMatchObject({ outcome: "refused", code: "budget_exceeded", status: 402, attempts: 0 });
  // It was asked how long the prompt is, and nothing else.
  expect(world.arrivals.map(({ url }) => url)).toEqual(["/v1/messages/count_tokens"]);
  expect(await world.balance()).toEqual({ spent: 0, reserved: 0 });
});

test("where the bytes are too many, the provider's own count may do", async () => {
  await using world = await World.open({ context: { spendingLimits: spendingLimit(30_000) } });
  const body = { ...MESSAGE, stream: false, temperature: 1, system: "x".repeat(40_000) };
  world.behaviour = ({ url }, response) =>
    json(response, url.endsWith("count_tokens") ? { input_tokens: 800 } : ANSWER);
  const answer = await world.ask({ body, headers: { "anthropic-version": "2023-06-01" } });
  expect(answer.status).toBe(200);
  const [count, request] = world.arrivals;
  expect(JSON.parse(count?.body ?? "")).toEqual({ model: body.model, system: body.system, messages: body.messages });
  expect([count?.headers["x-api-key"], count?.headers["anthropic-version"]]).toEqual([
    "secret-key-one-1111",
    "2023-06-01",
  ]);
  expect(request?.body).toBe(JSON.stringify(body));
  const exchange = await world.exchange();
  expect(exchange.reserved_microusd).toBeLessThan(30_000);
  expect([exchange.cost_microusd, await world.balance()]).toEqual([COST, { spent: COST, reserved: 0 }]);
});

test.each([
  ["passes", String(COST + 100_000), 200, undefined],
  ["is too low", "20000", 402, "budget_exceeded"],
  ["is nothing", "0", 402, "budget_exceeded"],
  ["is in dollars", "0.5", 400, "invalid_request"],
  ["is no number", "much", 400, "invalid_request"],
  ["is below nothing", "-1", 400, "invalid_request"],
])("a request's own limit that %s", async (_, limit, status, code) => {
  await using world = await World.open();
  world.behaviour = ({ url }, response) => json(response, ANSWER, url.endsWith("count_tokens") ? 500 : 200);
  const answer = await world.ask({ headers: { "x-sallyport-max-cost-microusd": limit } });
  expect([answer.status, answer.headers["x-sallyport-code"]]).toEqual([status, code]);
  const { shortage } = await world.exchange();
  expect(shortage?.kind).toBe(status === 402 ? "request" : undefined);
  expect((await world.balance()).reserved).toBe(0);
});

test("a conversation that is too long is refused in words that callers know", async () => {
  await using world = await World.open({ context: { maxContextTokens: 1_000 } });
  let counted = 900;
  world.behaviour = ({ url }, response) =>
    json(response, url.endsWith("count_tokens") ? { input_tokens: counted } : ANSWER);
  const body = { ...MESSAGE, system: "x".repeat(6_000) };
  expect((await world.ask({ body })).status).toBe(200);
  counted = 1_001;
  const long = errorOf(await world.ask({ body }));
  expect(long).toMatchObject({ status: 400, code: "context_exceeded", type: "invalid_request_error" });
  expect(long.message).toMatch(/^prompt is too long: 1001 tokens > 1000 maximum/);
  // Nobody counts for others, so the bytes do.
  const chat = { ...CHAT, messages: [{ role: "user", content: "x".repeat(6_000) }] };
  const other = await world.ask({ path: "/v1/chat/completions", body: chat });
  expect(errorOf(other)).toMatchObject({ status: 400, code: "context_exceeded" });
  expect(world.arrivals.length).toBe(3);
});

test.each([
  [
    "session",
    { context: { sessionRate: { requests_per_minute: 2 } } },
    /^this session may use 2 model requests a minute/,
  ],
  ["agent", { context: { agentRate: { requests_per_minute: 2 } } }, /^the principal tok_1 may use 2 model requests/],
  ["provider", { rate: { requests_per_minute: 2 } }, /^the provider test may use 2 model requests/],
  ["tokens", { context: { sessionRate: { tokens_per_minute: 30 } } }, /^this session may use 30 tokens a minute/],
] as const)("rates: %s", async (_, options, words) => {
  await using world = await World.open(options);
  world.behaviour = (_arrival, response) => json(response, ANSWER);
  for (const status of [200, 200]) expect((await world.ask()).status).toBe(status);
  const answer = await world.ask();
  expect(errorOf(answer)).toMatchObject({ status: 429, code: "rate_limited", type: "rate_limit_error" });
  expect(errorOf(answer).message).toMatch(words);
  const seconds = Number(answer.headers["retry-after"]);
  expect(seconds).toBeGreaterThanOrEqual(60);
  expect(seconds).toBeLessThanOrEqual(65);
  world.elapsed += seconds * 1_000;
  expect((await world.ask()).status).toBe(200);
  expect([world.arrivals.length, await world.balance()]).toEqual([3, { spent: 3 * COST, reserved: 0 }]);
});

test("usage that a caller did not ask for is asked for, and nothing else is changed", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, { usage: { prompt_tokens: 10, completion_tokens: 5 } });
  const asked = { ...CHAT, stream: true, stream_options: { include_usage: true } };
  const silent = { ...CHAT, stream: true, stream_options: { other: 1 } };
  for (const body of [CHAT, asked, silent]) await world.ask({ path: "/v1/chat/completions", body });
  expect(world.arrivals.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    CHAT,
    asked,
    { ...silent, stream_options: { other: 1, include_usage: true } },
  ]);
  expect(world.exchanges.map(({ cost_microusd }) => cost_microusd)).toEqual([COST, COST, COST]);
});

test("a provider without a credential says how to set one", async () => {
  await using world = await World.open();
  const failure = new Failure("model_unauthenticated", "ANTHROPIC_API_KEY is not set");
  world.credentials = () => Promise.reject(failure);
  expect(errorOf(await world.ask())).toMatchObject({
    status: 401,
    code: "model_unauthenticated",
    message: failure.message,
  });
  await expectUntouched(world);
});

test("an answer of Responses that nothing bounds is bounded by its session", async () => {
  await using world = await World.open({ context: { maxOutputTokens: 700 } });
  world.behaviour = (_, response) => json(response, { ...ANSWER, output: [] });
  const path = "/v1/responses";
  const input = "{ in a brace";
  expect((await world.ask({ path, body: { model: "gpt-test", input } })).status).toBe(200);
  expect((await world.ask({ path, body: { model: "gpt-test", input, max_output_tokens: 9 } })).status).toBe(200);
  expect(world.arrivals.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { max_output_tokens: 700, model: "gpt-test", input },
    { model: "gpt-test", input, max_output_tokens: 9 },
  ]);
});
