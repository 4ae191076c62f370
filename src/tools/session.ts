import { openFileLedger } from "./files/ledger.ts";
import { openShells } from "./shell/shells.ts";
import type { ToolSession } from "./tool.ts";

export interface ToolSessionOptions extends Omit<ToolSession, "files" | "shells" | "hidden"> {
  /** Absent: none. */
  readonly hidden?: readonly string[];
}

/** The caller owns the sandbox and closes it after the toolbox. */
export function openToolSession(options: ToolSessionOptions): ToolSession {
  return { ...options, hidden: options.hidden ?? [], files: openFileLedger(), shells: openShells(options) };
}
