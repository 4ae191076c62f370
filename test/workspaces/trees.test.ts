import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyChanges, commitChanges, SessionTrees } from "../../src/workspaces/index.ts";
import { mountsBelow } from "../../src/workspaces/overlay.ts";
import { commitAll, filesBelow, fill, git, LOG, makeWorld, SNAPSHOT, withChanges } from "./world.ts";

test("bases that no session uses go, the oldest first; if all are used, no further one is made", async () => {
  await using world = await makeWorld();
  const { home, source } = world;
  let now = 1_000_000;
  const trees = new SessionTrees({ home, now: () => (now += 60_000), log: LOG, bases: 2 });
  const begin = async (id: string): Promise<void> => {
    await fill(source, { "a.txt": `${id}\n` });
    await trees.make(id, { mode: "snapshot", filters: ["none"], source });
  };
  const kept = async (): Promise<number> => (await readdir(join(home, "snapshots"))).length;
  await begin("ses_1");
  await begin("ses_2");
  await trees.remove("ses_1");
  await begin("ses_3");
  expect(await kept()).toBe(2);
  await begin("ses_4");
  await expect(begin("ses_5")).rejects.toMatchObject({ code: "limit_reached" });
  await trees.remove("ses_2");
  await begin("ses_6");
  await trees.remove("ses_3");
  await trees.remove("ses_4");
  await mkdir(join(home, "snapshots", "0123.part", "tree"), { recursive: true });
  await trees.sweep((id) => Promise.resolve(id === "ses_6"));
  expect(await readdir(join(home, "workspaces"))).toEqual(["ses_6"]);
  expect(await kept()).toBe(2);
  await trees.close();
});

/** Both ways in which a snapshot can be had. The first only where this user may mount. */
describe.each([undefined, false])("a snapshot (overlay: %s)", (overlay) => {
  test("has no file that its filter withholds, by name or by content, and no history", async () => {
    await using world = await makeWorld(overlay);
    const key = `sk-ant-api03-${"Ab9".repeat(31)}`;
    await fill(world.source, { "old.txt": `${key}\n`, "a.ts": "1\n", ".gitignore": "ignored\n" });
    commitAll(world.source);
    await rm(join(world.source, "old.txt"));
    await fill(world.source, {
      ".env": "A=1\n",
      "deep/config.ts": `const key = "${key}";\n`,
      "server.pem": "x",
      ignored: "x",
      "new.ts": "2\n",
    });
    const { withheld } = await world.trees.make("ses_one", { ...SNAPSHOT, source: world.source });
    expect(withheld).toBe(3);
    const { tree, release } = await world.trees.use("ses_one");
    expect(Object.keys(await filesBelow(tree.workspace)).toSorted()).toEqual([".gitignore", "a.ts", "new.ts"]);
    expect(git(tree.workspace, "status", "--porcelain")).toBe("");
    expect(git(tree.workspace, "log", "--format=%s", "--all")).toMatch(/^The files of this session, taken at \w+$/);
    // 1: it is nowhere.
    expect(spawnSync("grep", ["-r", key, tree.workspace]).status).toBe(1);
    await release();
    const { base } = tree.record as { base: string };
    expect(await world.trees.snapshots.withheld(base)).toEqual([
      { path: ".env", because: "name" },
      { path: "deep/config.ts", because: expect.stringContaining("Anthropic key") as string },
      { path: "server.pem", because: "name" },
    ]);
  });

  test("is made once for each state of the folder", async () => {
    await using world = await makeWorld(overlay);
    const { source, trees } = world;
    await fill(source, { "a.txt": "1\n" });
    commitAll(source);
    const baseOf = async (): Promise<string> => {
      const id = `ses_${randomUUID()}`;
      await trees.make(id, { ...SNAPSHOT, source });
      const { tree, release } = await trees.use(id);
      await release();
      return (tree.record as { base: string }).base;
    };
    const clean = await baseOf();
    expect(await baseOf()).toBe(clean);
    await writeFile(join(source, "a.txt"), "2\n");
    const dirty = await baseOf();
    expect(dirty).not.toBe(clean);
    await writeFile(join(source, "a.txt"), "3\n");
    expect(new Set([clean, dirty, await baseOf()]).size).toBe(3);
    await writeFile(join(source, "a.txt"), "1\n");
    expect(await baseOf()).toBe(clean);
    await rm(join(source, ".git"), { recursive: true });
    const plain = await baseOf();
    expect([clean, dirty]).not.toContain(plain);
    expect(await baseOf()).toBe(plain);
  });

  test("never has anything of the server's own folder", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-trees-")));
    const home = join(folder, ".sallyport");
    await fill(folder, { "a.txt": "1\n", ".sallyport/token": "secret\n" });
    const trees = new SessionTrees({ home, now: () => 0, log: LOG, overlay });
    for (const repository of [false, true]) {
      if (repository) commitAll(folder);
      await trees.make(`ses_${repository}`, { ...SNAPSHOT, source: folder, filters: ["none"] });
      const { tree, release } = await trees.use(`ses_${repository}`);
      expect(await filesBelow(tree.workspace)).toEqual({ "a.txt": "file 1\n" });
      await release();
    }
    await trees.close();
    await rm(folder, { recursive: true });
  });
});

