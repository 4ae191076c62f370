import { readdirSync } from "node:fs";
import { join } from "node:path";

const HOME = "codex";
const TEMPORARY = "tmp";
const TEMPORARY_CHARS = 8;

/** The program's only home: its records of the conversation, and nothing of the user's. */
export function codexHome(folder: string): string {
  return join(folder, HOME);
}

/** What one process needs while it runs: its databases, and the description of its model. Deleted with it. */
export function temporaryFolder(folder: string, process: string): string {
  return join(folder, TEMPORARY, process.slice(0, TEMPORARY_CHARS));
}

/** What processes could not delete themselves. */
export function leftTemporary(folder: string): readonly string[] {
  return namesIn(join(folder, TEMPORARY)).map((name) => join(folder, TEMPORARY, name));
}

/**
 * What the program writes. Any program in its sandbox can put something else there, so the server follows no link below: it would be a
 * way out.
 */
export function writtenFolders(folder: string): readonly string[] {
  return [codexHome(folder), join(folder, TEMPORARY)];
}

/** Empty where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
