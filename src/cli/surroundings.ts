import type { Readable, Writable } from "node:stream";
import type { Environment } from "./settings.ts";

export type TerminalInput = Readable & {
  readonly isTTY?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
};
export type TerminalOutput = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** What a command sees of the process it runs in; tests pass their own. */
export interface ProcessContext {
  readonly environment: Environment;
  readonly cwd: string;
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly version: string;
  /** How a person calls this program, for the commands that are suggested. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The answer stops listening. */
  readonly onSignal: (signal: Signal, listener: () => void) => () => void;
  /** From now on the command goes on when nobody reads its output any more. Others are then stopped as by SIGHUP. */
  readonly goOnWithoutOutput: () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Ends the process as the signal does by itself. Node's own last steps would crash where a thread is in SQLite. */
  readonly endBySignal: (signal: Signal) => void;
}
