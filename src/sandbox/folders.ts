import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ended } from "./ended.ts";

/** The path length that every system's socket addresses allow, with a name behind it. */
const LONGEST_FOLDER = 80;

function prefixOf(marker: string): string {
  return `sallyport-box-${marker.slice(0, 12)}-`;
}

/** Where root's server keeps what is mounted for a moment: nobody clears this folder by hand, as people do with temporary ones. */
const OF_ROOT = "/run/sallyport";

function parent(): string {
  if (process.platform === "linux" && process.getuid?.() === 0) {
    mkdirSync(OF_ROOT, { recursive: true, mode: 0o711 });
    return OF_ROOT;
  }
  const temporary = tmpdir();
  return temporary.length <= LONGEST_FOLDER - prefixOf("").length ? temporary : "/tmp";
}

/** A private folder for the sockets of one sandbox. Its path is short, and says nothing of the session. */
export function makeSandboxFolder(marker: string): string {
  return mkdtempSync(join(parent(), prefixOf(marker)));
}

/** Where what is handed to it is mounted while it starts. */
export function mountsOf(folder: string): string {
  return `${folder}-mounts`;
}

/** Deletes a sandbox's folder. */
export function removeSandboxFolder(folder: string): void {
  for (const path of [folder, mountsOf(folder)]) removeFlat(path);
}

/**
 * Deletes a folder and the files and empty folders in it, and goes no deeper: a workspace that is still mounted in it stays whole.
 * What cannot be deleted stays for the next start.
 */
export function removeFlat(folder: string): void {
  quietly(() => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      quietly(() => (lstatSync(path).isDirectory() ? rmdirSync(path) : unlinkSync(path)));
    }
    rmdirSync(folder);
  });
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Gone already, or still in use.
  }
}

/** At start: those that a dead server of this home left. */
export async function sweepSandboxFolders(marker: string): Promise<void> {
  const folder = parent();
  const left = readdirSync(folder).filter((name) => name.startsWith(prefixOf(marker)));
  for (const name of left) {
    const path = join(folder, name);
    if (name.endsWith(mountsOf("")))
      for (const mounted of readdirSync(path)) await ended("/usr/bin/umount", ["--lazy", join(path, mounted)]);
    removeFlat(path);
  }
}
