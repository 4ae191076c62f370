import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";
import { LIFE_ENGINES } from "../support/life-script.ts";
import { describeWithWalls } from "../support/walls.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ CANARY_OF_THE_SERVER: "canary-0815", SALLYPORT_SANDBOX: "auto" });
});
afterAll(() => app[Symbol.asyncDispose]());

function resultsOf(events: readonly unknown[]): string {
  return JSON.stringify(events);
}

describeWithWalls("a session in bubblewrap", () => {
  it.each(LIFE_ENGINES)("%s reads, writes and runs inside, and leaves nothing", async (engine) => {
    const { workspace, home } = app.place;
    const file = join(workspace, `${engine}.txt`);
    await writeFile(join(workspace, "given.txt"), "given\n");
    const { session, events } = await runScript(
      app.client,
      {
        engine,
        prompt: {
          text: script(
            { tool: "Read", input: { file_path: join(workspace, "given.txt") } },
            { tool: "Write", input: { file_path: file, content: "one\n" } },
            { tool: "Bash", input: { command: `echo two >> ${file}; id -u; hostname; ls -a ${home} /root 2>&1; env` } },
            { say: "Done." },
          ),
        },
      },
      approveWith(app.client),
    );
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(session.settings).toMatchObject({ sandbox: "bubblewrap", network: "proxy_only" });
    expect(await readFile(file, "utf8")).toBe("one\ntwo\n");
    expect((await stat(file)).uid).toBe(process.getuid?.());
    const told = resultsOf(events);
    expect(told).toContain("sandbox");
    expect(told).not.toContain("canary-0815");
    expect(told).not.toContain("sallyport.db");
    await app.client.control(session.id, "close");
  });

  it.each(["snapshot", "worktree"] as const)("works in a %s: what it changed is reviewed and applied", async (mode) => {
    const { workspace } = app.place;
    const git = (...words: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
        cwd: workspace,
        encoding: "utf8",
      });
    if (!existsSync(join(workspace, ".git"))) git("init", "-q");
    await writeFile(join(workspace, `kept-${mode}.txt`), "kept\n");
    await writeFile(join(workspace, `changed-${mode}.txt`), "before\n");
    git("add", "-A");
    git("commit", "-qm", "begin");
    const { session, events } = await runScript(app.client, {
      workspace_mode: mode,
      autonomy: "full",
      prompt: {
        text: script(
          { tool: "Write", input: { file_path: `new-${mode}/file.txt`, content: "one\n" } },
          {
            tool: "Bash",
            input: {
              command: `echo two >> new-${mode}/file.txt; echo after > changed-${mode}.txt; git status --short; git log --format=%s`,
            },
          },
          { say: "Done." },
        ),
      },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(resultsOf(events)).toContain(`changed-${mode}.txt`);
    expect(session.settings).toMatchObject({ sandbox: "bubblewrap", workspace_mode: mode, source: workspace });
    expect(await readFile(join(workspace, `changed-${mode}.txt`), "utf8")).toBe("before\n");
    const { files } = await app.client.changes(session.id);
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      [`changed-${mode}.txt`, "modified"],
      [`new-${mode}/file.txt`, "added"],
    ]);
    await app.client.applyChanges(session.id, {});
    expect(await readFile(join(workspace, `changed-${mode}.txt`), "utf8")).toBe("after\n");
    expect(await readFile(join(workspace, `new-${mode}`, "file.txt"), "utf8")).toBe("one\ntwo\n");
    await app.client.control(session.id, "close");
  });
});
