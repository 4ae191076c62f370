import { execFileSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  changeSetOf,
  compareWithSource,
  SessionTrees,
  TreeBase,
  type ComparedChange,
  type OpenTree,
} from "../../src/workspaces/index.ts";

export const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };

export interface World extends AsyncDisposable {
  readonly home: string;
  readonly source: string;
  readonly trees: SessionTrees;
}

export async function makeWorld(overlay?: boolean): Promise<World> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-trees-")));
  const [home, source] = [join(folder, "home"), join(folder, "source")];
  await mkdir(home);
  await mkdir(source);
  const trees = new SessionTrees({ home, now: () => 0, log: LOG, overlay });
  return {
    home,
    source,
    trees,
    [Symbol.asyncDispose]: async () => {
      await trees.close();
      await rm(folder, { recursive: true });
    },
  };
}

export async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

export function git(folder: string, ...words: readonly string[]): string {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
  return execFileSync("git", ["-C", folder, ...identity, ...words], { encoding: "utf8" }).trim();
}

export function commitAll(folder: string): void {
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=all");
}

/** Every file and link below a folder with what it is; nothing of `.git`. */
export async function filesBelow(folder: string, at = ""): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (entry.name === ".git") continue;
    if (entry.isDirectory()) Object.assign(files, await filesBelow(folder, path));
    else if (entry.isSymbolicLink()) files[path] = `link ${await readlink(join(folder, path))}`;
    else {
      const { mode } = await lstat(join(folder, path));
      files[path] = `${(mode & 0o100) === 0 ? "file" : "program"} ${await readFile(join(folder, path), "latin1")}`;
    }
  }
  return files;
}

export const SNAPSHOT = { mode: "snapshot", filters: ["standard"] } as const;

export async function withChanges<Answer>(
  { trees, source }: World,
  id: string,
  work: (open: { tree: OpenTree; base: TreeBase; changes: readonly ComparedChange[] }) => Promise<Answer>,
): Promise<Answer> {
  const { tree, release } = await trees.use(id);
  try {
    const base = await TreeBase.open(tree, trees.snapshots);
    const { changes } = await changeSetOf(tree, base);
    return await work({ tree, base, changes: await compareWithSource(source, changes) });
  } finally {
    await release();
  }
}
