import type { Readable, Writable } from "node:stream";
import type { Environment } from "./settings/settings.ts";

export type TerminalInput = Readable & {
  readonly isTTY?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
};
export type TerminalOutput = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** A command's view of its process; tests pass their own. */
export interface ProcessContext {
  readonly environment: Environment;
  readonly cwd: string;
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly version: string;
  /** How a person calls this program, for suggested commands. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Call the returned function to stop listening. */
  readonly onSignal: (signal: Signal, listener: () => void) => () => void;
  /** From now on the command continues when its output has no reader. Other commands are then stopped as by SIGHUP. */
  readonly goOnWithoutOutput: () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Ends the process with the signal's default action. Node's own last steps would crash if a thread is in SQLite. */
  readonly endBySignal: (signal: Signal) => void;
}
