import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countNames } from "../../src/proxy/http/body.ts";
import { readFacts, type BodyFacts } from "../../src/proxy/facts.ts";
import { RequestRates } from "../../src/proxy/rates.ts";
import { refusedField, wrongValue } from "../../src/proxy/request/check.ts";

const PLAIN: BodyFacts = {
  bytes: 0,
  maxOutput: undefined,
  answers: 1,
  cacheWrite: "none",
  images: 0,
  opaque: 0,
  remote: undefined,
  compactions: 0,
  serverTools: [],
  tier: undefined,
  placePercent: 100,
  pictureBytes: 0,
  names: 0,
  lookalike: undefined,
};

const user = (...content: object[]): object => ({ messages: [{ role: "user", content }] });

const MESSAGES: readonly (readonly [string, object, Partial<BodyFacts>])[] = [
  ["a model that searches", { model: "x/y:online" }, { serverTools: [{ type: "online" }] }],
  ["a preset of the provider", { model: "@preset/mine" }, { serverTools: [{ type: "preset" }] }],
  ["max_tokens", { max_tokens: 77 }, { maxOutput: 77 }],
  ["max_tokens that is no number", { max_tokens: "77" }, {}],
  [
    "a cache of five minutes",
    user({ type: "text", text: "x", cache_control: { type: "ephemeral" } }),
    { cacheWrite: "5m" },
  ],
  [
    "a cache of an hour, deep inside",
    user({ type: "tool_result", content: [{ type: "text", cache_control: { type: "ephemeral", ttl: "1h" } }] }),
    { cacheWrite: "1h" },
  ],
  [
    "the longest cache counts",
    { cache_control: { ttl: "1h" }, system: [{ cache_control: { ttl: "5m" } }] },
    { cacheWrite: "1h" },
  ],
  ["cache_control that is nothing", user({ type: "text", cache_control: null }), {}],
  [
    "pictures",
    user(
      { type: "image", source: { type: "base64", data: "aaaa" } },
      { type: "image", source: { type: "url", url: "u" } },
    ),
    { images: 2, pictureBytes: 4 },
  ],
  ["a document of pages", user({ type: "document", source: { type: "base64", data: "JVBERi0" } }), { opaque: 1 }],
  ["a document of text", user({ type: "document", source: { type: "text", data: "hello" } }), {}],
  ["a file in a container", user({ type: "container_upload", file_id: "f" }), { remote: "container_upload" }],
  ["skills", { container: { skills: [{}] } }, { remote: "container" }],
  ["a container by its name", { container: "container_1" }, { remote: "container" }],
  ["a thread", { thread: { type: "continue", previous_message_id: "msg_1" } }, { remote: "thread" }],
  ["a thread that is none", { thread: null }, {}],
  ["a request for a summary", { compaction: { type: "summarize" } }, { compactions: 1 }],
  ["a part that nobody has judged", user({ type: "dream", text: "x" }), { remote: "dream" }],
  ["a field within that nobody has judged", user({ type: "text", text: "x", recall: "m1" }), { remote: "recall" }],
  [
    "a tool of the provider in the conversation",
    user({ type: "tool_addition", tool: { type: "tool_definition", definition: { type: "web_search_20250305" } } }),
    { serverTools: [{ type: "web_search_20250305 outside of `tools`" }] },
  ],
  [
    "and one that nobody has judged",
    user({ type: "tool_addition", tool: { type: "tool_definition", definition: { type: "oracle_20990101" } } }),
    { serverTools: [{ type: "oracle_20990101 outside of `tools`" }] },
  ],
  ["a name in other case", { MAX_TOKENS: 5 }, { remote: "MAX_TOKENS", lookalike: ["MAX_TOKENS", "max_tokens"] }],
  ["a name in other case within", user({ type: "text", Text: "x" }), { remote: "Text", lookalike: ["Text", "text"] }],
  [
    "what a tool was given is text",
    user({ type: "tool_use", input: { type: "image", cache_control: { ttl: "1h" } } }),
    {},
  ],
  ["and so is a tool's schema", { tools: [{ name: "a", input_schema: { type: "document", cache_control: {} } }] }, {}],
  [
    "tools of the provider",
    {
      tools: [
        { type: "web_search_20250305", max_uses: 3 },
        { type: "web_fetch_20250910" },
        { type: "bash_20250124" },
        { type: "custom" },
      ],
    },
    { serverTools: [{ type: "web_search_20250305", maxUses: 3 }, { type: "web_fetch_20250910" }] },
  ],
  ["servers of tools", { mcp_servers: [{ url: "https://example.org" }] }, { serverTools: [{ type: "mcp_servers" }] }],
  [
    "a conversation that is made shorter there",
    { context_management: { edits: [{ type: "compact_20260112" }, { type: "clear_tool_uses_20250919" }] } },
    { compactions: 1 },
  ],
  ["the usual tiers", { service_tier: "auto", speed: "standard" }, {}],
  ["another tier", { service_tier: "priority" }, { tier: "priority" }],
  ["another speed", { service_tier: "auto", speed: "fast" }, { tier: "fast" }],
  ["one country", { inference_geo: "us" }, { placePercent: 110 }],
  ["the whole world", { inference_geo: "global" }, {}],
];

