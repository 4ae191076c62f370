import { expect, test } from "vitest";
import { LIMITS, NO_TOKENS, type ModelBody, type ModelRequest, type ModelResponse } from "../../src/protocol/index.ts";
import type { Exchange } from "../../src/proxy/index.ts";
import { costOf } from "../../src/ledger/index.ts";
import { EVENT_STREAM, gate, json, MESSAGE, PRICE, World } from "./world.ts";

// Requests of this process go through no socket. They are judged, reserved and metered like those that do.

const ANSWER = { type: "message", content: [], usage: { input_tokens: 10, output_tokens: 5 } };
const START = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } })}\n\n`;
const DELTA = `event: message_delta\ndata: ${JSON.stringify({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } })}\n\n`;
const STOP = `event: message_stop\ndata: ${JSON.stringify({ type: "message_stop" })}\n\n`;
const STREAMED = { ...MESSAGE, stream: true };

function requestOf(world: World, body: ModelBody = MESSAGE, headers: Record<string, string> = {}): ModelRequest {
  return {
    path: "/v1/messages",
    headers: { "content-type": "application/json", "x-api-key": world.lease.key, ...headers },
    body,
  };
}

function post(world: World, body?: ModelBody, headers?: Record<string, string>): Promise<ModelResponse> {
  return world.proxy.post(requestOf(world, body, headers), new AbortController().signal);
}

/** What two requests have in common, however they came. */
function known({ id: _id, started_at: _at, duration_ms: _ms, first_byte_ms: _first, ...rest }: Exchange): object {
  return rest;
}

test("a request of this process costs, tells and sends what the same request over the socket does", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, ANSWER);
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  await world.ask({ headers });
  const answer = await post(world, MESSAGE, headers);
  expect([answer.status, answer.header("content-type"), await answer.text()]).toEqual([
    200,
    "application/json",
    JSON.stringify(ANSWER),
  ]);
  const [overSocket, inProcess] = [await world.exchange(), await world.exchange()];
  expect(known(inProcess)).toEqual(known(overSocket));
  const [first, second] = world.arrivals.map(({ closed: _closed, ...arrival }) => arrival);
  expect(second).toEqual(first);
  expect(await world.balance()).toEqual({
    spent: 2 * costOf(PRICE, { ...NO_TOKENS, input: 10, output: 5 }),
    reserved: 0,
  });
});

test("tools are sent as they were judged", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, ANSWER);
  const tool = { name: "look", description: 'He said "look"', input_schema: { type: "object", properties: {} } };
  const body = { ...MESSAGE, tools: [tool, { ...tool, name: "see", cache_control: { type: "ephemeral" } }] };
  for (const round of [1, 2]) expect([round, (await post(world, body)).status]).toEqual([round, 200]);
  expect(world.arrivals.map((arrival) => JSON.parse(arrival.body) as unknown)).toEqual([body, body]);
  const refused = await post(world, { ...body, tools: [tool, { type: "custom_search_20990101", name: "x" }] });
  expect([refused.status, world.arrivals.length]).toEqual([refused.status, 2]);
  expect(refused.status).toBeGreaterThanOrEqual(400);
});

test.for([
  ["an unknown key", { "x-api-key": "sp_model_unknown" }, MESSAGE, 401, "unauthenticated"],
  ["a web page's origin", { origin: "https://example.com" }, MESSAGE, 403, "forbidden"],
  ["a model that nobody priced", {}, { ...MESSAGE, model: "unknown" }, 403, "model_unpriced"],
  ["a limit of its own that is too small", { "x-sallyport-max-cost-microusd": "1" }, MESSAGE, 402, "budget_exceeded"],
  ["an encoded body", { "content-encoding": "gzip" }, MESSAGE, 400, "unsupported"],
] as const)("refused like any other: %s", async ([, headers, body, status, code]) => {
  await using world = await World.open();
  const overSocket = await world.ask({ headers: { ...headers }, body });
  const answer = await post(world, body, headers);
  expect([answer.status, answer.header("x-sallyport-code")]).toEqual([status, code]);
  expect([overSocket.status, overSocket.headers["x-sallyport-code"]]).toEqual([status, code]);
  const asked = world.arrivals.filter(({ url }) => url === "/v1/messages");
  expect([asked, await world.balance()]).toEqual([[], { spent: 0, reserved: 0 }]);
});

test("its connection counts with the others", async () => {
  await using world = await World.open({ bounds: { headersMs: 20_000, requestMs: 20_000, connections: 1 } });
  const hold = gate();
  world.behaviour = async (_, response) => {
    await hold.promise;
    json(response, ANSWER);
  };
  const first = post(world);
  const second = await post(world);
  expect([second.status, second.header("x-sallyport-code")]).toEqual([503, "limit_reached"]);
  hold.resolve();
  expect((await first).status).toBe(200);
  expect((await post(world)).status).toBe(200);
});

test("who leaves takes the provider's work along and pays for its bound", async () => {
  await using world = await World.open();
  let closed: Promise<void> | undefined;
  world.behaviour = (arrival, response) => {
    closed = arrival.closed;
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
  };
  const left = new AbortController();
  const answer = await world.proxy.post(requestOf(world, STREAMED), left.signal);
  const reading = (async () => {
    for await (const _ of answer.chunks()) left.abort();
  })();
  await expect(reading).rejects.toThrow("the answer broke off");
  await closed;
  const cost = costOf(PRICE, { ...NO_TOKENS, input: 10, output: 1_000 });
  expect(await world.exchange()).toMatchObject({ status: 200, outcome: "caller_gone", cost_microusd: cost });
  expect(await world.balance()).toEqual({ spent: cost, reserved: 0 });
});

test("who left before he asked is not served, and who leaves before an answer pays the bound", async () => {
  await using world = await World.open();
  const left = new AbortController();
  world.behaviour = () => left.abort();
  await expect(world.proxy.post(requestOf(world), left.signal)).rejects.toThrow("the answer broke off");
  const { outcome, cost_microusd, reserved_microusd } = await world.exchange();
  expect([outcome, cost_microusd]).toEqual(["caller_gone", reserved_microusd]);
  await expect(world.proxy.post(requestOf(world), left.signal)).rejects.toThrow("the caller is gone");
  expect(world.arrivals).toHaveLength(1);
});

test("a stream that is cut ends with an error behind what came, and counts its bound", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START, () => response.destroy());
  };
  const answer = await post(world, STREAMED);
  let text = "";
  const reading = (async () => {
    for await (const chunk of answer.chunks()) text += chunk;
  })();
  await expect(reading).rejects.toThrow("the answer broke off");
  expect(text).toBe(START);
  expect(await world.exchange()).toMatchObject({ outcome: "broken", code: "model_stream_cut" });
});

test("its money is counted before it sees the end, also when it reads no further", async () => {
  await using world = await World.open();
  const last = gate();
  world.behaviour = async (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START + DELTA + STOP);
    await last.promise;
    response.end("\n");
  };
  const answer = await post(world, STREAMED);
  for await (const chunk of answer.chunks()) {
    if (chunk.includes("message_stop")) break;
  }
  const cost = costOf(PRICE, { ...NO_TOKENS, input: 10, output: 5 });
  expect(await world.balance()).toEqual({ spent: cost, reserved: 0 });
  last.resolve();
  expect(await world.exchange()).toMatchObject({ outcome: "completed", cost_microusd: cost });
});

test("a caller that does not read slows the provider down", async () => {
  await using world = await World.open();
  const line = `: ${"x".repeat(1_000)}\n`;
  const stopped = gate();
  let written = 0;
  const fill = (write: () => boolean): void => {
    while (write()) written += line.length;
  };
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    // The provider's own buffers are full when nobody reads them: then it is told to wait.
    const more = (): void => fill(() => response.write(line) || response.writableLength < LIMITS.proxyUnreadBytes);
    more();
    stopped.resolve();
    response.once("drain", () => response.end(STOP));
  };
  const answer = await post(world, STREAMED);
  await stopped.promise;
  let text = 0;
  for await (const chunk of answer.chunks()) text += chunk.length;
  expect(text).toBeGreaterThan(written);
});
