import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CreateSession, SessionView } from "../../src/protocol/index.ts";
import { mountsBelow } from "../../src/workspaces/overlay.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
    encoding: "utf8",
  }).trim();

/** A repository with two files and an .env in the app's workspace. */
async function makeRepository(folder: string): Promise<void> {
  await fill(folder, { "a.txt": "one\ntwo\nthree\n", "src/b.ts": "export const b = 1;\n", ".gitignore": "built/\n" });
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=first");
  await fill(folder, { ".env": "KEY=canary-of-the-env\n" });
}

async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const write = (file_path: string, content: string): object => ({ tool: "Write", input: { file_path, content } });

async function work(app: TestApp, session: CreateSession, ...steps: readonly object[]): Promise<SessionView> {
  const prompt = { text: script(...steps, { say: "Done." }) };
  const { session: made, events } = await runScript(app.client, { ...session, prompt }, approveWith(app.client));
  expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  return made;
}

/** Another turn. */
async function again(app: TestApp, id: string, ...steps: readonly object[]): Promise<void> {
  const { seq } = await app.client.session(id);
  await app.client.prompt(id, { text: script(...steps, { say: "Done." }) });
  await untilTurnEnds(app.client, id, { after: seq, answer: approveWith(app.client) });
}

const MODES = ["worktree", "snapshot"] as const;

