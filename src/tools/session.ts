import type { NewId, Redactor } from "../protocol/index.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { openFileLedger } from "./files/ledger.ts";
import { openShells } from "./shell/shells.ts";
import type { ToolSession } from "./tool.ts";

export interface ToolSessionOptions {
  /** Absolute, symlinks resolved. */
  readonly workspace: string;
  readonly sandbox: Sandbox;
  readonly outputFolder: string;
  readonly extraRead: readonly string[];
  /** Absent: none. */
  readonly hidden?: readonly string[];
  readonly webHosts: readonly string[];
  /** Applied to output before it is stored in a file; absent: stored unchanged. */
  readonly redact?: Redactor | undefined;
  readonly newId: NewId;
  readonly now: () => number;
}

/** The caller owns the sandbox and closes it after the toolbox. */
export function openToolSession(options: ToolSessionOptions): ToolSession {
  return { ...options, hidden: options.hidden ?? [], files: openFileLedger(), shells: openShells(options) };
}
