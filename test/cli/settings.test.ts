import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readSettings, type Flags } from "../../src/cli/settings/settings.ts";
import { Failure } from "../../src/protocol/index.ts";
import { DEFAULTS } from "./default-settings.ts";

const root = mkdtempSync(join(tmpdir(), "sallyport-settings-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function homeWith(yaml: string | undefined): string {
  const home = mkdtempSync(join(root, "home-"));
  if (yaml !== undefined) writeFileSync(join(home, "sallyport.yaml"), yaml);
  return home;
}

const FILE = `host: 10.0.0.1
port: 4000
workspace: from-file
model: model-of-file
provider: sim
allowed_hosts: [file.example]
roots: [/srv]
requests_per_minute: 7
drain_seconds: 70
access_log: true
providers:
  local: {base_url: http://127.0.0.1:11434, wire: anthropic, credential_file: key}
prices:
  local/*: {input: 1, output: 2}
proxy: {port: 4100}
claude: /opt/claude
start_ahead: false
sandbox: bubblewrap
telemetry: {endpoint: http://127.0.0.1:4318/, headers_env: MY_HEADERS}
`;

const ENVIRONMENT = {
  SALLYPORT_HOST: "10.0.0.2",
  SALLYPORT_PORT: "4001",
  SALLYPORT_WORKSPACE: "from-environment",
  SALLYPORT_MODEL: "model-of-environment",
  SALLYPORT_PROVIDER: "cloud",
  SALLYPORT_ALLOWED_HOSTS: "one.example,two.example",
  SALLYPORT_REQUESTS_PER_MINUTE: "8",
  SALLYPORT_DRAIN_SECONDS: "80",
  SALLYPORT_ACCESS_LOG: "off",
  SALLYPORT_START_AHEAD: "off",
  SALLYPORT_SANDBOX: "gvisor",
  SALLYPORT_TOKEN: "token-of-environment",
  ANTHROPIC_API_KEY: "key",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  SALLYPORT_PROXY_PORT: "4101",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.2:4318",
  MY_HEADERS: "Authorization=Bearer%20x,X-Team=a=b",
};

const ofFile = (home: string) =>
  ({
    providers: {
      value: {
        local: {
          base_url: "http://127.0.0.1:11434",
          wire: "anthropic",
          credential_file: join(home, "key"),
        },
      },
      origin: "file",
    },
    prices: { value: { "local/*": { input: 1, output: 2 } }, origin: "file" },
  }) as const;
const HEADERS = { authorization: "Bearer x", "x-team": "a=b" };

const FLAGS: Flags = {
  host: "10.0.0.3",
  port: 4002,
  workspace: "from-flag",
  model: "model-of-flag",
  provider: "sim",
  allowedHost: ["flag.example"],
  drainSeconds: 0,
  accessLog: true,
  sandbox: "container",
};

describe("settings", () => {
  test("flags win over the environment, the environment over the file, the file over what ships", () => {
    const home = homeWith(FILE);
    const none = homeWith(undefined);
    expect(readSettings({ ...FLAGS, home }, ENVIRONMENT, "/project")).toEqual({
      ...DEFAULTS,
      home: { value: home, origin: "flag" },
      host: { value: "10.0.0.3", origin: "flag" },
      port: { value: 4002, origin: "flag" },
      workspace: { value: "/project/from-flag", origin: "flag" },
      provider: { value: "sim", origin: "flag" },
      model: { value: "model-of-flag", origin: "flag" },
      allowedHosts: { value: ["flag.example"], origin: "flag" },
      roots: { value: ["/srv"], origin: "file" },
      requestsPerMinute: { value: 8, origin: "environment" },
      accessLog: { value: true, origin: "flag" },
      startAhead: { value: false, origin: "environment" },
      sandbox: { value: "container", origin: "flag" },
      drainSeconds: { value: 0, origin: "flag" },
      token: { value: "token-of-environment", origin: "environment" },
      apiKey: { value: "key", origin: "environment" },
      apiUrl: { value: "http://127.0.0.1:1", origin: "environment" },
      claude: { value: "/opt/claude", origin: "file" },
      programsFolder: { value: join(home, "programs"), origin: "default" },
      ...ofFile(home),
      proxyPort: { value: 4101, origin: "environment" },
      telemetry: { value: { url: "http://127.0.0.2:4318/v1/traces", headers: HEADERS }, origin: "environment" },
    });
    expect(readSettings({}, { ...ENVIRONMENT, SALLYPORT_HOME: home }, "/project")).toEqual({
      ...DEFAULTS,
      home: { value: home, origin: "environment" },
      host: { value: "10.0.0.2", origin: "environment" },
      port: { value: 4001, origin: "environment" },
      workspace: { value: "/project/from-environment", origin: "environment" },
      provider: { value: "cloud", origin: "environment" },
      model: { value: "model-of-environment", origin: "environment" },
      allowedHosts: { value: ["one.example", "two.example"], origin: "environment" },
      roots: { value: ["/srv"], origin: "file" },
      requestsPerMinute: { value: 8, origin: "environment" },
      accessLog: { value: false, origin: "environment" },
      startAhead: { value: false, origin: "environment" },
      sandbox: { value: "gvisor", origin: "environment" },
      drainSeconds: { value: 80, origin: "environment" },
      token: { value: "token-of-environment", origin: "environment" },
      apiKey: { value: "key", origin: "environment" },
      apiUrl: { value: "http://127.0.0.1:1", origin: "environment" },
      claude: { value: "/opt/claude", origin: "file" },
      programsFolder: { value: join(home, "programs"), origin: "default" },
      ...ofFile(home),
      proxyPort: { value: 4101, origin: "environment" },
      telemetry: { value: { url: "http://127.0.0.2:4318/v1/traces", headers: HEADERS }, origin: "environment" },
    });
    expect(readSettings({ home }, {}, "/project")).toEqual({
      ...DEFAULTS,
      home: { value: home, origin: "flag" },
      host: { value: "10.0.0.1", origin: "file" },
      port: { value: 4000, origin: "file" },
      workspace: { value: "/project/from-file", origin: "file" },
      provider: { value: "sim", origin: "file" },
      model: { value: "model-of-file", origin: "file" },
      allowedHosts: { value: ["file.example"], origin: "file" },
      roots: { value: ["/srv"], origin: "file" },
      requestsPerMinute: { value: 7, origin: "file" },
      accessLog: { value: true, origin: "file" },
      startAhead: { value: false, origin: "file" },
      sandbox: { value: "bubblewrap", origin: "file" },
      drainSeconds: { value: 70, origin: "file" },
      token: { value: undefined, origin: "default" },
      apiKey: { value: undefined, origin: "default" },
      apiUrl: { value: "https://api.anthropic.com", origin: "default" },
      claude: { value: "/opt/claude", origin: "file" },
      programsFolder: { value: join(home, "programs"), origin: "default" },
      ...ofFile(home),
      proxyPort: { value: 4100, origin: "file" },
      telemetry: { value: { url: "http://127.0.0.1:4318/v1/traces", headers: {} }, origin: "file" },
    });
    expect(readSettings({ home: none }, {}, "/project")).toEqual({
      ...DEFAULTS,
      home: { value: none, origin: "flag" },
      host: { value: "127.0.0.1", origin: "default" },
      port: { value: 5353, origin: "default" },
      workspace: { value: "/project", origin: "default" },
      provider: { value: "sim", origin: "default" },
      model: { value: undefined, origin: "default" },
      allowedHosts: { value: [], origin: "default" },
      roots: { value: ["/project"], origin: "default" },
      requestsPerMinute: { value: 6_000, origin: "default" },
      accessLog: { value: undefined, origin: "default" },
      startAhead: { value: true, origin: "default" },
      sandbox: { value: "auto", origin: "default" },
      drainSeconds: { value: 7, origin: "default" },
      token: { value: undefined, origin: "default" },
      apiKey: { value: undefined, origin: "default" },
      apiUrl: { value: "https://api.anthropic.com", origin: "default" },
      claude: { value: undefined, origin: "default" },
      programsFolder: { value: join(none, "programs"), origin: "default" },
      providers: { value: {}, origin: "default" },
      prices: { value: {}, origin: "default" },
      proxyPort: { value: 0, origin: "default" },
      telemetry: { value: undefined, origin: "default" },
    });
  });

  test("document 000's socket has settings of its own, where somebody made some", () => {
    const home = homeWith("runtime: {tool_timeout_ms: 5000, engine: claude-sdk, profile: code-assist}");
    const runtime = (environment: Record<string, string>, folder = home): unknown =>
      readSettings({ home: folder }, environment, "/project").runtime;
    const own = { engine: "claude-sdk", profile: "code-assist" };
    expect([
      runtime({}),
      runtime({ SALLYPORT_RUNTIME_TOOL_MS: "70" }),
      runtime({ SALLYPORT_RUNTIME_TOOL_MS: "70" }, homeWith(undefined)),
      runtime({ SALLYPORT_RUNTIME_TOOL_MS: "" }, homeWith(undefined)),
      runtime({ SALLYPORT_RUNTIME_ENGINE: "claude-cli", SALLYPORT_RUNTIME_PROFILE: "" }),
      runtime({ SALLYPORT_RUNTIME_ENGINE: "loop", SALLYPORT_RUNTIME_PROFILE: "mine" }, homeWith(undefined)),
      runtime({ SALLYPORT_RUNTIME_ENGINE: "" }, homeWith(undefined)),
    ]).toEqual([
      { value: { toolMs: 5_000, ...own }, origin: "file" },
      { value: { toolMs: 70, ...own }, origin: "environment" },
      { value: { toolMs: 70, engine: undefined, profile: undefined }, origin: "environment" },
      undefined,
      { value: { toolMs: 5_000, engine: "claude-cli", profile: "code-assist" }, origin: "environment" },
      { value: { toolMs: undefined, engine: "loop", profile: "mine" }, origin: "environment" },
      undefined,
    ]);
  });

  test("an empty variable counts as not set, and a key chooses the cloud", () => {
    const home = homeWith(undefined);
    const settings = readSettings({ home }, { SALLYPORT_PORT: "", ANTHROPIC_API_KEY: "key" }, "/project");
    expect([settings.port, settings.provider]).toEqual([
      { value: 5353, origin: "default" },
      { value: "cloud", origin: "default" },
    ]);
    expect(readSettings({ home }, { ANTHROPIC_API_KEY: "" }, "/project").provider.value).toBe("sim");
  });

  const CHOICES: readonly [string, Record<string, string>, string | undefined, string][] = [
    ["nothing", {}, undefined, "sim"],
    ["blanks for a key", { ANTHROPIC_API_KEY: " " }, undefined, "sim"],
    ["a key", { ANTHROPIC_API_KEY: "key" }, undefined, "cloud"],
    ["a token", { ANTHROPIC_AUTH_TOKEN: "token" }, undefined, "cloud"],
    ["a key of another provider", { OPENAI_API_KEY: "key" }, undefined, "sim"],
    ["a file for the key, unread", {}, "providers: {cloud: {credential_file: none}}", "cloud"],
    ["a command for the key, not run", {}, "providers: {cloud: {credential_command: exit 1}}", "cloud"],
    ["a variable that is not set", { ANTHROPIC_API_KEY: "key" }, "providers: {cloud: {credential_env: MINE}}", "sim"],
    ["no key wanted", {}, "providers: {cloud: {auth: none, base_url: 'http://h'}}", "sim"],
    [
      "a provider of one's own",
      { SALLYPORT_PROVIDER: "mine" },
      "providers: {mine: {base_url: 'http://h', wire: openai}}",
      "mine",
    ],
    ["one that ships", {}, "provider: openrouter", "openrouter"],
  ];
  test.each(CHOICES)("the provider with %s", (_what, environment, yaml, provider) => {
    expect(readSettings({ home: homeWith(yaml) }, environment, "/project").provider.value).toBe(provider);
  });

  test("traces go to an address that is given whole", () => {
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://base",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/here",
      OTEL_EXPORTER_OTLP_HEADERS: " a = 1 ,b=%zz,",
    };
    expect(readSettings({ home: homeWith(undefined) }, environment, "/project").telemetry).toEqual({
      value: { url: "http://traces/here", headers: { a: "1", b: "%zz" } },
      origin: "environment",
    });
  });

  const BOMB = [
    "a: &a [x, x]",
    ..."bcdefgh".split("").map((name, index) => {
      const before = "abcdefg"[index];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`;
    }),
  ].join("\n");
  const CANARY = "sk-ant-CANARY-0123456789";
  test.each<[string, Flags, Record<string, string>, string | undefined, string]>([
    [
      "an unknown provider",
      { provider: "elsewhere" },
      {},
      undefined,
      "there is no provider elsewhere; there are: cloud, sim, openai, xai, openrouter",
    ],
    [
      "a local model that is not set",
      {},
      { SALLYPORT_PROVIDER: "local" },
      undefined,
      "openrouter; add it with `sallyport provider add local`",
    ],
    ["a port that is none", {}, { SALLYPORT_PORT: "70000" }, undefined, "SALLYPORT_PORT=70000 is not a port"],
    ["a port of the proxy that is none", {}, { SALLYPORT_PROXY_PORT: "x" }, undefined, "SALLYPORT_PROXY_PORT=x is not"],
    ["a rate that is none", {}, { SALLYPORT_REQUESTS_PER_MINUTE: "many" }, undefined, "many is not a whole number"],
    ["an address that is none", {}, { ANTHROPIC_BASE_URL: "h:1" }, undefined, "ANTHROPIC_BASE_URL must begin with"],
    ["a password in it", {}, { ANTHROPIC_BASE_URL: `http://u:${CANARY}@h` }, undefined, "must hold no user"],
    [
      "traces that go nowhere",
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: "h" },
      undefined,
      "the address for traces must begin",
    ],
    [
      "headers that are none",
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", OTEL_EXPORTER_OTLP_HEADERS: CANARY },
      undefined,
      "OTEL_EXPORTER_OTLP_HEADERS must be name=value",
    ],
    ["a file that is not YAML", {}, {}, "port: [", "is not valid YAML at line 1, column 8"],
    ["a line with a key that is not YAML", {}, {}, `host: a\nkey: [${CANARY}`, "is not valid YAML at line 2"],
    ["a list", {}, {}, "- port", "must be an object"],
    ["aliases without an end", {}, {}, BOMB, "its aliases cannot be resolved"],
    ["a setting that does not exist", {}, {}, "prot: 1", ", line 1: prot is not a setting; did you mean port?"],
    ["a setting of the wrong kind", {}, {}, "port: soon", "port "],
    [
      "a provider that says too little",
      {},
      {},
      "providers: {mine: {wire: openai}}",
      "providers.mine.base_url is missing",
    ],
    [
      "a key in the file",
      {},
      {},
      `providers: {cloud: {credential_env: ${CANARY}}}`,
      "providers.cloud.credential_env must",
    ],
    ["a price that is none", {}, {}, "prices: {m: {input: 1}}", "prices.m.output "],
    ["half a micro-dollar", {}, {}, "prices: {m: {input: 0.5, output: 1}}", "prices.m.input "],
    ["a negative price", {}, {}, "prices: {m: {input: -1, output: 1}}", "prices.m.input "],
    [
      "a price with something else",
      {},
      {},
      "prices: {m: {input: 1, output: 1, tax: 1}}",
      "prices.m.tax is not a setting; there are: input, output",
    ],
    ["a proxy with something else", {}, {}, "proxy: {host: 0.0.0.0}", "proxy.host is not a setting; there are: port"],
    ["telemetry without an address", {}, {}, "telemetry: {headers_env: A}", "telemetry.endpoint "],
    ["a page without time", {}, { SALLYPORT_RUNTIME_TOOL_MS: "0" }, undefined, "SALLYPORT_RUNTIME_TOOL_MS must be"],
    ["a page with too much", {}, {}, "runtime: {tool_timeout_ms: 99999999}", "runtime.tool_timeout_ms "],
    [
      "a runtime with something else",
      {},
      {},
      "runtime: {port: 1}",
      "runtime.port is not a setting; there are: tool_timeout_ms, engine, profile",
    ],
    ["telemetry of another kind", {}, {}, "telemetry: {endpoint: 'ftp://h'}", "telemetry.endpoint "],
  ])("refuses %s", (_what, flags, environment, yaml, words) => {
    const home = homeWith(yaml);
    const read = (): unknown => readSettings({ ...flags, home }, environment, "/project");
    expect(read).toThrow(Failure);
    expect(read).toThrow(words);
    expect(read).not.toThrow(/CANARY/);
  });

  test("tells every mistake of the file at once, with its line and what would be right", () => {
    const home = homeWith(
      [
        "prot: 5353",
        "host: 7",
        "provider: minee",
        "providers:",
        "  mine: { wire: openai }",
        "  other: { wire: soap, base_url: 'ftp://h', credential_envv: KEY }",
        "prices: { m: { input: -1, output: 1, tax: 2 } }",
        "retention: { days: many }",
        "mounts:",
        "  /claude:",
        "    type: claude",
        "    access: read_only",
        "    budget: { per_tock_usd: 1 }",
        "    policy: { default_autonomy: wild, blocked_tool: [x] }",
        "    pool: { min_workers: 5, max_workers: 1, idle_timeout_secs: 1, scale_up_threshold: 3 }",
        "telemetry: { endpoint: 'ftp://h' }",
      ].join("\n"),
    );
    let message = "";
    try {
      readSettings({ home }, {}, "/project");
    } catch (error) {
      message = (error as Failure).message;
    }
    expect(message.replace(home, "HOME").split("\n")).toEqual([
      "HOME/sallyport.yaml has 17 mistakes:",
      "  line 1: prot is not a setting; did you mean port?",
      "  line 2: host must be text",
      "  line 3: provider minee is not a provider; did you mean mine?",
      expect.stringContaining("  line 5: providers.mine.base_url is missing"),
      "  line 6: providers.other.base_url must begin with http:// or https:// or unix:",
      "  line 6: providers.other.wire must be one of: anthropic, openai",
      "  line 6: providers.other.credential_envv is not a setting; did you mean credential_env?",
      "  line 7: prices.m.input must be at least 0",
      expect.stringContaining("  line 7: prices.m.tax is not a setting; there are: input, output"),
      expect.stringContaining("  line 8: retention.days is not a setting; there are: max_age_days"),
      "  line 12: mounts./claude.access must be budgeted: agents cost money",
      "  line 13: mounts./claude.budget.per_tock_usd is not a setting; did you mean per_tick_usd?",
      "  line 14: mounts./claude.policy.default_autonomy must be one of: read_only, restricted, supervised, full",
      "  line 14: mounts./claude.policy.blocked_tool is not a setting; did you mean blocked_tools?",
      "  line 15: mounts./claude.pool.scale_up_threshold must be at most 1",
      "  line 15: mounts./claude.pool.min_workers must not be more than max_workers",
      "  line 16: telemetry.endpoint must be an address such as https://example.org",
    ]);
  });
});
