import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CreateSession, SessionView } from "../../src/protocol/index.ts";
import { forgePrograms } from "../support/forge-programs.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
    encoding: "utf8",
  }).trim();

const RECORDED = { SALLYPORT_RECORD_FILES: "on" } as const;

const lines = (...numbers: readonly (number | string)[]): string => numbers.map((one) => `${one}\n`).join("");
const TEN = lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
const EDITED = TEN.replace("2\n", "two\n").replace("18\n", "eighteen\n");

async function makeRepository(folder: string): Promise<void> {
  await fill(folder, { "a.txt": TEN, "src/b.ts": "export const b = 1;\n", ".gitignore": "built/\n" });
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=first");
}

async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const write = (file_path: string, content: string): object => ({ tool: "Write", input: { file_path, content } });
const run = (command: string): object => ({ tool: "Bash", input: { command } });

async function work(app: TestApp, session: CreateSession, ...steps: readonly object[]): Promise<SessionView> {
  const prompt = { text: script(...steps, { say: "Done." }) };
  const { session: made, events } = await runScript(app.client, { ...session, prompt }, approveWith(app.client));
  expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  return made;
}

async function again(app: TestApp, id: string, ...steps: readonly object[]): Promise<void> {
  const { seq } = await app.client.session(id);
  await app.client.prompt(id, { text: script(...steps, { say: "Done." }) });
  await untilTurnEnds(app.client, id, { after: seq, answer: approveWith(app.client) });
}

const text = (app: TestApp, path: string): Promise<string> => readFile(join(app.place.workspace, path), "utf8");

