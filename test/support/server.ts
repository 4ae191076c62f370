import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { SallyportClient } from "../../src/client/index.ts";

const MAIN = resolve(import.meta.dirname, "../../dist/cli/main.js");

/** A home and a workspace of their own, gone after the test. */
export interface Place {
  readonly home: string;
  readonly workspace: string;
  remove(): Promise<void>;
}

export async function makePlace(): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), "sallyport-test-"));
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  return { home, workspace, remove: () => rm(root, { recursive: true, force: true }) };
}

/** The real server as a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly token: string;
  readonly client: SallyportClient;
  readonly child: ChildProcess;
  /** How it ended. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** What it wrote into its log so far. */
  log(): string;
  kill(): Promise<void>;
  /** Ends it the way a person does. */
  stop(): Promise<void>;
}

/** `SALLYPORT_TEST_SANDBOX=bubblewrap npm test` runs everything behind walls. */
export const TEST_SANDBOX = process.env["SALLYPORT_TEST_SANDBOX"] ?? "local";

export const TEST_TOKEN = "sp_test-token-of-an-admin-000000000000000000";

export async function startServer(
  place: Place,
  environment: Readonly<Record<string, string>> = {},
  { openFiles }: { readonly openFiles?: number } = {},
): Promise<ServerProcess> {
  const words = [process.execPath, MAIN, "serve", "--home", place.home, "--workspace", place.workspace];
  const [program = "", ...rest] =
    openFiles === undefined ? words : ["bash", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`, ...words];
  const child = spawn(program, rest, {
    env: {
      PATH: process.env["PATH"],
      HOME: place.home,
      SALLYPORT_TOKEN: TEST_TOKEN,
      SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
      SALLYPORT_START_AHEAD: "off",
      SALLYPORT_BROWSER: "off",
      SALLYPORT_SEARCH_CODE: "off",
      SALLYPORT_RECORD_FILES: "off",
      // Walls are what tests of their own are about, or all of them.
      SALLYPORT_SANDBOX: TEST_SANDBOX,
      SALLYPORT_PORT: "0",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const exited = once(child, "exit").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }));
  const url = await new Promise<string>((found, failed) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (match !== null) found(match[0]);
    });
    void exited.then(({ code, signal }) =>
      failed(new Error(`the server ended at start (${code ?? signal}): ${errors.join("")}`)),
    );
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return {
    url,
    token: TEST_TOKEN,
    client: new SallyportClient({ url, token: TEST_TOKEN }),
    child,
    exited,
    log: () => errors.join(""),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

/** Processes that sessions of this home started and that are still there. */
export async function leftBehind(place: Place): Promise<readonly number[]> {
  const marker = (await readFile(join(place.home, "instance"), "utf8")).trim();
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (text.includes(`SALLYPORT_INSTANCE=${marker}`)) found.push(Number(name));
  }
  return found;
}
