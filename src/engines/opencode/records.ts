import { createWriteStream, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "../../protocol/index.ts";
import { holdFolderOf, openRegularFile } from "../../tools/index.ts";
import { recordFolder } from "./config.ts";

/** OpenCode's database, and what it has written but not put into it yet. */
const FILES = ["opencode.db", "opencode.db-wal"] as const;
const ROUNDS = 20;

interface CopiedFile {
  readonly name: string;
  readonly handle: FileHandle;
}

/** Where OpenCode's record is, in a session's own folder. */
function recordPath(folder: string, name: string): string {
  return join(recordFolder(folder), "data", "opencode", name);
}

/**
 * Copies another session's record into this one's folder, as bytes: no database is opened outside of a sandbox, and no link followed. That
 * session may be running: a copy counts only if nothing was written meanwhile. False: there is none, or it is too long or never at rest.
 */
export async function borrowRecord(from: string, to: string, sleep: (ms: number) => Promise<void>): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcome = await copyOnce(from, to);
    if (outcome !== "changed") return outcome === "copied";
    await sleep(LIMITS.engineFlushMs / ROUNDS);
  }
  return false;
}

async function copyOnce(from: string, to: string): Promise<"copied" | "changed" | "missing"> {
  const files: CopiedFile[] = [];
  try {
    for (const name of FILES) {
      const handle = await openRegularFile(recordPath(from, name));
      if (handle !== undefined) files.push({ name, handle });
    }
    if (files[0]?.name !== FILES[0]) return "missing";
    const before = await seen(files);
    if (before === undefined) return "missing";
    for (const file of files) if (!(await copy(file, recordPath(to, file.name)))) return "missing";
    return (await seen(files)) === before ? "copied" : "changed";
  } finally {
    await Promise.all(files.map(({ handle }) => handle.close()));
  }
}

/** Changes whenever something was written; undefined: they are too long. */
async function seen(files: readonly CopiedFile[]): Promise<string | undefined> {
  const stats = await Promise.all(files.map(({ handle }) => handle.stat({ bigint: true })));
  const bytes = stats.reduce((sum, { size }) => sum + size, 0n);
  if (bytes > BigInt(LIMITS.engineTranscriptBytes)) return undefined;
  return stats.map(({ size, mtimeNs }) => `${size} ${mtimeNs}`).join(", ");
}

async function copy({ handle }: CopiedFile, path: string): Promise<boolean> {
  const folder = await holdFolderOf(path).catch(() => undefined);
  if (folder === undefined) return false;
  try {
    const target = folder.path(basename(path));
    rmSync(target, { force: true });
    const source = handle.createReadStream({ start: 0, autoClose: false });
    await pipeline(source, createWriteStream(target, { mode: 0o600, flags: "wx" }));
    return true;
  } finally {
    await folder.close();
  }
}