describe("a session that works in the folder itself", () => {
  it("shows what it changed since it began, by tools and by commands, and puts parts of it back", async () => {
    await using app = await openTestApp(RECORDED);
    const { workspace } = app.place;
    await makeRepository(workspace);
    // Not committed, and there before the session: no change of its own.
    await fill(workspace, { "mine.txt": "mine\n", ".env": "KEY=canary\n" });
    const { id } = await work(
      app,
      {},
      write("a.txt", EDITED),
      run("rm src/b.ts; mkdir built; echo x > built/x; echo n > n"),
    );
    await writeFile(join(workspace, ".env"), "KEY=other\n");
    const list = await app.client.changes(id);
    expect(list).toMatchObject({ workspace_mode: "direct", source: workspace, current_branch: "main", conflicts: 0 });
    expect(list.files).toEqual([
      { path: "a.txt", status: "modified", additions: 2, deletions: 2 },
      { path: "n", status: "added", additions: 1, deletions: 0 },
      { path: "src/b.ts", status: "deleted", additions: 0, deletions: 1 },
    ]);
    expect(list.unknown).toContain(".gitignore");
    const { diff, hunks = [] } = await app.client.changeDiff(id, "a.txt");
    expect(diff).toContain("-2\n+two");
    expect(hunks).toHaveLength(2);
    await expect(app.client.applyChanges(id)).rejects.toMatchObject({ code: "unsupported" });
    // The second part alone.
    const chosen = { revision: list.revision, paths: ["a.txt"], hunks: { "a.txt": [hunks[1]?.id ?? ""] } };
    expect(await app.client.discardChanges(id, chosen)).toEqual({ paths: ["a.txt"] });
    expect(await text(app, "a.txt")).toBe(TEN.replace("2\n", "two\n"));
    // What was shown is no longer what is there.
    await expect(app.client.discardChanges(id, chosen)).rejects.toMatchObject({ code: "input_changed" });
    await app.client.discardChanges(id, { paths: ["n", "src/b.ts"] });
    expect(await text(app, "src/b.ts")).toBe("export const b = 1;\n");
    expect((await app.client.changes(id)).files.map(({ path }) => path)).toEqual(["a.txt"]);
  });

  it("commits parts on the branch that is checked out, and leaves alone what somebody else had changed", async () => {
    await using app = await openTestApp(RECORDED);
    const { workspace } = app.place;
    await makeRepository(workspace);
    // Somebody's own work in another part of the same file.
    await writeFile(join(workspace, "a.txt"), TEN.replace("10\n", "ten\n"));
    const { id } = await work(app, {}, write("a.txt", EDITED.replace("10\n", "ten\n")), write("c.txt", "new\n"));
    const list = await app.client.changes(id);
    expect(list.proposed_message).toContain("- Add c.txt");
    const { hunks = [] } = await app.client.changeDiff(id, "a.txt");
    const done = await app.client.commitChanges(id, {
      revision: list.revision,
      branch: "main",
      message: "Two, and c",
      hunks: { "a.txt": [hunks[0]?.id ?? ""] },
    });
    expect(done).toMatchObject({ branch: "main", paths: ["a.txt", "c.txt"] });
    expect(git(workspace, "show", "main:a.txt")).toBe(TEN.replace("2\n", "two\n").trim());
    expect(git(workspace, "log", "-1", "--format=%s %an")).toBe("Two, and c first admin");
    expect(await text(app, "a.txt")).toBe(EDITED.replace("10\n", "ten\n"));
    expect(git(workspace, "status", "--porcelain")).toBe("M a.txt");
    // The same line as somebody's own change.
    await again(app, id, write("a.txt", EDITED.replace("10\n", "TEN\n")));
    await expect(
      app.client.commitChanges(id, { branch: "other", message: "x", paths: ["a.txt"] }),
    ).rejects.toMatchObject({ code: "conflict", details: { conflicts: ["a.txt"] } });
    expect(git(workspace, "branch", "--list", "other")).toBe("");
  });

  it("goes back to the end of any turn, as it was shown, and can be compared with a fork", async () => {
    await using app = await openTestApp(RECORDED);
    const { workspace } = app.place;
    await fill(workspace, { "a.txt": "start\n" });
    const { id } = await work(app, {}, write("a.txt", "one\n"));
    await again(app, id, run("echo two > a.txt; echo b > b.txt"));
    const { moments } = await app.client.reviews.moments(id);
    expect(moments.map(({ id: name }) => name.slice(0, 5))).toEqual(["start", "turn_", "turn_"]);
    const to = moments[1]?.id ?? "";
    const shown = await app.client.reviews.compare(id, to);
    expect(shown.files.map(({ path, status }) => [path, status])).toEqual([
      ["a.txt", "modified"],
      ["b.txt", "added"],
    ]);
    expect((await app.client.reviews.compareFile(id, to, "a.txt")).diff).toContain("-one\n+two");
    await writeFile(join(workspace, "b.txt"), "somebody's\n");
    await expect(app.client.reviews.rewind(id, { to, revision: shown.revision })).rejects.toMatchObject({
      code: "input_changed",
    });
    expect(await text(app, "b.txt")).toBe("somebody's\n");
    const { revision } = await app.client.reviews.compare(id, to);
    expect(await app.client.reviews.rewind(id, { to, revision })).toEqual({ paths: ["a.txt", "b.txt"] });
    expect(await text(app, "a.txt")).toBe("one\n");
    await expect(text(app, "b.txt")).rejects.toThrow("ENOENT");
    const other = await work(app, { workspace_mode: "snapshot" }, write("a.txt", "another\n"));
    const forks = await app.client.reviews.compare(id, other.id);
    expect(forks.files).toEqual([{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }]);
    expect((await app.client.reviews.compareFile(id, other.id, "a.txt")).diff).toContain("-another\n+one");
    await expect(app.client.reviews.compare(id, "turn_none")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("files of a workspace", () => {
  it("are shown to operators, but for links, secrets and the server's own", async () => {
    await using app = await openTestApp({}, "home inside workspace");
    const { workspace } = app.place;
    await fill(workspace, {
      "src/a.ts": "export {};\n",
      "data.bin": "\0\u0001",
      ".env": "KEY=1\n",
      "notes.md": `key = sk-ant-api03-${"Ab9".repeat(31)}\n`,
    });
    await symlink("/etc/hostname", join(workspace, "link.txt"));
    const { id } = await app.client.createSession({});
    const open = (path: string): Promise<unknown> => app.client.reviews.file(id, path);
    expect(await open("src/a.ts")).toEqual({ path: "src/a.ts", size: 11, text: "export {};\n" });
    expect(await open("data.bin")).toEqual({ path: "data.bin", size: 2, base64: "AAE=" });
    for (const [path, code] of [
      [".env", "forbidden"],
      ["notes.md", "forbidden"],
      [".sallyport/sallyport.db", "forbidden"],
      [".git/config", "forbidden"],
      ["link.txt", "not_found"],
      ["src", "not_found"],
      ["../x", "invalid_request"],
      ["/etc/hostname", "invalid_request"],
    ] as const)
      await expect(open(path), path).rejects.toMatchObject({ code });
    const agent = await app.as("agent");
    await expect(agent.reviews.file(id, "src/a.ts")).rejects.toMatchObject({ code: "forbidden" });
  });
});

it("without a recording says that what a session in the folder changed is not known", async () => {
  await using app = await openTestApp();
  const { id } = await work(app, {}, write("a.txt", "a\n"));
  expect(await app.client.changes(id)).toMatchObject({ files: [], unknown: expect.stringContaining("record_files") });
  expect(await app.client.reviews.moments(id)).toMatchObject({ moments: [], note: expect.any(String) });
});

describe("parts of a change set", () => {
  it("are applied alone, and the rest stays to be decided on", async () => {
    await using app = await openTestApp(RECORDED);
    await makeRepository(app.place.workspace);
    const { id } = await work(app, { workspace_mode: "worktree" }, write("a.txt", EDITED));
    const { hunks = [] } = await app.client.changeDiff(id, "a.txt");
    await expect(app.client.applyChanges(id, { hunks: { "a.txt": ["none"] } })).rejects.toMatchObject({
      code: "input_changed",
    });
    await app.client.applyChanges(id, { hunks: { "a.txt": [hunks[0]?.id ?? ""] } });
    expect(await text(app, "a.txt")).toBe(TEN.replace("2\n", "two\n"));
    const rest = await app.client.changeDiff(id, "a.txt");
    expect(rest.hunks).toHaveLength(1);
    expect(rest.diff).toContain("-18\n+eighteen");
    // A conflict is shown, and nothing is written over.
    await writeFile(join(app.place.workspace, "a.txt"), "somebody's\n");
    await expect(
      app.client.applyChanges(id, { hunks: { "a.txt": [rest.hunks?.[0]?.id ?? ""] } }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(await text(app, "a.txt")).toBe("somebody's\n");
  });
});

describe("comments on lines", () => {
  it("become the next prompt together, each with the line that was seen", async () => {
    await using app = await openTestApp(RECORDED);
    await makeRepository(app.place.workspace);
    const { id } = await work(app, { workspace_mode: "snapshot" }, write("a.txt", EDITED));
    const first = { path: "a.txt", line: 2, quote: "two", text: "Use digits." };
    await expect(app.client.reviews.comment(id, { comments: [first, { ...first, line: 3 }] })).rejects.toMatchObject({
      code: "input_changed",
    });
    await expect(app.client.reviews.comment(id, { comments: [{ ...first, line: 99 }] })).rejects.toMatchObject({
      code: "invalid_request",
    });
    const { turns } = await app.client.session(id);
    const { seq } = await app.client.reviews.comment(id, {
      comments: [first, { path: "a.txt", line: 18, side: "old", text: "Why?\nSay more." }],
    });
    await untilTurnEnds(app.client, id, { after: seq - 1, answer: approveWith(app.client) });
    expect((await app.client.session(id)).turns).toBe(turns + 1);
    const { events } = await app.client.events(id, { after: seq - 1 });
    const started = events.find(({ type }) => type === "turn.started");
    expect(started).toMatchObject({
      prompt: {
        text: 'I looked at your changes and have 2 comments:\n\n1. "a.txt", line 2:\n\n   > two\n\n   Use digits.\n\n2. "a.txt", line 18 before your change:\n\n   > 18\n\n   Why?\n   Say more.',
      },
    });
  });
});

describe("pushing", () => {
  it("pushes what was committed here, runs nothing that the repository names, and never over what others pushed", async () => {
    await using app = await openTestApp(RECORDED);
    const { workspace } = app.place;
    await makeRepository(workspace);
    const bare = join(dirname(workspace), "bare.git");
    const marker = join(dirname(workspace), "ran");
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
    git(workspace, "remote", "add", "origin", bare);
    git(workspace, "remote", "add", "evil", `ext::sh -c "touch ${marker}"`);
    git(workspace, "remote", "add", "inside", join(workspace, "inner.git"));
    execFileSync("git", ["init", "--quiet", "--bare", join(workspace, "inner.git")]);
    git(workspace, "remote", "add", "web", "https://person:hunter2@github.example/org/app.git");
    git(workspace, "remote", "add", "turned", "https://github.example/\u202Egro/app.git");
    // A repository with checked-out files, which a push would write through its filter.
    const shared = join(dirname(workspace), "shared");
    execFileSync("git", ["init", "--quiet", "--initial-branch=work", shared]);
    git(shared, "config", "receive.denyCurrentBranch", "updateInstead");
    git(shared, "config", "filter.evil.smudge", `touch ${marker}; cat`);
    await fill(shared, { ".git/info/attributes": "* filter=evil\n" });
    git(workspace, "remote", "add", "shared", shared);
    const program = `#!/bin/sh\ntouch ${marker}\n`;
    for (const hook of [".git/hooks/pre-push", ".git/hooks/reference-transaction"]) {
      await fill(workspace, { [hook]: program });
      await chmod(join(workspace, hook), 0o755);
    }
    await fill(bare, { "hooks/post-receive": program });
    await chmod(join(bare, "hooks/post-receive"), 0o755);
    for (const name of ["core.sshCommand", "credential.helper", "core.fsmonitor", "gpg.program"])
      git(workspace, "config", name, `touch ${marker}`);
    git(workspace, "config", "push.gpgSign", "true");
    await rm(marker, { force: true });
    const { id } = await work(app, { workspace_mode: "worktree" }, write("a.txt", EDITED));
    const { branch = "", commit = "" } = await app.client.commitChanges(id, { branch: "work", message: "Work" });
    const { branches, remotes } = await app.client.reviews.publishing(id);
    expect(branches).toEqual([{ branch, commit }]);
    expect(remotes.map(({ name, url, refused }) => [name, url, refused === undefined])).toEqual([
      ["origin", bare, true],
      ["evil", expect.stringContaining("ext::"), false],
      ["inside", join(workspace, "inner.git"), false],
      ["web", "https://github.example/org/app.git", true],
      ["turned", expect.stringContaining("gro/app.git"), false],
      ["shared", shared, true],
    ]);
    expect(JSON.stringify(remotes)).not.toContain("hunter2");
    const target = { branch, commit, remote: "origin", url: bare };
    expect(await app.client.reviews.push(id, target)).toEqual({ branch, commit, remote: "origin" });
    expect(execFileSync("git", ["-C", bare, "rev-parse", "work"], { encoding: "utf8" }).trim()).toBe(commit);
    for (const { name, url } of remotes.slice(1, 3))
      await expect(app.client.reviews.push(id, { ...target, remote: name, url })).rejects.toMatchObject({
        code: "forbidden",
      });
    await expect(app.client.reviews.push(id, { ...target, url: "https://elsewhere.example/x" })).rejects.toMatchObject({
      code: "input_changed",
    });
    await expect(app.client.reviews.push(id, { ...target, remote: "shared", url: shared })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("branch is currently checked out"),
    });
    await expect(readFile(marker)).rejects.toThrow("ENOENT");
    // Somebody else pushed to the branch.
    const clone = join(dirname(workspace), "clone");
    execFileSync("git", ["-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--branch=work", bare, clone]);
    git(clone, "commit", "--quiet", "--allow-empty", "--message=theirs");
    git(
      clone,
      "-c",
      "core.hooksPath=/dev/null",
      "push",
      "--quiet",
      "--receive-pack=git -c core.hooksPath=/dev/null receive-pack",
    );
    const theirs = execFileSync("git", ["-C", bare, "rev-parse", "work"], { encoding: "utf8" }).trim();
    await again(app, id, write("a.txt", TEN));
    await again(app, id, write("c.txt", "c\n"));
    const next = await app.client.commitChanges(id, { branch: "work", message: "More" });
    await expect(app.client.reviews.push(id, { ...target, commit: next.commit ?? "" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(execFileSync("git", ["-C", bare, "rev-parse", "work"], { encoding: "utf8" }).trim()).toBe(theirs);
    const { entries } = await app.client.audit({ action: "changes.push", limit: 10 });
    expect(entries.map(({ target: session, details }) => [session, details])).toContainEqual([
      id,
      { branch, commit, remote: "origin", address: bare },
    ]);
    const viewer = await app.as("viewer");
    await expect(viewer.reviews.push(id, target)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("a pull request", () => {
  it("is opened by the host's own program, in an empty repository, and nothing of a password is told", async () => {
    using forge = forgePrograms();
    await using app = await openTestApp({ ...RECORDED, PATH: forge.path });
    const { workspace } = app.place;
    await makeRepository(workspace);
    git(workspace, "remote", "add", "hub", "https://person:hunter2@github.com/org/app.git");
    git(workspace, "remote", "add", "lab", "git@gitlab.example:group/sub/app.git");
    git(workspace, "remote", "add", "plain", "https://code.example/app.git");
    git(workspace, "config", "core.fsmonitor", "false; exit 1");
    const { id } = await work(app, {}, write("a.txt", EDITED));
    const { branch = "", commit } = await app.client.commitChanges(id, { branch: "work", message: "Work" });
    const { remotes } = await app.client.reviews.publishing(id);
    expect(remotes.map(({ name, pull_request }) => [name, pull_request])).toEqual([
      ["hub", "gh"],
      ["lab", "glab"],
      ["plain", undefined],
    ]);
    const [hub, lab, plain] = remotes.map(({ name, url }) => ({ branch, remote: name, url }));
    if (hub === undefined || lab === undefined || plain === undefined) throw new Error("no remotes");
    const opened = await app.client.reviews.openPullRequest(id, {
      ...hub,
      title: "--help",
      body: "Why\nnot",
      base: "main",
    });
    expect(opened).toEqual({ branch, commit, remote: "hub", pull_request: "https://github.com/org/app/pull/7" });
    await app.client.reviews.openPullRequest(id, { ...lab, title: "Work", draft: true });
    expect(forge.calls().map(({ words }) => words)).toEqual(
      expect.arrayContaining([
        ["pr", "create", "--repo=github.com/org/app", "--head=work", "--base=main", "--title=--help", "--body-file=-"],
        [
          "mr",
          "create",
          "--repo=https://gitlab.example/group/sub/app",
          "--source-branch=work",
          "--title=Work",
          "--description=",
          "--draft",
          "--yes",
        ],
      ]),
    );
    const call = forge.calls().find(({ words }) => words[0] === "pr");
    expect(call?.input).toBe("Why\nnot");
    expect(call?.config).not.toContain("fsmonitor");
    expect(JSON.stringify(forge.calls())).not.toContain("hunter2");
    const refusal = await app.client.reviews
      .openPullRequest(id, { ...hub, title: "refused" })
      .catch((error: unknown) => error as Error);
    expect(refusal).toMatchObject({ code: "conflict" });
    expect((refusal as Error).message).toContain("gh failed: no: https://github.com/x is closed");
    await expect(app.client.reviews.openPullRequest(id, { ...plain, title: "x" })).rejects.toMatchObject({
      code: "unsupported",
    });
    const audit = JSON.stringify(await app.client.audit({ limit: 50 }));
    expect(audit).toContain("changes.pull_request");
    expect(audit).not.toContain("hunter2");
  });
});
