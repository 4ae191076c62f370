import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxDriver, SandboxRequest } from "../../src/sandbox/driver.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";

/** How a command ended, and all that it wrote. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a sandbox must not know of the server. */
export const CANARY = "canary-of-the-server-4711";

/** A machine to look at from inside: a workspace, folders, and secrets beside them. */
export class SandboxPlace implements AsyncDisposable {
  readonly driver: SandboxDriver;
  readonly base: string;
  readonly workspace: string;
  readonly readable: string;
  readonly writable: string;
  readonly hidden: string;
  /** Of the user whose server this is. */
  readonly secret: string;
  readonly #neighbour: ChildProcess;
  readonly #open: Sandbox[] = [];
  #sleeps = 0;

  constructor(driver: SandboxDriver, base: string) {
    this.driver = driver;
    this.base = base;
    const folder = (name: string): string => {
      const path = join(base, name);
      mkdirSync(path, { recursive: true });
      return path;
    };
    this.workspace = folder("workspace");
    this.readable = folder("readable");
    this.writable = folder("writable");
    this.hidden = folder("workspace/hidden");
    writeFileSync(join(this.readable, "file"), "read me\n");
    writeFileSync(join(this.hidden, "file"), `${CANARY}\n`);
    this.secret = join(mkdtempSync(join(homedir(), ".sallyport-conformance-")), "secret");
    writeFileSync(this.secret, `${CANARY}\n`);
    process.env["SALLYPORT_CANARY"] = CANARY;
    this.#neighbour = spawn("sleep", [this.sleep()], { env: { CANARY }, stdio: "ignore" });
  }

  /** A base folder that other users can pass through. */
  static folder(): string {
    const base = mkdtempSync(join(tmpdir(), "sp-"));
    chmodSync(base, 0o711);
    return base;
  }

  request(changes: Partial<SandboxRequest> = {}): SandboxRequest {
    const folder = mkdtempSync(join(this.base, "s"));
    return {
      sessionId: "ses_1",
      workspace: this.workspace,
      readable: [this.readable],
      writable: [this.writable],
      hidden: [this.hidden],
      folder,
      forwards: [],
      environment: { GIVEN: "given" },
      ...changes,
    };
  }

  async open(changes: Partial<SandboxRequest> = {}): Promise<Sandbox> {
    const sandbox = await this.driver.open(this.request(changes));
    this.#open.push(sandbox);
    return sandbox;
  }

  /** A number of seconds that no other process of this machine sleeps. */
  sleep(): string {
    this.#sleeps += 1;
    return `4711.${process.pid}${this.#sleeps}${this.base.length}`;
  }

  /** Command lines of processes of this machine that contain a word. gVisor's own have the path of its state. */
  processes(...words: readonly string[]): readonly string[] {
    return listed(words).map(({ line }) => line);
  }

  /** The same as process ids. */
  pids(...words: readonly string[]): readonly string[] {
    return listed(words).map(({ pid }) => pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sandbox of this.#open) await sandbox.close();
    this.#neighbour.kill("SIGKILL");
    delete process.env["SALLYPORT_CANARY"];
    await rm(join(this.secret, ".."), { recursive: true });
    await rm(this.base, { recursive: true, force: true });
  }
}

function listed(words: readonly string[]): readonly { readonly pid: string; readonly line: string }[] {
  const read = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, line: read(pid) }))
    .filter(({ line }) => words.some((word) => line.includes(word)));
}

/** Runs a command of the shell to its end. */
export async function runIn(sandbox: Sandbox, command: string, cwd: string): Promise<Outcome> {
  const said = { stdout: "", stderr: "" };
  const running = await sandbox.spawn({
    argv: ["/bin/sh", "-c", command],
    cwd,
    onOutput: (chunk, stream) => {
      said[stream] += chunk.toString("latin1");
    },
  });
  const { code, signal } = await running.exit;
  return { code, signal, ...said };
}

/** Runs a program of Node inside, and answers what it printed. */
export async function runNode(sandbox: Sandbox, program: string, cwd: string): Promise<string> {
  let said = "";
  const running = await sandbox.spawn({
    argv: [process.execPath, "-e", program],
    cwd,
    onOutput: (chunk) => {
      said += chunk.toString();
    },
  });
  await running.exit;
  return said.trim();
}
