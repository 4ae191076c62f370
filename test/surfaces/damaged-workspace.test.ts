import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";

const MODES = ["worktree", "snapshot"] as const;

async function changed(app: TestApp, workspace_mode: (typeof MODES)[number]): Promise<string> {
  const write = { tool: "Write", input: { file_path: "a.txt", content: "changed\n" } };
  const { session } = await runScript(app.client, {
    workspace_mode,
    profile: "full",
    autonomy: "full",
    prompt: { text: script(write, { say: "Done." }) },
  });
  return session.id;
}

async function makeRepository(folder: string): Promise<void> {
  await writeFile(join(folder, "a.txt"), "first\n");
  const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "--message=first"],
  ])
    execFileSync("git", ["-C", folder, ...identity, ...words]);
}

describe.each(MODES)("the notes of a session's %s", (workspace_mode) => {
  it.each([
    ["workspace.json", "{cut"],
    ["workspace.json", "null"],
    ["workspace.json", '{"mode":"of another kind"}'],
    ["applied.json", "[1]"],
  ])("are damaged (%s: %s): every request says so, and the session can be deleted", async (file, damage) => {
    await using app = await openTestApp();
    await makeRepository(app.place.workspace);
    const [hurt, whole] = [await changed(app, workspace_mode), await changed(app, workspace_mode)];
    const note = join(app.place.home, "workspaces", hurt, file);
    const before = await readFile(note, "utf8").catch(() => "{}");
    await writeFile(note, damage);
    const refusal = { code: "workspace_missing", message: expect.stringContaining(`${file}, which says`) };
    await expect(app.client.changes(hurt)).rejects.toMatchObject(refusal);
    await expect(app.client.changeDiff(hurt, "a.txt")).rejects.toMatchObject(refusal);
    await expect(app.client.applyChanges(hurt)).rejects.toMatchObject(refusal);
    // The other session is not touched, also after a restart, which deletes what nobody needs.
    await app.restart();
    expect((await app.client.changes(whole)).files.map(({ path }) => path)).toEqual(["a.txt"]);
    await expect(app.client.changes(hurt)).rejects.toMatchObject(refusal);
    // Put back, everything is there.
    await writeFile(note, before);
    expect((await app.client.changes(hurt)).files.map(({ path }) => path)).toEqual(["a.txt"]);
    await writeFile(note, damage);
    await app.client.deleteSession(hurt);
    expect(await readdir(join(app.place.home, "workspaces"))).toEqual([whole]);
  });
});
