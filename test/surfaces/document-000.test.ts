import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isToolItem, outputText, type JournalEvent } from "../../src/protocol/index.ts";
import { script } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";
import {
  fileOf,
  journalOf,
  openRuntimeApp,
  PageClient,
  sessionOf,
  textOf,
  withoutChunks,
  type Message,
  type RuntimeApp,
} from "./runtime-world.ts";

let app: RuntimeApp;
beforeAll(async () => {
  app = await openRuntimeApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const open = async (token?: string): Promise<PageClient> => {
  const page = new PageClient(app.url, token);
  await page.opened;
  return page;
};

const TABLE = { context: { viewType: "TABLE_VIEW" } };

/** What the model was told of its tool calls, in order. */
function results(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "item.completed" && isToolItem(event.item) ? [outputText(event.item.output ?? [])] : [],
  );
}

describe("document 000's flow", () => {
  it("message → chunks → tool_use → tool_execute → tool_result → final, in this order", async () => {
    const page = await open();
    const args = { viewerType: "Scatter plot", viewerProperties: { xColumnName: "Age" } };
    const steps = [{ say: "I will add it." }, { tool: "mcp__datagrok__add_viewer", input: args }, { say: "Done." }];
    page.ask("flow", script(...steps), TABLE);
    const before = await page.until("tool_execute");
    const execute = before.at(-1) as Message;
    expect(execute).toEqual({
      type: "tool_execute",
      callId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      tool: "add_viewer",
      args,
      sessionId: "flow",
    });
    expect(textOf(before)).toBe("I will add it.");
    const use = {
      type: "tool_use",
      sessionId: "flow",
      tool: "add_viewer",
      input: args,
      tool_use_id: expect.any(String),
    };
    expect(withoutChunks(before)).toEqual([{ ...use, status: "running" }, execute]);
    page.say({ type: "tool_result", callId: execute["callId"], result: "Added viewer with ID: viewer-1" });
    const after = await page.until("final");
    expect(textOf([...before, ...after])).toBe("I will add it.\n\nDone.");
    expect(withoutChunks(after)).toEqual([
      { ...use, status: "completed" },
      {
        type: "final",
        sessionId: "flow",
        content: "I will add it.\n\nDone.",
        usage: {
          input_tokens: expect.any(Number),
          output_tokens: expect.any(Number),
          cache_read_input_tokens: expect.any(Number),
          cache_creation_input_tokens: expect.any(Number),
        },
        cost_usd: 0,
        num_turns: 2,
        metrics: expect.objectContaining({
          numTurns: 2,
          costUsd: 0,
          durationMs: expect.any(Number),
          durationApiMs: null,
        }),
      },
    ]);
    expect(results(await journalOf(app, "flow"))).toEqual(["Added viewer with ID: viewer-1"]);
    await page.close();
  });

  it("streams an answer in many chunks that are the final text together", async () => {
    const page = await open();
    page.ask("stream", script({ stream: { tokens: 100, per_second: 500 } }));
    const messages = await page.until("final");
    expect(messages.filter(({ type }) => type === "chunk").length).toBeGreaterThan(3);
    expect(textOf(messages)).toBe(messages.at(-1)?.["content"]);
    await page.close();
  });

  it("tells of the server's own tools and runs them here", async () => {
    await writeFile(fileOf(app, "package.ts"), "export const a = 1;\n");
    const page = await open();
    const input = { file_path: fileOf(app, "package.ts") };
    page.ask("read", script({ tool: "Read", input }, { say: "ok" }));
    const messages = await page.until("final");
    const use = { type: "tool_use", sessionId: "read", tool: "Read", input, tool_use_id: expect.any(String) };
    expect(withoutChunks(messages).slice(0, -1)).toEqual([
      { ...use, status: "running" },
      { ...use, status: "completed" },
    ]);
    await page.close();
  });

  it("sends calls that only look beside each other, and those that change the page one after the other", async () => {
    const page = await open();
    const look = { tool: "mcp__datagrok__list_current_viewers", input: {} };
    const change = { tool: "mcp__datagrok__highlight_element", input: { elementId: "a", description: "b" } };
    page.ask("many", script({ tools: [look, look, change, change] }, { say: "ok" }), TABLE);
    const [first, second] = [await page.next("tool_execute"), await page.next("tool_execute")];
    expect([first["tool"], second["tool"]]).toEqual(["list_current_viewers", "list_current_viewers"]);
    for (const call of [second, first]) page.say({ type: "tool_result", callId: call["callId"], result: "none" });
    for (let turn = 0; turn < 2; turn += 1) {
      const call = await page.next("tool_execute");
      expect([call["tool"], page.heard.filter(({ type }) => type === "tool_execute")]).toEqual([
        "highlight_element",
        [],
      ]);
      page.say({ type: "tool_result", callId: call["callId"], result: "Element highlighted" });
    }
    await page.next("final");
    await page.close();
  });

  it("forwards what the page says of a failure, word for word, and goes on", async () => {
    const page = new PageClient(app.url, TEST_TOKEN, {
      describe_viewer: () => "Error: no viewer of this type",
      get_available_viewers: () => "Grid",
    });
    await page.opened;
    page.ask(
      "failing",
      script(
        { tool: "mcp__datagrok__describe_viewer", input: { viewerType: "x" } },
        { tool: "mcp__datagrok__get_available_viewers", input: {} },
        { say: "ok" },
      ),
      TABLE,
    );
    const messages = await page.until("final");
    expect(
      messages.filter(({ type }) => type === "tool_use").map(({ tool, status, error }) => [tool, status, error]),
    ).toEqual([
      ["describe_viewer", "running", undefined],
      ["describe_viewer", "failed", "Error: no viewer of this type"],
      ["get_available_viewers", "running", undefined],
      ["get_available_viewers", "completed", undefined],
    ]);
    expect(results(await journalOf(app, "failing"))).toEqual(["Error: no viewer of this type", "Grid"]);
    await page.close();
  });

  it("refuses arguments that do not fit before the page sees them", async () => {
    const page = await open();
    const input = { viewerType: "Grid", color: "red" };
    page.ask("wrong", script({ tool: "mcp__datagrok__add_viewer", input }, { say: "ok" }), TABLE);
    const messages = await page.until("final");
    expect(messages.some(({ type }) => type === "tool_execute")).toBe(false);
    expect(results(await journalOf(app, "wrong"))).toEqual([
      "Invalid input for mcp__datagrok__add_viewer: viewerProperties is required; color is not an argument of this tool",
    ]);
    await page.close();
  });
});

describe("the tools of a message", () => {
  const table = ["add_viewer", "describe_viewer", "list_current_viewers", "adjust_viewer", "find_viewers_by_type"];
  const TABLE_TOOLS = [...table, "get_available_viewers", "highlight_element", "list_ui_elements"];
  const sql = [
    "list_tables_in_schema",
    "describe_tables",
    "list_joins",
    "try_sql",
    "list_all_schemas",
    "list_catalogs",
  ];
  const SQL_TOOLS = [...sql, "find_similar_queries"];
  const SCRIPT_TOOLS = [
    "find_similar_script_samples",
    "search_documentation",
    "list_js_members",
    "search_js_api_sources",
  ];

  it.each<[string, object | undefined, readonly string[]]>([
    ["nothing", undefined, SCRIPT_TOOLS],
    ["an empty context", {}, SCRIPT_TOOLS],
    ["TABLE_VIEW", { viewType: "TABLE_VIEW" }, [...TABLE_TOOLS, ...SCRIPT_TOOLS]],
    ["TableView", { viewType: "TableView" }, [...TABLE_TOOLS, ...SCRIPT_TOOLS]],
    ["TABLE_VIEW in metadata", { metadata: { viewType: "TABLE_VIEW" } }, [...TABLE_TOOLS, ...SCRIPT_TOOLS]],
    ["TableView in metadata", { metadata: { viewType: "TableView" } }, [...TABLE_TOOLS, ...SCRIPT_TOOLS]],
    ["another view", { viewType: "script" }, SCRIPT_TOOLS],
    ["a connection", { connectionId: "Chembl" }, [...SQL_TOOLS, ...SCRIPT_TOOLS]],
    ["a connection in metadata", { metadata: { connectionId: "Chembl" } }, [...SQL_TOOLS, ...SCRIPT_TOOLS]],
    [
      "both",
      { viewType: "TableView", metadata: { connectionId: "Chembl" } },
      [...TABLE_TOOLS, ...SQL_TOOLS, ...SCRIPT_TOOLS],
    ],
  ])("with %s", async (name, context, expected) => {
    const page = await open();
    const search = { tool: "mcp__datagrok__search_documentation", input: { query: "x", maxResults: 1 } };
    page.ask(`tools ${name}`, script(search, { say: "ok" }), context === undefined ? {} : { context });
    const call = await page.next("tool_execute");
    const session = await sessionOf(app, `tools ${name}`);
    const offered = await app.tools(session.id);
    expect(offered).toEqual(
      ["Read", "Glob", "Grep", "WebFetch", ...expected.map((tool) => `mcp__datagrok__${tool}`)].toSorted(),
    );
    page.say({ type: "tool_result", callId: call["callId"], result: "none" });
    await page.next("final");
    // Between turns the page offers nothing.
    expect(await app.tools(session.id)).toEqual(["Glob", "Grep", "Read", "WebFetch"]);
    await page.close();
  });

  it.each([
    [
      "mcp__datagrok__add_viewer",
      { viewerType: "Grid", viewerProperties: {} },
      "Unknown tool: mcp__datagrok__add_viewer",
    ],
    ["mcp__datagrok__try_sql", { sql: "SELECT 1", description: "" }, "Unknown tool: mcp__datagrok__try_sql"],
    [
      "Bash",
      { command: "echo hi" },
      "Denied by policy (profile server: tools): The profile server does not give the tool Bash. Use the tools that you have, or say which one you need and why.",
    ],
    [
      "Write",
      { file_path: "a", content: "b" },
      "Denied by policy (profile server: tools): The profile server does not give the tool Write. Use the tools that you have, or say which one you need and why.",
    ],
  ])("are all that there is: %s is refused, though nobody is asked", async (tool, input, text) => {
    const page = await open();
    page.ask(`refused ${tool}`, script({ tool, input }, { say: "ok" }));
    const messages = await page.until("final");
    expect(messages.some(({ type }) => type === "tool_execute" || type === "approval_request")).toBe(false);
    expect(results(await journalOf(app, `refused ${tool}`))).toEqual([text]);
    await page.close();
  });

  it("come and go with the view, within one conversation", async () => {
    const page = new PageClient(app.url, TEST_TOKEN, { list_current_viewers: () => "none" });
    await page.opened;
    const look = script({ tool: "mcp__datagrok__list_current_viewers", input: {} }, { say: "ok" });
    for (const context of [{}, { viewType: "TableView" }, { viewType: "script" }, { viewType: "TABLE_VIEW" }]) {
      page.ask("view", look, { context });
      await page.next("final");
    }
    const unknown = "Unknown tool: mcp__datagrok__list_current_viewers";
    expect(results(await journalOf(app, "view"))).toEqual([unknown, "none", unknown, "none"]);
    await page.close();
  });
});

describe("a conversation", () => {
  const prompts = async (name: string): Promise<readonly unknown[]> =>
    (await journalOf(app, name)).flatMap((event) => (event.type === "turn.started" ? [event.prompt] : []));

  it("goes on with the second message, also after a restart of the server", async () => {
    await using own = await openRuntimeApp();
    const first = new PageClient(own.url);
    await first.opened;
    first.ask("again", script({ say: "one" }));
    await first.next("final");
    first.ask("again", script({ say: "two" }));
    await first.next("final");
    const before = await sessionOf(own, "again");
    await own.restart();
    const second = new PageClient(own.url);
    await second.opened;
    second.ask("again", script({ say: "three" }), { resumeExpected: true });
    expect(await second.next("final")).toMatchObject({ content: "three" });
    const after = await sessionOf(own, "again");
    expect([after.id, after.turns, after.settings.metadata]).toEqual([
      before.id,
      3,
      { surface: "runtime", client_session_id: "again" },
    ]);
    await second.close();
  });

  it("that was in the middle of a call when the server stopped goes on, and its next message waits for that", async () => {
    await using own = await openRuntimeApp();
    const first = new PageClient(own.url);
    await first.opened;
    const look = { tool: "mcp__datagrok__list_current_viewers", input: {} };
    const change = { tool: "mcp__datagrok__highlight_element", input: { elementId: "a", description: "b" } };
    first.ask("stopped", script({ tools: [look, change] }, { say: "went on" }), TABLE);
    const call = await first.next("tool_execute");
    first.say({ type: "tool_result", callId: call["callId"], result: "none" });
    await first.next("tool_execute");
    await own.restart();
    const second = new PageClient(own.url);
    await second.opened;
    second.ask("stopped", script({ say: "here" }), { resumeExpected: true });
    expect(await second.next("final")).toMatchObject({ content: "here" });
    const events = await journalOf(own, "stopped");
    expect(results(events)).toEqual(["none", expect.stringMatching(/^The server stopped while this tool ran/)]);
    expect(events.filter(({ type }) => type === "turn.completed").length).toBe(2);
    await second.close();
  });

  it("begins with instructions, and tells the model when the page changes", async () => {
    const page = await open();
    const hi = script({ say: "hi" });
    const context = { viewType: "TableView", repoFiles: ["src/a.ts"], metadata: { table: "demog" } };
    page.ask("told", hi, { context });
    await page.next("final");
    page.ask("told", hi, { context });
    await page.next("final");
    page.ask("told", hi, { context: { ...context, metadata: { table: "cars" } } });
    await page.next("final");
    const { settings } = await sessionOf(app, "told");
    expect(settings.system_prompt).toMatch(
      /Datagrok platform[^]*table: demog\nFiles of the repository that matter here:\n- src\/a\.ts$/,
    );
    expect([settings.profile, settings.autonomy, settings.max_turns]).toEqual(["server", "full", 15]);
    const text =
      "The person has this view open: TableView\ntable: cars\nFiles of the repository that matter here:\n- src/a.ts";
    expect(await prompts("told")).toEqual([
      { text: hi },
      { text: hi },
      { text: hi, attachments: [{ type: "text", name: "context", text }] },
    ]);
    await page.close();
  });

  it("takes pictures, a budget for one message, and what else counts at its beginning where the policy lists it", async () => {
    const page = await open();
    const { default_profile, profiles } = await app.client.policy();
    const server = { ...profiles["server"], client_may_choose: ["profile" as const, "max_turns" as const] };
    await app.client.setPolicy({ default_profile, profiles: { server } });
    const hi = script({ say: "hi" });
    const image = { mediaType: "image/png", data: "iVBORw0KGgo=" };
    const more = { images: [image], max_budget_usd: 0.25, max_turns: 3, systemPromptMode: "none", profile: "readonly" };
    page.ask("more", hi, more);
    await page.next("final");
    expect(await prompts("more")).toEqual([
      {
        text: hi,
        attachments: [{ type: "image", media_type: "image/png", data: "iVBORw0KGgo=" }],
        max_cost_microusd: 250_000,
      },
    ]);
    const { settings } = await sessionOf(app, "more");
    expect([settings.system_prompt, settings.max_turns, settings.profile]).toEqual([undefined, 3, "readonly"]);
    page.ask("more", hi, { images: [{ mediaType: "image/png", data: "?" }] });
    expect(await page.next("error")).toMatchObject({
      sessionId: "more",
      message: expect.stringMatching(/^an image must be/),
    });
    await page.close();
  });

  it("changes its model and keeps what was said", async () => {
    const page = await open();
    page.ask("model", script({ say: "one" }));
    await page.next("final");
    const first = await sessionOf(app, "model");
    page.ask("model", script({ say: "two" }), { model: "opus" });
    await page.next("final");
    page.ask("model", script({ say: "three" }), { model: "opus" });
    await page.next("final");
    const second = await sessionOf(app, "model");
    expect([second.settings.model, second.forked_from?.session_id, second.settings.profile]).toEqual([
      "claude-opus-5",
      first.id,
      "server",
    ]);
    expect((await app.client.session(first.id)).status).toBe("complete");
    expect((await prompts("model")).length).toBe(3);
    await page.close();
  });

  it("that is lost is not gone on with where the client expects its memory", async () => {
    const page = await open();
    page.ask("lost", "hi", { resumeExpected: true });
    expect(await page.next("session_reset")).toEqual({ type: "session_reset", sessionId: "lost", reason: "not_found" });
    // One that somebody closed is lost, too; without the expectation a new one begins.
    page.ask("lost", script({ say: "one" }));
    await page.next("final");
    await app.client.control((await sessionOf(app, "lost")).id, "close");
    page.ask("lost", script({ say: "two" }), { resumeExpected: true });
    expect(await page.next("session_reset")).toMatchObject({ reason: "not_found" });
    page.ask("lost", script({ say: "three" }));
    expect(await page.next("final")).toMatchObject({ content: "three" });
    expect((await sessionOf(app, "lost")).turns).toBe(1);
    await page.close();
  });

  it("is one of several on a socket, each with its own answer", async () => {
    const page = await open();
    for (const name of ["x", "y", "z"]) page.ask(`par ${name}`, script({ delay_ms: 5 }, { say: `I am ${name}.` }));
    const finals = [await page.next("final"), await page.next("final"), await page.next("final")];
    expect(Object.fromEntries(finals.map((final) => [final.sessionId, final["content"]]))).toEqual({
      "par x": "I am x.",
      "par y": "I am y.",
      "par z": "I am z.",
    });
    await page.close();
  });
});
