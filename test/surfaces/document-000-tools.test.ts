import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Profile } from "../../src/protocol/index.ts";
import { script } from "../support/house.ts";
import { fileOf, openRuntimeHouse, PageClient, sessionOf, type RuntimeHouse } from "./runtime-world.ts";

let house: RuntimeHouse;
beforeAll(async () => {
  house = await openRuntimeHouse();
  await writeFile(fileOf(house, "a.txt"), "one\n");
});
afterAll(() => house[Symbol.asyncDispose]());

const READ = ["Read", "Glob", "Grep", "WebFetch"];
const ASSIST = [...READ, "Edit", "Write"];
const FULL = [...ASSIST, "Bash", "Task", "NotebookEdit"];

/** Sets the tools of the profile that document 000's sessions have. */
async function give(tools: readonly string[]): Promise<void> {
  const { default_profile, profiles } = await house.client.policy();
  const server: Profile = { ...profiles["server"], tools: [...tools, "mcp__datagrok__*"] };
  await house.client.setPolicy({ default_profile, profiles: { server } });
}

describe("document 000's sets of tools", () => {
  it("the profile decides which of the document's sets there is", async () => {
    const page = new PageClient(house.url);
    await page.opened;
    const edit = { tool: "Edit", input: { file_path: fileOf(house, "a.txt"), old_string: "one", new_string: "two" } };
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
      expect(await house.tools((await sessionOf(house, name)).id)).toEqual(tools.toSorted());
      if (name === "ASSIST") await writeFile(fileOf(house, "a.txt"), "one\n");
    }
    expect(ran).toEqual([
      ["READ", "Edit failed", "Bash failed"],
      ["ASSIST", "Edit completed", "Bash failed"],
      ["FULL", "Edit completed", "Bash completed"],
    ]);
    expect(await readFile(fileOf(house, "a.txt"), "utf8")).toBe("two\n");
    expect(await readFile(fileOf(house, "b.txt"), "utf8")).toBe("three\n");
    await page.close();
  });
});
