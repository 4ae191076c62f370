import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesBelow } from "../support/files-below.ts";
import { TEST_SANDBOX, TEST_TOKEN } from "../support/server.ts";

const MAIN = resolve(import.meta.dirname, "../../dist/cli/main.js");
const MODEL = resolve(import.meta.dirname, "model-child.mjs");
const CANARY = "sk-canary-of-the-owner-5f1c9b7e2d4a8063";
const HOME = `sph${process.pid}`;
const REMOTE = `spr${process.pid}`;
/** The only address that both have. */
const WIRE = "10.214.77.1";

function run(...words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  return spawnSync(program, rest, { stdio: "ignore" }).status === 0;
}

/** Two namespaces and one wire between them: needs root and `ip`. */
const isPossible =
  process.getuid?.() === 0 && run("ip", "netns", "add", HOME) && run("ip", "netns", "add", REMOTE) && wired();

function wired(): boolean {
  const [left, right] = [`a${process.pid}`, `b${process.pid}`];
  return [
    ["ip", "link", "add", left, "type", "veth", "peer", "name", right],
    ["ip", "link", "set", left, "netns", HOME],
    ["ip", "link", "set", right, "netns", REMOTE],
    ["ip", "-n", HOME, "addr", "add", `${WIRE}/30`, "dev", left],
    ["ip", "-n", REMOTE, "addr", "add", "10.214.77.2/30", "dev", right],
    ...[HOME, REMOTE].map((name) => ["ip", "-n", name, "link", "set", "lo", "up"]),
    ["ip", "-n", HOME, "link", "set", left, "up"],
    ["ip", "-n", REMOTE, "link", "set", right, "up"],
  ].every((words) => run(...words));
}

const children: ChildProcess[] = [];

