import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { costOf } from "../../src/ledger/index.ts";
import { NO_TOKENS } from "../../src/protocol/index.ts";
import { json, MESSAGE, PRICE, SESSION, World } from "./world.ts";

const ANSWER = { type: "message", content: [], usage: { input_tokens: 10, output_tokens: 5 } };
const TOKENS = { ...NO_TOKENS, input: 10, output: 5 };
const STREAMED = { ...MESSAGE, stream: true };
/** `max_tokens` at the price of output. */
const OUTPUT_BOUND = 15_000;

test("headers: the caller's go on without what is his own, the provider's come back without what is its own", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) =>
    json(response, ANSWER, 200, {
      "request-id": "req_1",
      "anthropic-ratelimit-requests-remaining": "7",
      "set-cookie": "session=1",
      "x-api-key": "no",
      "x-echo": "you sent secret-key-one-1111",
      "x-sallyport-code": "internal",
      "alt-svc": 'h3=":443"',
      connection: "x-private",
    });
  const answer = await world.ask({
    path: "/v1/messages?beta=true",
    headers: {
      authorization: "Bearer something",
      "accept-encoding": "gzip, br",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "context-1m-2025-08-07",
      connection: "close, x-hop",
      cookie: "a=b",
      "x-hop": "1",
      forwarded: "for=1.2.3.4",
      "x-forwarded-for": "1.2.3.4",
      "x-sallyport-turn": "1",
      "x-unknown": "stays",
      "user-agent": "agent/1",
    },
  });
  const [arrival] = world.arrivals;
  expect(arrival?.url).toBe("/v1/messages?beta=true");
  expect(arrival?.headers).toEqual({
    host: new URL(world.upstreamUrl).host,
    connection: "keep-alive",
    "accept-encoding": "identity",
    "content-length": String(JSON.stringify(MESSAGE).length),
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "context-1m-2025-08-07",
    "x-unknown": "stays",
    "user-agent": "agent/1",
    "x-api-key": "secret-key-one-1111",
  });
  const { "x-sallyport-request-id": id, date, ...headers } = answer.headers;
  expect([id, date]).toEqual([(await world.exchange()).id, expect.any(String)]);
  expect(headers).toEqual({
    "content-type": "application/json",
    "content-length": String(JSON.stringify(ANSWER).length),
    "request-id": "req_1",
    "anthropic-ratelimit-requests-remaining": "7",
    connection: "close",
  });
});

test("an answer in one piece is paid for as it says, before the caller has it", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, ANSWER);
  const answer = await world.ask();
  expect([answer.status, answer.body, world.exchanges.length]).toEqual([200, JSON.stringify(ANSWER), 1]);
  const exchange = await world.exchange();
  expect(exchange).toEqual({
    id: exchange.id,
    started_at: world.now,
    session_id: SESSION,
    turn_id: "turn_1",
    agent: "tok_1",
    engine: "loop",
    provider: "test",
    wire: "anthropic",
    route: "/v1/messages",
    model: "claude-test",
    stream: false,
    request_bytes: JSON.stringify(MESSAGE).length,
    response_bytes: JSON.stringify(ANSWER).length,
    status: 200,
    outcome: "completed",
    tokens: TOKENS,
    reserved_microusd: exchange.reserved_microusd,
    cost_microusd: costOf(PRICE, TOKENS),
    bound_microusd: 0,
    attempts: 1,
    first_byte_ms: 0,
    duration_ms: 0,
    answer: {},
    server: { address: "127.0.0.1", port: expect.any(Number) as unknown },
  });
  expect(world.told).toEqual([exchange]);
  expect(await world.balance()).toEqual({ spent: costOf(PRICE, TOKENS), reserved: 0 });
});

test.each([
  ["has no usage", JSON.stringify({ type: "message" }), {}],
  ["is no JSON", "<html>", {}],
  ["has a usage that is none", JSON.stringify({ usage: { input_tokens: -1, output_tokens: "5" } }), {}],
  ["is packed", "\u001f\u008b", { "content-encoding": "gzip" }],
  ["is empty", "", {}],
])("an answer that %s counts to its bound", async (_, body, headers) => {
  await using world = await World.open();
  world.behaviour = (_arrival, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(body);
  };
  const answer = await world.ask();
  const exchange = await world.exchange();
  expect([answer.status, answer.body]).toEqual([200, body]);
  expect(exchange.reserved_microusd).toBeGreaterThan(OUTPUT_BOUND);
  expect(exchange).toMatchObject({
    tokens: NO_TOKENS,
    cost_microusd: exchange.reserved_microusd,
    bound_microusd: exchange.reserved_microusd,
  });
  expect(await world.balance()).toEqual({ spent: exchange.reserved_microusd, reserved: 0 });
});

test.each([400, 404, 413, 500, 503])("a provider's %i passes unchanged and costs nothing", async (status) => {
  await using world = await World.open({ keys: ["secret-key-one-1111", "secret-key-two-2222"] });
  const error = { type: "error", error: { type: "some_error", message: "Grüße" }, request_id: "req_9" };
  world.behaviour = (_, response) => json(response, error, status, { "retry-after": "3" });
  const answer = await world.ask({ body: STREAMED });
  expect([answer.status, answer.body, answer.headers["retry-after"]]).toEqual([status, JSON.stringify(error), "3"]);
  expect(answer.headers["x-sallyport-code"]).toBeUndefined();
  expect(await world.exchange()).toMatchObject({ status, outcome: "provider_error", attempts: 1, cost_microusd: 0 });
  expect([world.reports, await world.balance()]).toEqual([[], { spent: 0, reserved: 0 }]);
});

