import { connect } from "node:net";
import { expect, test } from "vitest";
import { ACCOUNTS, costOf } from "../../src/ledger/index.ts";
import { NO_TOKENS } from "../../src/protocol/index.ts";
import { EVENT_STREAM, gate, json, MESSAGE, PRICE, SESSION, World } from "./world.ts";
import { until } from "../support/until.ts";

const ANSWER = { type: "message", content: [], usage: { input_tokens: 10, output_tokens: 5 } };
const TOKENS = { ...NO_TOKENS, input: 10, output: 5 };
const START = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } })}\n\n`;
const STREAMED = { ...MESSAGE, stream: true };
test("a provider that hangs up before it answers counts to the bound: it may have worked", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => void response.destroy();
  const answer = await world.ask();
  const exchange = await world.exchange();
  expect([answer.status, answer.headers["x-sallyport-code"]]).toEqual([502, "model_unavailable"]);
  expect(exchange).toMatchObject({ outcome: "broken", bound_microusd: exchange.reserved_microusd });
  expect(await world.balance()).toEqual({ spent: exchange.reserved_microusd, reserved: 0 });
});

test("a stream that is cut counts what was told, and the bound of what may have been generated", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START, () => response.destroy());
  };
  const answer = await world.ask({ body: STREAMED });
  expect([answer.status, answer.body, answer.cut]).toEqual([200, START, true]);
  const told = { ...NO_TOKENS, input: 10, output: 1 };
  const cost = costOf(PRICE, { ...told, output: 1_000 });
  expect(await world.exchange()).toMatchObject({
    outcome: "broken",
    code: "model_stream_cut",
    tokens: told,
    cost_microusd: cost,
    bound_microusd: cost - costOf(PRICE, told),
  });
  expect(await world.balance()).toEqual({ spent: cost, reserved: 0 });
});

test("a caller who leaves takes the provider's work with him, and pays for its bound", async () => {
  await using world = await World.open();
  let closed: Promise<void> | undefined;
  world.behaviour = (arrival, response) => {
    closed = arrival.closed;
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
  };
  const answer = await world.ask({ body: STREAMED, onBytes: (_, close) => close() });
  await closed;
  expect(answer.cut).toBe(true);
  const cost = costOf(PRICE, { ...NO_TOKENS, input: 10, output: 1_000 });
  expect(await world.exchange()).toMatchObject({ status: 200, outcome: "caller_gone", cost_microusd: cost });
  expect(await world.balance()).toEqual({ spent: cost, reserved: 0 });
});

test("a caller who leaves before anything came pays the whole bound", async () => {
  await using world = await World.open();
  const left = new AbortController();
  world.behaviour = () => left.abort();
  await expect(
    fetch(`${world.proxy.tcpUrl}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": world.lease.key },
      body: JSON.stringify(MESSAGE),
      signal: left.signal,
    }),
  ).rejects.toThrow();
  await world.arrivals[0]?.closed;
  const exchange = await world.exchange();
  expect(exchange).toMatchObject({ status: 0, outcome: "caller_gone", bound_microusd: exchange.reserved_microusd });
  expect(await world.balance()).toEqual({ spent: exchange.reserved_microusd, reserved: 0 });
});

test("a caller who leaves while he waits for money pays nothing, and nothing is passed on", async () => {
  const spendingLimits = [{ kind: "session", account: ACCOUNTS.session(SESSION), limit: 40_000 }] as const;
  await using world = await World.open({ context: { spendingLimits } });
  const first = gate();
  world.behaviour = async (_, response) => {
    await first.promise;
    json(response, ANSWER);
  };
  const answered = world.ask();
  await until(() => world.arrivals.length > 0);
  const { port } = new URL(world.proxy.tcpUrl);
  const body = JSON.stringify(MESSAGE);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${world.lease.key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  expect(await world.exchange()).toMatchObject({ status: 0, outcome: "caller_gone", reserved_microusd: 0 });
  first.resolve();
  expect((await answered).status).toBe(200);
  expect([world.arrivals.length, await world.balance()]).toEqual([1, { spent: costOf(PRICE, TOKENS), reserved: 0 }]);
});

test("silence of a provider has an end: before the first byte, and between two", async () => {
  await using world = await World.open();
  const waiting = gate();
  world.behaviour = ({ body }, response) => {
    if (!body.includes("stream")) return waiting.resolve();
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
  };
  const silent = world.ask();
  await waiting.promise;
  const begun = gate();
  const broken = world.ask({ body: STREAMED, onBytes: () => begun.resolve() });
  await begun.promise;
  world.elapsed += 300_001;
  const [first, second] = await Promise.all([silent, broken]);
  expect([first.status, first.headers["x-sallyport-code"]]).toEqual([504, "timed_out"]);
  expect([second.status, second.body, second.cut]).toEqual([200, START, true]);
  await Promise.all(world.arrivals.map(({ closed }) => closed));
  const outcomes = [await world.exchange(), await world.exchange()].map(({ outcome, code, status }) => [
    outcome,
    code,
    status,
  ]);
  expect(outcomes.toSorted((one, other) => Number(one[2]) - Number(other[2]))).toEqual([
    ["broken", "timed_out", 200],
    ["broken", "timed_out", 504],
  ]);
  expect((await world.balance()).reserved).toBe(0);
});

test("a caller who does not read stops the provider, and is left alone in the end", async () => {
  await using world = await World.open();
  const piece = Buffer.alloc(65_536, `: ${"x".repeat(62)}\n`);
  let written = 0;
  world.behaviour = async (arrival, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
    while (!response.destroyed && written < 256 * 1_048_576) {
      written += piece.length;
      if (response.write(piece)) continue;
      // Whoever is not done by now has been waiting for long.
      world.elapsed += 300_001;
      await Promise.race([new Promise((go) => response.once("drain", go)), arrival.closed]);
    }
  };
  const { port } = new URL(world.proxy.tcpUrl);
  const body = JSON.stringify(STREAMED);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${world.lease.key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  expect(await world.exchange()).toMatchObject({ outcome: "caller_gone", tokens: { input: 10 } });
  await world.arrivals[0]?.closed;
  expect(written).toBeLessThan(64 * 1_048_576);
  socket.destroy();
});

test("closing settles what is under way", async () => {
  const world = await World.open();
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
  };
  const begun = gate();
  const broken = world.ask({ body: STREAMED, onBytes: () => begun.resolve() });
  await begun.promise;
  await world.proxy.close();
  expect((await broken).cut).toBe(true);
  expect(await world.exchange()).toMatchObject({ outcome: "broken", code: "shutting_down" });
  expect(await world.balance()).toEqual({
    spent: costOf(PRICE, { ...NO_TOKENS, input: 10, output: 1_000 }),
    reserved: 0,
  });
  await world[Symbol.asyncDispose]();
});
