import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { filterOf, nameFilter } from "../filter.ts";
import { gitBytes, mustGit } from "../git.ts";
import { inParallel } from "../in-parallel.ts";
import { isBeneath, stampOf } from "../manifest.ts";
import { findRepository } from "../repository.ts";
import { replaceFile } from "../tree-record.ts";

/** Where a session's files are recorded, and the files. */
export interface RecordedPlace {
  /** Of the recording. Absolute. */
  readonly folder: string;
  /** Absolute, real. */
  readonly workspace: string;
  /** The server's own folder, which is never recorded. Absolute, real. */
  readonly home: string;
}

export interface RecordedFile {
  readonly kind: "file" | "link";
  readonly executable: boolean;
  /** By which its content is read. The same content has the same one in every recording. */
  readonly blob: string;
}

export interface RecordedDifference {
  readonly path: string;
  /** Absent: there is no such file. */
  readonly from?: RecordedFile | undefined;
  readonly to?: RecordedFile | undefined;
}

interface RecordedTree {
  readonly tree: string;
  /** Files that are larger than a recording takes. */
  readonly large: readonly string[];
}

/** Bytes as they are: nothing that a .gitattributes of the workspace says changes them. */
const ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n";
const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlooseCompression = 1\n";
const HEAD = "ref: refs/heads/recorded\n";
const GIT_FOLDER = /(^|\/)\.git(\/|$)/i;
const NOTHING = "0".repeat(40);
/** Names the folder of the workspace's repository whose contents need not be stored twice. */
const LENT = "lent-objects";
const isWithheld = nameFilter(filterOf("standard"));

/**
 * Records the files of a workspace in a repository of ours, and answers their tree. Nothing of the workspace's own repository is used
 * but its objects, to store less. Left out: what a .gitignore names, repositories inside, and files whose names promise secrets.
 */
export async function recordTree(place: RecordedPlace): Promise<RecordedTree> {
  await makeShadow(place);
  const index = join(place.folder, "index");
  // Recordings of one place are made one after the other: a lock is of a git that was killed.
  await rm(`${index}.lock`, { force: true });
  try {
    return await recordFiles(place);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "conflict") throw error;
    // Git's index may be damaged. It only remembers what is in the trees and on the disk, so it is made anew.
    await rm(index, { force: true });
    return recordFiles(place);
  }
}

