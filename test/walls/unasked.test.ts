import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CreateSession } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";
import { describeWithWalls } from "../support/walls.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_SANDBOX: "auto" });
  const { workspace } = app.place;
  await writeFile(join(workspace, "a.txt"), "hello\n");
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  execFileSync("git", ["add", "a.txt"], { cwd: workspace });
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"], { cwd: workspace });
});
afterAll(() => app[Symbol.asyncDispose]());

/** The commands and edits of a script that a person was asked about, and why nobody was asked about the others. */
async function run(settings: Partial<CreateSession>): Promise<unknown> {
  const asked: unknown[] = [];
  const { events } = await runScript(
    app.client,
    {
      ...settings,
      prompt: {
        text: script(
          { tool: "Write", input: { file_path: "new.txt", content: "x\n" } },
          { tool: "Bash", input: { command: "echo y >> new.txt; cat new.txt" } },
          { tool: "Bash", input: { command: "cat a.txt" } },
          { tool: "Bash", input: { command: "git log --format=%s" } },
          { tool: "Write", input: { file_path: ".git/config", content: "" } },
          { say: "Done." },
        ),
      },
    },
    ({ id, tool, input, input_hash }) => {
      asked.push([tool, input["command"] ?? input["file_path"]]);
      return app.client.decide(id, { decision: "reject", input_hash });
    },
  );
  const unasked = events.flatMap((event) =>
    event.type === "item.completed" && "unasked" in event.item && event.item.unasked !== undefined
      ? [[event.item.status, event.item.unasked.rule]]
      : [],
  );
  return { asked, unasked };
}

describeWithWalls("supervised in bubblewrap", () => {
  it("asks about nothing but protected files, without network on a snapshot", async () => {
    expect(await run({ sandbox: "bubblewrap", network: "none", workspace_mode: "snapshot" })).toEqual({
      asked: [["Write", ".git/config"]],
      unasked: Array.from({ length: 4 }, () => ["completed", "supervised: sandbox"]),
    });
  });

  it("asks as ever on the folder itself", async () => {
    expect(await run({ sandbox: "bubblewrap", network: "none" })).toEqual({
      asked: [
        ["Write", "new.txt"],
        ["Bash", "echo y >> new.txt; cat new.txt"],
        ["Write", ".git/config"],
      ],
      unasked: [
        ["completed", "supervised: only reads"],
        ["completed", "supervised: only reads"],
      ],
    });
  });
});
