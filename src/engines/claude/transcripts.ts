import { constants, copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../protocol/index.ts";

const CONFIG = "claude";
const TEMPORARY = "tmp";
const TEMPORARY_CHARS = 8;
const PROJECTS = "projects";
/** Where the record lies that a fork begins with; the vendor's program finds it in any project. */
const LENT = "forked";
const CHUNK = 1_048_576;

/** The vendor's program has its settings and records here and nowhere else. */
export function configFolder(folder: string): string {
  return join(folder, CONFIG);
}

/** What one process needs while it runs; gone with it. The name is short: sockets lie in it. */
export function temporaryFolder(folder: string, process: string): string {
  return join(folder, TEMPORARY, process.slice(0, TEMPORARY_CHARS));
}

/** The vendor's own record of a conversation; absent: there is none. */
export function transcriptOf(folder: string, session: string): string | undefined {
  const projects = join(configFolder(folder), PROJECTS);
  for (const project of foldersIn(projects)) {
    const path = join(projects, project, `${session}.jsonl`);
    if (sizeOf(path) > 0) return path;
  }
  return undefined;
}

/** Puts another session's record into this one's folder. False when it is too long. */
export function borrowTranscript(path: string, folder: string, session: string): boolean {
  if (sizeOf(path) > LIMITS.engineTranscriptBytes) return false;
  const target = join(configFolder(folder), PROJECTS, LENT);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  copyFileSync(path, join(target, `${session}.jsonl`), constants.COPYFILE_FICLONE);
  return true;
}

/** Whether a record holds the message with this id. */
export async function holdsMessage(path: string, uuid: string): Promise<boolean> {
  const wanted = Buffer.from(`"uuid":"${uuid}"`);
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return false;
  try {
    const buffer = Buffer.alloc(CHUNK + wanted.length);
    let kept = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, kept, CHUNK);
      if (bytesRead === 0) return false;
      const filled = kept + bytesRead;
      if (buffer.subarray(0, filled).includes(wanted)) return true;
      // What may be the beginning of it.
      kept = Math.min(filled, wanted.length - 1);
      buffer.copyWithin(0, filled - kept, filled);
    }
  } finally {
    await file.close();
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** 0 when there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
