import { describe, expect, test } from "vitest";
import { LIMITS, type ProviderSettings } from "../../src/protocol/index.ts";
import { openUpstream, World, type Answer, type Seen } from "./providers-world.ts";

type Pages = Readonly<Record<string, unknown>>;

const pages =
  (known: Pages) =>
  ({ path }: Seen): Answer =>
    path in known ? { status: 200, body: JSON.stringify(known[path]) } : { status: 404 };

async function listOf(known: Pages, setting: ProviderSettings[string], id = "mine") {
  await using upstream = await openUpstream(pages(known));
  using world = new World();
  const book = world.open({ [id]: { base_url: upstream.url, auth: "none", ...setting } });
  return { ...(await book.models(id)), asked: upstream.seen.map(({ path }) => path), listed: book.listed(id, "one") };
}

const LOCAL = { kind: "local", wire: "openai" } as const;

describe("a provider's own list of models", () => {
  test("has what OpenRouter says of windows and prices, in micro-USD per million tokens", async () => {
    const data = [
      {
        id: "maker/one",
        name: "Maker: One",
        context_length: 200_000,
        top_provider: { context_length: 180_000, max_completion_tokens: 64_000 },
        pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
      },
      { id: "maker/cheap", context_length: null, pricing: { prompt: "0.00000007", completion: "0.000000281" } },
      { id: "maker/auto", pricing: { prompt: "-1", completion: "-1" } },
      { id: "maker/odd", context_length: "long", pricing: { prompt: 3 } },
      { no: "id" },
    ];
    expect((await listOf({ "/v1/models": { data } }, { wire: "openai" })).models).toEqual([
      {
        id: "maker/one",
        name: "Maker: One",
        contextTokens: 180_000,
        outputTokens: 64_000,
        price: { input: 3_000_000, output: 15_000_000, cache_read: 300_000 },
      },
      { id: "maker/cheap", price: { input: 70_000, output: 281_000 } },
      { id: "maker/auto" },
      { id: "maker/odd" },
    ]);
  });

  test("is read page by page, as Anthropic has it", async () => {
    const { models, asked } = await listOf(
      {
        "/v1/models": {
          data: [{ id: "claude-one", display_name: "Claude One", max_input_tokens: 1_000_000, max_tokens: 128_000 }],
          has_more: true,
          last_id: "claude-one",
        },
        "/v1/models?after_id=claude-one": { data: [{ id: "claude-two" }], has_more: false, last_id: "claude-two" },
      },
      { wire: "anthropic" },
    );
    expect(models).toEqual([
      { id: "claude-one", name: "Claude One", contextTokens: 1_000_000, outputTokens: 128_000 },
      { id: "claude-two" },
    ]);
    expect(asked).toEqual(["/v1/models", "/v1/models?after_id=claude-one"]);
  });

  test("pages that never end are bounded", async () => {
    const { asked } = await listOf(
      Object.fromEntries(
        ["/v1/models", "/v1/models?after_id=same"].map((path) => [
          path,
          { data: [{ id: "one" }], has_more: true, last_id: "same" },
        ]),
      ),
      { wire: "anthropic" },
    );
    expect(asked).toHaveLength(LIMITS.modelListPages);
  });
});

