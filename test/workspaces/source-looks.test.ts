import { execFileSync } from "node:child_process";
import {
  appendFile,
  chmod,
  cp,
  link,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { SourceLooks } from "../../src/workspaces/stamps/source-looks.ts";
import { commitAll, fill, git, makeWorld } from "./world.ts";

/** Stamps are believed at once: their clock is ahead of the files' by more than they wait for. */
const AHEAD_MS = 60_000;

/** Each is one change of a folder, or of what git says of it, that the next look must see. */
const CHANGES: Readonly<Record<string, (source: string) => Promise<unknown>>> = {
  "a tracked file, of the same size and with its old times": async (source) => {
    const path = join(source, "lib/deep/a.ts");
    const { atime, mtime } = await lstat(path);
    await writeFile(path, "let b = 1;\n");
    await utimes(path, atime, mtime);
  },
  "a new file": (source) => writeFile(join(source, "lib/new.ts"), "new\n"),
  "a new file beside ignored ones alone": (source) => writeFile(join(source, "out/kept.ts"), "kept\n"),
  "a new file in an empty folder": (source) => writeFile(join(source, "empty/first.ts"), "first\n"),
  "a file that is not tracked": (source) => appendFile(join(source, "lib/new.ts"), "more\n"),
  "a folder renamed": (source) => rename(join(source, "lib/deep"), join(source, "lib/deeper")),
  "a file deleted": (source) => rm(join(source, "top.ts")),
  "a right to run": (source) => chmod(join(source, "lib/run.sh"), 0o755),
  "a file that became a link": async (source) => {
    await rm(join(source, "lib/same.ts"));
    await symlink("run.sh", join(source, "lib/same.ts"));
  },
  "fewer names ignored": (source) => writeFile(join(source, ".gitignore"), "/dist/\n"),
  "more names ignored by the repository": (source) => writeFile(join(source, ".git/info/exclude"), "new.ts\n"),
  "an ignored file added by force": async (source) => git(source, "add", "--force", "dist/made.js"),
  "that file's content": (source) => appendFile(join(source, "dist/made.js"), "more\n"),
  "a file that git is told to forget": async (source) => git(source, "rm", "--cached", "--quiet", "lib/run.sh"),
  "a file that git is told not to look at": async (source) => {
    git(source, "update-index", "--assume-unchanged", "lib/b.ts");
    await appendFile(join(source, "lib/b.ts"), "unseen\n");
  },
  "the same file again": (source) => appendFile(join(source, "lib/b.ts"), "unseen\n"),
  "a file that git is told to leave out": async (source) => {
    git(source, "update-index", "--skip-worktree", "lib/c.ts");
    await appendFile(join(source, "lib/c.ts"), "unseen\n");
  },
  "one of many files in a folder": (source) => appendFile(join(source, "many/5.ts"), "more\n"),
  "the last of many files": (source) => rm(join(source, `many/${MANY - 1}.ts`)),
  "a folder of many files that is another one now": async (source) => {
    await rename(join(source, "many"), join(source, "../many"));
    await cp(join(source, "../many"), join(source, "many"), { recursive: true, preserveTimestamps: true });
    await writeFile(join(source, "many/7.ts"), "other\n");
  },
  "a folder of many files that became a link": async (source) => {
    await rm(join(source, "many"), { recursive: true });
    await symlink("../many", join(source, "many"));
  },
  "a commit": async (source) => git(source, "commit", "--quiet", "--all", "--message=more"),
  "a branch that another program wrote": async (source) => {
    const older = git(source, "rev-parse", "HEAD~1");
    await writeFile(join(source, ".git/refs/heads/main"), `${older}\n`);
  },
  "a tracked file, by another of its names": async (source) => {
    await link(join(source, "other/named.ts"), join(source, "../elsewhere.ts"));
    await untilTimePassed(dirname(source));
    await appendFile(join(source, "../elsewhere.ts"), "more\n");
  },
};

/** So many names of one folder are looked at in the folder. */
const MANY = 30;

const FILES = {
  ...Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`many/${at}.ts`, `${at}\n`])),
  ".gitignore": "/dist/\n*.log\n",
  "top.ts": "top\n",
  "lib/deep/a.ts": "let a = 1;\n",
  "lib/b.ts": "b\n",
  "lib/c.ts": "c\n",
  "lib/same.ts": "same\n",
  "lib/run.sh": "#!/bin/sh\n",
  "other/named.ts": "named\n",
  "dist/made.js": "made\n",
  "out/some.log": "log\n",
};

/** Until a change gets another time than all before it. */
async function untilTimePassed(folder: string): Promise<void> {
  const changedAt = async (): Promise<bigint> => {
    await writeFile(join(folder, "clock"), "");
    return (await lstat(join(folder, "clock"), { bigint: true })).ctimeNs;
  };
  for (const began = await changedAt(); (await changedAt()) === began;);
}

test("what is remembered between two looks is never older than the folder", async () => {
  await using world = await makeWorld();
  const { source, home } = world;
  await fill(source, FILES);
  await mkdir(join(source, "empty"));
  commitAll(source);
  const calls = await noteCallsOfGit(home);
  const looks = new SourceLooks({ hidden: [], clock: () => Date.now() + AHEAD_MS });
  // By its clock everything changed just now: it never remembers anything.
  const forgetful = new SourceLooks({ hidden: [], clock: () => 0 });
  const keys = new Set([(await looks.state(source)).key]);
  const folders = [source, join(source, "lib")];
  for (const [what, change] of Object.entries(CHANGES)) {
    await untilTimePassed(home);
    for (const folder of folders) await looks.state(folder);
    await untilTimePassed(home);
    await change(source);
    const now = await looks.state(source);
    expect.soft(keys.has(now.key), what).toBe(false);
    keys.add(now.key);
    for (const folder of folders) expect.soft(await looks.state(folder), what).toEqual(await forgetful.state(folder));
  }
  await untilTimePassed(home);
  await looks.state(source);
  const before = await calls();
  await looks.state(source);
  // Git was asked nothing: what was compared is enough.
  expect(await calls()).toEqual(before);
  await Promise.all([looks.close(), forgetful.close()]);
});

/** Every call of git is noted from now on, and made. */
async function noteCallsOfGit(home: string): Promise<() => Promise<readonly string[]>> {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const [folder, log] = [join(home, "bin"), join(home, "calls")];
  await mkdir(folder);
  await writeFile(join(folder, "git"), `#!/bin/sh\necho "$*" >> ${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"] ?? ""}`);
  return async () => (await readFile(log, "utf8")).trim().split("\n");
}

test.each<readonly [string, (git: string, other: string) => Promise<unknown>]>([
  ["a folder of objects", (own, other) => replaceByLink(join(own, "objects/pack"), other)],
  ["all branches", (own, other) => replaceByLink(join(own, "refs"), other)],
  ["a branch", (own, other) => replaceByLink(join(own, "refs/heads/main"), other)],
  ["objects elsewhere", (own, other) => writeFile(join(own, "objects/info/alternates"), `${other}\n`)],
])("a link out of a repository that was looked at before is seen: %s", async (_, change) => {
  await using world = await makeWorld();
  const { source, home } = world;
  await fill(source, FILES);
  commitAll(source);
  await untilTimePassed(home);
  const looks = new SourceLooks({ hidden: [], clock: () => Date.now() + AHEAD_MS });
  for (let times = 0; times < 2; times += 1) await looks.state(source);
  await untilTimePassed(home);
  await change(join(source, ".git"), home);
  await expect(looks.state(source)).rejects.toThrow("leads out of its repository");
});

async function replaceByLink(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true });
  await symlink(target, path);
}
