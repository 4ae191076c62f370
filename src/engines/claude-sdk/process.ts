import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { LIMITS } from "../../protocol/index.ts";
import type { OpenRequest, Piped } from "../../sandbox/sandbox.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ProcessEnd } from "../claude/link.ts";
import { Complaints } from "../claude/complaints.ts";
import type { SpawnedProcess } from "./sdk.ts";

/**
 * The vendor's process as its SDK wants it: there at once, while the sandbox takes a moment to start one. Until then
 * what is written waits in the pipes.
 */
export class SandboxedProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly #opening: Promise<Piped | undefined>;
  readonly #complaints = new Complaints();
  readonly #end: Promise<ProcessEnd>;
  killed = false;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  constructor(sandbox: Pick<Sandbox, "open">, request: OpenRequest) {
    super();
    // An error event that nobody listens to would end the server.
    this.on("error", () => undefined);
    for (const pipe of [this.stdin, this.stdout]) pipe.on("error", () => undefined);
    let settle: (end: ProcessEnd) => void = () => undefined;
    this.#end = new Promise((resolve) => {
      settle = resolve;
    });
    this.#opening = sandbox.open(request).then(
      (process) => {
        this.#join(process, settle);
        return process;
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error : new Error(String(error));
        settle({ code: null, signal: null, complaint: reason.message });
        this.exitCode = 1;
        this.stdout.end();
        this.emit("error", reason);
        return undefined;
      },
    );
  }

  /** How it ended, when it has. */
  get end(): Promise<ProcessEnd> {
    return this.#end;
  }

  kill(signal: NodeJS.Signals): boolean {
    this.killed = true;
    const graceMs = signal === "SIGKILL" ? 0 : LIMITS.engineKillMs;
    this.killAll(graceMs).catch(() => undefined);
    return true;
  }

  /** Ends it with all that it started. */
  async killAll(graceMs: number): Promise<void> {
    const process = await this.#opening;
    await process?.kill({ graceMs });
  }

  #join(process: Piped, settle: (end: ProcessEnd) => void): void {
    this.stdin.pipe(process.stdin);
    process.stdout.pipe(this.stdout);
    process.stderr.setEncoding("utf8");
    process.stderr.on("data", (chunk: string) => this.#complaints.add(chunk));
    void process.exit.then(({ code, signal }) => {
      this.exitCode = code;
      this.signalCode = signal as NodeJS.Signals | null;
      settle({ code, signal, complaint: this.#complaints.text });
      this.emit("exit", code, this.signalCode);
    });
  }
}