describe.each(MODES)("a session in a %s", (workspace_mode) => {
  it("changes its own files alone, until they are applied", async () => {
    await using app = await openTestApp();
    const { workspace } = app.place;
    await makeRepository(workspace);
    const session = await work(
      app,
      { workspace_mode },
      write("a.txt", "one\nTWO\nthree\n"),
      write("new/c.txt", "new\n"),
      { tool: "Bash", input: { command: "rm src/b.ts && mkdir built && echo x > built/x" } },
    );
    expect(session.settings).toMatchObject({ workspace_mode, source: workspace });
    expect(session.settings.workspace).not.toBe(workspace);
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
    const changes = await app.client.changes(session.id);
    expect(changes.files).toEqual([
      { path: "a.txt", status: "modified", additions: 1, deletions: 1 },
      { path: "new/c.txt", status: "added", additions: 1, deletions: 0 },
      { path: "src/b.ts", status: "deleted", additions: 0, deletions: 1 },
    ]);
    expect(changes).toMatchObject({ additions: 2, deletions: 2, conflicts: 0, source: workspace, workspace_mode });
    expect((await app.client.changeDiff(session.id, "a.txt")).diff).toContain("-two\n+TWO");
    const { revision } = changes;
    expect(await app.client.applyChanges(session.id, { revision })).toEqual({
      paths: ["a.txt", "new/c.txt", "src/b.ts"],
    });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one\nTWO\nthree\n");
    expect(
      git(workspace, "status", "--porcelain")
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(["M a.txt", "D src/b.ts", "?? .env", "?? new/"]);
    expect((await app.client.changes(session.id)).files).toEqual([]);
  });
});

describe.each(MODES)("two sessions in a %s each", (workspace_mode) => {
  it("edit the same file; the second one's conflict is shown, and nothing is lost", async () => {
    await using app = await openTestApp();
    const { workspace } = app.place;
    await makeRepository(workspace);
    const [first, second] = await Promise.all([
      work(app, { workspace_mode }, write("a.txt", "FIRST\ntwo\nthree\n")),
      work(app, { workspace_mode }, write("a.txt", "one\ntwo\nSECOND\n"), write("d.txt", "other\n")),
    ]);
    for (const { id } of [first, second]) expect((await app.client.changes(id)).conflicts).toBe(0);
    await app.client.applyChanges(first.id);
    const changes = await app.client.changes(second.id);
    expect(changes.files).toEqual([
      { path: "a.txt", status: "modified", additions: 1, deletions: 1, conflict: true },
      { path: "d.txt", status: "added", additions: 1, deletions: 0 },
    ]);
    await expect(app.client.applyChanges(second.id)).rejects.toMatchObject({
      code: "conflict",
      details: { conflicts: ["a.txt"] },
    });
    await expect(readFile(join(workspace, "d.txt"))).rejects.toThrow("ENOENT");
    const both = await app.client.changeDiff(second.id, "a.txt");
    expect(both.diff).toContain("-three\n+SECOND");
    expect(both.source_diff).toContain("-one\n+FIRST");
    await app.client.applyChanges(second.id, { paths: ["d.txt"] });
    const done = await app.client.commitChanges(second.id, { branch: "second", message: "The second one" });
    expect(done).toMatchObject({ paths: ["a.txt"], branch: "second" });
    // Everything is where a person can merge it.
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("FIRST\ntwo\nthree\n");
    expect(await readFile(join(workspace, "d.txt"), "utf8")).toBe("other\n");
    expect(git(workspace, "show", "second:a.txt")).toBe("one\ntwo\nSECOND");
    expect(git(workspace, "rev-parse", "second^")).toBe(git(workspace, "rev-parse", "main"));
    git(workspace, "commit", "--quiet", "--all", "--message=first's");
    git(workspace, "merge", "--quiet", "--no-edit", "second");
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("FIRST\ntwo\nSECOND\n");
    const { entries } = await app.client.audit({ limit: 10 });
    const decided = entries.filter(({ action }) => action.startsWith("changes."));
    expect(decided.map(({ action, target }) => [action, target])).toEqual([
      ["changes.commit", second.id],
      ["changes.apply", second.id],
      ["changes.apply", first.id],
    ]);
  });

  it("goes on after an apply, and takes back what is discarded", async () => {
    await using app = await openTestApp();
    const { workspace } = app.place;
    await makeRepository(workspace);
    const session = await work(app, { workspace_mode }, write("a.txt", "1\n"));
    await app.client.applyChanges(session.id);
    await again(app, session.id, write("a.txt", "2\n"), write("e.txt", "e\n"));
    expect((await app.client.changes(session.id)).files).toEqual([
      { path: "a.txt", status: "modified", additions: 1, deletions: 1 },
      { path: "e.txt", status: "added", additions: 1, deletions: 0 },
    ]);
    await app.client.applyChanges(session.id, { paths: ["a.txt"] });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("2\n");
    await again(app, session.id, write("a.txt", "3\n"));
    const { revision } = await app.client.changes(session.id);
    await again(app, session.id, write("e.txt", "E\n"));
    await expect(app.client.discardChanges(session.id, { revision })).rejects.toMatchObject({ code: "input_changed" });
    expect(await app.client.discardChanges(session.id)).toEqual({ paths: ["a.txt", "e.txt"] });
    expect((await app.client.changes(session.id)).files).toEqual([]);
    expect(await readFile(join(session.settings.workspace, "a.txt"), "utf8")).toBe("2\n");
    await expect(app.client.applyChanges(session.id)).rejects.toMatchObject({ code: "conflict" });
  });

  it("is forked with a copy of its files, and deleted with them", async () => {
    await using app = await openTestApp();
    const { workspace } = app.place;
    await makeRepository(workspace);
    const parent = await work(app, { workspace_mode }, write("a.txt", "parent\n"), {
      tool: "Bash",
      input: { command: "rm src/b.ts" },
    });
    const child = await app.client.fork(parent.id);
    expect(child.settings.source).toBe(workspace);
    const { files } = await app.client.changes(parent.id);
    expect((await app.client.changes(child.id)).files).toEqual(files);
    await again(app, child.id, write("a.txt", "child\n"));
    await again(app, parent.id, write("p.txt", "parent\n"));
    expect((await app.client.changeDiff(child.id, "a.txt")).diff).toContain("+child");
    expect((await app.client.changeDiff(parent.id, "a.txt")).diff).toContain("+parent");
    expect((await app.client.changes(child.id)).files.map(({ path }) => path)).toEqual(["a.txt", "src/b.ts"]);
    await app.client.deleteSession(parent.id);
    expect((await app.client.changes(child.id)).files.map(({ path }) => path)).toEqual(["a.txt", "src/b.ts"]);
    await app.client.applyChanges(child.id);
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("child\n");
    await app.client.deleteSession(child.id);
    expect(await readdir(join(app.place.home, "workspaces"))).toEqual([]);
    expect(git(workspace, "branch", "--list", "sallyport/*")).toBe("");
    expect(git(workspace, "worktree", "list").split("\n")).toHaveLength(1);
  });

  it("is there again after a restart, and nothing stays mounted", async () => {
    await using app = await openTestApp();
    await makeRepository(app.place.workspace);
    const session = await work(app, { workspace_mode }, write("a.txt", "kept\n"));
    await app.restart();
    expect((await app.client.changes(session.id)).files.map(({ path }) => path)).toEqual(["a.txt"]);
    await again(app, session.id, write("f.txt", "later\n"));
    await app.client.control(session.id, "close");
    expect((await app.client.changes(session.id)).files.map(({ path }) => path)).toEqual(["a.txt", "f.txt"]);
    expect(await mountsBelow(app.place.home)).toEqual([]);
    await app.client.applyChanges(session.id);
    expect(await readFile(join(app.place.workspace, "f.txt"), "utf8")).toBe("later\n");
  });
});

describe("who may do what", () => {
  it("agents see the changes of their own sessions and decide on none; viewers read", async () => {
    await using app = await openTestApp();
    await makeRepository(app.place.workspace);
    const agent = await app.as("agent");
    const { id } = await agent.createSession({ workspace_mode: "snapshot" });
    await again(app, id, write("a.txt", "agent\n"));
    expect((await agent.changes(id)).files).toHaveLength(1);
    await expect(agent.applyChanges(id)).rejects.toMatchObject({ code: "forbidden" });
    await expect((await app.as("agent", "other")).changes(id)).rejects.toMatchObject({ code: "not_found" });
    const viewer = await app.as("viewer");
    expect((await viewer.changeDiff(id, "a.txt")).diff).toContain("+agent");
    await expect(viewer.discardChanges(id)).rejects.toMatchObject({ code: "forbidden" });
    expect(await (await app.as("operator")).applyChanges(id)).toEqual({ paths: ["a.txt"] });
  });

  it("the profile's mode and filter are the least for agents, and its filter for everybody", async () => {
    await using app = await openTestApp();
    const { workspace } = app.place;
    await makeRepository(workspace);
    await fill(workspace, { "data.bin": "x\n", "doc.md": "x\n" });
    const strict = { workspace_mode: "snapshot", repo_filter: "strict", autonomy: "full" } as const;
    await app.client.setPolicy({ default_profile: "mine", profiles: { mine: strict } });
    const agent = await app.as("agent");
    await expect(agent.createSession({ workspace_mode: "direct" })).rejects.toMatchObject({ code: "forbidden" });
    const session = await agent.createSession({});
    expect(session.settings).toMatchObject({ workspace_mode: "snapshot", repo_filter: "strict", withheld: 2 });
    expect((await agent.changes(session.id)).withheld).toEqual([
      { path: ".env", because: "name" },
      { path: "data.bin", because: "not on the allowlist" },
    ]);
    const custom = { custom: { denylist: ["*.md"], allowlist: [] } };
    const own = await app.client.createSession({ repo_filter: custom });
    expect((await app.client.changes(own.id)).withheld.map(({ path }) => path)).toEqual([".env", "data.bin", "doc.md"]);
    for (const repo_filter of ["none", "standard"] as const)
      expect((await app.client.createSession({ repo_filter })).settings.repo_filter).toBe("strict");
    await expect(app.client.createSession({ workspace_mode: "direct", repo_filter: "none" })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("what is withheld is shown by no tool, no diff and no conflict", async () => {
    await using app = await openTestApp();
    const { workspace } = app.place;
    await makeRepository(workspace);
    const { session, events } = await runScript(
      app.client,
      {
        workspace_mode: "snapshot",
        prompt: {
          text: script(
            { tool: "Read", input: { file_path: join(workspace, ".env") } },
            { tool: "Read", input: { file_path: join(app.place.home, "token") } },
            write(".env", "KEY=mine\n"),
            write("a.txt", "mine\n"),
            { say: "Done." },
          ),
        },
      },
      approveWith(app.client),
    );
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    const key = `sk-ant-api03-${"Ab9".repeat(31)}`;
    await fill(workspace, { "a.txt": `one\nkey = "${key}"\n` });
    const { files } = await app.client.changes(session.id);
    expect(files).toMatchObject([
      { path: ".env", status: "added", conflict: true },
      { path: "a.txt", status: "modified", conflict: true },
    ]);
    for (const { path } of files)
      expect(await app.client.changeDiff(session.id, path)).toMatchObject({ source_withheld: true });
    const told = JSON.stringify([events, await app.client.changes(session.id)]);
    expect(told).not.toContain("canary-of-the-env");
    expect(told).not.toContain(key);
  });

  it("a session that changed nothing has nothing to decide on, and one that works is not decided on", async () => {
    await using app = await openTestApp();
    await makeRepository(app.place.workspace);
    const direct = await app.client.createSession({});
    expect(await app.client.changes(direct.id)).toMatchObject({ workspace_mode: "direct", files: [] });
    await expect(app.client.applyChanges(direct.id)).rejects.toMatchObject({ code: "unsupported" });
    await expect(app.client.createSession({ workspace: "src", workspace_mode: "worktree" })).resolves.toMatchObject({
      settings: { source: join(app.place.workspace, "src") },
    });
    const { id } = await app.client.createSession({
      workspace_mode: "worktree",
      prompt: { text: script(write("a.txt", "2\n")) },
    });
    for await (const frame of app.client.watch(id)) if (frame.type === "approval.requested") break;
    await expect(app.client.applyChanges(id)).rejects.toMatchObject({ code: "conflict" });
  });
});
