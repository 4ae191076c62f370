import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitChanges, findRepository } from "../../src/workspaces/index.ts";
import { withoutPasswords } from "../../src/workspaces/publish/remotes.ts";
import { cpuTime } from "../support/cpu-time.ts";
import { sample } from "../support/sample.ts";
import { commitAll, filesBelow, fill, git, makeWorld, withChanges, type World } from "./world.ts";

const SECRET = "secret-of-another-repository";

/** A repository of somebody else beside the source, and a program that leaves a file where it was run. */
async function makeHostileWorld(): Promise<World & { readonly other: string; readonly evil: string; ran(): boolean }> {
  const world = await makeWorld(false);
  const base = dirname(world.source);
  const other = join(base, "other");
  await fill(other, { "private.txt": `${SECRET}\n` });
  commitAll(other);
  const [evil, mark] = [join(base, "evil.sh"), join(base, "ran")];
  await writeFile(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`);
  await chmod(evil, 0o755);
  await fill(world.source, { "a.txt": "one\n", "b.bin": "two\n" });
  commitAll(world.source);
  return { ...world, other, evil, ran: () => existsSync(mark) };
}

/** Everything that the server does with git for a session. Answers the files that the sessions saw, or why it was refused. */
async function useAll(world: World): Promise<string> {
  const said: unknown[] = [];
  for (const mode of ["snapshot", "worktree"] as const) {
    try {
      const id = `ses_${mode}`;
      await world.trees.make(id, { mode, source: world.source, filters: ["none"] });
      await world.trees.make(`${id}_fork`, { mode, source: world.source, filters: ["none"] }, id);
      const { tree, release } = await world.trees.use(id);
      said.push(await filesBelow(tree.workspace));
      await writeFile(join(tree.workspace, "a.txt"), "changed\n");
      await release();
      const wanted = { branch: `of-${mode}`, message: "m", author: { name: "a", email: "a@localhost" }, at: 0 };
      await withChanges(world, id, ({ tree: open, changes }) => commitChanges(open, changes, wanted));
      await world.trees.remove(`${id}_fork`);
      await world.trees.remove(id);
    } catch (error) {
      said.push(String(error));
    }
  }
  return JSON.stringify(said);
}

async function configure(source: string, ...settings: readonly (readonly [string, string])[]): Promise<void> {
  for (const [key, value] of settings) git(source, "config", key, value);
}

describe("no setting of a repository runs a program as the server", () => {
  type Attack = (source: string, evil: string) => Promise<void>;
  const filtered: Attack = async (source) => {
    await fill(source, { ".gitattributes": "*.txt filter=evil diff=evil merge=evil\n*.bin filter=evil\n" });
    commitAll(source);
  };
  const drivers = (evil: string): readonly (readonly [string, string])[] => [
    ["filter.evil.clean", evil],
    ["filter.evil.smudge", evil],
    ["filter.evil.required", "true"],
  ];
  const included = async (source: string, evil: string, condition: string): Promise<void> => {
    await filtered(source, evil);
    const lines = drivers(evil).map(([key, value]) => `${key.split(".")[2]} = ${value}\n`);
    await writeFile(join(source, ".git/more"), `[filter "evil"]\n${lines.join("")}`);
    await configure(source, [`${condition}.path`, "more"]);
    await rm(join(source, ".git/index"));
    git(source, "-c", "filter.evil.required=false", "-c", "filter.evil.clean=cat", "read-tree", "HEAD");
  };
  const ATTACKS: Readonly<Record<string, Attack>> = {
    hooks: async (source, evil) => {
      const names = [
        "post-checkout",
        "pre-commit",
        "commit-msg",
        "reference-transaction",
        "post-index-change",
        "pre-auto-gc",
      ];
      for (const name of names) await symlink(evil, join(source, ".git/hooks", name));
    },
    "hooks at a path": async (source, evil) => {
      const folder = join(source, ".git/own");
      await mkdir(folder);
      for (const name of ["post-checkout", "reference-transaction"]) await symlink(evil, join(folder, name));
      await configure(source, ["core.hooksPath", folder]);
    },
    "a monitor of files": (source, evil) =>
      configure(source, ["core.fsmonitor", evil], ["core.untrackedCache", "true"]),
    "programs for pages, editors, networks and signatures": (source, evil) =>
      configure(
        source,
        ["core.pager", evil],
        ["core.editor", evil],
        ["core.sshCommand", evil],
        ["core.askPass", evil],
        ["core.gitProxy", evil],
        ["credential.helper", `!${evil}`],
        ["gpg.program", evil],
        ["commit.gpgSign", "true"],
        ["diff.external", evil],
        ["uploadpack.packObjectsHook", evil],
        ["core.alternateRefsCommand", evil],
      ),
    aliases: (source, evil) =>
      configure(source, ["alias.status", `!${evil}`], ["alias.worktree", `!${evil}`], ["alias.reset", `!${evil}`]),
    filters: async (source, evil) => {
      await filtered(source, evil);
      await configure(source, ...drivers(evil));
    },
    "a filter that is a process": async (source, evil) => {
      await filtered(source, evil);
      await configure(source, ["filter.evil.process", evil]);
    },
    "filters from a file that is included in worktrees alone": (source, evil) =>
      included(source, evil, "includeIf.gitdir:**/worktrees/**"),
    "filters from a file that is included on the session's branch alone": (source, evil) =>
      included(source, evil, "includeIf.onbranch:**"),
    "settings of worktrees": async (source, evil) => {
      await filtered(source, evil);
      await configure(source, ["extensions.worktreeConfig", "true"]);
      await writeFile(join(source, ".git/config.worktree"), `[core]\n\tfsmonitor = ${evil}\n`);
    },
    "a remote that is asked for what is missing": async (source, evil) => {
      await configure(
        source,
        ["core.repositoryformatversion", "1"],
        ["extensions.partialClone", "evil"],
        ["remote.evil.promisor", "true"],
        ["remote.evil.url", `ext::${evil}`],
        ["remote.evil.uploadpack", evil],
        ["protocol.allow", "always"],
      );
      const blob = git(source, "rev-parse", "HEAD:a.txt");
      await rm(join(source, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    },
    "a submodule with settings of its own": async (source, evil) => {
      const inner = join(source, "sub");
      await fill(inner, { "in.txt": "in\n" });
      commitAll(inner);
      git(source, "add", "sub");
      git(source, "commit", "--quiet", "--message=sub");
      await configure(inner, ["core.fsmonitor", evil]);
      await configure(source, ["submodule.recurse", "true"], ["submodule.sub.update", `!${evil}`]);
      await fill(inner, { "in.txt": "changed\n" });
    },
    "a folder that looks like a bare repository": async (source, evil) => {
      await rename(join(source, ".git"), join(source, "kept"));
      for (const name of await readdir(join(source, "kept")))
        await rename(join(source, "kept", name), join(source, name));
      spawnSync("git", ["config", "--file", join(source, "config"), "core.fsmonitor", evil]);
      spawnSync("git", ["config", "--file", join(source, "config"), "core.worktree", source]);
    },
  };

  test.each(sample(Object.entries(ATTACKS), 3))("%s", async (_, attack) => {
    await using world = await makeHostileWorld();
    await attack(world.source, world.evil);
    await useAll(world);
    expect(world.ran()).toBe(false);
  });

  test("and that would be seen: git by itself runs them", async () => {
    await using world = await makeHostileWorld();
    await ATTACKS["a monitor of files"]?.(world.source, world.evil);
    git(world.source, "status");
    expect(world.ran()).toBe(true);
  });
});

describe("nothing outside of a repository is read for a session", () => {
  type Attack = (world: { readonly source: string; readonly other: string }) => Promise<void>;
  const ATTACKS: Readonly<Record<string, Attack>> = {
    "a .git that is a link": async ({ source, other }) => {
      await rm(join(source, ".git"), { recursive: true });
      await symlink(join(other, ".git"), join(source, ".git"));
    },
    "a .git that is a file": async ({ source, other }) => {
      await rm(join(source, ".git"), { recursive: true });
      await writeFile(join(source, ".git"), `gitdir: ${join(other, ".git")}\n`);
    },
    "a folder of its own that shares another's": ({ source, other }) =>
      writeFile(join(source, ".git/commondir"), `${join(other, ".git")}\n`),
    "a worktree that the other does not know": async ({ source, other }) => {
      await rename(join(source, ".git"), join(source, "fake"));
      await writeFile(join(source, ".git"), "gitdir: fake\n");
      await fill(source, { "fake/commondir": `${join(other, ".git")}\n`, "fake/gitdir": `${join(source, ".git")}\n` });
    },
    "another's objects and branches": async ({ source, other }) => {
      for (const name of ["objects", "refs"]) {
        await rm(join(source, ".git", name), { recursive: true });
        await symlink(join(other, ".git", name), join(source, ".git", name));
      }
    },
    "another's objects by a list, and its last commit": async ({ source, other }) => {
      await fill(source, { ".git/objects/info/alternates": `${join(other, ".git/objects")}\n` });
      await writeFile(join(source, ".git/refs/heads/main"), `${git(other, "rev-parse", "HEAD")}\n`);
    },
    "a branch that is a link": async ({ source, other }) => {
      await rm(join(source, ".git/refs/heads/main"));
      await symlink(join(other, ".git/refs/heads/main"), join(source, ".git/refs/heads/main"));
    },
    "files that are somewhere else": ({ source, other }) => configure(source, ["core.worktree", other]),
    "a name in the index that leads out": async ({ source, other }) => {
      const path = join(source, ".git/index");
      const name = `../${basename(other)}/private.txt`;
      await fill(source, { [`xx-${"x".repeat(name.length - 3)}`]: "x\n" });
      git(source, "add", "--all");
      const index = (await readFile(path)).toString("latin1");
      await writeFile(path, Buffer.from(index.replace(/xx-x+/, name), "latin1"));
      git(source, "config", "index.skipHash", "true");
    },
    "a folder that became a link": async ({ source, other }) => {
      await fill(source, { "folder/private.txt": "mine\n" });
      commitAll(source);
      await rm(join(source, "folder"), { recursive: true });
      await symlink(other, join(source, "folder"));
    },
    "rules and attributes that are links": async ({ source, other }) => {
      for (const name of [".gitattributes", ".gitignore"])
        await symlink(join(other, "private.txt"), join(source, name));
    },
  };

  test.each(sample(Object.entries(ATTACKS), 3))("%s", async (_, attack) => {
    await using world = await makeHostileWorld();
    await attack(world);
    const seen = await useAll(world);
    expect(seen).not.toContain(SECRET);
    expect(git(world.other, "branch", "--list")).toBe("* main");
    expect(git(world.other, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("a worktree's own .git that was changed inside leads to nothing", async () => {
    await using world = await makeHostileWorld();
    const { workspace } = await world.trees.make("ses_1", { mode: "worktree", source: world.source, filters: [] });
    expect(await findRepository(workspace)).toMatchObject({ commonFolder: join(world.source, ".git") });
    await writeFile(join(workspace, ".git"), `gitdir: ${join(world.other, ".git")}/worktrees/x\n`);
    await expect(findRepository(workspace)).rejects.toMatchObject({ code: "unsupported" });
  });
});

test("odd names are names, and nothing else", async () => {
  await using world = await makeHostileWorld();
  const names = [
    "--checkpoint=1",
    `--checkpoint-action=exec=${world.evil}`,
    "-rf",
    "line\nfeed",
    "tab\there",
    'quote"$(touch ran)`touch ran`',
    ":(exclude)a.txt",
    "x".repeat(255),
    "ü\u202Etxt.exe",
    " leading and trailing ",
    "HEAD",
    "@{-1}",
  ];
  await fill(world.source, Object.fromEntries(names.map((name) => [name, "odd\n"])));
  git(world.source, "add", "--all");
  git(world.source, "commit", "--quiet", "--message=odd");
  for (const [mode, branch] of [
    ["snapshot", "constructor"],
    ["worktree", "__proto__"],
  ] as const) {
    const { workspace } = await world.trees.make(`ses_${mode}`, { mode, source: world.source, filters: ["none"] });
    const seen = await filesBelow(workspace);
    expect(names.filter((name) => seen[name] !== "file odd\n")).toEqual([]);
    const made: string[] = [];
    for (const text of ["first\n", "second\n"]) {
      const { tree, release } = await world.trees.use(`ses_${mode}`);
      await writeFile(join(tree.workspace, "a.txt"), text);
      await release();
      const wanted = { branch, message: "m", author: { name: "a", email: "a@localhost" }, at: 0 };
      made.push(
        await withChanges(world, `ses_${mode}`, ({ tree: open, changes }) => commitChanges(open, changes, wanted)),
      );
    }
    const log = git(world.source, "log", "--reverse", "--format=%H", "-2", `refs/heads/${branch}`, "--");
    expect(log.trim().split("\n")).toEqual(made);
  }
  expect(world.ran()).toBe(false);
});

test("what a remote says is looked through in no time, however long its words are", () => {
  const begin = cpuTime();
  expect(withoutPasswords(`${"a".repeat(200_000)} https://me:secret@host.example/x`)).toMatch(
    / https:\/\/host\.example\/x$/,
  );
  expect(cpuTime() - begin).toBeLessThan(3_000);
});

test("repositories that people have still work: a worktree of their own, a submodule, a path with a line feed", async () => {
  await using world = await makeHostileWorld();
  const base = dirname(world.source);
  git(world.source, "worktree", "add", "--quiet", join(base, "linked"));
  await fill(join(world.source, "line\nfeed"), { "in.txt": "in\n" });
  git(world.source, "add", "--all");
  git(world.source, "commit", "--quiet", "--message=more");
  git(world.source, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", world.other, "module");
  const wanted = { mode: "worktree", filters: [] } as const;
  const linked = await world.trees.make("ses_1", { ...wanted, source: join(base, "linked") });
  expect(Object.keys(await filesBelow(linked.workspace))).toEqual(["a.txt", "b.bin"]);
  const below = await world.trees.make("ses_2", { ...wanted, source: join(world.source, "line\nfeed") });
  expect(await filesBelow(below.workspace)).toEqual({ "in.txt": "file in\n" });
  const module = await world.trees.make("ses_3", { ...wanted, source: join(world.source, "module") });
  expect(Object.keys(await filesBelow(module.workspace))).toEqual(["private.txt"]);
  expect(git(linked.workspace, "status", "--porcelain")).toBe("");
});
