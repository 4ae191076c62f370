export interface KillOptions {
  /** Milliseconds between SIGTERM and SIGKILL; absent: LIMITS.killGraceMs. */
  readonly graceMs?: number;
}

/** A process in its own process group. `exit` never rejects; after it no more output comes. */
export interface Running {
  readonly pid: number;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Ends the whole group and whatever escaped from it: SIGTERM, then SIGKILL after a grace time. Resolves when all are gone. */
  kill(options?: KillOptions): Promise<void>;
}

export interface SpawnRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Added to the sandbox's own clean environment; the server's environment is never passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onOutput: (chunk: Buffer, stream: "stdout" | "stderr") => void;
}

/** A place to run: one per session. */
export interface Sandbox {
  readonly kind: "local";
  /** Where programs are looked for, in this order. */
  readonly searchPath: readonly string[];
  /** True while a process that was started here, or one that it left in its group, is alive. */
  readonly busy: boolean;
  /** Answers once the process is started; a program that cannot be started is a Failure `tool_failed`. */
  spawn(request: SpawnRequest): Promise<Running>;
  /** Ends every process that ever started here, also those that left their group. */
  close(): Promise<void>;
}
