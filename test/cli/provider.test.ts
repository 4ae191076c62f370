import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProviderReport, ProviderView } from "../../src/protocol/index.ts";
import { openUpstream } from "../proxy/providers-world.ts";
import { Place } from "./place.ts";

const CANARY = "sk-ant-api03-CANARY-0123456789";
const FILE = ".sallyport/sallyport.yaml";

function settle(place: Place, yaml: string): string {
  mkdirSync(join(place.folder, ".sallyport"), { recursive: true, mode: 0o700 });
  place.write(FILE, yaml);
  return yaml;
}

const WORDS = [["provider"], ["provider", "list"], ["provider", "add"], ["provider", "remove"], ["provider", "test"]];
test.each(WORDS.map((words) => [words.join(" "), words] as const))(
  "%s --help explains itself with an example",
  async (_name, words) => {
    await using place = new Place();
    const { code, stdout, stderr } = await place.run([...words, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Examples?:\n {2}\$ sallyport provider /);
  },
);

describe("provider list", () => {
  test("shows where calls go and whether the key is there, and makes nothing", async () => {
    await using place = new Place();
    const { code, stdout, stderr } = await place.run(["provider", "list", "--json"], { ANTHROPIC_API_KEY: CANARY });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { providers } = JSON.parse(stdout) as { providers: ProviderView[] };
    expect(providers.map(({ id, is_default, credential }) => [id, is_default, credential])).toEqual([
      ["cloud", true, "found"],
      ["sim", false, "not_needed"],
      ["openai", false, "missing"],
      ["xai", false, "missing"],
      ["openrouter", false, "missing"],
    ]);
    expect(providers[0]).toEqual({
      id: "cloud",
      is_default: true,
      wires: ["anthropic"],
      hosts: { anthropic: "api.anthropic.com" },
      default_model: "claude-sonnet-5",
      free: false,
      credential: "found",
      credential_names: ["ANTHROPIC_API_KEY"],
      status: "available",
    });
    expect(existsSync(join(place.folder, ".sallyport"))).toBe(false);
  });

  test("as a table, never with a key", async () => {
    await using place = new Place();
    place.write("key", CANARY);
    chmodSync(join(place.folder, "key"), 0o600);
    settle(
      place,
      [
        "provider: local",
        "providers:",
        "  local: {base_url: 'http://127.0.0.1:11434/v1', wires: [anthropic, openai], credential_file: ../key}",
        `  mine: {base_url: 'https://h/x', wire: openai, credential_command: echo ${CANARY}, default_model: m}`,
        "",
      ].join("\n"),
    );
    const { stdout, stderr } = await place.run(["provider", "list"]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows.map((row) => row[1])).toEqual([
      "STATUS",
      "unavailable",
      "available",
      "unavailable",
      "unavailable",
      "unavailable",
      "available",
      "available",
    ]);
    expect(rows.map(([id, _status, ...row]) => [id, ...row.slice(0, 4)])).toEqual([
      ["PROVIDER", "WIRES", "ADDRESS", "COST", "MODEL"],
      ["cloud", "anthropic", "api.anthropic.com", "priced", "claude-sonnet-5"],
      ["sim", "anthropic, openai", "beside the server", "free", "sim"],
      ["openai", "openai", "api.openai.com", "priced", "gpt-5-nano"],
      ["xai", "openai", "api.x.ai", "priced", "grok-4-1-fast-reasoning"],
      ["openrouter", "anthropic, openai", "openrouter.ai", "priced", "anthropic/claude-sonnet-5"],
      ["local *", "anthropic, openai", "127.0.0.1:11434", "free", "-"],
      ["mine", "openai", "h", "priced", "m"],
    ]);
    expect(rows.map((row) => row[6]?.slice(0, 26))).toEqual([
      "CREDENTIAL",
      "missing: ANTHROPIC_API_KEY",
      "not needed",
      "missing: OPENAI_API_KEY no",
      "missing: XAI_API_KEY not s",
      "missing: OPENROUTER_API_KE",
      "found: key",
      "found: credential_command",
    ]);
    expect(stdout + stderr).not.toContain("CANARY");
  });
});

const YAML = `# Our settings.
host: 127.0.0.1 # only here

# Where models are.
providers:
  # The big one.
  local:
    base_url: http://127.0.0.1:11434 # Ollama
    wire: anthropic
    credential_env: OLD_KEY
  second: { base_url: "http://h", wire: openai } # spare

# Last words.
model: some-model
`;

describe("provider add and remove", () => {
  test("a first file is made for its owner only", async () => {
    await using place = new Place();
    const words = ["--base-url", "http://127.0.0.1:11434", "--wire", "anthropic", "--default-model", "qwen3-coder"];
    const { code, stdout, stderr } = await place.run(["provider", "add", "local", ...words]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `local is set in ${join(place.folder, FILE)}\n` });
    expect(stderr).toContain("sallyport provider test local");
    expect(place.read(FILE)).toBe(
      "providers:\n  local:\n    base_url: http://127.0.0.1:11434\n    wire: anthropic\n    default_model: qwen3-coder\n",
    );
    expect(statSync(join(place.folder, FILE)).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.folder, ".sallyport")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(place.folder, ".sallyport"))).toEqual(["sallyport.yaml"]);
  });

  const edits: readonly [string, readonly string[], readonly (readonly [string, string])[]][] = [
    [
      "a new one comes last",
      ["add", "third", "--base-url", "http://t", "--wire", "openai", "--wire", "anthropic", "--free"],
      [
        [
          "wire: openai } # spare\n",
          "wire: openai } # spare\n  third:\n    base_url: http://t\n    wires:\n      - openai\n      - anthropic\n    free: true\n",
        ],
      ],
    ],
    [
      "of one that is there only what is given is changed",
      ["add", "local", "--default-model", "m", "--requests-per-minute", "9", "--no-free"],
      [
        [
          "    credential_env: OLD_KEY\n",
          "    credential_env: OLD_KEY\n    default_model: m\n    requests_per_minute: 9\n    free: false\n",
        ],
      ],
    ],
    [
      "another credential takes the place of the old one",
      ["add", "local", "--credential-command", "pass show 'my key' # mine"],
      [["    credential_env: OLD_KEY\n", `    credential_command: "pass show 'my key' # mine"\n`]],
    ],
    [
      "several credentials",
      ["add", "local", "--credential-env", "A", "--credential-env", "B", "--credential-file", "~/key"],
      [
        [
          "    credential_env: OLD_KEY\n",
          "    credentials:\n      - credential_env: A\n      - credential_env: B\n      - credential_file: ~/key\n",
        ],
      ],
    ],
    ["removed", ["remove", "second"], [['  second: { base_url: "http://h", wire: openai } # spare\n', ""]]],
  ];
  test.each(edits)("%s; comments and order stay", async (_what, words, changes) => {
    await using place = new Place();
    const before = settle(place, YAML);
    const { code, stderr } = await place.run(["provider", ...words]);
    expect({ code, failed: stderr.includes("error") }).toEqual({ code: 0, failed: false });
    let after = before;
    for (const [old, fresh] of changes) after = after.replace(old, fresh);
    expect(place.read(FILE)).toBe(after);
    expect(statSync(join(place.folder, FILE)).mode & 0o777).toBe(0o600);
  });

  test("a path counts from where it is typed, and a linked file stays a link", async () => {
    await using place = new Place();
    mkdirSync(join(place.folder, ".sallyport"), { mode: 0o700 });
    place.write("elsewhere.yaml", "# kept\nproviders:\n");
    symlinkSync(join(place.folder, "elsewhere.yaml"), join(place.folder, FILE));
    const { code } = await place.run(["provider", "add", "cloud", "--credential-file", "keys/mine"]);
    expect(code).toBe(0);
    expect(place.read("elsewhere.yaml")).toBe(
      `# kept\nproviders:\n  cloud:\n    credential_file: ${join(place.folder, "keys/mine")}\n`,
    );
  });

  test("as JSON", async () => {
    await using place = new Place();
    const add = await place.run(["provider", "add", "work", "--kind", "cloud", "--credential-env", "WORK", "--json"]);
    expect(JSON.parse(add.stdout)).toEqual({
      id: "work",
      setting: { kind: "cloud", credential_env: "WORK" },
      file: join(place.folder, FILE),
    });
    const remove = await place.run(["provider", "remove", "work", "--json"]);
    expect(JSON.parse(remove.stdout)).toEqual({ id: "work", removed: true, ships: false });
  });

  const refused: readonly [string, readonly string[], string][] = [
    ["a key for a variable's name", ["add", "cloud", "--credential-env", CANARY], "must be the name of an environment"],
    ["a password", ["add", "x", "--base-url", `http://u:${CANARY}@h`, "--wire", "openai"], "must hold no user"],
    ["no address", ["add", "mine", "--wire", "openai"], "providers.mine.base_url is missing"],
    ["no wire", ["add", "mine", "--base-url", "http://h"], "providers.mine.wire is missing"],
    ["an unknown wire", ["add", "mine", "--wire", "grpc"], "It must be one of: anthropic, openai."],
    ["an unknown kind", ["add", "mine", "--kind", "sim"], "It must be one of: cloud, openai, xai, openrouter, local."],
    ["no id", ["add", "Mine!", "--base-url", "http://h", "--wire", "openai"], "is not an id"],
    ["nothing to set", ["add", "cloud"], "nothing to set: say what cloud has"],
    ["an address of sim", ["add", "sim", "--base-url", "http://h"], "providers.sim.base_url cannot be set"],
    ["one that is not there", ["remove", "nobody"], "says nothing of a provider nobody"],
    ["the default", ["remove", "local"], "local is the default: name another one under `provider` first"],
  ];
  test.each(refused)("%s is refused and changes nothing", async (_what, words, message) => {
    await using place = new Place();
    const before = settle(place, `provider: local\n${YAML}`);
    const { code, stdout, stderr } = await place.run(["provider", ...words]);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toContain("CANARY");
    expect(place.read(FILE)).toBe(before);
  });

  test("a server elsewhere is not ours to set", async () => {
    await using place = new Place();
    const words = ["provider", "add", "cloud", "--credential-env", "KEY"];
    for (const [flags, environment] of [
      [["--server", "http://127.0.0.1:9"], {}],
      [[], { SALLYPORT_URL: "http://127.0.0.1:9" }],
    ] as const) {
      const { code, stderr } = await place.run([...flags, ...words], environment);
      expect([code, stderr]).toEqual([2, expect.stringContaining("run it where the server runs")]);
    }
    expect(existsSync(join(place.folder, ".sallyport"))).toBe(false);
  });

  test("a file that is broken already is named and left alone", async () => {
    await using place = new Place();
    const before = settle(place, `providers: [${CANARY}\n`);
    const { code, stderr } = await place.run(["provider", "add", "cloud", "--credential-env", "KEY"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/sallyport\.yaml is not valid YAML at line 2/);
    expect([stderr.includes("CANARY"), place.read(FILE)]).toEqual([false, before]);
  });
});

