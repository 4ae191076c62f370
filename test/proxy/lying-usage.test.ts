import { afterAll, beforeAll, expect, test } from "vitest";
import { ACCOUNTS, costOf } from "../../src/ledger/index.ts";
import { NO_TOKENS } from "../../src/protocol/index.ts";
import { EVENT_STREAM, json, MESSAGE, PRICE, SESSION, World } from "./world.ts";

const RESPONSE = { model: "gpt-test", max_output_tokens: 1_000, input: "hi" };
const CHAT = { model: "gpt-test", max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] };
const event = (data: object): string => `event: ${(data as { type: string }).type}\ndata: ${JSON.stringify(data)}\n\n`;
const chunk = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** What a number may be that is no count. */
const ODD: Readonly<Record<string, unknown>> = {
  negative: -5,
  "beyond exact": 2 ** 60,
  infinite: 1e308 * 10,
  fraction: 1.5,
  text: "100",
  list: [1],
  object: { valueOf: 5 },
  nothing: null,
  yes: true,
};

interface Lie {
  readonly path: string;
  readonly body: object;
  readonly stream: boolean;
  readonly answer: (input: unknown, output: unknown) => string | object;
}

const LIES: Readonly<Record<string, Lie>> = {
  Messages: {
    path: "/v1/messages",
    body: MESSAGE,
    stream: false,
    answer: (input_tokens, output_tokens) => ({
      type: "message",
      usage: {
        input_tokens,
        output_tokens,
        cache_read_input_tokens: input_tokens,
        cache_creation_input_tokens: input_tokens,
        cache_creation: { ephemeral_5m_input_tokens: input_tokens, ephemeral_1h_input_tokens: input_tokens },
      },
    }),
  },
  "Messages, sampled again": {
    path: "/v1/messages",
    body: MESSAGE,
    stream: false,
    answer: (input_tokens, output_tokens) => ({
      type: "message",
      usage: {
        input_tokens,
        output_tokens,
        iterations: [
          { input_tokens, output_tokens },
          { input_tokens, output_tokens },
        ],
      },
    }),
  },
  "a stream of Messages": {
    path: "/v1/messages",
    body: { ...MESSAGE, stream: true },
    stream: true,
    answer: (input_tokens, output_tokens) =>
      [
        event({ type: "message_start", message: { usage: { input_tokens, output_tokens: 1 } } }),
        event({ type: "message_delta", delta: {}, usage: { output_tokens, input_tokens } }),
        event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens } }),
        event({ type: "message_stop" }),
      ].join(""),
  },
  Responses: {
    path: "/v1/responses",
    body: RESPONSE,
    stream: false,
    answer: (input_tokens, output_tokens) => ({
      object: "response",
      status: "completed",
      output: [],
      usage: {
        input_tokens,
        output_tokens,
        total_tokens: output_tokens,
        input_tokens_details: { cached_tokens: input_tokens },
        output_tokens_details: { reasoning_tokens: output_tokens },
        num_sources_used: input_tokens,
      },
    }),
  },
  "a stream of Responses": {
    path: "/v1/responses",
    body: { ...RESPONSE, stream: true },
    stream: true,
    answer: (input_tokens, output_tokens) =>
      event({
        type: "response.completed",
        response: { status: "completed", output: [], usage: { input_tokens, output_tokens } },
      }),
  },
  "Chat Completions": {
    path: "/v1/chat/completions",
    body: CHAT,
    stream: false,
    answer: (prompt_tokens, completion_tokens) => ({
      choices: [{ finish_reason: "stop" }],
      usage: { prompt_tokens, completion_tokens },
    }),
  },
  "a stream of Chat Completions": {
    path: "/v1/chat/completions",
    body: { ...CHAT, stream: true, stream_options: { include_usage: true } },
    stream: true,
    answer: (prompt_tokens, completion_tokens) =>
      [
        chunk({ choices: [{ delta: {}, finish_reason: "stop" }] }),
        chunk({ choices: [], usage: { prompt_tokens, completion_tokens } }),
        chunk({ choices: [], usage: { prompt_tokens, completion_tokens } }),
        "data: [DONE]\n\n",
      ].join(""),
  },
};

/** What a request without a believable figure costs at least: its answer in full. */
const ANSWER_COST = costOf(PRICE, { ...NO_TOKENS, output: 1_000 });
const cases = Object.entries(LIES).flatMap(([name, lie]) =>
  Object.entries(ODD).flatMap(([what, odd]) => [
    [`${name} with input that is ${what}`, lie, odd, 5] as const,
    [`${name} with output that is ${what}`, lie, 10, odd] as const,
  ]),
);

/** A limit that none of these requests comes near. */
const spendingLimits = [{ kind: "session" as const, account: ACCOUNTS.session(SESSION), limit: 10 ** 15 }];
let world: World;
beforeAll(async () => {
  world = await World.open({ context: { spendingLimits } });
});
afterAll(() => world[Symbol.asyncDispose]());

test.each(cases)("%s: the part that nobody can believe is charged in full", async (_name, lie, input, output) => {
  world.behaviour = (_, response) => {
    const answer = lie.answer(input, output);
    if (typeof answer === "object") json(response, answer);
    else response.writeHead(200, EVENT_STREAM).end(answer);
  };
  const before = await world.balance();
  expect((await world.ask({ path: lie.path, body: lie.body })).status).toBe(200);
  const { spent, reserved } = await world.balance();
  expect([Number.isSafeInteger(spent), reserved]).toEqual([true, 0]);
  expect(spent - before.spent).toBeGreaterThanOrEqual(ANSWER_COST);
});

test.each([
  "/v1/messages/batches",
  "/v1/messages/batches/b1/results",
  "/v1/files",
  "/v1/batches",
  "/v1/embeddings/",
  "/v1/embeddings/batch",
  "/v1/images/generations",
  "/v1/audio/speech",
  "/v1/fine_tuning/jobs",
  "/v1/responses/r1",
  "/v1/responses/r1/cancel",
  "/v1/responses/compact",
  "/v1/conversations",
  "/v1/containers",
  "/v1/skills",
  "/v1/complete",
  "/v1/completions",
  "/v1/messages/",
  "//v1/messages",
  "/v1//messages",
  "/v1/messages/../messages/batches",
  "/v1/messages%2fbatches",
  "/v1/messages;batches",
  "/V1/MESSAGES",
  "/v1/messages%00",
  "/v1/messages%3Fx",
  "/v1/organizations/usage_report/messages",
])("%s is no route, and nothing is sent", async (path) => {
  world.behaviour = (_, response) => json(response, { type: "message", usage: { input_tokens: 1, output_tokens: 1 } });
  const before = world.arrivals.length;
  const { status } = await world.ask({ path, method: "POST" });
  expect([status, world.arrivals.length - before]).toEqual([404, 0]);
});
