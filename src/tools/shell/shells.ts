import { constants } from "node:os";
import { join } from "node:path";
import { headOf, LIMITS, type NewId, type Redactor } from "../../protocol/index.ts";
import type { Running, Sandbox } from "../../sandbox/sandbox.ts";
import { isRefusal, reasonOf, type ToolRefusal } from "../refusal.ts";
import { CleanOutput } from "./clean.ts";
import { matchingLines } from "./filter.ts";
import { OutputLog } from "./log.ts";

interface ShellStart {
  readonly command: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Milliseconds after which it is ended. */
  readonly timeout: number;
}

export type ShellStatus =
  | { readonly state: "running" }
  | { readonly state: "ended"; readonly exitCode: number; readonly reason?: string | undefined }
  | { readonly state: "killed" }
  | { readonly state: "timed_out" };

interface NewOutput {
  readonly text: string;
  /** Bytes that the next read can show at once. */
  readonly left: number;
  /** Bytes that were discarded unread. */
  readonly lost: number;
}

/** One command in the background. */
export interface Shell {
  readonly id: string;
  readonly command: string;
  readonly status: ShellStatus;
  /** The lines since the last read, each once; with a filter only those that match, and the others are gone too. */
  read(filter?: string): NewOutput | ToolRefusal;
  /** Resolves when it has ended, when the time is over, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  kill(): Promise<void>;
}

/** The session's background shells. */
export interface Shells {
  start(request: ShellStart): Promise<Shell | ToolRefusal>;
  find(id: string): Shell | undefined;
  /** Ends all of them and deletes their output. */
  close(): Promise<void>;
}

export interface ShellsOptions {
  readonly sandbox: Sandbox;
  readonly outputFolder: string;
  readonly redact?: Redactor | undefined;
  readonly newId: NewId;
}

export function openShells(options: ShellsOptions): Shells {
  const shells = new Map<string, BackgroundShell>();

  /** Makes room: the oldest ended shells are forgotten. */
  const forgetOld = (): void => {
    const ended = [...shells.values()].filter((shell) => shell.status.state !== "running");
    for (const shell of ended.slice(0, Math.max(0, ended.length - LIMITS.endedShellsPerSession + 1))) {
      shell.forget();
      shells.delete(shell.id);
    }
  };

  return {
    async start(request) {
      const running = [...shells.values()].filter((shell) => shell.status.state === "running").length;
      if (running >= LIMITS.backgroundShellsPerSession)
        return { refused: `${running} commands run in the background already. End one with KillShell first.` };
      forgetOld();
      const id = options.newId("sh");
      try {
        const shell = new BackgroundShell(id, request, options);
        // Counted from now on, so that many at once cannot exceed the limit together.
        shells.set(id, shell);
        await shell.start(options.sandbox);
        return shell;
      } catch (error) {
        shells.get(id)?.forget();
        shells.delete(id);
        return { refused: `Error executing command: ${reasonOf(error)}` };
      }
    },
    find: (id) => shells.get(id),
    async close() {
      const all = [...shells.values()];
      shells.clear();
      await Promise.all(all.map((shell) => shell.kill()));
      for (const shell of all) shell.forget();
    },
  };
}

class BackgroundShell implements Shell {
  readonly id: string;
  readonly command: string;
  readonly #request: ShellStart;
  readonly #log: OutputLog;
  readonly #clean: CleanOutput;
  /** Those who wait for its end. */
  readonly #waiting = new Set<() => void>();
  #running: Running | undefined;
  #status: ShellStatus = { state: "running" };
  #ending: "killed" | "timed_out" | undefined;
  #place = 0;

  constructor(id: string, request: ShellStart, { outputFolder, redact }: ShellsOptions) {
    this.id = id;
    this.command = request.command;
    this.#request = request;
    this.#log = new OutputLog(join(outputFolder, `${id}.log`));
    this.#clean = new CleanOutput(redact);
  }

  get status(): ShellStatus {
    return this.#status;
  }

  async start(sandbox: Sandbox): Promise<void> {
    const { argv, cwd, timeout } = this.#request;
    const running = await sandbox.spawn({
      argv,
      cwd,
      onOutput: (chunk, stream) => this.#log.append(this.#clean.next(chunk, stream)),
    });
    this.#running = running;
    const timer = setTimeout(() => void this.#end("timed_out"), timeout);
    timer.unref();
    void running.exit.then(({ code, signal, reason }) => {
      clearTimeout(timer);
      this.#log.append(this.#clean.end());
      this.#status =
        this.#ending === undefined
          ? { state: "ended", exitCode: exitCodeOf(code, signal), reason }
          : { state: this.#ending };
      for (const goOn of this.#waiting) goOn();
    });
  }

  read(filter?: string): NewOutput | ToolRefusal {
    const { bytes, start } = this.#log.read(this.#place, LIMITS.shellReadBytes);
    const over = this.#status.state !== "running" && start + bytes.length >= this.#log.end;
    const lines = wholeLines(bytes, over);
    const wanted = filter === undefined ? undefined : matchingLines(lines.map(textOf), filter);
    if (isRefusal(wanted)) return wanted;
    const shown: string[] = [];
    let used = 0;
    let size = 0;
    for (const [index, line] of lines.entries()) {
      if (wanted === undefined || wanted[index] === true) {
        const text = textOf(line);
        if (size > 0 && size + text.length > LIMITS.bashOutputChars) break;
        shown.push(
          text.length <= LIMITS.bashOutputChars ? text : `${headOf(text, LIMITS.bashOutputChars)}... (line cut)`,
        );
        size += text.length + 1;
      }
      used += line.length;
    }
    const lost = start - this.#place;
    this.#place = start + used;
    // The start of an unfinished line does not count as more.
    const more = used < lines.reduce((sum, line) => sum + line.length, 0) || start + bytes.length < this.#log.end;
    return { text: shown.join("\n"), left: more ? this.#log.end - this.#place : 0, lost };
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#status.state !== "running" || signal.aborted) return;
    // A model asks a server that it has started again and again: no wait leaves anything behind.
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", goOn);
        this.#waiting.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, ms);
      signal.addEventListener("abort", goOn, { once: true });
      this.#waiting.add(goOn);
    });
  }

  async kill(): Promise<void> {
    await this.#end("killed");
  }

  /** Its output can no longer be read. */
  forget(): void {
    this.#log.remove();
  }

  async #end(how: "killed" | "timed_out"): Promise<void> {
    if (this.#running === undefined || this.#status.state !== "running") return;
    this.#ending ??= how;
    await this.#running.kill();
  }
}

/** A process ended by a signal has the code that a shell would report for it. */
export function exitCodeOf(code: number | null, signal: string | null): number {
  if (code !== null) return code;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[signal ?? ""] ?? 0);
}

/** Lines with their newlines. A last one without a newline is complete only at the end of the output, or when it is too long. */
function wholeLines(bytes: Buffer, over: boolean): readonly Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  const endless = lines.length === 0 && bytes.length >= LIMITS.shellReadBytes;
  if (start < bytes.length && (over || endless)) lines.push(bytes.subarray(start));
  return lines;
}

function textOf(line: Buffer): string {
  return line.toString("utf8").replace(/\r?\n$/, "");
}
