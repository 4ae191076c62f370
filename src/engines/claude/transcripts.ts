import { lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { holdFolderOf, openRegularFile } from "../../tools/index.ts";
import { linesOf, rewriteLines } from "../vendor/record-lines.ts";
import { UnknownOutcome, isMessage, type LeftTurn } from "./unknown-outcome.ts";

const CONFIG = "claude";
const TEMPORARY = "tmp";
const TEMPORARY_CHARS = 8;
const PROJECTS = "projects";
/** The folder of the record that a fork begins with; the vendor's program finds it in any project. */
const LENT = "forked";
/**
 * A line that names the newest message. The program writes it last, when idle, and trusts it more than the messages themselves. If it is
 * missing or outdated, and the conversation was resumed twice at one point, the newer messages would be lost.
 */
const NEWEST = '"type":"last-prompt"';
const MESSAGE = '"parentUuid":';
/** Of a message; `source_uuid`: of one that a person sent in the middle of a turn. */
const ID = /"(?:source_)?uuid":"([^"]+)"/g;

/** The only folder of the vendor program's settings and records. */
export function configFolder(folder: string): string {
  return join(folder, CONFIG);
}

/** What one process needs while it runs; deleted with it. The name is short because sockets lie in it. */
export function temporaryFolder(folder: string, process: string): string {
  return join(folder, TEMPORARY, process.slice(0, TEMPORARY_CHARS));
}

/** What processes could not delete themselves. */
export function leftTemporary(folder: string): readonly string[] {
  return foldersIn(join(folder, TEMPORARY)).map((name) => join(folder, TEMPORARY, name));
}

/**
 * What the vendor's program writes. Any program in its sandbox can put something else there, so the server follows no link below: it
 * would be a way out.
 */
export function writtenFolders(folder: string): readonly string[] {
  return [configFolder(folder), join(folder, TEMPORARY)];
}

/** The vendor's own record of a conversation; absent: there is none, or it is too long. */
export function transcriptOf(folder: string, session: string): string | undefined {
  const projects = join(configFolder(folder), PROJECTS);
  for (const project of foldersIn(projects)) {
    const path = join(projects, project, `${session}.jsonl`);
    const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0 && size <= LIMITS.engineTranscriptBytes) return path;
  }
  return undefined;
}

/** Copies another session's record, up to a message, into this one's folder. False when the message is not in it. */
export async function borrowTranscript(
  path: string,
  place: { readonly session: string; readonly uuid: string },
  folder: string,
): Promise<boolean> {
  return copyLines(path, borrowedPath(folder, place.session), { upto: place.uuid });
}

function borrowedPath(folder: string, session: string): string {
  return join(configFolder(folder), PROJECTS, LENT, `${session}.jsonl`);
}

/** Deletes the borrowed copy. */
export async function returnTranscript(folder: string, session: string): Promise<void> {
  const path = borrowedPath(folder, session);
  const held = await holdFolderOf(path).catch(() => undefined);
  if (held === undefined) return;
  rmSync(held.path(basename(path)), { force: true });
  await held.close();
}

/** What a record contains. */
export interface Holdings {
  /** Whether there is any message at all. */
  readonly any: boolean;
  /** Those of the requested messages that it contains. */
  readonly messages: ReadonlySet<string>;
  /** Calls of the open turn that have a result. */
  readonly results: ReadonlySet<string>;
  /** What the model said in the open turn. */
  readonly said: ReadonlySet<string>;
}

/** Repairs a record whose process was killed before it had written everything, or continued after its server died. */
export async function mendTranscript(
  path: string,
  asked: ReadonlySet<string>,
  open: LeftTurn | undefined,
): Promise<Holdings> {
  const messages = new Set<string>();
  const results = new Set<string>();
  const said = new Set<string>();
  const outcome = new UnknownOutcome(open);
  let any = false;
  let outdated = false;
  let named = false;
  for await (const line of linesOf(path)) {
    if (line.includes(NEWEST)) {
      named = true;
      outdated = false;
    }
    if (!line.includes(MESSAGE)) continue;
    any = true;
    outdated = true;
    const tidings = outcome.read(line);
    if (tidings === undefined) continue;
    for (const id of tidings.results) results.add(id);
    for (const text of tidings.said) said.add(text);
    if (line.endsWith("}")) for (const [, uuid = ""] of line.matchAll(ID)) if (asked.has(uuid)) messages.add(uuid);
  }
  if ((named && outdated) || outcome.doubted || (await isTorn(path))) await copyLines(path, path, { open });
  return { any, messages, results, said };
}

/**
 * All complete lines except those that name the newest message and untrusted ones; up to a message, if one is given. False when
 * that is missing.
 */
async function copyLines(
  from: string,
  to: string,
  { upto, open }: { readonly upto?: string; readonly open?: LeftTurn | undefined },
): Promise<boolean> {
  const outcome = new UnknownOutcome(open);
  let found = upto === undefined;
  async function* edit(lines: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of lines) {
      if (line.includes(NEWEST) || !line.endsWith("}")) continue;
      if (line.includes(MESSAGE) && outcome.read(line) === undefined) continue;
      yield line;
      if (upto === undefined || !isMessage(line, upto)) continue;
      found = true;
      break;
    }
  }
  return rewriteLines({ from, to, edit, isGood: () => found });
}

/** Whether the last line has no end: the next write would continue it. */
async function isTorn(path: string): Promise<boolean> {
  const file = await openRegularFile(path);
  if (file === undefined) return false;
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
    return size > 0 && buffer.toString("latin1") !== "\n";
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
