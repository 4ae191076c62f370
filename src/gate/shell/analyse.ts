import type { CommandPart, Warning } from "../../protocol/index.ts";
import type { Folder } from "./paths.ts";
import { describePart, foldersOf } from "./preview.ts";
import { unwrap } from "./unwrap.ts";
import { warningsFor } from "./warnings.ts";

export interface CommandAnalysis {
  readonly parts: CommandPart[];
  readonly warnings: Warning[];
  /** Why the line could not be parsed; `parts` is then empty. */
  readonly parseError?: string;
}

/** What a shell command would do, as shown to people before they approve it. Nothing is run or looked up. */
export function analyseCommand(command: string, options: Folder): CommandAnalysis {
  const unwrapped = unwrap(command);
  const folders = foldersOf(unwrapped.parts, options);
  const parts = unwrapped.parts.map((part, index) => describePart(part, folders[index] ?? options));
  const warnings = [...warningsFor(command, unwrapped, parts)];
  return { parts, warnings, ...(unwrapped.error === undefined ? {} : { parseError: unwrapped.error }) };
}