describe("the windows of a local server", () => {
  test.each<[string, Pages, number | undefined]>([
    ["vLLM", { "/v1/models": { data: [{ id: "one", max_model_len: 32_768 }] } }, 32_768],
    [
      "llama.cpp",
      {
        "/v1/models": { data: [{ id: "one", meta: { n_ctx_train: 262_144 } }] },
        "/props": { default_generation_settings: { n_ctx: 16_384 } },
      },
      16_384,
    ],
    [
      "LM Studio, loaded",
      {
        "/v1/models": { data: [{ id: "one" }] },
        "/api/v0/models": { data: [{ id: "one", max_context_length: 131_072, loaded_context_length: 8_192 }] },
      },
      8_192,
    ],
    [
      "LM Studio, not loaded",
      {
        "/v1/models": { data: [{ id: "one" }] },
        "/api/v0/models": { data: [{ id: "one", max_context_length: 4_096 }] },
      },
      4_096,
    ],
    [
      "Ollama, loaded",
      {
        "/v1/models": { data: [{ id: "one" }] },
        "/api/ps": { models: [{ name: "one", context_length: 65_536 }] },
        "/api/show": { parameters: "num_ctx 4096" },
      },
      65_536,
    ],
    [
      "Ollama, with a setting",
      {
        "/v1/models": { data: [{ id: "one" }] },
        "/api/ps": { models: [] },
        "/api/show": {
          parameters: 'stop    "<|end|>"\nnum_ctx                        24576',
          model_info: { "x.context_length": 262_144 },
        },
      },
      24_576,
    ],
    // What the model could have is not what the server gives it.
    [
      "Ollama, without one",
      {
        "/v1/models": { data: [{ id: "one" }] },
        "/api/ps": { models: [] },
        "/api/show": { model_info: { "x.context_length": 262_144 } },
      },
      undefined,
    ],
    ["old Ollama", { "/api/tags": { models: [{ name: "one" }] }, "/api/ps": { models: [{ name: "one" }] } }, undefined],
    ["a server that says nothing", { "/v1/models": { data: [{ id: "one" }] } }, undefined],
  ])("%s", async (_name, known, window) => {
    const { models, listed } = await listOf(known, LOCAL);
    expect(models).toEqual([window === undefined ? { id: "one" } : { id: "one", contextTokens: window }]);
    expect(listed).toEqual(models[0]);
  });

  test("others are not asked for them", async () => {
    const { asked } = await listOf({ "/v1/models": { data: [{ id: "one" }] } }, { wire: "openai" });
    expect(asked).toEqual(["/v1/models"]);
  });
});

describe("a list", () => {
  test("is asked for once for all, and again when it is old or the provider was tested", async () => {
    await using upstream = await openUpstream();
    using world = new World();
    const book = world.open({ mine: { base_url: upstream.url, wire: "openai", auth: "none" } });
    const [one, other] = await Promise.all([book.models("mine"), book.models("mine")]);
    expect(one).toBe(other);
    world.now += LIMITS.modelListMs - 1;
    await book.models("mine");
    expect(upstream.seen).toHaveLength(1);
    world.now += 1;
    await book.models("mine");
    expect(upstream.seen).toHaveLength(2);
    await book.test("mine");
    await book.models("mine");
    expect(upstream.seen).toHaveLength(4);
  });

  test("that cannot be read says why, shows the last good one, and is asked for again soon", async () => {
    let status = 200;
    await using upstream = await openUpstream(() =>
      status === 200 ? { status, body: JSON.stringify({ data: [{ id: "one" }] }) } : { status },
    );
    using world = new World();
    const book = world.open({ mine: { base_url: upstream.url, wire: "openai", auth: "none" } });
    await book.models("mine");
    status = 500;
    world.now += LIMITS.modelListMs;
    expect(await book.models("mine")).toEqual({
      models: [{ id: "one" }],
      failure: "it answered 500 when asked for its models",
    });
    expect(book.listed("mine", "one")).toEqual({ id: "one" });
    status = 200;
    expect(await book.models("mine")).toHaveProperty("failure");
    world.now += LIMITS.modelListRetryMs;
    expect(await book.models("mine")).toEqual({ models: [{ id: "one" }] });
  });

  test.each<[string, Answer, string]>([
    ["a refused key", { status: 401 }, "it refused the key (401)"],
    ["a page", { status: 200, body: "<html>" }, "its list of models cannot be read"],
    ["a list of something else", { status: 200, body: '{"data":[{"name":"x"}]}' }, "its list of models cannot be read"],
  ])("%s", async (_name, answer, failure) => {
    await using upstream = await openUpstream(() => answer);
    using world = new World();
    const book = world.open({ mine: { base_url: upstream.url, wire: "openai", auth: "none" } });
    expect(await book.models("mine")).toEqual({ models: [], failure });
  });

  test("of a provider without an answer, a key or a name", async () => {
    using world = new World();
    const book = world.open({ gone: { base_url: "http://127.0.0.1:9", wire: "openai", auth: "none" } });
    expect(await book.models("gone")).toEqual({ models: [], failure: "it does not answer (ECONNREFUSED)" });
    expect((await book.models("openai")).failure).toMatch(/^OPENAI_API_KEY not set/);
    expect((await book.models("nobody")).failure).toMatch(/^there is no provider nobody/);
  });
});