async function recordFiles(place: RecordedPlace): Promise<RecordedTree> {
  const listed = await shadowGit(place, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const names = [...new Set(listed.split("\0"))].filter((path) => path !== "" && isRecorded(place, path));
  if (names.length > LIMITS.recordedFiles) throw tooMuch(`more than ${LIMITS.recordedFiles} files`);
  const stamped = await inParallel(names, async (path) => {
    const stamp = await stampOf(place.workspace, path);
    return { path, size: stamp !== undefined && (await isBeneath(place.workspace, path)) ? stamp.size : undefined };
  });
  const large = stamped.filter(({ size = 0 }) => size > LIMITS.recordedFileBytes).map(({ path }) => path);
  const kept = stamped.filter(({ size }) => size !== undefined && size <= LIMITS.recordedFileBytes);
  if (kept.reduce((sum, { size = 0 }) => sum + size, 0) > LIMITS.recordedBytes)
    throw tooMuch(`more than ${LIMITS.recordedBytes} bytes`);
  const gone = stamped.filter(({ size }) => size === undefined).map(({ path }) => `0 ${NOTHING}\t${path}\0`);
  if (gone.length > 0) await shadowGit(place, ["update-index", "-z", "--index-info"], { input: gone.join("") });
  const input = kept.map(({ path }) => `${path}\0`).join("");
  await shadowGit(place, ["update-index", "--add", "--replace", "-z", "--stdin"], { input, lent: true });
  // Trees are always our own: what lists the files cannot be tampered with from the workspace.
  return { tree: await shadowGit(place, ["write-tree", "--missing-ok"]), large };
}

/** What differs between two recorded trees, by path. */
export async function differences(
  place: RecordedPlace,
  from: string,
  to: string,
): Promise<readonly RecordedDifference[]> {
  const raw = await shadowGit(place, ["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to]);
  const fields = raw.split("\0");
  const found: RecordedDifference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [fromMode = "", toMode = "", fromBlob = "", toBlob = ""] = (fields[at] ?? "").slice(1).split(" ");
    found.push({ path: fields[at + 1] ?? "", from: fileOf(fromMode, fromBlob), to: fileOf(toMode, toBlob) });
  }
  return found;
}

/** Every file of a recorded tree. */
export async function recordedFiles(place: RecordedPlace, tree: string): Promise<ReadonlyMap<string, RecordedFile>> {
  const listed = await shadowGit(place, ["ls-tree", "-r", "-z", "--full-tree", tree]);
  const files = new Map<string, RecordedFile>();
  for (const line of listed.split("\0")) {
    const [, mode = "", blob = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    const file = fileOf(mode, blob);
    if (file !== undefined) files.set(path, file);
  }
  return files;
}

/** The sizes of contents, in their order. One that is gone has 0. */
export async function recordedSizes(place: RecordedPlace, blobs: readonly string[]): Promise<readonly number[]> {
  if (blobs.length === 0) return [];
  const input = `${blobs.join("\n")}\n`;
  const said = await shadowGit(place, ["cat-file", "--batch-check=%(objectsize)"], { input, lent: true });
  return said.split("\n").map((line) => (/^\d+$/.test(line) ? Number(line) : 0));
}

/** The content of a recorded file, or a link's target. It may be lent, so it is checked. */
export async function recordedContent({ folder }: Pick<RecordedPlace, "folder">, blob: string): Promise<Buffer> {
  const variables = { GIT_DIR: folder, ...lentTo(folder) };
  const words = ["cat-file", "blob", blob];
  const content = await gitBytes(folder, words, { isOurs: true, variables }).catch(() => undefined);
  const hash = createHash("sha1").update(`blob ${content?.length ?? 0}\0`);
  if (content === undefined || hash.update(content).digest("hex") !== blob)
    throw new Failure("not_found", "what this file held before is no longer known: the repository has deleted it");
  return content;
}

function fileOf(mode: string, blob: string): RecordedFile | undefined {
  if (mode === "120000") return { kind: "link", executable: false, blob };
  return mode.startsWith("100") ? { kind: "file", executable: mode === "100755", blob } : undefined;
}

function isRecorded({ home, workspace }: RecordedPlace, path: string): boolean {
  if (path.endsWith("/") || GIT_FOLDER.test(path) || isWithheld(path) !== undefined) return false;
  const below = relative(workspace, home);
  const isHomeInside = below !== "" && !below.startsWith("..");
  return !isHomeInside || !`${path}/`.startsWith(`${below}/`);
}

function tooMuch(what: string): Failure {
  return new Failure("limit_reached", `the folder has ${what}; does a .gitignore miss what was built?`);
}

function shadowGit(
  place: RecordedPlace,
  words: readonly string[],
  { input, lent }: { readonly input?: string; readonly lent?: true } = {},
): Promise<string> {
  const { folder, workspace } = place;
  const variables = { GIT_DIR: folder, GIT_WORK_TREE: workspace, ...(lent === undefined ? {} : lentTo(folder)) };
  return mustGit(workspace, words, { isOurs: true, variables, input });
}

function lentTo(folder: string): Readonly<Record<string, string>> {
  const path = join(folder, LENT);
  const lent = existsSync(path) ? readFileSync(path, "utf8") : "";
  return lent === "" ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(lent) };
}

/** A repository as `git init` makes it, with nothing of anybody else. */
async function makeShadow(place: RecordedPlace): Promise<void> {
  const { folder, workspace } = place;
  const head = join(folder, "HEAD");
  if ((await readFile(head, "utf8").catch(() => "")) === HEAD) return;
  for (const name of ["objects", "refs", "info"]) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  const repository = await findRepository(workspace).catch(() => undefined);
  if (repository !== undefined) await writeFile(join(folder, LENT), join(repository.commonFolder, "objects"));
  await writeFile(join(folder, "info/attributes"), ATTRIBUTES);
  await writeFile(join(folder, "config"), CONFIG);
  // The last one, whole or not at all: from now on it is a repository.
  await replaceFile(head, HEAD);
}
