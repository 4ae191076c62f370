import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openTestApp } from "../../support/app.ts";

const root = resolve(import.meta.dirname, "../../..");

describe("docs/user/agents-that-start-agents.md", () => {
  it("has a program that runs as it stands", async () => {
    await using app = await openTestApp();
    await writeFile(join(app.place.workspace, "plan.md"), "TODO: everything\n");
    const paper = await readFile(join(root, "docs/user/agents-that-start-agents.md"), "utf8");
    const [, program = ""] = /```js\n([\s\S]*?)```/.exec(paper) ?? [];
    const { token } = await app.as("agent", "planner");
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
      env: { PATH: process.env["PATH"], SALLYPORT_URL: app.serving.url, SALLYPORT_TOKEN: token },
      timeout: 25_000,
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("list the files: idle");
    expect(stdout).toContain("search for TODO: idle");
    expect(stdout).toContain("fork: idle");
    const { sessions } = await app.client.sessions();
    expect(sessions.map(({ status, created_by }) => `${status} ${created_by.name}`)).toEqual(
      Array.from({ length: 4 }, () => "complete planner"),
    );
  });
});