test("an error that repeats a key does not pass it on", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) =>
    json(response, { error: { message: "bad key secret-key-one-1111 or sk-ant-api03-aaaaaaaaaaaaaaaaaaaa" } }, 401);
  const answer = await world.ask();
  expect([answer.status, answer.body]).toEqual([
    401,
    JSON.stringify({ error: { message: "bad key [redacted] or [redacted]" } }),
  ]);
  expect(answer.headers["content-length"]).toBe(String(answer.body.length));
});

test("a redirect is not followed and not passed on", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => void response.writeHead(307, { location: "http://elsewhere.example/" }).end();
  const answer = await world.ask();
  expect([answer.status, answer.headers["x-sallyport-code"], answer.headers.location]).toEqual([
    502,
    "model_error",
    undefined,
  ]);
  expect([world.arrivals.length, await world.balance()]).toEqual([1, { spent: 0, reserved: 0 }]);
});

const KEYS = [
  "secret-key-one-1111",
  "secret-key-two-2222",
  "secret-key-three-33",
  "secret-key-four-444",
  "secret-five",
];

test("keys that are exhausted or refused are reported, and the next one is tried with the same money", async () => {
  await using world = await World.open({ keys: KEYS });
  const answers = [429, 401, 200];
  world.behaviour = (_, response) => {
    const status = answers.shift() ?? 500;
    if (status === 200) json(response, ANSWER);
    else json(response, { error: status }, status, { "retry-after": "7" });
  };
  const answer = await world.ask();
  expect([answer.status, answer.body]).toEqual([200, JSON.stringify(ANSWER)]);
  expect(world.arrivals.map(({ headers }) => headers["x-api-key"])).toEqual(KEYS.slice(0, 3));
  expect(world.reports).toEqual([
    { name: "key1", status: 429, retryAfterMs: 7_000 },
    { name: "key2", status: 401, retryAfterMs: 7_000 },
    { name: "key3", status: 200 },
  ]);
  expect(await world.exchange()).toMatchObject({ attempts: 3, outcome: "completed", tokens: TOKENS });
  expect(await world.balance()).toEqual({ spent: costOf(PRICE, TOKENS), reserved: 0 });
});

test("when no key does better, the last answer passes; not every key is tried", async () => {
  await using world = await World.open({ keys: KEYS });
  let count = 0;
  world.behaviour = (_, response) => json(response, { error: (count += 1) }, 529, { "retry-after-ms": "250" });
  const answer = await world.ask();
  expect([answer.status, answer.body]).toEqual([529, '{"error":4}']);
  expect(world.reports.map(({ retryAfterMs }) => retryAfterMs)).toEqual([250, 250, 250, 250]);
  expect(await world.exchange()).toMatchObject({ attempts: 4, outcome: "provider_error", code: "model_unavailable" });
  expect(await world.balance()).toEqual({ spent: 0, reserved: 0 });
});

test("a provider that cannot be reached costs nothing", async () => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  await using world = await World.open({ baseUrl: `http://127.0.0.1:${port}` });
  const answer = await world.ask();
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    502,
    {
      type: "error",
      error: {
        type: "api_error",
        message: "the provider test cannot be reached (ECONNREFUSED): check its address and the network",
        sallyport_code: "model_unavailable",
      },
      request_id: answer.headers["x-sallyport-request-id"],
    },
  ]);
  expect(await world.exchange()).toMatchObject({ status: 502, outcome: "provider_error", code: "model_unavailable" });
  expect(await world.balance()).toEqual({ spent: 0, reserved: 0 });
});

test("a provider that is free counts tokens and no money", async () => {
  await using world = await World.open({ free: true });
  world.behaviour = (_, response) => json(response, ANSWER);
  await world.ask({ body: { ...MESSAGE, model: "anything", max_tokens: undefined } });
  expect(await world.exchange()).toMatchObject({ tokens: TOKENS, reserved_microusd: 0, cost_microusd: 0 });
  await world.ledger.flush();
  const [line] = await world.store.read.usage({ by: ["model"], limit: 10 });
  expect(line).toMatchObject({ model: "anything", requests: 1, tokens: TOKENS, cost_microusd: 0 });
});

test("a provider's address may have a path before it, or be a unix socket", async () => {
  const place = await World.open();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? "");
    request.resume().on("end", () => json(response, ANSWER));
  });
  const path = join(place.home, "up.sock");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const tcp = createServer((request, response) => server.emit("request", request, response));
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  const { port } = tcp.address() as AddressInfo;
  for (const baseUrl of [`unix:${path}`, `http://127.0.0.1:${port}/api`]) {
    await using world = await World.open({ baseUrl });
    expect((await world.ask()).status).toBe(200);
  }
  expect(seen).toEqual(["/v1/messages", "/api/v1/messages"]);
  for (const one of [server, tcp]) {
    one.closeAllConnections();
    one.close();
  }
  await place[Symbol.asyncDispose]();
});
