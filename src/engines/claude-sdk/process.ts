import { EventEmitter, once } from "node:events";
import { PassThrough } from "node:stream";
import { LIMITS } from "../../protocol/index.ts";
import type { Held, OpenRequest, Piped } from "../../sandbox/sandbox.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ProcessListener } from "../claude/transport.ts";
import { ProcessOutput, type OutputAllowance } from "../vendor/output.ts";
import { heldInput } from "./held-input.ts";
import type { SpawnedProcess } from "./sdk.ts";
import type { ProcessEnd } from "../vendor/output.ts";

interface ProcessOptions {
  readonly sandbox: Pick<Sandbox, "open">;
  readonly request: OpenRequest;
  readonly allowance: OutputAllowance;
  readonly listener: Pick<ProcessListener, "noise" | "drained">;
  /** The turn that a message begins; undefined: none. */
  readonly turnOf: (uuid: string) => string | undefined;
}

/**
 * The vendor's process in the form that its SDK expects: available at once, while the sandbox takes a moment to start one.
 * Until then input waits in the pipes. The SDK gets only whole messages of bounded size: its own reader has no bound.
 */
export class SandboxedProcess extends EventEmitter implements SpawnedProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly #opening: Promise<Piped | undefined>;
  readonly #options: ProcessOptions;
  #held: Held | undefined;
  #output: ProcessOutput | undefined;
  readonly #end: Promise<ProcessEnd>;
  killed = false;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  constructor(options: ProcessOptions) {
    super();
    this.#options = options;
    // An unhandled error event would end the server.
    this.on("error", () => undefined);
    for (const pipe of [this.stdin, this.stdout]) pipe.on("error", () => undefined);
    let settle: (end: ProcessEnd) => void = () => undefined;
    this.#end = new Promise((resolve) => {
      settle = resolve;
    });
    this.#opening = options.sandbox.open(options.request).then(
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

  /** Absent: it ends with the server, or has not started yet. */
  get held(): Held | undefined {
    return this.#held;
  }

  /** A turn begins: its output is counted from zero. */
  begin(): void {
    this.#output?.begin();
  }

  kill(signal: NodeJS.Signals): boolean {
    this.killed = true;
    const graceMs = signal === "SIGKILL" ? 0 : LIMITS.engineKillMs;
    this.killAll(graceMs).catch(() => undefined);
    return true;
  }

  /** Ends it with all its children. */
  async killAll(graceMs: number): Promise<void> {
    const process = await this.#opening;
    await process?.kill({ graceMs });
  }

  #join(process: Piped, settle: (end: ProcessEnd) => void): void {
    const { allowance, listener, turnOf } = this.#options;
    this.#held = process.held;
    if (process.held === undefined) this.stdin.pipe(process.stdin);
    else {
      this.stdin.pipe(heldInput(process.held, turnOf));
      this.stdin.once("end", () => process.stdin.end());
    }
    const output = new ProcessOutput(process, {
      allowance,
      input: this.stdin,
      onMessage: (_, line) => void this.stdout.write(line),
      onNoise: (line) => listener.noise(line),
      drained: async () => {
        // If the SDK has stopped reading, there is no wait for it: its process ends.
        if (this.stdout.writableNeedDrain) await once(this.stdout, "drain").catch(() => undefined);
        await listener.drained();
      },
    });
    this.#output = output;
    void process.exit.then(({ code, signal }) => {
      this.exitCode = code;
      this.signalCode = signal as NodeJS.Signals | null;
      this.emit("exit", code, this.signalCode);
    });
    void output.end.then((end) => {
      settle(end);
      this.stdout.end();
    });
  }
}