/** Starts a program in a namespace; resolves with what it prints that matches. */
async function start(
  namespace: string,
  words: readonly string[],
  options: { readonly environment?: Readonly<Record<string, string>>; readonly until: RegExp },
): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const child = spawn("ip", ["netns", "exec", namespace, process.execPath, ...words], {
    env: {
      PATH: process.env["PATH"],
      SALLYPORT_TOKEN: TEST_TOKEN,
      SALLYPORT_START_AHEAD: "off",
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const lines: string[] = [];
  const said = await new Promise<string>((found, failed) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on("line", (line) => {
        lines.push(line);
        const match = options.until.exec(line);
        if (match !== null) found(match[0]);
      });
    child.once("exit", () => failed(new Error(`it ended: ${lines.join("\n")}`)));
  });
  return { child, said };
}

/** One command of the product in a namespace. */
function sallyport(namespace: string, home: string, words: readonly string[]): string {
  const env = { PATH: process.env["PATH"], SALLYPORT_TOKEN: TEST_TOKEN };
  const { stdout, stderr, status } = spawnSync(
    "ip",
    ["netns", "exec", namespace, process.execPath, MAIN, "--home", home, ...words],
    { env, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${words.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** Whether a text is anywhere in what a process can write to. */
function holds(pid: number, text: string): boolean {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      if (from === undefined || to === undefined) continue;
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += BLOCK - text.length) {
        const block = Buffer.alloc(Math.min(BLOCK, end - at));
        if (readPart(memory, block, at) && block.includes(text)) return true;
      }
    }
    return false;
  } finally {
    closeSync(memory);
  }
}
const BLOCK = 4_194_304;

function readPart(memory: number, block: Buffer, at: number): boolean {
  try {
    readSync(memory, block, 0, block.length, at);
    return true;
  } catch {
    // Some pages cannot be read by anybody.
    return false;
  }
}

describe.runIf(isPossible)("two namespaces with no way but the tunnel", () => {
  let root: string;
  let remotePid: number;
  const path = (...parts: readonly string[]): string => join(root, ...parts);

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "sallyport-namespaces-"));
    for (const folder of ["home", "remote/secrets/tunnels", "work", "far"])
      await mkdir(path(folder), { recursive: true });
    const model = await start(HOME, [MODEL, CANARY, `${WIRE}:5454`, "5455", path("wire")], { until: /http:\S+/ });
    await writeFile(path("key"), CANARY, { mode: 0o600 });
    const provider = {
      base_url: model.said,
      wires: ["anthropic", "openai"],
      default_model: "sim",
      credential_file: path("key"),
    };
    const settings = {
      provider: "mine",
      providers: { mine: provider },
      prices: { "mine/*": { input: 1_000_000, output: 1_000_000, output_tokens: 8_000 } },
    };
    await writeFile(path("home", "sallyport.yaml"), JSON.stringify(settings));
    const serve = (home: string, workspace: string): readonly string[] => [
      MAIN,
      "serve",
      "--home",
      path(home),
      "--workspace",
      path(workspace),
      "--port",
      "0",
    ];
    const environment = { HOME: root, SALLYPORT_SANDBOX: TEST_SANDBOX };
    await start(HOME, serve("home", "work"), { environment, until: /http:\/\/127\.0\.0\.1:\d+/ });
    const door = await start(
      HOME,
      [MAIN, "--home", path("home"), "tunnel", "serve", "home", "--auth", "psk", "--listen", "127.0.0.1:5455"],
      { until: /^[\w-]{43}$/ },
    );
    await writeFile(path("remote/secrets/tunnels/home"), door.said, { mode: 0o600 });
    const remote = await start(REMOTE, [...serve("remote", "far"), "--provider", "sim"], {
      environment: { ...environment, HOME: path("remote") },
      until: /http:\/\/127\.0\.0\.1:\d+/,
    });
    remotePid = remote.child.pid ?? 0;
    sallyport(REMOTE, path("remote"), [
      "tunnel",
      "add",
      "home",
      `ws://${WIRE}:5454/claude`,
      "--auth",
      "psk",
      "--secret-path",
      "tunnels/home",
    ]);
  }, 120_000);

  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode !== null) continue;
      child.kill("SIGTERM");
      await Promise.race([once(child, "exit"), new Promise((next) => setTimeout(next, 15_000))]);
      child.kill("SIGKILL");
    }
    for (const name of [HOME, REMOTE]) run("ip", "netns", "del", name);
    await rm(root, { recursive: true, force: true });
  }, 60_000);

  test("they are connected", { timeout: 60_000 }, async () => {
    await expect
      .poll(() => sallyport(REMOTE, path("remote"), ["tunnel", "list"]), { timeout: 50_000, interval: 500 })
      .toContain("connected");
    expect(sallyport(REMOTE, path("remote"), ["tunnel", "test", "home"])).toContain("ok");
  });

  test.each(["loop", "claude-sdk"])(
    "the remote gateway runs a session of %s on the owner's provider",
    (engine) => {
      const prompt = `Do as told.\nsim: ${JSON.stringify([{ say: `Hello from ${engine}.` }])}`;
      const said = sallyport(REMOTE, path("remote"), [
        "run",
        "--engine",
        engine,
        "--provider",
        "tunnel:home",
        "--model",
        "sim",
        prompt,
      ]);
      expect(said).toContain(`Hello from ${engine}.`);
    },
    120_000,
  );

  test("the owner sees what it cost, and the owner's key is nowhere at the other side", async () => {
    const { offers } = JSON.parse(sallyport(HOME, path("home"), ["tunnel", "list", "--json"])) as {
      offers: { spent_microusd: number; state: string }[];
    };
    expect(offers[0]?.state).toBe("connected");
    expect(offers[0]?.spent_microusd).toBeGreaterThan(0);
    const wire = await readFile(path("wire"));
    expect(wire.length).toBeGreaterThan(10_000);
    expect(wire.includes(CANARY)).toBe(false);
    const leaks: string[] = [];
    for (const file of await filesBelow(path("remote"))) if ((await readFile(file)).includes(CANARY)) leaks.push(file);
    expect(leaks).toEqual([]);
    expect(holds(remotePid, CANARY)).toBe(false);
    // The search itself works: the tunnel's id is there.
    expect(holds(remotePid, "tunnel:home")).toBe(true);
  }, 60_000);

  test("there is no other way from one to the other", () => {
    const reach = (url: string): boolean =>
      run(
        "ip",
        "netns",
        "exec",
        REMOTE,
        process.execPath,
        "-e",
        `fetch(${JSON.stringify(url)},{signal:AbortSignal.timeout(1500)}).then(()=>process.exit(0),()=>process.exit(1))`,
      );
    expect(reach("http://1.1.1.1/")).toBe(false);
    expect(reach(`http://${WIRE}:5353/health`)).toBe(false);
  });
});
