import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CreateSession, SessionView } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";

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
    expect(git(workspace, "status", "--porcelain").split("\n").map((line) => line.trim())).toEqual(
      ["M a.txt", "D src/b.ts", "?? .env", "?? new/"],
    );
    expect((await app.client.changes(session.id)).files).toEqual([]);
  });
});
