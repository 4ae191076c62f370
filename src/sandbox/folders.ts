import { mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The path length that every system's socket addresses allow, with a name behind it. */
const LONGEST_FOLDER = 80;

function prefixOf(marker: string): string {
  return `sallyport-box-${marker.slice(0, 12)}-`;
}

function parent(): string {
  const temporary = tmpdir();
  return temporary.length <= LONGEST_FOLDER - prefixOf("").length ? temporary : "/tmp";
}

/** A private folder for the sockets of one sandbox. Its path is short, and says nothing of the session. */
export function makeSandboxFolder(marker: string): string {
  return mkdtempSync(join(parent(), prefixOf(marker)));
}

/** At start: those that a dead server of this home left. */
export async function sweepSandboxFolders(marker: string): Promise<void> {
  const folder = parent();
  const left = readdirSync(folder).filter((name) => name.startsWith(prefixOf(marker)));
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true });
}
