import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { runCommandLine } from "../../src/cli/program.ts";
import type { ProcessContext } from "../../src/cli/surroundings.ts";

const MAIN = resolve("dist/cli/main.js");

/** Whether a real terminal can be had for a child: `script` of util-linux makes one. */
export const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

/** A folder with a home of its own, where the real command runs as a process. */
export class Place {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-cli-")));
  readonly #running = new Set<Running>();
  #served: Promise<unknown> | undefined;
  #stop: () => void = () => undefined;

  start(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
    return this.#spawn(process.execPath, [MAIN, ...words], environment);
  }

  /** The same at a terminal. */
  startAtTerminal(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
    const line = [process.execPath, MAIN, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    return this.#spawn("script", ["-qec", line, "/dev/null"], { TERM: "xterm", NO_COLOR: "1", ...environment });
  }

  /** To the end, in this process: the whole command but for the few lines of its entry. Much cheaper than a process. */
  async run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const [output, errors] = [new Page(), new Page()];
    const surroundings = this.#surroundings(output, errors, environment);
    const code = await runCommandLine(words, surroundings);
    return { code, stdout: await output.end(), stderr: await errors.end() };
  }

  /** In this process too, while the test goes on. A signal is what the command makes of it. */
  startHere(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const listeners = new Map<string, () => void>();
    const surroundings = {
      ...this.#surroundings({ stream: stdout }, { stream: stderr }, environment),
      onSignal: (signal: string, listener: () => void) => {
        listeners.set(signal, listener);
        return () => void listeners.delete(signal);
      },
    };
    const closed = runCommandLine(words, surroundings).then(async (code) => {
      // All that was said has been read before it has ended.
      await Promise.all([stdout, stderr].map((stream) => finished(stream.end())));
      return code;
    });
    return new Running({ stdout, stderr, stdin: surroundings.input, closed, kill: (name) => listeners.get(name)?.() });
  }

  /** A server in this process, until the place is gone. */
  async serve(): Promise<URL> {
    const [output, errors] = [new Page(), new Page()];
    const surroundings = {
      ...this.#surroundings(output, errors, {}),
      onSignal: (_signal: string, listener: () => void) => {
        this.#stop = listener;
        return () => undefined;
      },
    };
    this.#served = runCommandLine(["serve", "--port", "0"], surroundings);
    const [link] = (await once(output.stream, "data")) as [string];
    return new URL(link.trim());
  }

  #surroundings(
    output: Pick<Page, "stream">,
    errors: Pick<Page, "stream">,
    environment: Readonly<Record<string, string>>,
  ): ProcessContext & { readonly input: PassThrough } {
    return {
      environment: environmentOf(this.folder, environment),
      cwd: this.folder,
      input: new PassThrough(),
      output: output.stream,
      errors: errors.stream,
      version: "0.0.0",
      name: "sallyport",
      now: () => Date.now(),
      onSignal: () => () => undefined,
      goOnWithoutOutput: () => undefined,
      exit: () => undefined,
      endBySignal: () => undefined,
    };
  }

  read(name: string): string | undefined {
    const path = join(this.folder, name);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#running) running.signal("SIGKILL");
    await Promise.all([...this.#running].map((running) => running.ended));
    this.#stop();
    await this.#served;
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(program: string, words: readonly string[], environment: Readonly<Record<string, string>>): Running {
    const env = environmentOf(this.folder, environment);
    const child = spawn(program, [...words], { cwd: this.folder, env });
    const running = new Running({
      stdout: child.stdout,
      stderr: child.stderr,
      stdin: child.stdin,
      closed: new Promise((resolve) => {
        child.once("close", (code, signal) => resolve(code ?? signal ?? "?"));
      }),
      kill: (name) => void child.kill(name),
    });
    this.#running.add(running);
    return running;
  }
}

/** Nothing of the environment of the tests: not their npm, and no key. */
function environmentOf(folder: string, more: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    LANG: "C.UTF-8",
    SALLYPORT_SANDBOX: "local",
    SALLYPORT_HOME: ".sallyport",
    ...more,
  };
}

/** What was written to a stream, whole. */
class Page {
  readonly stream = new PassThrough({ encoding: "utf8" });
  readonly #text = text(this.stream);

  end(): Promise<string> {
    this.stream.end();
    return this.#text;
  }
}

export interface Ended {
  /** A signal's name where one ended it. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** What runs: a process, or a command in this one. */
interface Program {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdin: Writable;
  readonly closed: Promise<Ended["code"]>;
  readonly kill: (name: NodeJS.Signals) => void;
}

export class Running {
  readonly #program: Program;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  #read = 0;
  #over = false;
  #waiting:
    | { readonly words: string; readonly resolve: () => void; readonly reject: (error: Error) => void }
    | undefined;
  /** Both streams, in the order in which they came. */
  text = "";

  constructor(program: Program) {
    this.#program = program;
    program.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      this.stdout += chunk;
      this.#take(chunk);
    });
    program.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.stderr += chunk;
      this.#take(chunk);
    });
    program.stdin.on("error", () => undefined);
    this.ended = program.closed.then((code) => {
      this.#over = true;
      this.#waiting?.reject(new Error(`ended before it said what was waited for:\n${this.text}`));
      return { code, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Waits for words after those that were waited for before. */
  async reads(words: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiting = { words, resolve, reject };
      this.#take("");
      if (this.#over) this.#waiting?.reject(new Error(`ended before it said "${words}":\n${this.text}`));
    });
    this.#read = this.text.indexOf(words, this.#read) + words.length;
  }

  types(keys: string): void {
    this.#program.stdin.write(keys);
  }

  endInput(): void {
    this.#program.stdin.end();
  }

  signal(name: NodeJS.Signals): void {
    if (!this.#over) this.#program.kill(name);
  }

  #take(chunk: string): void {
    this.text += chunk;
    const waiting = this.#waiting;
    if (waiting === undefined || !this.text.includes(waiting.words, this.#read)) return;
    this.#waiting = undefined;
    waiting.resolve();
  }
}

/** A prompt that makes the demo model do exactly these steps. */
export function script(steps: readonly object[]): string {
  return `sim: ${JSON.stringify(steps)}`;
}