test("a file that a link leads to is neither read nor written", async () => {
  await using world = await makeWorld();
  const outside = join(world.home, "outside");
  await fill(world.source, { "dir/a.txt": "1\n", "b.txt": "b\n" });
  await fill(outside, { "a.txt": "outside\n" });
  await world.trees.make("ses_one", { mode: "snapshot", filters: ["none"], source: world.source });
  const { tree, release } = await world.trees.use("ses_one");
  await rm(join(tree.workspace, "dir"), { recursive: true });
  await symlink(outside, join(tree.workspace, "dir"));
  const listed = await withChanges(world, "ses_one", ({ changes }) => Promise.resolve(changes));
  expect(listed.map(({ path, status, after }) => [path, status, after?.kind])).toEqual([
    ["dir", "added", "link"],
    ["dir/a.txt", "deleted", undefined],
  ]);
  await rm(join(tree.workspace, "dir"));
  await fill(tree.workspace, { "dir/a.txt": "2\n" });
  await rename(join(world.source, "dir"), join(world.source, "real"));
  await symlink(outside, join(world.source, "dir"));
  const [change] = await withChanges(world, "ses_one", ({ changes }) => Promise.resolve(changes));
  expect(change).toMatchObject({ path: "dir/a.txt", fit: "conflict" });
  expect(await readFile(join(outside, "a.txt"), "utf8")).toBe("outside\n");
  await release();
});

test("a file that appears in the folder in the last moment is not written over", async () => {
  await using world = await makeWorld();
  await fill(world.source, { "a.txt": "1\n" });
  await world.trees.make("ses_one", { mode: "snapshot", filters: ["none"], source: world.source });
  const { tree, release } = await world.trees.use("ses_one");
  await fill(tree.workspace, { "a.txt": "2\n", "n.txt": "new\n" });
  await withChanges(world, "ses_one", async ({ tree: open, base, changes }) => {
    expect(changes.map(({ fit }) => fit)).toEqual(["clean", "clean"]);
    await fill(world.source, { "n.txt": "theirs\n" });
    await expect(applyChanges(open, base, changes)).rejects.toMatchObject({ code: "conflict" });
  });
  await release();
  // What was written counts; the rest can be looked at again.
  expect(await filesBelow(world.source)).toEqual({ "a.txt": "file 2\n", "n.txt": "file theirs\n" });
  expect(
    (await withChanges(world, "ses_one", ({ changes }) => Promise.resolve(changes))).map(({ path, fit }) => [
      path,
      fit,
    ]),
  ).toEqual([["n.txt", "conflict"]]);
});

test.runIf(process.getuid?.() === 0)(
  "files that a server of root writes belong to whom the folder belongs",
  async () => {
    await using world = await makeWorld();
    const { source } = world;
    await fill(source, { "a.txt": "1\n", "b.txt": "1\n" });
    await chown(source, 1234, 1235);
    await chown(join(source, "a.txt"), 4321, 4322);
    await world.trees.make("ses_one", { mode: "snapshot", filters: ["none"], source });
    const { tree, release } = await world.trees.use("ses_one");
    await fill(tree.workspace, { "a.txt": "2\n", "new/deep/n.txt": "n\n" });
    await withChanges(world, "ses_one", ({ tree: open, base, changes }) => applyChanges(open, base, changes));
    await release();
    const owner = async (path: string): Promise<readonly number[]> => {
      const { uid, gid } = await lstat(join(source, path));
      return [uid, gid];
    };
    expect(await owner("a.txt")).toEqual([4321, 4322]);
    for (const path of ["new", "new/deep", "new/deep/n.txt"])
      expect([path, ...(await owner(path))]).toEqual([path, 1234, 1235]);
  },
);

test("a file without end, and a folder that is gone, are refused", async () => {
  await using world = await makeWorld();
  const { source } = world;
  await fill(source, { "a.txt": "1\n" });
  await world.trees.make("ses_one", { mode: "snapshot", filters: ["none"], source });
  const { tree, release } = await world.trees.use("ses_one");
  await writeFile(join(tree.workspace, "huge"), "");
  await truncate(join(tree.workspace, "huge"), 2 ** 40);
  await withChanges(world, "ses_one", async ({ tree: open, base, changes }) => {
    expect(changes.map(({ path }) => path)).toEqual(["huge"]);
    await expect(applyChanges(open, base, changes)).rejects.toMatchObject({ code: "payload_too_large" });
    await rename(source, `${source}-away`);
    await expect(applyChanges(open, base, changes)).rejects.toMatchObject({ code: "workspace_missing" });
    await rename(`${source}-away`, source);
  });
  expect(await filesBelow(source)).toEqual({ "a.txt": "file 1\n" });
  await release();
});

