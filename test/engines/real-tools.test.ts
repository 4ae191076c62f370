import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeNewId } from "../../src/protocol/index.ts";
import { createLoopEngine, type Conversation, type Host } from "../../src/engines/index.ts";
import { openLocalSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { createToolbox, openToolSession, type Toolbox } from "../../src/tools/index.ts";
import { arraysOf, never, readTurn, script, SETTINGS, World } from "./world.ts";

let world: World;
let folder: string;
let workspace: string;
let toolbox: Toolbox;
let sandbox: Sandbox;
let conversation: Conversation;

beforeAll(async () => {
  world = await World.start();
  folder = await realpath(await mkdtemp(join(tmpdir(), "loop-")));
  workspace = join(folder, "work");
  await mkdir(workspace);
  await mkdir(join(folder, "out"));
  const newId = makeNewId(Date.now, (bytes) => crypto.getRandomValues(bytes));
  sandbox = openLocalSandbox({ sessionId: "ses_1", home: folder, marker: folder });
  const session = openToolSession({
    workspace,
    sandbox,
    outputFolder: join(folder, "out"),
    extraRead: [],
    webHosts: [],
    newId,
    now: Date.now,
  });
  toolbox = createToolbox(session);
  const host: Host = {
    model: { baseUrl: world.sim.url, key: "key", name: "sim", facts: () => ({ api: "messages" }) },
    toolbox,
    newId,
    now: Date.now,
    elapsed: () => performance.now(),
    random: Math.random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      }),
    permit: (call) => Promise.resolve({ effect: "allow", input: call.input }),
    folder: workspace,
    turnId: () => "turn_1",
    sandbox: { kind: "local", open: () => Promise.reject(new Error("the loop starts no program")) },
    refusal: () => undefined,
    funds: () => Promise.resolve({ granted: true }),
  };
  conversation = await createLoopEngine().open(
    { session_id: "ses_1", settings: { ...SETTINGS, workspace }, async *history() {}, ancestry: [] },
    host,
  );
});
afterAll(async () => {
  await toolbox.close();
  await sandbox.close();
  await world.sim.close();
  await rm(folder, { recursive: true });
});

async function say(text: string): Promise<{ readonly tools: readonly string[]; readonly words: string }> {
  const { arrays } = await readTurn(arraysOf((channel) => conversation.turn({ text }, channel), never()));
  const items = arrays.flat().flatMap((event) => (event.type === "item.completed" ? [event.item] : []));
  const last = items.at(-1);
  return {
    tools: items.flatMap((item) =>
      "tool" in item && item.parent_id === undefined ? [`${item.tool} ${item.status}`] : [],
    ),
    words: last?.type === "agent_message" ? last.text : "",
  };
}

test("the demo does real work with the real tools", async () => {
  expect((await say("Create a file hello.txt with content Hello, world!")).tools).toEqual(["Write completed"]);
  expect(await readFile(join(workspace, "hello.txt"), "utf8")).toBe("Hello, world!\n");
  expect((await say("Replace Hello with Goodbye in hello.txt")).tools).toEqual(["Read completed", "Edit completed"]);
  expect(await readFile(join(workspace, "hello.txt"), "utf8")).toBe("Goodbye, world!\n");
  expect((await say("list the files")).words).toContain("hello.txt");
  expect((await say("search for Goodbye")).words).toContain("Goodbye, world!");
  expect((await say("run cat hello.txt")).words).toContain("Goodbye, world!");
  expect((await say("make a todo list: one, two")).tools).toEqual(["TodoWrite completed"]);
  expect((await say("read none.txt")).words).toContain("Read did not work");
});

test("so does a sub-agent", async () => {
  const prompt = "Create a file sub.txt with content from below";
  const { text } = script([
    { tool: "Task", input: { description: "write", prompt, subagent_type: "general-purpose" } },
    { say: "Done." },
  ]);
  expect(await say(text)).toEqual({ tools: ["Task completed"], words: "Done." });
  expect(await readFile(join(workspace, "sub.txt"), "utf8")).toBe("from below\n");
});
