import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ended } from "./ended.ts";

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

/** The same folder again, for a sandbox whose program outlived its server: the dead server's sockets make room for new ones. */
export function reuseSandboxFolder(folder: string): string {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (lstatSync(path).isSocket()) unlinkSync(path);
  }
  return folder;
}

/**
 * Where root's server mounts for a moment what it hands to a sandbox. Nobody clears this folder by hand, as people do with temporary
 * ones: what is mounted there is a person's workspace.
 */
const MOUNTS = "/run/sallyport/mounts";

/** Where what is handed to its program of this number is mounted while it starts. */
export function mountsOf(folder: string, program: number): string {
  mkdirSync(MOUNTS, { recursive: true, mode: 0o711 });
  return join(MOUNTS, `${basename(folder)}-${process.pid}-${program}`);
}

/** Deletes a sandbox's folder. */
export function removeSandboxFolder(folder: string): void {
  removeFlat(folder);
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

/** At start: those that a dead server of this home left. `spared`: those of programs that outlived it. */
export async function sweepSandboxFolders(marker: string, spared: readonly string[] = []): Promise<void> {
  for (const path of leftIn(MOUNTS, marker)) {
    // With all that is mounted in it; an older server's were mounted there one by one.
    await ended("/usr/bin/umount", ["--lazy", path]);
    for (const mounted of readdirSync(path)) await ended("/usr/bin/umount", ["--lazy", join(path, mounted)]);
    removeFlat(path);
  }
  for (const path of leftIn(parent(), marker)) if (!spared.includes(path)) removeFlat(path);
}

function leftIn(folder: string, marker: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.startsWith(prefixOf(marker)));
  return names.map((name) => join(folder, name));
}
