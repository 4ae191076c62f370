import { describe, expect, test } from "vitest";
import { Failure, mistakeWords, ProviderSettings, type ProviderSetting } from "../../src/protocol/index.ts";
import { namesOf, World } from "./providers-world.ts";

describe("what ships", () => {
  test("the providers with their addresses, wires, models and costs", () => {
    using world = new World();
    const book = world.open({});
    const shown = book.list().map(({ id, baseUrl, free, defaultModel, rate }) => ({
      id,
      baseUrl,
      free,
      defaultModel,
      rate,
    }));
    const simUrl = "http://127.0.0.1:9";
    expect(shown).toEqual([
      {
        id: "cloud",
        baseUrl: { anthropic: "https://api.anthropic.com" },
        free: false,
        defaultModel: "claude-sonnet-5",
        rate: {},
      },
      { id: "sim", baseUrl: { anthropic: simUrl, openai: simUrl }, free: true, defaultModel: "sim", rate: {} },
      {
        id: "openai",
        baseUrl: { openai: "https://api.openai.com" },
        free: false,
        defaultModel: "gpt-5-nano",
        rate: {},
      },
      {
        id: "xai",
        baseUrl: { openai: "https://api.x.ai" },
        free: false,
        defaultModel: "grok-4-1-fast-reasoning",
        rate: {},
      },
      {
        id: "openrouter",
        baseUrl: { anthropic: "https://openrouter.ai/api", openai: "https://openrouter.ai/api" },
        free: false,
        defaultModel: "anthropic/claude-sonnet-5",
        rate: {},
      },
    ]);
  });

  test("an unknown one is refused with those that there are", () => {
    using world = new World();
    expect(() => world.open({}).get("local")).toThrow(
      new Failure("invalid_request", "there is no provider local; there are: cloud, sim, openai, xai, openrouter"),
    );
  });

  test.each([
    ["cloud", "ANTHROPIC_API_KEY not set"],
    ["openai", "OPENAI_API_KEY not set"],
    ["xai", "XAI_API_KEY not set"],
    ["openrouter", "OPENROUTER_API_KEY not set"],
  ])("%s without a key says which to set", async (id, words) => {
    using world = new World();
    const asked = world.open({}).get(id).credentials();
    await expect(asked).rejects.toMatchObject({ code: "model_unauthenticated" });
    await expect(world.open({}).get(id).credentials()).rejects.toThrow(words);
  });

  test("sim and a local model need no key", async () => {
    using world = new World();
    const book = world.open({ local: { base_url: "http://127.0.0.1:1", wire: "openai" } });
    expect([await book.get("sim").credentials(), await book.get("local").credentials()]).toEqual([[], []]);
  });
});

