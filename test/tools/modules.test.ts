import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";

const MODULE = `
export const name = "desk";
export const tools = [
  {
    name: "add",
    description: "Adds two numbers.",
    input_schema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
    tier: "read",
    execute: async ({ a, b }) => ({ content: String(a + b) }),
  },
  {
    name: "send",
    description: "Sends a letter.",
    input_schema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    tier: "execute",
    preview: ({ to }) => "A letter goes to " + to,
    execute: async ({ to }, { workspace }) => ({ content: "sent to " + to + " from " + workspace, is_error: false }),
  },
  {
    name: "fail",
    description: "Fails.",
    input_schema: { type: "object", properties: {} },
    tier: "read",
    execute: async () => { throw new Error("no stamps"); },
  },
  {
    name: "hang",
    description: "Never ends.",
    input_schema: { type: "object", properties: {} },
    tier: "read",
    timeout_ms: 1,
    execute: () => new Promise(() => {}),
  },
  {
    name: "open",
    description: "Reads a file.",
    input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    tier: "read",
    paths: ({ path }) => {
      if (path === "?") throw new Error("which?");
      return [{ path, access: "read" }];
    },
    execute: () => "no result",
  },
];
`;

async function openWith(module: string, mode = 0o600): Promise<TestApp> {
  return openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        await writeFile(join(home, "desk.mjs"), module);
        await chmod(join(home, "desk.mjs"), mode);
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ tool_modules: ["desk.mjs"] }));
        return () => Promise.resolve();
      },
    },
  );
}

describe("tools of a module that the settings name", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openWith(MODULE);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  /** How each call of a turn ended, and what the model read. */
  async function results(...calls: readonly object[]): Promise<readonly unknown[]> {
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(...calls, { say: "end" }) } },
      approveWith(app.client),
    );
    return events.flatMap((event) =>
      event.type === "item.completed" && "tool" in event.item
        ? [[event.item.status, (event.item.output ?? []).map((block) => (block.type === "text" ? block.text : ""))]]
        : [],
    );
  }

  it("run, are checked by their schema, and fail as results", async () => {
    expect(
      await results(
        { tool: "mcp__desk__add", input: { a: 1, b: 2 } },
        { tool: "mcp__desk__add", input: { a: 1, b: "2" } },
        { tool: "mcp__desk__fail", input: {} },
        { tool: "mcp__desk__hang", input: {} },
      ),
    ).toEqual([
      ["completed", ["3"]],
      ["failed", [expect.stringContaining("Invalid input for mcp__desk__add: b") as unknown]],
      ["failed", ["Error: no stamps"]],
      ["failed", ["Error: mcp__desk__hang did not answer within 0.001s"]],
    ]);
  });

  it("ask by their tier, with a preview of their own, and pass the same gate", async () => {
    const { events } = await runScript(
      app.client,
      { prompt: { text: script({ tool: "mcp__desk__send", input: { to: "Anna" } }, { say: "end" }) } },
      approveWith(app.client),
    );
    const asked = events.find(({ type }) => type === "approval.requested");
    expect(asked).toMatchObject({
      approval: {
        tool: "mcp__desk__send",
        tier: "execute",
        input: { to: "Anna" },
        preview: { type: "generic", summary: "A letter goes to Anna" },
      },
    });
    expect(JSON.stringify(events)).toContain(`sent to Anna from ${app.place.workspace}`);
    expect(await results({ tool: "mcp__desk__open", input: { path: "/etc/passwd" } })).toEqual([
      ["declined", [expect.stringContaining("outside of the workspace") as unknown]],
    ]);
    expect(
      await results(
        { tool: "mcp__desk__open", input: { path: "?" } },
        { tool: "mcp__desk__open", input: { path: "a.txt" } },
      ),
    ).toEqual([
      ["failed", [expect.stringContaining("cannot be determined") as unknown]],
      ["failed", [expect.stringContaining("not a result") as unknown]],
    ]);
  });
});

describe("a module that cannot be used", () => {
  it.each([
    ["is no program", "this is no program", /cannot be loaded/],
    ["exports nothing", "export const name = 'desk';", /tools: /],
    [
      "has a tool without a tier",
      "export const name = 'desk'; export const tools = [{ name: 'a', description: 'a', input_schema: { type: 'object' }, execute: async () => ({ content: '' }) }];",
      /tools\.0\.tier/,
    ],
    [
      "has a schema that cannot be used",
      "export const name = 'desk'; export const tools = [{ name: 'a', description: 'a', tier: 'read', input_schema: { type: 'string' }, execute: async () => ({ content: '' }) }];",
      /tools\.0\.input_schema/,
    ],
    [
      "names a tool twice",
      "const t = { name: 'a', description: 'a', tier: 'read', input_schema: { type: 'object' }, execute: async () => ({ content: '' }) }; export const name = 'desk'; export const tools = [t, t];",
      /two tools of tool_modules are named mcp__desk__a/,
    ],
  ])("because it %s is named at the start", async (_why, module, words) => {
    await expect(openWith(module)).rejects.toThrow(words);
  });

  it("because others could change it is refused", async () => {
    await expect(openWith(MODULE, 0o666)).rejects.toThrow(/desk\.mjs/);
  });
});
