import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Profile } from "../../src/protocol/index.ts";
import { script } from "../support/app.ts";
import { fileOf, openRuntimeApp, PageClient, sessionOf, type RuntimeApp } from "./runtime-world.ts";

let app: RuntimeApp;
beforeAll(async () => {
  app = await openRuntimeApp();
  await writeFile(fileOf(app, "a.txt"), "one\n");
});
afterAll(() => app[Symbol.asyncDispose]());

const READ = ["Read", "Glob", "Grep", "WebFetch"];
const ASSIST = [...READ, "Edit", "Write"];
const FULL = [...ASSIST, "Bash", "Task", "NotebookEdit"];

/** Sets the tools of the profile that document 000's sessions have. */
async function give(tools: readonly string[]): Promise<void> {
  const { default_profile, profiles } = await app.client.policy();
  const server: Profile = { ...profiles["server"], tools: [...tools, "mcp__datagrok__*"] };
  await app.client.setPolicy({ default_profile, profiles: { server } });
}

describe("document 000's sets of tools", () => {
  it("the profile decides which of the document's sets there is", async () => {
    const page = new PageClient(app.url);
    await page.opened;
    const edit = { tool: "Edit", input: { file_path: fileOf(app, "a.txt"), old_string: "one", new_string: "two" } };
    const bash = { tool: "Bash", input: { command: "echo three > b.txt" } };
    const ran: unknown[] = [];
    for (const [name, tools] of Object.entries({ READ, ASSIST, FULL })) {
      await give(tools);
      page.ask(name, script(edit, bash, { say: "ok" }));
      const messages = await page.until("final");
      // Nobody is asked: a tool of the set runs, another one is refused.
      expect(messages.some(({ type }) => type === "approval_request")).toBe(false);
      const ended = messages.filter(({ type, status }) => type === "tool_use" && status !== "running");
      ran.push([name, ...ended.map(({ tool, status }) => `${String(tool)} ${String(status)}`)]);
      expect(await app.tools((await sessionOf(app, name)).id)).toEqual(tools.toSorted());
      if (name === "ASSIST") await writeFile(fileOf(app, "a.txt"), "one\n");
    }
    expect(ran).toEqual([
      ["READ", "Edit failed", "Bash failed"],
      ["ASSIST", "Edit completed", "Bash failed"],
      ["FULL", "Edit completed", "Bash completed"],
    ]);
    expect(await readFile(fileOf(app, "a.txt"), "utf8")).toBe("two\n");
    expect(await readFile(fileOf(app, "b.txt"), "utf8")).toBe("three\n");
    await page.close();
  });
});
