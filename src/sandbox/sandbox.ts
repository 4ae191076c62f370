import type { Readable, Writable } from "node:stream";
import type { SandboxKind } from "../protocol/index.ts";

export interface KillOptions {
  /** Milliseconds between SIGTERM and SIGKILL; absent: LIMITS.killGraceMs. */
  readonly graceMs?: number;
}

/** A process in its own process group. `exit` never rejects; no output comes after it. */
export interface Running {
  readonly pid: number;
  /** `reason`: why it was ended here; absent: it was not, or its owner ended it. */
  readonly exit: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly reason?: string | undefined;
  }>;
  /** Ends the whole group and whatever escaped from it: SIGTERM, then SIGKILL after a grace time. Resolves when all are gone. */
  kill(options?: KillOptions): Promise<void>;
}

export interface OpenRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Added to the sandbox's own clean environment; the server's environment is never passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** It uses the ports of the sandbox that lead to sockets. Absent: it does not, and starts faster. */
  readonly ports?: true | undefined;
  /** It shares the network of the commands that `spawn` starts. Absent: it may have one of its own. */
  readonly beside?: true | undefined;
  /** It outlives the server, where the sandbox can do that (`holds`). Absent: it ends with the server. */
  readonly hold?: HoldRequest | undefined;
}

/** What the next server needs to take a program up. */
interface HoldRequest {
  /** The session's key to the model proxy, which the program goes on to use. */
  readonly key: string;
  /** Its owner's own. */
  readonly note: string;
}

/** What the owner of a held program can do. */
export interface Held {
  /** What a dead server left; absent: the program is new. */
  readonly left?:
    | {
        readonly turn: string;
        readonly note: string;
        /** Keys of what was written since the turn began. */
        readonly written: ReadonlySet<string>;
        readonly notes: ReadonlyMap<string, string>;
      }
    | undefined;
  /** To its stdin. `key`: written once, even if a dead server wrote it. `begin`: a turn begins, which can be taken up from here. */
  write(text: string, options?: { readonly key?: string | undefined; readonly begin?: string | undefined }): void;
  /** Kept for whoever takes the turn up. */
  note(key: string, text: string): void;
  /** The open turn can no longer be taken up. */
  forfeit(): void;
  /** The server stops: from now on the program belongs to the next one. */
  leave(): void;
  readonly isLeft: boolean;
}

export interface SpawnRequest extends OpenRequest {
  readonly onOutput: (chunk: Buffer, stream: "stdout" | "stderr") => void;
}

/** A process with pipes that its owner uses. The owner must read both outputs. */
export interface Piped extends Running {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Sends a signal to the process alone; false when it has ended. */
  signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): boolean;
  /** Absent: it ends with the server. */
  readonly held?: Held | undefined;
}

/** Where processes run: one per session. */
export interface Sandbox {
  readonly kind: SandboxKind;
  /** Where programs are looked for, in this order. */
  readonly searchPath: readonly string[];
  /** True while a process started here, or one left in its group, is alive. */
  readonly busy: boolean;
  /** Resolves once the process is started; a program that cannot be started is a Failure `tool_failed`. */
  spawn(request: SpawnRequest): Promise<Running>;
  /** The same with pipes. `exit` resolves as soon as the process has ended. */
  open(request: OpenRequest): Promise<Piped>;
  /** Whether a program can outlive the server. Absent: none can. */
  readonly holds?: true;
  /** The program of the open turn that a dead server left, from the turn's beginning. Undefined: there is none. */
  takeUp?(): Promise<Piped | undefined>;
  /** Ends every process ever started here, including those that left their group. */
  close(): Promise<void>;
}
