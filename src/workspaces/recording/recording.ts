import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Change } from "../change-set.ts";
import { inParallel } from "../in-parallel.ts";
import { stateOf, type FileState } from "../manifest.ts";
import { replaceFile, type CommitsByBranch } from "../tree-record.ts";
import {
  differences,
  recordedContent,
  recordedFiles,
  recordedSizes,
  recordTree,
  type RecordedDifference,
  type RecordedFile,
  type RecordedPlace,
} from "./shadow.ts";

const RECORD = "recording.json";

/** The files of a session as they were when a turn had ended. */
interface RecordedPoint {
  readonly turn_id: string;
  /** The place in the journal at which the turn began. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tree: string;
}

/** What is known of a session's files over time. */
export interface RecordingBook {
  /** Before the session's first call that could change something. */
  readonly start: Pick<RecordedPoint, "at" | "tree">;
  /** Such calls had run before `start`, when nothing could be recorded. Absent: none. */
  readonly late?: true | undefined;
  /** The oldest first. */
  readonly points: readonly RecordedPoint[];
  /** Files that are too large to be recorded, the first of them. */
  readonly large: readonly string[];
  /** The commits that were made of the changes, by branch. */
  readonly commits: CommitsByBranch;
  /** Why nothing is recorded any more; absent: it is. */
  readonly stopped?: string | undefined;
}

/** Undefined: nothing was recorded, or what was is damaged. */
export async function readBook({ folder }: Pick<RecordedPlace, "folder">): Promise<RecordingBook | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, RECORD), "utf8")) as RecordingBook;
  } catch {
    return undefined;
  }
}

export function writeBook({ folder }: Pick<RecordedPlace, "folder">, book: RecordingBook): Promise<void> {
  return replaceFile(join(folder, RECORD), JSON.stringify(book));
}

/** Records where a session begins. `late`: calls that could change something have run already. */
export async function beginRecording(place: RecordedPlace, at: number, late?: true): Promise<void> {
  const { tree, large } = await recordTree(place);
  const start = { at, tree };
  await writeBook(place, { start, late, points: [], large: large.slice(0, LIMITS.withheldListed), commits: {} });
}

/** Records where a turn ended. The same turn is recorded once, as it was last. */
export async function recordPoint(
  place: RecordedPlace,
  book: RecordingBook,
  point: Omit<RecordedPoint, "tree">,
): Promise<void> {
  const { tree, large } = await recordTree(place);
  const others = book.points.filter(({ turn_id }) => turn_id !== point.turn_id);
  const isFull = others.length >= LIMITS.recordedTurns;
  const next = {
    ...book,
    points: isFull ? book.points : [...others, { ...point, tree }],
    large: large.slice(0, LIMITS.withheldListed),
    ...(isFull ? { stopped: `${LIMITS.recordedTurns} turns are recorded, which is the most` } : {}),
  };
  await writeBook(place, next);
}

/** The tree of a point: `start`, or a turn's id. */
export function treeAt(book: RecordingBook, point: string): string {
  const found = point === "start" ? book.start : book.points.find(({ turn_id }) => turn_id === point);
  if (found === undefined)
    throw new Failure("not_found", `no files were recorded for ${point}; it changed nothing, or is of another session`);
  return found.tree;
}

/** What the changes of a session are counted from. */
export interface ChangeBase {
  /** The content of a file of the base, or the target of a link. Empty: there is no such file. */
  read(path: string): Promise<Buffer>;
}

interface RecordedChanges {
  /** From the point to the workspace as it is now, by path. */
  readonly changes: readonly Change[];
  readonly base: ChangeBase;
  readonly revision: string;
}

/** What changed in the workspace since a recorded tree. Records the workspace as it is now. */
export async function changesSince(place: RecordedPlace, tree: string): Promise<RecordedChanges> {
  const now = await recordTree(place);
  const found = await differences(place, tree, now.tree);
  if (found.length > LIMITS.changedFiles)
    throw new Failure(
      "limit_reached",
      `more than ${LIMITS.changedFiles} files changed, which is more than can be shown`,
    );
  const sizes = await recordedSizes(
    place,
    found.map(({ from, to }) => from?.blob ?? to?.blob ?? ""),
  );
  const changes = await inParallel([...found.entries()], async ([at, { path, from, to }]): Promise<Change> => {
    const before = stateIn(from, sizes[at] ?? 0);
    const after = to === undefined ? undefined : await stateOf(place.workspace, path);
    const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified";
    return { path, status, before, after };
  });
  const blobs = new Map(found.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from.blob] as const])));
  const read = (path: string): Promise<Buffer> => {
    const blob = blobs.get(path);
    return blob === undefined ? Promise.resolve(Buffer.alloc(0)) : recordedContent(place, blob);
  };
  const sorted = changes.filter(({ before, after }) => before !== undefined || after !== undefined).toSorted(byPath);
  return { changes: sorted, base: { read }, revision: revisionOf(tree, sorted) };
}

/** The files of a workspace as they are now. */
export async function filesNow(place: RecordedPlace): Promise<ReadonlyMap<string, RecordedFile>> {
  return recordedFiles(place, (await recordTree(place)).tree);
}

/** What differs between two recordings, by path. */
export function differing(
  from: ReadonlyMap<string, RecordedFile>,
  to: ReadonlyMap<string, RecordedFile>,
): readonly RecordedDifference[] {
  const paths = [...new Set([...from.keys(), ...to.keys()])].toSorted((one, next) => (one < next ? -1 : 1));
  return paths.flatMap((path) => {
    const [before, after] = [from.get(path), to.get(path)];
    return isSame(before, after) ? [] : [{ path, from: before, to: after }];
  });
}

function isSame(one: RecordedFile | undefined, other: RecordedFile | undefined): boolean {
  return one?.blob === other?.blob && one?.kind === other?.kind && one?.executable === other?.executable;
}

function stateIn(file: RecordedFile | undefined, size: number): FileState | undefined {
  return file && { kind: file.kind, executable: file.executable, size, hash: file.blob };
}

function byPath(one: Change, other: Change): number {
  return one.path < other.path ? -1 : 1;
}

function revisionOf(tree: string, changes: readonly Change[]): string {
  const said = [tree, changes.map(({ path, before, after }) => [path, before, after])];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 32);
}
