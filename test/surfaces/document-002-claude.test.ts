import { chmod, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findClaude } from "../../src/engines/claude/find.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { BridgeClient, threadOf } from "./bridge-client.ts";

/** Stands before the real program: writes down how it is started and what signals come, and passes both on. */
const WRAPPER = (program: string, record: string): string => `#!${process.execPath}
const { spawn } = require("node:child_process");
const { appendFileSync } = require("node:fs");
const words = process.argv.slice(2);
const note = (line) => appendFileSync(${JSON.stringify(record)}, JSON.stringify(line) + "\\n");
const isRun = !words.includes("--version");
if (isRun) note({ words, cwd: process.cwd() });
const child = spawn(${JSON.stringify(program)}, words, { stdio: "inherit" });
process.on("SIGINT", () => {
  note({ signal: "SIGINT" });
  child.kill("SIGINT");
});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
`;

let app: TestApp;
let client: BridgeClient;
let record: string;

beforeAll(async () => {
  const [program] = findClaude({});
  if (program === undefined) throw new Error("Claude Code is not in the SDK's package");
  app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        record = join(home, "started.jsonl");
        const wrapper = join(home, "claude-wrapper.cjs");
        await writeFile(wrapper, WRAPPER(program, record));
        await chmod(wrapper, 0o700);
        await writeFile(join(home, "sallyport.yaml"), `claude: ${JSON.stringify(wrapper)}\n`, { mode: 0o600 });
        return async () => undefined;
      },
    },
  );
  client = new BridgeClient(app);
});
afterAll(async () => {
  client?.close();
  await app?.[Symbol.asyncDispose]();
});

interface Line {
  readonly words?: readonly string[];
  readonly cwd?: string;
  readonly signal?: string;
}

async function recorded(): Promise<readonly Line[]> {
  const lines = (await readFile(record, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

/** As an app does that knows only the document: the provider is chosen, not the engine. */
const submit = (text: string): Promise<void> => client.say({ control: "run.submit", text, provider: "claude" });

describe("document 002's bridge on Claude Code", () => {
  it("run.submit starts Claude Code with the prompt, and its rows are the document's", async () => {
    await writeFile(join(app.place.workspace, "notes.txt"), "milk\n");
    const grep = { tool: "Grep", input: { pattern: "milk", path: app.place.workspace } };
    await submit(script({ say: "I'll search." }, grep, { say: "Found." }));
    const rows = await client.turn();
    const thread_id = threadOf(rows);
    const tool = { id: expect.stringMatching(/^toolu_/), type: "command_execution", command: "Grep" };
    expect(rows).toEqual([
      { type: "thread.started", thread_id },
      { type: "turn.started" },
      { type: "thread.session", thread_id, session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "I'll search." } },
      { type: "item.started", item: { ...tool, aggregated_output: "", status: "in_progress" } },
      {
        type: "item.completed",
        item: { ...tool, aggregated_output: expect.stringContaining("notes.txt"), exit_code: 0, status: "completed" },
      },
      { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "Found." } },
      { type: "turn.completed", usage: expect.any(Object) },
    ]);
    expect((await app.client.session(thread_id)).settings.engine).toBe("claude-cli");
    const [started] = await recorded();
    expect(started?.words).toEqual(expect.arrayContaining(["-p", "--output-format=stream-json", "--verbose"]));
    expect(started?.cwd).toBe(await realpath(app.place.workspace));
    // The prompt is among no arguments, which others on the machine could read.
    expect(started?.words?.join(" ")).not.toContain("search");
  });

  it("run.abort sends SIGINT, and the turn failed", async () => {
    const watcher = new BridgeClient(app, { query: "replay=off&mapping=rich" });
    await watcher.status();
    await submit(script({ stream: { tokens: 100_000, per_second: 200 } }));
    await watcher.until((row) => row.type === "item.updated");
    expect((await recorded()).filter(({ signal }) => signal !== undefined)).toEqual([]);
    await client.say({ control: "run.abort" });
    const rows = await client.turn();
    expect(rows.at(-1)).toEqual({ type: "turn.failed", error: { message: "aborted" } });
    expect((await recorded()).filter(({ signal }) => signal !== undefined)).toEqual([{ signal: "SIGINT" }]);
    watcher.close();
  });
});