const CHAT: readonly (readonly [string, object, Partial<BodyFacts>])[] = [
  ["both names of max_tokens", { max_tokens: 5, max_completion_tokens: 9 }, { maxOutput: 9 }],
  ["a prediction is paid for", { max_tokens: 5, prediction: { content: "abc" } }, { maxOutput: 5 + 17 }],
  ["several answers", { n: 3, best_of: 5 }, { answers: 5 }],
  [
    "a picture",
    user({ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }),
    { images: 1, pictureBytes: 24 },
  ],
  ["sound", user({ type: "input_audio", input_audio: {} }), { remote: "input_audio" }],
  ["a file", user({ type: "file", file: {} }), { remote: "file" }],
  ["what was said before, by its id", { messages: [{ role: "assistant", audio: { id: "a" } }] }, { remote: "audio" }],
  ["dearer hosts", { model: "x/y:nitro" }, { tier: "a choice of its own among hosts" }],
  ["a cache of half a day", { prompt_cache_options: { ttl: "12h" } }, { cacheWrite: "1h" }],
  ["sound as output", { modalities: ["text", "audio"] }, { tier: "audio or pictures as output" }],
  ["a search of the web", { web_search_options: {} }, { serverTools: [{ type: "web_search", maxUses: 1 }] }],
  ["another search", { search_parameters: { mode: "on" } }, { serverTools: [{ type: "live_search" }] }],
  ["plugins", { plugins: [{ id: "web" }] }, { serverTools: [{ type: "plugin web" }] }],
  ["a model that searches", { model: "x/y:online" }, { serverTools: [{ type: "online" }] }],
  ["a model that searches, with another suffix", { model: "x/y:Online:floor" }, { serverTools: [{ type: "online" }] }],
  ["a preset of the provider", { model: "x/y@preset/mine" }, { serverTools: [{ type: "preset" }] }],
  ["dearer hosts, with another suffix", { model: "x/y:nitro:free" }, { tier: "a choice of its own among hosts" }],
  ["hosts of its own choice", { provider: { order: ["dear"] } }, { tier: "a choice of its own among hosts" }],
];

const RESPONSES: readonly (readonly [string, object, Partial<BodyFacts>])[] = [
  ["max_output_tokens", { max_output_tokens: 9 }, { maxOutput: 9 }],
  [
    "a conversation that is there",
    { previous_response_id: "resp_1", conversation: "c" },
    { remote: "previous_response_id" },
  ],
  ["a conversation by its name", { conversation: { id: "c" } }, { remote: "conversation" }],
  ["a summary when it is due", { context_management: [{ type: "compaction" }] }, { compactions: 1 }],
  ["a summary at once", { input: [{ type: "compaction_trigger" }] }, { compactions: 1 }],
  ["more thought than usual", { reasoning: { mode: "pro" } }, { tier: "reasoning pro" }],
  ["the usual thought", { reasoning: { mode: "standard", effort: "high" } }, {}],
  [
    "tools of tools",
    { tools: [{ type: "namespace", name: "n", tools: [{ type: "function", name: "f" }, { type: "file_search" }] }] },
    { serverTools: [{ type: "file_search outside of `tools`" }] },
  ],
  [
    "a shell at the provider",
    { tools: [{ type: "shell", environment: { type: "container_auto", file_ids: ["f"] } }] },
    { serverTools: [{ type: "container_auto outside of `tools`" }] },
  ],
  [
    "a picture, a file, something said before",
    { input: [{ type: "input_image", image_url: "data:x" }, { type: "input_file" }, { type: "item_reference" }] },
    { images: 1, pictureBytes: 6, remote: "item_reference" },
  ],
  [
    "tools of the provider",
    {
      max_tool_calls: 4,
      tools: [{ type: "web_search" }, { type: "function" }, { type: "local_shell" }, { type: "code_interpreter" }],
    },
    {
      serverTools: [
        { type: "web_search", maxUses: 4 },
        { type: "code_interpreter", maxUses: 4 },
      ],
    },
  ],
];

