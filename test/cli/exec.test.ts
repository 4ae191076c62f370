import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { script } from "../support/app.ts";
import { openPricedApp, type PricedApp } from "../support/priced-app.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { vendorProgram } from "../support/vendor-programs.ts";

const MAIN = resolve(import.meta.dirname, "../../dist/cli/main.js");
const { resolve: find } = createRequire(createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk"));
const CLAUDE = join(
  dirname(find(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`)),
  "claude",
);
const CODEX = vendorProgram("codex");

let app: PricedApp;
beforeAll(async () => {
  app = await openPricedApp();
  await mkdir(join(app.place.home, "person", "codex"), { recursive: true });
});
afterAll(() => app[Symbol.asyncDispose]());

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `sallyport exec` as a person runs it; `heard` gets what the program writes, and may end it. */
function exec(
  words: readonly string[],
  { heard, environment = {} }: { heard?: (text: string, pid: number) => void; environment?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  const person = join(app.place.home, "person");
  const child = spawn(process.execPath, [MAIN, "exec", ...words], {
    cwd: app.place.workspace,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: person,
      CODEX_HOME: join(person, "codex"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      SALLYPORT_URL: app.serving.url,
      SALLYPORT_TOKEN: TEST_TOKEN,
      ...environment,
    },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => {
    stdout += piece.toString();
    heard?.(stdout, child.pid ?? 0);
  });
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  return new Promise((ended) => child.once("close", (code) => ended({ code, stdout, stderr })));
}

describe("sallyport exec", () => {
  test("gives the program a key in the variables of the official clients, and nothing else of its user's", async () => {
    const show = "const { PATH, HOME, ...rest } = process.env; console.log(JSON.stringify(rest)); process.exit(7);";
    const environment = { ANTHROPIC_API_KEY: "mine", HTTPS_PROXY: "http://proxy:1", NO_PROXY: "intern", OTHER: "kept" };
    const { code, stdout, stderr } = await exec(["--model", "sim", "--", process.execPath, "-e", show], {
      environment,
    });
    const key: unknown = expect.stringMatching(/^sp_key_[\w-]{43}$/);
    const { url } = app.serving;
    const seen = JSON.parse(stdout) as Readonly<Record<string, string>>;
    expect(seen).toMatchObject({
      ANTHROPIC_BASE_URL: `${url}/model`,
      ANTHROPIC_AUTH_TOKEN: key,
      OPENAI_BASE_URL: `${url}/model/v1`,
      OPENAI_API_KEY: key,
      ANTHROPIC_MODEL: "sim",
      NO_PROXY: "intern,127.0.0.1",
      OTHER: "kept",
    });
    expect([seen["ANTHROPIC_API_KEY"], seen["SALLYPORT_TOKEN"]]).toEqual([undefined, undefined]);
    expect({ code, stderr }).toEqual({ code: 7, stderr: "cost $0.00: 0 model requests, 0 tokens\n" });
    // The key ended with the program.
    const again = await fetch(`${url}/model/v1/models`, { headers: { "x-api-key": seen["OPENAI_API_KEY"] ?? "" } });
    expect(again.status).toBe(401);
    expect((await app.client.keys()).keys).toEqual([]);
  });

  test("passes signals on, and the program's own end back", async () => {
    const waits = "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready');";
    const heard = (text: string, pid: number): void => void (text.includes("ready") && process.kill(pid, "SIGTERM"));
    expect(await exec(["--", process.execPath, "-e", waits], { heard })).toMatchObject({ code: 9 });
    expect(await exec(["--", "sh", "-c", "kill -9 $$"])).toMatchObject({ code: 137 });
    expect((await app.client.keys()).keys).toEqual([]);
  });

  test("says when there is no such program, or no such provider", async () => {
    const missing = await exec(["--", "no-such-program"]);
    expect({ code: missing.code, stderr: missing.stderr.split("\n")[0] }).toEqual({
      code: 127,
      stderr: "error: no-such-program: there is no such program",
    });
    const refused = await exec(["--provider", "nobody", "--", "true"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("nobody");
    expect((await app.client.keys()).keys).toEqual([]);
  });
});

const COST = /cost (?:at most )?\$(\d+\.\d+): (\d+) model requests?, [\d,]+ tokens\n$/;

describe("Claude Code with a key", () => {
  const claude = ["--", CLAUDE, "-p", "--allowedTools", "Write", "--"];

  test("works with its tools, and is counted", async () => {
    const file = join(app.place.workspace, "claude.txt");
    const prompt = script({ tool: "Write", input: { file_path: file, content: "hi\n" } }, { say: "Written." });
    const { code, stdout, stderr } = await exec(["--model", "sim", "--max-cost", "5", ...claude, prompt]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Written.\n" });
    expect(await readFile(file, "utf8")).toBe("hi\n");
    expect(Number(COST.exec(stderr)?.[1])).toBeGreaterThan(0);
    expect(COST.exec(stderr)?.[2]).toBe("2");
  }, 60_000);

  test("stops when the money is spent, and says why", async () => {
    const ran = await exec(["--model", "sim", "--max-cost", "0.001", ...claude, script({ say: "never" })]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("this key's limit");
    expect(ran.stderr).toMatch(/cost \$0\.00: 0 model requests, 0 tokens\n$/);
  }, 60_000);
});

describe.skipIf(CODEX === undefined)("Codex with a key", () => {
  const own = "-c model_providers.sallyport";
  const config = [
    "-c model_provider=sallyport",
    `${own}.name=Sallyport`,
    `${own}.base_url="$OPENAI_BASE_URL"`,
    `${own}.env_key=OPENAI_API_KEY`,
    `${own}.wire_api=responses`,
  ].join(" ");
  const codex = [
    "--",
    "sh",
    "-c",
    `exec "$0" exec --skip-git-repo-check --disable plugins -c web_search=disabled -s danger-full-access -m sim ${config} "$1"`,
    CODEX ?? "",
  ];

  test("works with its tools, and is counted", async () => {
    const prompt = script({ tool: "exec_command", input: { cmd: "echo hi > codex.txt" } }, { say: "Written." });
    const { code, stdout, stderr } = await exec(["--model", "sim", "--max-cost", "5", ...codex, prompt]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Written.\n" });
    expect(await readFile(join(app.place.workspace, "codex.txt"), "utf8")).toBe("hi\n");
    expect(COST.exec(stderr)?.[2]).toBe("2");
  }, 60_000);

  test("stops when the money is spent, and says why", async () => {
    const ran = await exec(["--model", "sim", "--max-cost", "0.001", ...codex, script({ say: "never" })]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("this key's limit");
    expect(ran.stderr).not.toContain("Reconnecting");
    expect(ran.stderr).toMatch(/cost \$0\.00: 0 model requests, 0 tokens\n$/);
  }, 60_000);
});
