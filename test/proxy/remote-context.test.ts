import { afterAll, beforeAll, expect, test } from "vitest";
import { ACCOUNTS, costOf } from "../../src/ledger/index.ts";
import { NO_TOKENS } from "../../src/protocol/index.ts";
import { json, MESSAGE, PRICE, SESSION, World, type Answer } from "./world.ts";

const RESPONSE = { model: "gpt-test", max_output_tokens: 1_000, input: "hi" };
const CHAT = { model: "gpt-test", max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] };
const THREAD = { thread: { type: "continue", previous_message_id: "msg_abc" } };
/** What a provider bills that had the conversation already. */
const BILLED = { input_tokens: 150_000, output_tokens: 5 };
/** The dearest input that a request can have, and its whole answer. */
const WINDOW_COST = costOf(PRICE, { ...NO_TOKENS, cache_write: 1_000_000, output: 1_000 });

function refusal(answer: Answer) {
  const { error } = JSON.parse(answer.body) as { error: { message: string; details?: { field?: string } } };
  return [answer.status, answer.headers["x-sallyport-code"], error.details?.field];
}

/** One world for requests that leave nothing behind which the next one could see: a limit that none of them comes near. */
let shared: World;
beforeAll(async () => {
  const spendingLimits = [{ kind: "session" as const, account: ACCOUNTS.session(SESSION), limit: 1_000 * WINDOW_COST }];
  shared = await World.open({ context: { spendingLimits } });
});
afterAll(() => shared[Symbol.asyncDispose]());

test.each([
  ["/v1/messages", { ...MESSAGE, ...THREAD }],
  ["/v1/messages", { ...MESSAGE, thread: { type: "create" } }],
  ["/v1/messages", { ...MESSAGE, container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } }],
  ["/v1/messages", { ...MESSAGE, container: "container_1" }],
  ["/v1/responses", { ...RESPONSE, previous_response_id: "resp_1" }],
  ["/v1/responses", { ...RESPONSE, conversation: "conv_1" }],
  ["/v1/responses", { ...RESPONSE, input: [{ type: "item_reference", id: "msg_1" }] }],
  ["/v1/responses", { ...RESPONSE, input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] }],
  ["/v1/chat/completions", { ...CHAT, messages: [{ role: "assistant", audio: { id: "audio_1" } }] }],
  ["/v1/chat/completions", { ...CHAT, messages: [{ role: "user", content: "hi", recall: "conv_1" }] }],
])("%s with context at the provider reserves the whole window: %j", async (path, body) => {
  shared.behaviour = (_, response) => json(response, {});
  const before = shared.exchanges.length;
  await shared.ask({ path, body });
  expect(shared.exchanges.slice(before).map(({ reserved_microusd }) => reserved_microusd)).toEqual([WINDOW_COST]);
});

test("twenty at once that continue a long conversation do not pass a limit", async () => {
  const limit = 2 * WINDOW_COST;
  await using world = await World.open({
    context: { spendingLimits: [{ kind: "session", account: ACCOUNTS.session(SESSION), limit }] },
  });
  world.behaviour = (_, response) => json(response, { type: "message", usage: BILLED });
  const answers = await Promise.all(Array.from({ length: 20 }, () => world.ask({ body: { ...MESSAGE, ...THREAD } })));
  const { spent, reserved } = await world.balance();
  const passed = answers.filter(({ status }) => status === 200).length;
  const each = costOf(PRICE, { ...NO_TOKENS, input: BILLED.input_tokens, output: BILLED.output_tokens });
  expect([reserved, spent, passed * each]).toEqual([0, passed * each, spent]);
  expect(passed).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(limit);
});

test("a limit that the window does not fit into refuses the first of them", async () => {
  await using world = await World.open({
    context: { spendingLimits: [{ kind: "session", account: ACCOUNTS.session(SESSION), limit: 200_000 }] },
  });
  const answer = await world.ask({ body: { ...MESSAGE, ...THREAD } });
  expect([refusal(answer), world.arrivals]).toEqual([[402, "budget_exceeded", undefined], []]);
});

test("a policy that limits the context refuses what nobody can measure", async () => {
  await using world = await World.open({ context: { maxContextTokens: 10_000 } });
  const answer = await world.ask({ body: { ...MESSAGE, ...THREAD } });
  expect([refusal(answer), world.arrivals]).toEqual([[400, "unsupported", "thread"], []]);
});

const UNKNOWN = [
  ["/v1/messages", { ...MESSAGE, recall: "all" }, "recall"],
  ["/v1/messages", { ...MESSAGE, fallbacks: "default" }, "fallbacks"],
  ["/v1/messages", { ...MESSAGE, thread: { type: "create" }, tools: [{ type: "web_search_20250305" }] }, "thread"],
  ["/v1/responses", { ...RESPONSE, prompt: { id: "pmpt_1" } }, "prompt"],
  ["/v1/responses", { ...RESPONSE, background: true }, "background"],
  ["/v1/chat/completions", { ...CHAT, preset: "dear" }, "preset"],
  ["/v1/chat/completions", { ...CHAT, models: ["a"] }, "models"],
  ["/v1/chat/completions", { ...CHAT, model: "gpt-test@preset/dear" }, "model"],
] as const;

test.each(UNKNOWN)("%s refuses a field that it cannot bound: %j", async (path, body, field) => {
  const before = { arrivals: shared.arrivals.length, balance: await shared.balance() };
  expect(refusal(await shared.ask({ path, body }))).toEqual([400, "unsupported", field]);
  expect({ arrivals: shared.arrivals.length, balance: await shared.balance() }).toEqual(before);
});

const AMBIGUOUS: readonly (readonly [path: string, body: string])[] = [
  ["/v1/chat/completions", `{"model":"gpt-test","max_tokens":10,"max_completion_tokens":"5000","messages":[]}`],
  ["/v1/chat/completions", `{"model":"gpt-test","max_tokens":10.5,"messages":[]}`],
  ["/v1/chat/completions", `{"model":"gpt-test","max_tokens":1e999,"messages":[]}`],
  ["/v1/chat/completions", `{"model":"gpt-test","max_tokens":10,"n":"3","messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"MAX_TOKENS":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"max_token\u017f":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10," max_tokens":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"max_tokens\u200b":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"maxTokens":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"ｍａｘ＿ｔｏｋｅｎｓ":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"max_tokens":5000,"messages":[]}`],
  ["/v1/messages", String.raw`{"model":"claude-test","max_tokens":10,"max\u005ftokens":5000,"messages":[]}`],
  ["/v1/messages", `{"model":"claude-test","max_tokens":10,"messages":[],"Thread":{"type":"continue"}}`],
  [
    "/v1/messages",
    `{"model":"claude-test","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text","Type":"document","text":"x"}]}]}`,
  ],
  [
    "/v1/messages",
    `{"model":"claude-test","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text","type":"document","text":"x"}]}]}`,
  ],
  [
    "/v1/messages",
    `{"model":"claude-test","max_tokens":10,"messages":[],"tools":[{"type":"web_search_20250305","Max_Uses":9}]}`,
  ],
  ["/v1/responses", `{"model":"gpt-test","max_output_tokens":"9","input":"x"}`],
];

test.each(AMBIGUOUS)("%s refuses what another reader could read otherwise: %s", async (path, body) => {
  const before = shared.arrivals.length;
  const answer = await shared.ask({ path, body });
  expect([answer.status, answer.headers["x-sallyport-code"]]).toEqual([400, "invalid_request"]);
  expect(shared.arrivals.length).toBe(before);
});