test("what a server that died left half applied is finished by the next one, and nothing else of it stays", async () => {
  await using world = await makeWorld();
  await fill(world.source, { "a.txt": "1\n", "b.txt": "1\n" });
  await world.trees.make("ses_one", { mode: "snapshot", filters: ["none"], source: world.source });
  const { tree } = await world.trees.use("ses_one");
  await fill(tree.workspace, { "a.txt": "2\n", "b.txt": "2\n" });
  // As it is after a kill between two files: one is written, the other half, and nothing is noted but what was begun.
  await fill(world.source, { "a.txt": "2\n", ".b.txt.sallyport-_one": "ha" });
  await writeFile(
    join(tree.folder, "applying.json"),
    JSON.stringify({ source: world.source, temporary: [".a.txt.sallyport-_one", ".b.txt.sallyport-_one"] }),
  );
  const next = new SessionTrees({ home: world.home, now: () => 0, log: LOG });
  await next.sweep((id) => Promise.resolve(id === "ses_one"));
  expect(await mountsBelow(world.home)).toEqual([]);
  expect(Object.keys(await filesBelow(world.source)).toSorted()).toEqual(["a.txt", "b.txt"]);
  await withChanges({ ...world, trees: next }, "ses_one", async ({ tree: open, base, changes }) => {
    expect(changes.map(({ path, fit }) => [path, fit])).toEqual([
      ["a.txt", "applied"],
      ["b.txt", "clean"],
    ]);
    await applyChanges(open, base, changes);
  });
  expect(await filesBelow(world.source)).toEqual({ "a.txt": "file 2\n", "b.txt": "file 2\n" });
});

test("a worktree of a part of a repository starts no program of its settings and hooks", async () => {
  await using world = await makeWorld();
  const { source, home } = world;
  const proof = join(home, "ran");
  await fill(source, { "top.txt": "1\n", "part/a.txt": "1\n", ".gitattributes": "* filter=evil\n" });
  commitAll(source);
  git(source, "config", "filter.evil.smudge", `touch ${proof}; cat`);
  git(source, "config", "filter.evil.clean", `touch ${proof}; cat`);
  git(source, "config", "filter.evil.required", "true");
  git(source, "config", "core.fsmonitor", `touch ${proof}`);
  await fill(source, { ".git/hooks/post-checkout": `#!/bin/sh\ntouch ${proof}\n` });
  await chmod(join(source, ".git/hooks/post-checkout"), 0o755);
  const part = { ...world, source: join(source, "part") };
  const { workspace } = await world.trees.make("ses_worktree", { mode: "worktree", source: part.source, filters: [] });
  expect(await filesBelow(workspace)).toEqual({ "a.txt": "file 1\n" });
  await fill(workspace, { "a.txt": "2\n", "sub/n.txt": "n\n" });
  await chmod(join(workspace, "sub/n.txt"), 0o755);
  const wanted = { branch: "x", message: "m", author: { name: "a", email: "a@localhost" }, at: 0 };
  await withChanges(part, "ses_worktree", async ({ tree, changes }) => {
    await commitChanges(tree, changes, wanted);
    await expect(commitChanges(tree, changes, wanted)).rejects.toMatchObject({ code: "conflict" });
  });
  await expect(lstat(proof)).rejects.toThrow("ENOENT");
  expect(
    git(source, "ls-tree", "-r", "x", "part")
      .split("\n")
      .map((line) => line.replace(/blob \w+\t/, "")),
  ).toEqual(["100644 part/a.txt", "100755 part/sub/n.txt"]);
  // A second commit goes on the first; a branch that moved is not touched.
  await fill(workspace, { "a.txt": "3\n" });
  await withChanges(part, "ses_worktree", async ({ tree, changes }) => {
    await commitChanges(tree, changes, wanted);
    expect(git(source, "rev-list", "--count", "main..x")).toBe("2");
    git(source, "update-ref", "refs/heads/x", "main");
    await expect(commitChanges(tree, changes, wanted)).rejects.toMatchObject({ code: "conflict" });
    await expect(commitChanges(tree, changes, { ...wanted, branch: "main" })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(commitChanges(tree, changes, { ...wanted, branch: "a..b" })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
  await world.trees.remove("ses_worktree");
  expect(git(source, "branch", "--format=%(refname:short)").split("\n")).toEqual(["main", "x"]);
});

test("a worktree needs a repository with a commit", async () => {
  await using world = await makeWorld();
  const wanted = { mode: "worktree", source: world.source, filters: [] } as const;
  await expect(world.trees.make("ses_one", wanted)).rejects.toMatchObject({ code: "unsupported" });
  git(world.source, "init", "--quiet");
  await expect(world.trees.make("ses_one", wanted)).rejects.toThrow("no commit yet");
  expect(await readdir(join(world.home, "workspaces"))).toEqual([]);
});