describe("provider test", () => {
  test("asks the provider with its key", async () => {
    await using place = new Place();
    await using upstream = await openUpstream();
    place.write("key", CANARY);
    chmodSync(join(place.folder, "key"), 0o600);
    settle(
      place,
      `providers: {local: {base_url: '${upstream.url}', wire: anthropic, auth: api_key, credential_file: ../key}}\n`,
    );
    const { code, stdout, stderr } = await place.run(["provider", "test", "local", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      providers: [
        {
          id: "local",
          status: "ok",
          message: "it answers and has 2 models",
          wires: ["anthropic"],
          models: ["one", "two"],
          latency_ms: expect.any(Number),
        },
      ],
    });
    expect(upstream.seen.map(({ headers }) => headers["x-api-key"])).toEqual([CANARY]);
    const shown = await place.run(["provider", "test", "local", "--models"]);
    expect(shown.stdout).toMatch(/^PROVIDER +STATUS +TIME +ANSWER\nlocal +ok +.*2 models\nlocal\/one\nlocal\/two\n$/);
  });

  test("all that have their key, and says with its exit code when one does not work", async () => {
    await using place = new Place();
    await using upstream = await openUpstream(() => ({ status: 401, body: CANARY }));
    settle(place, `providers: {local: {base_url: '${upstream.url}', wire: openai, credential_env: KEY}}\n`);
    const { code, stdout } = await place.run(["provider", "test", "--json"], { KEY: CANARY });
    const { providers } = JSON.parse(stdout) as { providers: ProviderReport[] };
    expect(code).toBe(1);
    expect(providers.map(({ id, status }) => [id, status])).toEqual([
      ["sim", "ok"],
      ["local", "unauthenticated"],
    ]);
    expect(stdout).not.toContain("CANARY");
  });

  test("one that is not there", async () => {
    await using place = new Place();
    const { code, stderr } = await place.run(["provider", "test", "nobody"]);
    expect([code, stderr]).toEqual([
      2,
      "error: there is no provider nobody; there are: cloud, sim, openai, xai, openrouter\n",
    ]);
  });

  test("a file that others can read is named with what to do", async () => {
    await using place = new Place();
    writeFileSync(join(place.folder, "key"), CANARY, { mode: 0o644 });
    chmodSync(join(place.folder, "key"), 0o644);
    settle(place, "providers: {openai: {credential_file: ../key}}\n");
    const { code, stdout } = await place.run(["provider", "test", "openai"]);
    expect(code).toBe(1);
    expect(stdout).toContain("chmod 600 key");
    expect(readFileSync(join(place.folder, "key"), "utf8")).toBe(CANARY);
    expect(stdout).not.toContain("CANARY");
  });
});
