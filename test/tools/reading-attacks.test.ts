import { execFileSync } from "node:child_process";
import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLocalSandbox } from "../../src/sandbox/index.ts";
import { createToolbox, type ExtensibleToolbox } from "../../src/tools/index.ts";
import { git, readingWorld } from "../gate/reading-lines/world.ts";
import type { Bench } from "./fixture.ts";

const permission = { judged: new Map<string, string>(), onlyReads: true } as const;

/** What becomes of a command about which nobody would be asked; `asks` if somebody would. */
async function unasked(world: Bench, command: string, toolbox: ExtensibleToolbox = world.toolbox): Promise<string> {
  if ((await toolbox.onlyReads("Bash", { command })) === undefined) return "asks";
  const options = { permission, signal: new AbortController().signal, onOutput: () => undefined };
  const { content, changed } = await toolbox.run("Bash", { command }, options);
  if (changed === true) return "changed";
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

/** A program that leaves a mark when it runs. */
async function evil(world: Bench, name = "evil.sh"): Promise<string> {
  const mark = join(world.outside, "ran");
  return world.put(name, `#!/bin/sh\ntouch ${mark}\ncat\n`, 0o755);
}

async function ran(world: Bench): Promise<boolean> {
  return (await readdir(world.outside)).includes("ran");
}

/** Git compares whole seconds. A file with one of these times never looks as it did when it was added. */
const EARLIER = new Date("2002-01-01T00:00:00Z");
const LONG_AGO = new Date("2001-01-01T00:00:00Z");

const GIT_LINES = [
  "git status",
  "git diff",
  "git diff HEAD~1",
  "git log -p",
  "git show HEAD",
  "git show HEAD:a.txt",
  "git blame a.txt",
  "git ls-files -m",
  "git grep --cached foo",
  "git cat-file -p HEAD:a.txt",
];

async function runAll(world: Bench, lines: readonly string[] = GIT_LINES): Promise<readonly string[]> {
  const results: string[] = [];
  for (const line of lines) results.push(await unasked(world, line));
  return results;
}

describe("a repository that would run a program", () => {
  /** The control: with the same settings, an ordinary git runs it. */
  const control = (world: Bench, ...words: readonly string[]): void => {
    const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", HOME: world.outside };
    execFileSync("/bin/sh", ["-c", 'git "$@" >/dev/null 2>&1 || true', "sh", ...words], { cwd: world.workspace, env });
  };

  test.each<[string, (world: Bench, program: string) => Promise<void> | void, string]>([
    [
      "textconv",
      async (world, program) => {
        await world.put(".gitattributes", "*.txt diff=evil\n");
        git(world, "config", "diff.evil.textconv", program);
      },
      "diff",
    ],
    [
      "a diff driver's command",
      async (world, program) => {
        await world.put(".git/info/attributes", "*.txt diff=evil\n");
        git(world, "config", "diff.evil.command", program);
      },
      "diff",
    ],
    [
      "a filter",
      async (world, program) => {
        await world.put(".gitattributes", "*.txt filter=evil\n");
        git(world, "config", "filter.evil.clean", program);
      },
      "diff",
    ],
    ["fsmonitor", (world, program) => void git(world, "config", "core.fsmonitor", program), "status"],
    ["an external diff", (world, program) => void git(world, "config", "diff.external", program), "diff"],
    [
      "an included file",
      async (world, program) => {
        await world.put("more.cfg", `[core]\n\tfsmonitor = ${program}\n`);
        git(world, "config", "include.path", "../more.cfg");
      },
      "status",
    ],
    [
      "settings of the worktree",
      async (world, program) => {
        git(world, "config", "extensions.worktreeConfig", "true");
        await world.put(".git/config.worktree", `[core]\n\tfsmonitor = ${program}\n`);
      },
      "status",
    ],
    [
      "a setting on the line of its section",
      async (world, program) => {
        await world.put(".git/config", `${await world.get(".git/config")}[core]fsmonitor=${program}\n`);
      },
      "status",
    ],
    [
      "a setting after a joined line",
      async (world, program) => {
        await world.put(
          ".git/config",
          `${await world.get(".git/config")}[user]\n\tname = a\\\n\n[core]\n\tfsMonitor = ${program}\n`,
        );
      },
      "status",
    ],
    [
      "settings of a repository inside of it",
      async (world, program) => {
        const inner = { workspace: world.path("inner") };
        await mkdir(inner.workspace);
        git(inner, "init", "-q");
        await world.put("inner/x", "x\n");
        git(inner, "add", "x");
        git(inner, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x");
        git(world, "add", "inner");
        git(inner, "config", "core.fsmonitor", program);
      },
      "status",
    ],
    [
      "a repository elsewhere, named by commondir",
      async (world, program) => {
        await rename(world.path(".git"), world.path("real.git"));
        execFileSync("git", ["init", "-q"], { cwd: world.workspace });
        await writeFile(world.path(".git/commondir"), world.path("real.git"));
        await writeFile(world.path("real.git/config"), `[core]\n\tfsmonitor = ${program}\n`);
        await writeFile(world.path(".git/index"), await worldIndex(world));
      },
      "status",
    ],
    [
      "a .git that is a file",
      async (world, program) => {
        git(world, "config", "core.fsmonitor", program);
        await rename(world.path(".git"), world.path("real.git"));
        await writeFile(world.path(".git"), "gitdir: real.git\n");
      },
      "status",
    ],
    [
      "a .git that is a link",
      async (world, program) => {
        git(world, "config", "core.fsmonitor", program);
        await rename(world.path(".git"), world.path("real.git"));
        await symlink("real.git", world.path(".git"));
      },
      "status",
    ],
    [
      "settings behind a link",
      async (world, program) => {
        git(world, "config", "core.fsmonitor", program);
        await rename(world.path(".git/config"), world.path("config"));
        await symlink("../config", world.path(".git/config"));
      },
      "status",
    ],
    [
      "a folder that is a repository itself",
      async (world, program) => {
        git(world, "config", "core.fsmonitor", program);
        git(world, "config", "core.worktree", world.workspace);
        for (const name of ["HEAD", "config", "index", "objects", "refs"])
          await rename(world.path(`.git/${name}`), world.path(name));
        await rm(world.path(".git"), { recursive: true });
      },
      "status",
    ],
  ])("%s: git asks", async (_name, prepare, word) => {
    const world = await readingWorld();
    await prepare(world, await evil(world));
    const results = await runAll(world);
    expect([new Set(results), await ran(world)]).toEqual([new Set(["asks"]), false]);
    control(world, word);
    expect(await ran(world)).toBe(true);
  });

  test("hooks, pagers and a person's own settings: git runs, and they do not", async () => {
    const world = await readingWorld();
    const program = await evil(world);
    for (const hook of ["post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"])
      await evil(world, `.git/hooks/${hook}`);
    // The home folder of the sandbox.
    const home = dirname(world.workspace);
    await writeFile(
      join(home, ".gitconfig"),
      `[core]\n\tfsmonitor = ${program}\n\tpager = ${program}\n[diff]\n\texternal = ${program}\n`,
    );
    for (const name of [".bashrc", ".bash_profile", ".profile"]) await writeFile(join(home, name), `${program}\n`);
    for (const name of ["a.txt", "b.txt"]) await utimes(world.path(name), EARLIER, EARLIER);
    const results = await runAll(world, [...GIT_LINES, "ls", "git status --short"]);
    expect([results.filter((text) => text === "asks"), await ran(world)]).toEqual([[], false]);
    expect(results.at(-1)).toContain(" M a.txt");
    // `git diff` above may have refreshed the index. Only if a file's time is another one, git writes it again and calls the hook.
    await utimes(world.path("b.txt"), LONG_AGO, LONG_AGO);
    control(world, "status");
    expect(await ran(world)).toBe(true);
  });

  test("links and alternates to another repository: git asks", async () => {
    for (const [from, to] of [
      [".git/objects/pack", "pack"],
      [".git/objects", "objects"],
      [".git/refs", "refs"],
    ] as const) {
      const world = await readingWorld();
      await rename(world.path(from), join(world.outside, to));
      await symlink(join(world.outside, to), world.path(from));
      expect(new Set(await runAll(world))).toEqual(new Set(["asks"]));
    }
    const world = await readingWorld();
    await world.put(".git/objects/info/alternates", `${world.outside}/x/objects\n`);
    expect(new Set(await runAll(world))).toEqual(new Set(["asks"]));
  });

  test("an address with a password is not shown unasked", async () => {
    const world = await readingWorld();
    git(world, "remote", "set-url", "origin", "https://me:CANARY@example.org/x.git");
    expect(await runAll(world, ["git remote -v", "git status -s"])).toMatchObject([
      "asks",
      expect.stringContaining("a.txt"),
    ]);
  });

  test("without a repository, none above it is used", async () => {
    const world = await readingWorld();
    await rename(world.path(".git"), join(dirname(world.workspace), ".git"));
    expect(new Set(await runAll(world))).toEqual(new Set(["asks"]));
  });
});

async function worldIndex(world: Bench): Promise<Uint8Array> {
  return execFileSync("cat", [world.path("real.git/index")]);
}

describe("names that stand for something else", () => {
  test("programs of the workspace, in front of PATH, do not run", async () => {
    const world = await readingWorld();
    for (const name of ["ls", "cat", "git", "bash", "head", "grep"]) await evil(world, `bin/${name}`);
    const path = `${world.path("bin")}:${world.workspace}:${process.env["PATH"] ?? ""}`;
    const sandbox = openLocalSandbox({ sessionId: "ses_path", home: world.outside, marker: "reading-path", path });
    const toolbox = createToolbox({ ...world.session, sandbox });
    const results = [];
    for (const line of ["ls", "cat a.txt", "git status", "grep foo a.txt | head -1"])
      results.push(await unasked(world, line, toolbox));
    await sandbox.close();
    expect([results.filter((text) => text === "asks"), await ran(world)]).toEqual([[], false]);
  });

  test("a file whose name is an option", async () => {
    const world = await readingWorld();
    for (const name of ["--output=x", "-delete", "-o", "--compress-program=evil.sh", "-R"])
      await world.put(name, "x\n");
    const lines = ["ls *", "sort *", "cat *", "find *", "wc -l *", "grep foo *", "ls ?o*", "git diff *", "cat ./*"];
    expect(new Set(await runAll(world, lines))).toEqual(new Set(["asks"]));
    expect(await unasked(world, "sort b*")).toBe("baz three\nfoo one");
  });

  test("a folder that became a link", async () => {
    const world = await readingWorld();
    await rm(world.path("docs"), { recursive: true });
    await writeFile(join(world.outside, "x.md"), "CANARY-OUTSIDE foo");
    await symlink(world.outside, world.path("docs"));
    const lines = [
      "cat docs/x.md",
      "ls docs",
      "grep -r foo docs",
      "git grep foo",
      "git blame docs/x.md",
      "cat d*/x.md",
    ];
    expect(new Set(await runAll(world, lines))).toEqual(new Set(["asks"]));
    for (const line of ["git diff", "git status", "git grep --cached foo", "git diff HEAD", "find . -name x.md"])
      expect(await unasked(world, line)).not.toMatch(/^asks$|CANARY/);
  });
});

test("what changes between the ruling and the run is not run", async () => {
  const world = await readingWorld();
  const options = { permission };
  const proven = async (command: string): Promise<boolean> =>
    (await world.toolbox.onlyReads("Bash", { command })) !== undefined;
  expect([await proven("cat b.txt"), await proven("git status"), await proven("cat src/*.ts")]).toEqual([
    true,
    true,
    true,
  ]);
  await rm(world.path("b.txt"));
  await symlink(join(world.outside, "secret.txt"), world.path("b.txt"));
  await symlink(join(world.outside, "secret.txt"), world.path("src/z.ts"));
  git(world, "config", "core.fsmonitor", await evil(world));
  for (const command of ["cat b.txt", "git status", "cat src/*.ts"])
    expect(await world.run("Bash", { command }, options)).toMatchObject({ is_error: true, changed: true });
  expect(await ran(world)).toBe(false);
});

test("the server's own folder in the workspace", async () => {
  const world = await readingWorld();
  const toolbox = createToolbox({ ...world.session, hidden: [world.path("home")] });
  await world.put("home/tokens", "CANARY-SECRET\n");
  const results = [];
  for (const line of [
    "cat home/tokens",
    "ls home",
    "find . -type f",
    "ls -R",
    "du -a",
    "git ls-files -o",
    "git status -uall",
    "grep -r x src",
    "ls",
  ])
    results.push((await unasked(world, line, toolbox)) === "asks");
  expect(results).toEqual([true, true, true, true, true, true, true, false, false]);
});

test("in the background, or without the sandbox, it asks", async () => {
  const world = await readingWorld();
  const asked = await Promise.all(
    [
      { command: "ls", run_in_background: true },
      { command: "ls", dangerouslyDisableSandbox: true },
      { command: 5 },
    ].map((input) => world.toolbox.onlyReads("Bash", input)),
  );
  expect(asked).toEqual([undefined, undefined, undefined]);
});