describe("settings", () => {
  const resolved: readonly [string, ProviderSetting, Record<string, string>, object][] = [
    ["an address with a slash", { base_url: "http://h:1/", wire: "openai" }, {}, { openai: "http://h:1" }],
    ["an address with /v1", { base_url: "http://h:1/v1/", wire: "openai" }, {}, { openai: "http://h:1" }],
    ["an address with a path", { base_url: "http://h/api/v1", wire: "openai" }, {}, { openai: "http://h/api" }],
    [
      "both wires at one address",
      { base_url: "http://h", wires: ["openai", "anthropic"] },
      {},
      { anthropic: "http://h", openai: "http://h" },
    ],
    [
      "an address for each wire",
      { base_urls: { anthropic: "http://a", openai: "http://o/v1" } },
      {},
      { anthropic: "http://a", openai: "http://o" },
    ],
    ["a socket", { base_url: "unix:/run/model.sock", wire: "anthropic" }, {}, { anthropic: "unix:/run/model.sock" }],
  ];
  test.each(resolved)("%s", (_what, setting, environment, baseUrl) => {
    using world = new World();
    expect(ProviderSettings.safeParse({ local: setting }).success).toBe(true);
    expect(world.open({ local: setting }, environment).get("local").baseUrl).toEqual(baseUrl);
  });

  const address = { base_url: "http://h" } as const;
  const apis: readonly [id: string, ProviderSetting, model: string, api: string][] = [
    ["cloud", {}, "claude-sonnet-5", "messages"],
    ["sim", {}, "sim", "messages"],
    ["openai", {}, "gpt-5-nano", "responses"],
    ["openai", { openai_api: "chat" }, "gpt-5-nano", "chat"],
    ["xai", {}, "grok-4", "responses"],
    ["openrouter", {}, "anthropic/claude-sonnet-5", "messages"],
    ["openrouter", {}, "qwen/qwen3-coder", "chat"],
    ["openrouter", { openai_api: "responses" }, "openai/gpt-5", "responses"],
    ["openrouter", { wire: "openai" }, "anthropic/claude-sonnet-5", "chat"],
    ["local", { ...address, wire: "openai" }, "qwen3", "chat"],
    ["local", { ...address, wires: ["openai", "anthropic"] }, "qwen3", "messages"],
    ["mine", { ...address, wire: "openai" }, "m", "chat"],
  ];
  test.each(apis)("%s with %o is asked about %s as %s", (id, setting, model, api) => {
    using world = new World();
    expect(
      world
        .open({ [id]: setting })
        .get(id)
        .api(model),
    ).toBe(api);
  });

  test("ANTHROPIC_BASE_URL moves cloud, and wins over the file", () => {
    using world = new World();
    const book = world.open({ cloud: { base_url: "http://file" } }, { ANTHROPIC_BASE_URL: "http://environment/" });
    expect(book.get("cloud").baseUrl).toEqual({ anthropic: "http://environment" });
    expect(world.open({ cloud: { base_url: "http://file" } }).get("cloud").baseUrl).toEqual({
      anthropic: "http://file",
    });
  });

  test("a local model is free, another provider is not, and both can say otherwise", () => {
    using world = new World();
    const place = { base_url: "http://h", wire: "openai" } as const;
    const book = world.open({
      local: place,
      mine: place,
      gift: { ...place, free: true },
      paid: { ...place, kind: "local", free: false },
      second: { ...place, kind: "local", requests_per_minute: 5, tokens_per_minute: 7, default_model: "m" },
    });
    expect(book.list().flatMap(({ id, free }) => (free ? [id] : []))).toEqual(["sim", "local", "gift", "second"]);
    expect(book.get("second")).toMatchObject({
      rate: { requests_per_minute: 5, tokens_per_minute: 7 },
      defaultModel: "m",
    });
    expect(book.get("local").defaultModel).toBe("");
  });

  const place = { base_url: "http://h", wire: "openai" };
  const bad: readonly [string, unknown, string][] = [
    ["no address", { mine: { wire: "openai" } }, "mine.base_url is missing"],
    ["no wire", { local: { base_url: "http://h" } }, "local.wire is missing"],
    ["an unknown wire", { mine: { ...place, wire: "grpc" } }, "mine.wire must be one of"],
    ["two ways to say the wire", { mine: { ...place, wires: ["openai"] } }, "mine.wires does not go with wire"],
    ["two ways to say the address", { mine: { ...place, base_urls: { openai: "http://o" } } }, "mine.base_urls does"],
    ["no address at all", { mine: { base_urls: {} } }, "mine.base_urls must name an address"],
    [
      "an unknown setting",
      { mine: { ...place, api_key: "sk-ant-CANARY0123456789" } },
      'mine Unrecognized key: "api_key"',
    ],
    ["an address that is none", { mine: { ...place, base_url: "localhost:1" } }, "mine.base_url must begin with"],
    ["an address of another kind", { mine: { ...place, base_url: "ftp://h" } }, "mine.base_url must begin with"],
    ["a password", { mine: { ...place, base_url: "http://u:CANARY@h" } }, "mine.base_url must hold no user"],
    ["a question", { mine: { ...place, base_url: "http://h/?k=CANARY" } }, "mine.base_url must end with its path"],
    ["a relative socket", { mine: { ...place, base_url: "unix:a.sock" } }, "mine.base_url must be unix:"],
    [
      "a key in the place of a variable",
      { mine: { ...place, credential_env: "sk-ant-CANARY0123456789" } },
      "mine.credential_env must be the name of an environment variable",
    ],
    ["two credentials", { mine: { ...place, credential_env: "A", credential_file: "b" } }, "mine.credentials only one"],
    [
      "an empty entry of credentials",
      { mine: { ...place, credentials: [{}] } },
      "mine.credentials.0 must have exactly",
    ],
    [
      "two in one entry",
      { mine: { ...place, credentials: [{ credential_env: "A", credential_file: "b" }] } },
      "mine.credentials.0 must have exactly",
    ],
    ["no command", { mine: { ...place, credential_command: [] } }, "mine.credential_command "],
    ["a credential that is not sent", { mine: { ...place, auth: "none", credential_env: "A" } }, "mine.auth none does"],
    ["an id that is none", { "My Own": place }, "My Own is not an id"],
    ["a second account without a key", { work: { kind: "cloud" } }, "work.credential_env is missing"],
    ["another address of sim", { sim: { base_url: "http://h" } }, "sim.base_url cannot be set"],
    ["no requests at all", { mine: { ...place, requests_per_minute: 0 } }, "mine.requests_per_minute "],
    ["a model without a name", { mine: { ...place, default_model: "" } }, "mine.default_model "],
  ];
  test.each(bad)("refuses %s, naming the place and not what stands there", (_what, settings, words) => {
    const issues = ProviderSettings.safeParse(settings).error?.issues ?? [];
    const told = issues.map((issue) => `${issue.path.join(".")} ${mistakeWords(issue)}`);
    expect(told[0]).toContain(words);
    expect(told.join("\n")).not.toContain("CANARY");
  });

  test.each([
    [{ work: { kind: "cloud", credential_env: "WORK_KEY" } }],
    [{ open: { kind: "openai", auth: "none", base_url: "http://h" } }],
    [{ sim: { requests_per_minute: 3, tokens_per_minute: 4, free: false, default_model: "sim" } }],
    [{ cloud: {} }],
  ])("takes %j", (settings) => {
    expect(ProviderSettings.safeParse(settings).error).toBeUndefined();
  });
});

