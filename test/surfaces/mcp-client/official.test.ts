import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../../support/app.ts";
import { officialServer } from "../../support/mcp-servers.ts";
import { isFullRun } from "../../support/sample.ts";
import { PROGRAMS_FOLDER, vendorProgram } from "../../support/vendor-programs.ts";
import { outputs } from "./world.ts";

const everything = officialServer("everything");
const filesystem = officialServer("filesystem");
const memory = officialServer("memory");

/** OpenCode is left out where it is not installed. */
const ENGINES = ["loop", "claude-sdk", ...(vendorProgram("opencode") === undefined ? [] : ["opencode"])];

/** Its process starts slowly: one server is enough every day. */
function isLeftToSoak(engine: string): boolean {
  return engine === "opencode" && !isFullRun;
}

function openApp(): Promise<TestApp> {
  return openTestApp({ SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER });
}

describe.each(ENGINES)("official servers on %s", (engine) => {
  it.skipIf(everything === undefined)("everything: texts, pictures, resources and prompts", async () => {
    await using app = await openApp();
    const { session, events } = await runScript(
      app.client,
      {
        engine,
        mcp_servers: { everything: { command: process.execPath, args: [everything ?? "", "stdio"] } },
        prompt: {
          text: script(
            { tool: "mcp__everything__echo", input: { message: "hello" } },
            { tool: "mcp__everything__get-sum", input: { a: 2, b: 3 } },
            { tool: "mcp__everything__get-tiny-image", input: {} },
            { tool: "mcp__everything__list_prompts", input: {} },
            { say: "Done." },
          ),
        },
      },
      approveWith(app.client),
    );
    const { servers } = await app.client.sessionMcpServers(session.id);
    expect(servers[0]).toMatchObject({ state: "ready" });
    const seen = outputs(events);
    expect(seen.slice(0, 2)).toEqual(["Echo: hello", "The sum of 2 and 3 is 5."]);
    expect(seen[2]).toContain("image");
    expect(seen[3]).toContain('"name"');
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it.skipIf(filesystem === undefined || isLeftToSoak(engine))(
    "filesystem: reads the workspace, which is its root, and nothing else",
    async () => {
      await using app = await openApp();
      await writeFile(join(app.place.workspace, "a.txt"), "inside\n");
      await mkdir(join(app.place.workspace, "..", "beside"), { recursive: true });
      await writeFile(join(app.place.workspace, "..", "beside", "b.txt"), "outside\n");
      const { events } = await runScript(
        app.client,
        {
          engine,
          mcp_servers: { files: { command: process.execPath, args: [filesystem ?? "", "."] } },
          prompt: {
            text: script(
              { tool: "mcp__files__read_text_file", input: { path: join(app.place.workspace, "a.txt") } },
              { tool: "mcp__files__read_text_file", input: { path: join(app.place.workspace, "../beside/b.txt") } },
              { say: "Done." },
            ),
          },
        },
        approveWith(app.client),
      );
      expect(outputs(events)).toEqual(["inside\n", expect.stringContaining("Access denied")]);
    },
  );

  it.skipIf(memory === undefined || isLeftToSoak(engine))("memory: keeps what it is told", async () => {
    await using app = await openApp();
    const env = { MEMORY_FILE_PATH: join(app.place.workspace, "memory.json") };
    const entity = { name: "Ada", entityType: "person", observations: ["writes programs"] };
    const { events } = await runScript(
      app.client,
      {
        engine,
        mcp_servers: { memory: { command: process.execPath, args: [memory ?? ""], env } },
        prompt: {
          text: script(
            { tool: "mcp__memory__create_entities", input: { entities: [entity] } },
            { tool: "mcp__memory__read_graph", input: {} },
            { say: "Done." },
          ),
        },
      },
      approveWith(app.client),
    );
    expect(outputs(events)[1]).toContain("writes programs");
  });
});

it.skipIf(everything === undefined)("everything: asks a person and a model, which are asked about", async () => {
  await using app = await openApp();
  const { client } = app;
  const asked: string[] = [];
  const { events } = await runScript(
    client,
    {
      mcp_servers: { everything: { command: process.execPath, args: [everything ?? "", "stdio"] } },
      prompt: {
        text: script(
          { tool: "mcp__everything__trigger-elicitation-request", input: {} },
          { tool: "mcp__everything__trigger-sampling-request", input: { prompt: "Hello?", maxTokens: 50 } },
          { say: "Done." },
        ),
      },
    },
    ({ id, input_hash, tool }) => {
      asked.push(tool);
      return client.decide(id, { decision: tool === "McpQuestion" ? "reject" : "approve", input_hash });
    },
  );
  expect(asked).toEqual([
    "mcp__everything__trigger-elicitation-request",
    "McpQuestion",
    "mcp__everything__trigger-sampling-request",
    "McpSampling",
  ]);
  const [elicited, sampled] = outputs(events);
  expect(elicited).toContain("declined");
  expect(sampled).toContain('"role": "assistant"');
});
