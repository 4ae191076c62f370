import { expect, test } from "vitest";
import { costOf } from "../../src/ledger/index.ts";
import { LIMITS, NO_TOKENS } from "../../src/protocol/index.ts";
import { ProviderBreaker } from "../../src/proxy/index.ts";
import { EVENT_STREAM, gate, json, MESSAGE, PRICE, World, type Behaviour } from "./world.ts";

const ANSWER = { type: "message", content: [], usage: { input_tokens: 10, output_tokens: 5 } };
const START = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } })}\n\n`;
const TOLD = { ...NO_TOKENS, input: 10, output: 1 };
const STREAMED = { ...MESSAGE, stream: true };
const hangUp: Behaviour = (_, response) => void response.destroy();
/** Another call with every number. */
const other = (number: number) => ({ ...MESSAGE, messages: [{ role: "user", content: `hi ${number}` }] });

test("a call that its provider breaks off again and again is charged its bound once, and then stopped", async () => {
  await using world = await World.open();
  world.behaviour = hangUp;
  const answers = [];
  for (let attempt = 0; attempt < 5; attempt += 1) answers.push(await world.ask());
  const [first] = world.exchanges;
  expect(answers.map(({ status, headers }) => [status, headers["x-sallyport-code"], headers["retry-after"]])).toEqual([
    [502, "model_unavailable", undefined],
    [502, "model_unavailable", undefined],
    [502, "model_unavailable", undefined],
    [503, "model_unavailable", "30"],
    [503, "model_unavailable", "30"],
  ]);
  expect([world.arrivals.length, await world.balance()]).toEqual([
    LIMITS.breakerFailures,
    { spent: first?.reserved_microusd, reserved: 0 },
  ]);
  expect(world.exchanges.map(({ cost_microusd, bound_microusd }) => cost_microusd - bound_microusd)).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

test("after a whole answer the same words are another call", async () => {
  await using world = await World.open();
  world.behaviour = hangUp;
  await world.ask();
  world.behaviour = (_, response) => json(response, ANSWER);
  await world.ask();
  world.behaviour = hangUp;
  await world.ask();
  const bounds = world.exchanges.map(({ bound_microusd }) => bound_microusd);
  expect(bounds).toEqual([bounds[0], 0, bounds[0]]);
  expect(bounds[0]).toBeGreaterThan(0);
});

test("what a provider told is charged each time, what it did not tell once", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START, () => response.destroy());
  };
  await world.ask({ body: STREAMED });
  await world.ask({ body: STREAMED });
  const told = costOf(PRICE, TOLD);
  const bound = costOf(PRICE, { ...TOLD, output: 1_000 }) - told;
  expect(world.exchanges.map(({ cost_microusd, bound_microusd }) => [cost_microusd, bound_microusd])).toEqual([
    [told + bound, bound],
    [told, 0],
  ]);
});

test("who leaves pays each time: the provider may be at work for each of his requests", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
  };
  for (let time = 0; time < 4; time += 1) await world.ask({ body: STREAMED, onBytes: (_, close) => close() });
  const exchanges = [await world.exchange(), await world.exchange(), await world.exchange(), await world.exchange()];
  const each = costOf(PRICE, { ...TOLD, output: 1_000 });
  expect(exchanges.map(({ outcome, cost_microusd }) => [outcome, cost_microusd])).toEqual(
    Array.from({ length: 4 }, () => ["caller_gone", each]),
  );
});

test("a provider that flaps is stopped for longer each time, and tried by one request", async () => {
  await using world = await World.open();
  world.behaviour = hangUp;
  for (let number = 0; number < 4; number += 1) await world.ask({ body: other(number) });
  expect(world.arrivals.length).toBe(3);
  world.elapsed += 30_001;
  const waiting = gate();
  const here = gate();
  world.behaviour = async (_, response) => {
    here.resolve();
    await waiting.promise;
    json(response, ANSWER);
  };
  const probe = world.ask({ body: other(5) });
  await here.promise;
  expect((await world.ask({ body: other(6) })).status).toBe(503);
  waiting.resolve();
  expect((await probe).status).toBe(200);
  world.behaviour = hangUp;
  expect((await world.ask({ body: other(7) })).status).toBe(502);
  expect((await world.ask({ body: other(8) })).headers["retry-after"]).toBe("60");
});

test("the pause doubles up to its bound, and is forgotten in time", () => {
  let now = 0;
  const breaker = new ProviderBreaker(() => now);
  const pauses: (number | undefined)[] = [];
  for (let time = 0; time < 12; time += 1) {
    breaker.broke("p");
    const pause = breaker.refusedFor("p");
    pauses.push(pause === undefined ? undefined : pause / 1_000);
    now += pause ?? 0;
  }
  expect(pauses).toEqual([undefined, undefined, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
  expect(breaker.condition("p")).toMatchObject({ state: "troubled" });
  now += LIMITS.breakerMemoryMs;
  expect([breaker.condition("p"), breaker.refusedFor("p")]).toEqual([{ state: "good" }, undefined]);
});

test("what costs nothing is neither counted nor stopped", async () => {
  await using world = await World.open({ free: true });
  world.behaviour = hangUp;
  for (let number = 0; number < 5; number += 1) await world.ask({ body: { ...MESSAGE, model: "free-model" } });
  expect([world.arrivals.length, await world.balance()]).toEqual([5, { spent: 0, reserved: 0 }]);
});

test("a stream that never ends a line is silent, however many bytes come", async () => {
  await using world = await World.open();
  world.behaviour = async (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
    while (!response.destroyed) {
      // A byte a second, on a clock that runs fast.
      world.elapsed += 1_000;
      response.write("x");
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const answer = await world.ask({ body: STREAMED });
  expect([answer.cut, (await world.exchange()).code]).toEqual([true, "timed_out"]);
});

test.each(["elapsed", "now"] as const)("a whole answer has a deadline (by the clock `%s`)", async (clock) => {
  await using world = await World.open();
  const begun = gate();
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(START);
  };
  const asked = world.ask({ body: STREAMED, onBytes: () => begun.resolve() });
  await begun.promise;
  world[clock] += LIMITS.proxyExchangeMs;
  expect([(await asked).cut, (await world.exchange()).code]).toEqual([true, "timed_out"]);
});
