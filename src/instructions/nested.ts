import { join, relative, sep } from "node:path";
import { LIMITS, type LoadedFile, type SkippedFile } from "../protocol/index.ts";
import { instructionBlock } from "./block.ts";
import { InstructionFiles, type InstructionRoom } from "./instruction-files.ts";
import type { InstructionReader } from "./reader.ts";

/** Folders of code that others wrote: what they say to agents is not said by the people of this workspace. */
const FOREIGN: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  "bower_components",
  "vendor",
  "third_party",
  ".venv",
  "venv",
  "site-packages",
]);

/**
 * The folders below the workspace on the way to a path, the outermost first, and the path itself: it may be a folder. None for a path that
 * is not in the workspace, or in code that others wrote.
 */
export function nestedFolders(workspace: string, path: string): readonly string[] {
  const inner = relative(workspace, path).split(sep);
  if (inner[0] === "" || inner[0] === ".." || inner.some((name) => FOREIGN.has(name))) return [];
  return inner.slice(0, LIMITS.instructionFolders).map((_name, index) => join(workspace, ...inner.slice(0, index + 1)));
}

/** The instructions of folders in which an agent begins to work. */
export interface NestedInstructions {
  readonly files: readonly LoadedFile[];
  readonly left_out: readonly SkippedFile[];
  /** For the model. Empty: there is nothing that it does not know. */
  readonly block: string;
}

/** Reads the instructions of these folders, and nothing else of them: neither rules nor programs. */
export async function loadNested(
  reader: InstructionReader,
  folders: readonly string[],
  room: InstructionRoom,
): Promise<NestedInstructions> {
  const found = new InstructionFiles(reader, room);
  await found.collect({ folders, followsImports: true });
  return {
    files: found.files.map((file) => (file.kind === "instructions" ? { ...file, kind: "nested" as const } : file)),
    left_out: found.skipped,
    block: instructionBlock(found.texts, [], { hasSkillTool: false }),
  };
}
