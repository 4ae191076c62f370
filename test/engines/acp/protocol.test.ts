import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS, type Approval, type Decision, type JournalEvent } from "../../../src/protocol/index.ts";
import { untilTurnEnds, openTestApp, type TestApp } from "../../support/app.ts";
import { leftBehind } from "../../support/server.ts";

const AGENT = resolve(import.meta.dirname, "agent.mjs");
const ENGINE = "acp:scripted";

type Said = Omit<Decision, "input_hash">;
const APPROVE: Said = { decision: "approve" };

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ AGENT_SECRET: "passed on" });
  const command = [process.execPath, AGENT];
  const scripted = {
    command,
    unmetered: true,
    authenticate: "test",
    mode: "ask",
    env_from: { INSIDE: "AGENT_SECRET" },
  };
  const acp_agents = { scripted, newer: { command, unmetered: true, env: { AGENT_VERSION: "9" } } };
  await writeFile(join(app.place.home, "sallyport.yaml"), JSON.stringify({ acp_agents }));
  const profiles = { open: { allow_unmetered: true }, closed: {} };
  await writeFile(join(app.place.home, "policy.yaml"), JSON.stringify({ default_profile: "open", profiles }));
  await app.restart();
});
afterAll(() => app[Symbol.asyncDispose]());

interface Played {
  readonly id: string;
  readonly events: readonly JournalEvent[];
  readonly asked: readonly Approval[];
  /** What the agent said, whole. */
  readonly said: string;
  readonly end: JournalEvent | undefined;
}

let marks = 0;

/** A turn of the scripted agent; without a session in a new one. */
async function play(
  steps: readonly object[],
  options: { id?: string; answer?: (approval: Approval) => Said } = {},
): Promise<Played> {
  const id = options.id ?? (await app.client.createSession({ engine: ENGINE })).id;
  const { events: before } = await app.client.events(id, { after: 0, limit: 500 });
  marks += 1;
  await app.client.prompt(id, { text: `[m${marks}]\nagent: ${JSON.stringify(steps)}` });
  const asked: Approval[] = [];
  const events = await untilTurnEnds(app.client, id, {
    after: before.at(-1)?.seq ?? 0,
    answer: (approval) => {
      asked.push(approval);
      const said = options.answer?.(approval) ?? APPROVE;
      return app.client.decide(approval.id, { ...said, input_hash: approval.input_hash });
    },
  });
  const said = completed(events).flatMap((item) => (item.type === "agent_message" ? [item.text] : []));
  return { id, events, asked, said: said.join("\n"), end: events.at(-1) };
}

function completed(
  events: readonly JournalEvent[],
): readonly Extract<JournalEvent, { type: "item.completed" }>["item"][] {
  return events.flatMap((event) => (event.type === "item.completed" ? [event.item] : []));
}

const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function permission(toolCall: object, options: readonly object[] = OPTIONS): object {
  return { ask: "session/request_permission", params: { toolCall: { toolCallId: "c1", ...toolCall }, options } };
}

describe("an unmetered agent", () => {
  it("is listed as such", async () => {
    const { engines } = await app.client.engines();
    expect(engines.find(({ id }) => id === ENGINE)).toMatchObject({ available: true, unmetered: true, wires: [] });
    expect(engines.find(({ id }) => id === "acp:goose")).toMatchObject({ available: false, wires: ["openai"] });
  });

  it("is refused where policy does not allow it", async () => {
    await expect(app.client.createSession({ engine: ENGINE, profile: "closed" })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("allow_unmetered"),
    });
  });

  it("is refused from the next turn on where policy does not allow it any more, and goes on where it does again", async () => {
    const { id, end } = await play([{ say: "One." }]);
    expect(end?.type).toBe("turn.completed");
    const policy = await app.client.policy();
    const put = (allow_unmetered: boolean): Promise<unknown> =>
      app.client.setPolicy({ ...policy, profiles: { ...policy.profiles, open: { allow_unmetered } } });
    await put(false);
    expect((await play([{ say: "Two." }], { id })).end).toMatchObject({
      type: "turn.failed",
      error: { code: "forbidden", message: expect.stringContaining("allow_unmetered") },
    });
    await put(true);
    const third = await play([{ say: "Three." }], { id });
    expect(third.end?.type).toBe("turn.completed");
    expect(third.said).toContain("Three.");
  });

  it("is named to people, and has a home of its own and nothing of the server's environment but what is named", async () => {
    const { events, said, id } = await play([
      { environment: ["INSIDE", "AGENT_SECRET", "SALLYPORT_TOKEN", "HOME", "SALLYPORT_LAUNCH"] },
    ]);
    expect(events.find(({ type }) => type === "error")).toMatchObject({
      message: expect.stringContaining("no budget"),
    });
    const home = join(app.place.home, "engines", id, "acp");
    expect(JSON.parse(said)).toEqual(["passed on", null, null, home, null]);
  });
});