describe.each([
  ["messages", MESSAGES],
  ["chat", CHAT],
  ["responses", RESPONSES],
] as const)("facts of %s", (route, cases) => {
  test.each(cases)("%s", (_, body, expected) => {
    const { names, ...facts } = readFacts(route, { ...body }, 0);
    const { names: __, ...plain } = PLAIN;
    expect([facts, names]).toEqual([{ ...plain, ...expected }, countNames(Buffer.from(JSON.stringify(body)))]);
  });
});

test.each([
  ["responses", { background: true }, "background"],
  ["responses", { background: false }, undefined],
  ["responses", { prompt: { id: "p" } }, "prompt"],
  ["responses", { preset: "p" }, "preset"],
  ["chat", { models: ["a", "b"] }, "models"],
  ["chat", { route: "fallback" }, "route"],
  ["chat", { model: "x/y@preset/z" }, "model"],
  ["chat", { transforms: ["middle-out"], usage: { include: true } }, undefined],
  ["messages", { fallbacks: "default" }, "fallbacks"],
  ["messages", { recall: "everything" }, "recall"],
  ["messages", { recall: null }, undefined],
] as const)("%s with %j", (route, body, field) => {
  expect(refusedField(route, body, "refused")?.details).toEqual(field === undefined ? undefined : { field });
});

test("what costs nothing may have fields that nobody knows, but not several models", () => {
  expect(refusedField("chat", { recall: "everything" }, "taken")).toBeUndefined();
  expect(refusedField("chat", { models: ["a"] }, "taken")?.code).toBe("unsupported");
});

test.each([
  [{ n: 0 }],
  [{ n: 2.5 }],
  [{ n: "2" }],
  [{ best_of: true }],
  [{ max_tokens: "5000" }],
  [{ max_tokens: 10.5 }],
  [{ max_tokens: -1 }],
  [{ max_tokens: [5] }],
  [{ max_tokens: { value: 5 } }],
  [{ max_tokens: Number.POSITIVE_INFINITY }],
  [{ max_tokens: 2 ** 53 }],
  [{ max_completion_tokens: "5000" }],
  [{ max_output_tokens: "5000" }],
  [{ max_tool_calls: 0 }],
  [{ stream: "true" }],
  [{ store: 1 }],
  [{ thinking: { type: "enabled", budget_tokens: "9" } }],
  [{ tools: [{ type: "web_search_20250305", max_uses: "9" }] }],
  [{ tools: [{ type: "web_fetch_20250910", max_content_tokens: 1.5 }] }],
])("%j is no number or switch", (body) => {
  expect(wrongValue(body)?.code).toBe("invalid_request");
});

test.each([[{ max_tokens: 1e3 }], [{ max_tokens: 0 }], [{ n: null, tools: [{ name: "a" }] }], [{ stream: false }]])(
  "%j is fine",
  (body) => {
    expect(wrongValue(body)).toBeUndefined();
  },
);

test("names are counted as the parser sees them, unless one stands twice", () => {
  fc.assert(
    fc.property(
      fc.object({ maxDepth: 3, values: [fc.string({ unit: "binary" }), fc.double(), fc.constant(null)] }),
      (object) => {
        const text = JSON.stringify(object);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect(countNames(Buffer.from(text))).toBe(readFacts("messages", parsed, 0).names);
        const twice = Buffer.from(`{"a":{"x":1,"x":2},"b":${text}}`);
        expect(countNames(twice)).toBe(
          readFacts("messages", JSON.parse(twice.toString()) as Record<string, unknown>, 0).names + 1,
        );
      },
    ),
    { seed: 11, numRuns: 100 },
  );
});

test("no minute, wherever it begins, sees more than its limit", () => {
  const steps = fc.array(fc.record({ after: fc.nat(9_000), tokens: fc.nat(40) }), { minLength: 20, maxLength: 120 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (list, limit) => {
      let now = 1_800_000_000_000;
      const rates = new RequestRates(() => now);
      const subjects = [{ key: "a", whose: "a", limit: { requests_per_minute: limit } }];
      const passed: number[] = [];
      for (const { after } of list) {
        now += after;
        const refused = rates.take(subjects);
        if (refused === undefined) passed.push(now);
        else {
          // What it says is enough.
          now += refused.retryAfterMs;
          expect(rates.take(subjects)).toBeUndefined();
          passed.push(now);
        }
      }
      for (const from of passed) {
        expect(passed.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(limit);
      }
    }),
    { seed: 13, numRuns: 100 },
  );
});
