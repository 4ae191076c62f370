import { createReadStream, createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { LIMITS } from "../../protocol/index.ts";

const CONFIG = "claude";
const TEMPORARY = "tmp";
const TEMPORARY_CHARS = 8;
const PROJECTS = "projects";
/** Where the record lies that a fork begins with; the vendor's program finds it in any project. */
const LENT = "forked";
/**
 * A line that names the newest message. The program writes it last, when all is quiet, and believes it more than the messages themselves:
 * where it is missing or older, and the conversation was taken up twice at one place, the newer messages would be gone.
 */
const NEWEST = '"type":"last-prompt"';
const MESSAGE = '"parentUuid":';

/** The vendor's program has its settings and records here and nowhere else. */
export function configFolder(folder: string): string {
  return join(folder, CONFIG);
}

/** What one process needs while it runs; gone with it. The name is short: sockets lie in it. */
export function temporaryFolder(folder: string, process: string): string {
  return join(folder, TEMPORARY, process.slice(0, TEMPORARY_CHARS));
}

/** Takes away what processes left that could not do so themselves. */
export function sweepTemporary(folder: string): void {
  rmSync(join(folder, TEMPORARY), { recursive: true, force: true });
}

/** The vendor's own record of a conversation; absent: there is none, or one that is too long. */
export function transcriptOf(folder: string, session: string): string | undefined {
  const projects = join(configFolder(folder), PROJECTS);
  for (const project of foldersIn(projects)) {
    const path = join(projects, project, `${session}.jsonl`);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0 && size <= LIMITS.engineTranscriptBytes) return path;
  }
  return undefined;
}

/** Puts another session's record, up to a message, into this one's folder. False when the message is not in it. */
export async function borrowTranscript(
  path: string,
  place: { readonly session: string; readonly uuid: string },
  folder: string,
): Promise<boolean> {
  const target = join(configFolder(folder), PROJECTS, LENT);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  return copyLines(path, join(target, `${place.session}.jsonl`), place.uuid);
}

/** Takes away what was borrowed. */
export function returnTranscript(folder: string, session: string): void {
  rmSync(join(configFolder(folder), PROJECTS, LENT, `${session}.jsonl`), { force: true });
}

/** Makes a record whole whose process was killed before it had written all. */
export async function mendTranscript(path: string): Promise<void> {
  let outdated = false;
  let named = false;
  for await (const line of linesOf(path)) {
    if (line.includes(NEWEST)) {
      named = true;
      outdated = false;
    } else if (line.includes(MESSAGE)) outdated = true;
  }
  if (named && outdated) await copyLines(path, path);
}

/** Whether a record holds the message with this id. */
export async function holdsMessage(path: string, uuid: string): Promise<boolean> {
  for await (const line of linesOf(path)) if (isMessage(line, uuid)) return true;
  return false;
}

/** All lines but those that name the newest message; up to a message, if one is named. False when that is not there. */
async function copyLines(from: string, to: string, upto?: string): Promise<boolean> {
  const fresh = `${to}.new`;
  const out = createWriteStream(fresh, { mode: 0o600 });
  let found = upto === undefined;
  for await (const line of linesOf(from)) {
    if (line.includes(NEWEST)) continue;
    if (!out.write(`${line}\n`)) await new Promise<void>((resolve) => out.once("drain", () => resolve()));
    if (upto === undefined || !isMessage(line, upto)) continue;
    found = true;
    break;
  }
  out.end();
  await finished(out);
  if (found) await rename(fresh, to);
  else rmSync(fresh, { force: true });
  return found;
}

function isMessage(line: string, uuid: string): boolean {
  return line.includes(`"uuid":"${uuid}"`) && line.endsWith("}");
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, "utf8");
  try {
    yield* createInterface({ input, crlfDelay: Infinity });
  } catch (error) {
    // A record that is gone is an empty one.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  } finally {
    input.destroy();
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