describe("permission", () => {
  const execute = { kind: "execute", title: "List", rawInput: { command: "ls -la" }, status: "pending" };

  it("is asked for by our names, and answered with a yes for this once", async () => {
    const done = {
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "completed",
        rawOutput: { output: "a", exitCode: 0 },
      },
    };
    const { asked, said, events } = await play([permission(execute), done]);
    expect(asked).toMatchObject([{ tool: "Bash", input: { command: "ls -la" }, preview: { type: "command" } }]);
    expect(said).toContain('{"outcome":"selected","optionId":"yes"}');
    expect(completed(events)[0]).toMatchObject({
      type: "command_execution",
      status: "completed",
      exit_code: 0,
      aggregated_output: "a",
    });
  });

  it("never says yes to what comes later", async () => {
    const { said, events } = await play([
      permission(
        execute,
        OPTIONS.filter(({ kind }) => kind !== "allow_once"),
      ),
    ]);
    expect(said).toContain('"optionId":"no"');
    expect(completed(events)[0]).toMatchObject({ status: "failed" });
  });

  it("tells the person's words with the next prompt of the same turn", async () => {
    const { said, events, end } = await play([permission(execute)], {
      answer: () => ({ decision: "reject", feedback: "Use find." }),
    });
    expect(said).toContain('"optionId":"no"');
    expect(said).toMatch(/told: [\s\S]*User rejected: Use find\./);
    expect(completed(events)[0]).toMatchObject({ status: "declined" });
    expect(end).toMatchObject({ type: "turn.completed" });
  });

  it("refuses a call that a person changed, and says how it may be", async () => {
    const { said, events } = await play([permission(execute)], {
      answer: () => ({ decision: "approve", updated_input: { command: "ls" } }),
    });
    expect(said).toContain('"optionId":"no"');
    expect(said).toContain("run it with this input instead");
    expect(completed(events)[0]).toMatchObject({ status: "declined" });
  });

  it("asks about an unknown tool as the agent reports it, whatever its title says", async () => {
    const call = { kind: "other", title: "Read (harmless)", rawInput: { target: "prod" } };
    const { asked } = await play([permission(call)]);
    expect(asked).toMatchObject([{ tool: "mcp__scripted__tool", input: { kind: "other", input: { target: "prod" } } }]);
    const elsewhere = { ...execute, rawInput: { command: "ls", directory: "/etc" } };
    expect((await play([permission(elsewhere)])).asked).toMatchObject([{ tool: "mcp__scripted__tool" }]);
  });

  it("shows a change of a file as a diff", async () => {
    const content = [{ type: "diff", path: join(app.place.workspace, "shown.txt"), oldText: null, newText: "new\n" }];
    const { asked } = await play([permission({ kind: "edit", title: "Edit", content })]);
    expect(asked).toMatchObject([{ tool: "Write", preview: { type: "diff" } }]);
  });

  it("shows what the agent ran without a question", async () => {
    const ran = {
      sessionUpdate: "tool_call",
      toolCallId: "c9",
      kind: "execute",
      title: "x",
      rawInput: { command: "id" },
      status: "completed",
    };
    const { events, asked } = await play([{ update: ran }]);
    expect(asked).toEqual([]);
    expect(completed(events)).toMatchObject([{ type: "command_execution", command: "id", status: "completed" }]);
  });
});