const KEY = "sk-ant-api03-CANARY-0123456789abcdef";
const OAUTH = "sk-ant-oat01-CANARY-0123456789abcdef";
const TOKEN = "gateway-CANARY-0123456789abcdef";

describe("headers by wire", () => {
  const beta = "oauth-2025-04-20";
  const cases: readonly [string, string, ProviderSettings, Record<string, string>, object, object][] = [
    [
      "a key for cloud",
      "cloud",
      {},
      { ANTHROPIC_API_KEY: KEY },
      { "x-api-key": KEY },
      { authorization: `Bearer ${KEY}` },
    ],
    [
      "an OAuth token in the place of the key",
      "cloud",
      {},
      { ANTHROPIC_API_KEY: OAUTH },
      { authorization: `Bearer ${OAUTH}`, "anthropic-beta": beta },
      { authorization: `Bearer ${OAUTH}` },
    ],
    [
      "a token for Anthropic itself",
      "cloud",
      {},
      { ANTHROPIC_AUTH_TOKEN: TOKEN },
      { authorization: `Bearer ${TOKEN}`, "anthropic-beta": beta },
      { authorization: `Bearer ${TOKEN}` },
    ],
    [
      "a token for a gateway",
      "cloud",
      {},
      { ANTHROPIC_AUTH_TOKEN: TOKEN, ANTHROPIC_BASE_URL: "http://gateway" },
      { authorization: `Bearer ${TOKEN}` },
      { authorization: `Bearer ${TOKEN}` },
    ],
    [
      "a key that is sent as a bearer",
      "cloud",
      { cloud: { auth: "bearer", credential_env: "MINE", base_url: "http://gateway" } },
      { MINE: KEY },
      { authorization: `Bearer ${KEY}` },
      { authorization: `Bearer ${KEY}` },
    ],
    [
      "a token that is sent as a key",
      "cloud",
      { cloud: { auth: "api_key" } },
      { ANTHROPIC_AUTH_TOKEN: TOKEN },
      { "x-api-key": TOKEN },
      { authorization: `Bearer ${TOKEN}` },
    ],
    [
      "OpenAI",
      "openai",
      {},
      { OPENAI_API_KEY: KEY },
      { authorization: `Bearer ${KEY}` },
      { authorization: `Bearer ${KEY}` },
    ],
    ["xAI", "xai", {}, { XAI_API_KEY: KEY }, { authorization: `Bearer ${KEY}` }, { authorization: `Bearer ${KEY}` }],
    [
      "OpenRouter",
      "openrouter",
      {},
      { OPENROUTER_API_KEY: TOKEN },
      { authorization: `Bearer ${TOKEN}` },
      { authorization: `Bearer ${TOKEN}` },
    ],
    [
      "a local model with a key",
      "local",
      { local: { base_url: "http://h", wires: ["anthropic", "openai"], credential_env: "MINE" } },
      { MINE: ` ${TOKEN}\n` },
      { authorization: `Bearer ${TOKEN}` },
      { authorization: `Bearer ${TOKEN}` },
    ],
    [
      "a local model with a key in Anthropic's own header",
      "local",
      { local: { base_url: "http://h", wire: "anthropic", credential_env: "MINE", auth: "api_key" } },
      { MINE: TOKEN },
      { "x-api-key": TOKEN },
      { authorization: `Bearer ${TOKEN}` },
    ],
  ];
  test.each(cases)("%s", async (_what, id, settings, environment, anthropic, openai) => {
    using world = new World();
    const [first] = await world.open(settings, environment).get(id).credentials();
    expect([first?.headers("anthropic"), first?.headers("openai")]).toEqual([anthropic, openai]);
    expect(world.learnt).toHaveLength(1);
    // Neither a log nor an inspection shows what it holds.
    const { inspect } = await import("node:util");
    expect(inspect(first, { depth: 9, showHidden: true }) + JSON.stringify(first)).not.toContain("CANARY");
  });

  test("both variables of cloud are two keys", async () => {
    using world = new World();
    const book = world.open({}, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_AUTH_TOKEN: TOKEN });
    expect(await namesOf(book, "cloud")).toEqual(["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]);
    expect(world.learnt).toEqual([KEY, TOKEN]);
  });

  test.each([["two words"], ["a\nb"], ["schlüssel-0123456789"], ["k".repeat(9_000)]])(
    "%j is no key, and is not repeated",
    async (value) => {
      using world = new World();
      const asked = world.open({}, { OPENAI_API_KEY: value }).get("openai").credentials();
      const failure = await asked.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "model_unauthenticated" });
      expect(`${String(failure)}${world.told}`).not.toContain(value);
    },
  );
});
