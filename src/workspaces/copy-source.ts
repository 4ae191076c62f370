import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readlink, rm, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RepoFilterMode } from "../protocol/index.ts";
import { filterOf, nameFilter } from "./filter.ts";
import { copyMany } from "./bulk-copy.ts";
import { inParallel } from "./in-parallel.ts";
import { isBeneath, stampOf, type FileStamp, type Stamps } from "./manifest.ts";
import { filterFiles, type Withheld } from "./withhold.ts";

export interface CopiedSource {
  readonly stamps: Stamps;
  readonly withheld: readonly Withheld[];
}

interface SourceCopy {
  readonly source: string;
  readonly files: readonly string[];
  /** A file is copied if all of them show it. */
  readonly filters: readonly RepoFilterMode[];
  /** An empty folder. */
  readonly target: string;
}

/**
 * Copies what the filters show. Contents are judged in the copy: what was judged is what is shown, whatever happens to the source
 * meanwhile. What cannot be read is withheld.
 */
export async function copySource({ source, files, filters, target }: SourceCopy): Promise<CopiedSource> {
  const rules = filters.map(filterOf);
  const withheld: Withheld[] = [];
  const judges = rules.map(nameFilter);
  const shown = files.filter((path) => {
    const because = judges.map((judge) => judge(path)).find((why) => why !== undefined);
    if (because !== undefined) withheld.push({ path, because });
    return because === undefined;
  });
  const wanted = await notBehindLinks(source, shown);
  await copyMany(source, target, wanted);
  const stamps = new Map<string, FileStamp>();
  const note = async (path: string): Promise<boolean> => {
    const stamp = await stampOf(target, path);
    if (stamp !== undefined) stamps.set(path, stamp);
    return stamp !== undefined;
  };
  await inParallel(wanted, async (path) => {
    if (await note(path)) return;
    const end = await copyOne(join(source, path), join(target, path));
    if (end === "unreadable" || (end === "missing" && path.includes("\uFFFD")))
      withheld.push({ path, because: "not readable" });
    if (end === "copied") await note(path);
  });
  for (const rule of rules) {
    const judged = await filterFiles(target, [...stamps.keys()], rule);
    for (const { path } of judged.withheld) {
      await rm(join(target, path));
      stamps.delete(path);
    }
    withheld.push(...judged.withheld);
  }
  return {
    stamps: new Map([...stamps].toSorted(byFirst)),
    withheld: withheld.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  };
}

/** Git lists what was once added, also if a folder above it is a link by now, which may lead anywhere. */
async function notBehindLinks(source: string, files: readonly string[]): Promise<readonly string[]> {
  const folders = [...new Set(files.map((path) => dirname(path)))];
  const real = await inParallel(folders, async (folder) =>
    (await isBeneath(source, join(folder, "x"))) ? [folder] : [],
  );
  const inside = new Set(real.flat());
  return files.filter((path) => inside.has(dirname(path)));
}

function byFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

async function copyOne(from: string, to: string): Promise<"copied" | "missing" | "unreadable"> {
  const found = await lstat(from).catch(() => undefined);
  if (found === undefined) return "missing";
  // A submodule is a folder.
  if (!found.isFile() && !found.isSymbolicLink()) return "missing";
  try {
    await mkdir(dirname(to), { recursive: true });
    if (found.isSymbolicLink()) {
      await symlink(await readlink(from, { encoding: "buffer" }), to);
      return "copied";
    }
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, (found.mode & 0o777) | 0o600);
    const seconds = Math.floor(found.mtimeMs / 1_000);
    await utimes(to, seconds, seconds);
    return "copied";
  } catch {
    await rm(to, { force: true });
    return "unreadable";
  }
}