describe("files and terminals", () => {
  it("are our tools, asked about as such", async () => {
    const path = join(app.place.workspace, "made.txt");
    const { asked, said } = await play([
      { ask: "fs/write_text_file", params: { path, content: "one\ntwo\n" } },
      { ask: "fs/read_text_file", params: { path } },
      { ask: "fs/read_text_file", params: { path: "relative" } },
      { terminal: { command: "sh", args: ["-c", "touch a.txt; wc -l made.txt"] } },
    ]);
    expect(asked.map(({ tool }) => tool)).toEqual(["Write", "Bash"]);
    expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
    expect(said).toContain(String.raw`"content":"one\ntwo`);
    expect(said).toContain("path must be absolute");
    expect(said).toContain('[0,"2 made.txt"]');
  });

  it("run once what was approved as the agent's own call, without a second question", async () => {
    const path = join(app.place.workspace, "once.txt");
    const { asked, events } = await play([
      permission({ kind: "edit", title: "Write", rawInput: { file_path: path, content: "once\n" } }),
      { ask: "fs/write_text_file", params: { path, content: "once\n" } },
    ]);
    expect(asked.map(({ tool }) => tool)).toEqual(["Write"]);
    expect(await readFile(path, "utf8")).toBe("once\n");
    const changes = completed(events).filter(({ type }) => type === "file_change");
    expect(changes).toMatchObject([{ status: "completed" }]);
    const other = await play([
      permission({ kind: "edit", title: "Write", rawInput: { file_path: path, content: "shown\n" } }),
      { ask: "fs/write_text_file", params: { path, content: "not shown\n" } },
    ]);
    expect(other.asked.map(({ tool }) => tool)).toEqual(["Write", "Write"]);
  });

  it("are refused with the person's words", async () => {
    const path = join(app.place.workspace, "never.txt");
    const { said } = await play([{ ask: "fs/write_text_file", params: { path, content: "x" } }], {
      answer: () => ({ decision: "reject", feedback: "Not there." }),
    });
    expect(said).toContain("User rejected: Not there.");
    await expect(readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("an agent that misbehaves", () => {
  it("may speak another version", async () => {
    const { id } = await app.client.createSession({ engine: "acp:newer", prompt: { text: "[m0]" } });
    const events = await untilTurnEnds(app.client, id);
    expect(events.at(-1)).toMatchObject({
      type: "turn.failed",
      error: { code: "engine_failed", message: expect.stringContaining("version 9") },
    });
  });

  it("may write lines that are no messages, answer unasked questions, and send unknown requests", async () => {
    const { said, end, events } = await play([
      { raw: "not json\n" },
      { raw: `${JSON.stringify({ jsonrpc: "2.0", id: 999, result: {} })}\n` },
      { raw: `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: 7 })}\n` },
      { ask: "fs/delete_everything", params: {} },
      { ask: "terminal/output", params: { terminalId: "none" } },
    ]);
    expect(said).toContain("unknown method fs/delete_everything");
    expect(said).toContain("there is no such terminal");
    expect(events.some((event) => event.type === "error" && event.message.includes("not json"))).toBe(true);
    expect(end).toMatchObject({ type: "turn.completed" });
  });

  it("may have so many requests open and no more", async () => {
    const { said } = await play([{ many: LIMITS.agentRequests + 3, file: join(app.place.workspace, "go.txt") }]);
    const answers = JSON.parse(said) as readonly string[];
    expect(answers.filter((words) => words === "ok")).toHaveLength(LIMITS.agentRequests);
    expect(answers.filter((words) => words.includes("requests are open"))).toHaveLength(3);
  });

  it("is ended when a line has no end, and the session goes on", async () => {
    const { end, id } = await play([{ say: "Flood:" }, { flood: LIMITS.engineLineBytes / 1_048_576 + 2 }]);
    expect(end).toMatchObject({ type: "turn.failed", error: { code: "engine_failed" } });
    const next = await play([{ say: "Dry." }], { id });
    expect(next.said).toBe("Dry.");
  });

  it("may die in the middle of a turn; its record is taken up", async () => {
    const first = await play([{ say: "First." }]);
    const dead = await play([{ say: "Dying." }, { die: 3 }], { id: first.id });
    expect(dead.end).toMatchObject({
      type: "turn.failed",
      error: { code: "engine_failed", message: expect.stringContaining("exit code 3") },
    });
    expect(completed(dead.events)).toMatchObject([{ type: "agent_message", text: "Dying.", status: "interrupted" }]);
    const { said, events } = await play([{ known: true }], { id: first.id });
    expect(said).toMatch(/^m\d+\|m\d+\|m\d+$/);
    // What it replays was told before.
    expect(JSON.stringify(events)).not.toContain("replayed");
  });
});

it("a turn that is interrupted ends, and the process stays", async () => {
  const { id } = await app.client.createSession({
    engine: ENGINE,
    prompt: { text: `[m0]\nagent: ${JSON.stringify([{ say: "Waiting." }, { hang: true }])}` },
  });
  const events = await untilTurnEnds(app.client, id, {
    onFrame: (frame) => {
      if (frame.type === "item.delta") void app.client.control(id, "interrupt");
    },
  });
  expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
  expect((await play([{ known: true }], { id })).said).toMatch(/^m0\|m\d+$/);
});

it("is told the end of a turn that a power cut took from its record, and only then", async () => {
  const kept = await play([{ say: "Kept." }, { record: ["Kept."] }]);
  const lost = await play([{ say: "Lost." }]);
  await app.restart();
  const told = async (id: string): Promise<string> => {
    await app.client.prompt(id, { text: "What do you know?" });
    const { events } = await app.client.events(id, { after: 0, limit: 500 });
    const after = events.findLast(({ type }) => type === "turn.started")?.seq ?? 0;
    return completed(await untilTurnEnds(app.client, id, { after }))
      .flatMap((item) => (item.type === "agent_message" ? [item.text] : []))
      .join("\n");
  };
  expect(await told(kept.id)).not.toContain("Assistant: Kept.");
  expect(await told(lost.id)).toContain("Assistant: Lost.");
  // It has heard that now.
  expect(await told(lost.id)).not.toContain("Assistant: Lost.");
});

it("nothing is left behind", async () => {
  await app.stop();
  expect(await leftBehind(app.place)).toEqual([]);
});
