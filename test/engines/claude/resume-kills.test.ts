import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createClaudeCliEngine, createClaudeSdkEngine } from "../../../src/engines/index.ts";
import type { EngineEvent, Verdict } from "../../../src/engines/index.ts";
import { transcriptOf } from "../../../src/engines/claude/transcripts.ts";
import { readState } from "../../../src/engines/claude/state.ts";
import { sample } from "../../support/sample.ts";
import { openCalls, openItems } from "../world.ts";
import { ENGINES, EXECUTABLE, outline, script, World, type Room } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.close());

const bash = (command: string): object => ({ tool: "Bash", input: { command } });

async function resumed(room: Room): Promise<readonly EngineEvent[]> {
  const { events } = await room.resume(openCalls(room.journal));
  expect(openItems(room.journal)).toEqual([]);
  return events;
}

/** The vendor's record of a room's conversation. */
function recordOf(room: Room): string {
  return transcriptOf(room.folder, readState(room.folder).session ?? "") ?? "";
}

/** As when the machine stopped before the vendor's program had written more: cut from the first message with these words on. */
function cutFrom(room: Room, role: "user" | "assistant", words: string): void {
  const path = recordOf(room);
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes(`"role":"${role}"`) && line.includes(words));
  expect(at).toBeGreaterThan(0);
  writeFileSync(
    path,
    lines
      .slice(0, at)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

/** What an orphaned process writes when nobody answers it. */
function inventRefusal(room: Room, tool_use_id: string): void {
  const path = recordOf(room);
  const asking = readFileSync(path, "utf8")
    .split("\n")
    .find((line) => line.includes('"tool_use"') && line.includes(tool_use_id));
  const { uuid, parentUuid: _parent, message: _message, type: _type, ...rest } = JSON.parse(asking ?? "{}");
  const content = [
    { type: "tool_result", tool_use_id, is_error: true, content: "The user doesn't want to do this. STOP." },
  ];
  const line = {
    parentUuid: uuid,
    ...rest,
    type: "user",
    message: { role: "user", content },
    uuid: crypto.randomUUID(),
  };
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

/** What the model was told about the restart. */
const reminder = (): string => world.lastMessages().find((message) => message.includes("was restarted")) ?? "";

const told = (): string => world.lastMessages().join("\n");

describe.each(sample(ENGINES, 1))("$name", ({ create }) => {
  test("a refusal that nobody made is not believed", async () => {
    const room = world.room(create());
    room.decide = () => new Promise<Verdict>(() => undefined);
    const call = bash("echo yes");
    await room.crash(script([call, { say: "Done." }]), 1);
    inventRefusal(room, openCalls(room.journal)[0]?.tool_use_id ?? "");
    room.decide = ({ input }) => ({ effect: "allow", input });
    expect(outline(await resumed(room))).toEqual([
      "completed command_execution Bash: yes",
      "+ agent_message",
      "completed agent_message: Done.",
      "completed end_turn",
    ]);
    expect(told()).not.toContain("doesn't want");
    await room.close();
  });

  test("results that the vendor's record lacks are told, the others are not", async () => {
    const room = world.room(create());
    const open = ["a.txt", "b.txt"].map((file_path) => ({ tool: "Read", input: { file_path } }));
    room.decide = ({ tool, input }) =>
      tool === "Read" ? new Promise<Verdict>(() => undefined) : { effect: "allow", input };
    const steps = [bash("echo kept"), { say: "Half." }, bash("echo ran >> ran.txt"), { tools: open }];
    await room.crash(script([...steps, { say: "Done." }]), 2);
    cutFrom(room, "assistant", "Half.");
    room.decide = () => ({ effect: "deny", message: "No.", status: "declined", interrupt: false });
    expect(outline(await resumed(room)).at(-1)).toBe("completed end_turn");
    const words = reminder();
    expect(words).toContain(
      [
        "What you had done for the last prompt, as far as it is not above:",
        "Assistant: Half.",
        'Tool Bash {"command":"echo ran >> ran.txt"} (completed): (no output)',
      ].join("\n"),
    );
    expect(words.match(/^- Read .*\n {2}No\.$/gm)).toHaveLength(2);
    expect(words).not.toContain("echo kept");
    await room.close();
  });

  test("turns that are not in the vendor's record are told once", async () => {
    const room = world.room(create());
    for (const words of ["One", "Two", "Three"]) await room.turn(script([{ say: `${words}!` }], words));
    await room.forget();
    cutFrom(room, "user", "Two");
    const { events } = await room.turn(script([{ say: "Four!" }], "Four"));
    expect(outline(events)).toEqual([
      expect.stringMatching(/^notice .*record of this conversation lacked its end/),
      "+ agent_message",
      "completed agent_message: Four!",
      "completed end_turn",
    ]);
    expect(told()).toMatch(/^user: One[^]*assistant: One![^]*User: Two[^]*Assistant: Two!\nUser: Three[^]*Four/);
    await room.forget();
    const { events: next } = await room.turn(script([{ say: "Five!" }], "Five"));
    expect(outline(next)[0]).toBe("+ agent_message");
    expect(told().match(/Assistant: Two!/g)).toHaveLength(1);
    await room.close();
  });
});

describe("claude-sdk", () => {
  const [{ create }] = ENGINES;

  test("after a second restart all that the turn did is told: calls may have other ids by then", async () => {
    const room = world.room(create());
    room.decide = ({ tool, input }) =>
      tool === "Read" ? new Promise<Verdict>(() => undefined) : { effect: "allow", input };
    const open = { tool: "Read", input: { file_path: "a.txt" } };
    await room.crash(script([bash("echo kept"), { tools: [open, open] }, { say: "Done." }]), 2);
    for (const restarts of [1, 2]) room.journal.push({ type: "turn.resumed", turn_id: room.turnId, restarts });
    room.decide = () => ({ effect: "deny", message: "No.", status: "declined", interrupt: false });
    expect(outline(await resumed(room)).at(-1)).toBe("completed end_turn");
    expect(reminder()).toContain('Tool Bash {"command":"echo kept"} (completed): kept');
    await room.close();
  });

  async function killed(room: Room): Promise<void> {
    const pids = await room.pids();
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  }

  test("a prompt for a process that was just killed goes to another one, which knows the turn before", async () => {
    const room = world.room(create());
    await room.turn(script([{ say: "One!" }], "One"));
    await killed(room);
    cutFrom(room, "assistant", "One!");
    const { events } = await room.turn(script([{ say: "Two!" }], "Two"));
    expect(outline(events)).toEqual([
      expect.stringMatching(/^notice .*lacked its end/),
      "+ agent_message",
      "completed agent_message: Two!",
      "completed end_turn",
    ]);
    expect(told().match(/\bTwo\nsim:/g)).toHaveLength(1);
    expect(told()).toContain("Assistant: One!");
    await room.close();
  });

  test("a process that dies while somebody is asked for money is replaced", async () => {
    const room = world.room(create());
    await room.turn(script([{ say: "One!" }], "One"));
    world.broke = 1;
    room.funds = async () => {
      await killed(room);
      return { granted: true };
    };
    const { events } = await room.turn(script([{ say: "Two!" }], "Two"));
    expect(outline(events).slice(-2)).toEqual(["completed agent_message: Two!", "completed end_turn"]);
    expect(told().match(/\bTwo\nsim:/g)).toHaveLength(1);
    await room.close();
  });
});

test.each([
  ["claude-sdk", createClaudeSdkEngine],
  ["claude-cli", createClaudeCliEngine],
])("%s: a program that always dies is started twice, not for ever", async (name, create) => {
  const starts = join(world.root, `${name}.starts`);
  const executable = join(world.root, `${name}.sh`);
  writeFileSync(
    executable,
    `#!/bin/sh\n[ "$1" = --version ] && exec ${EXECUTABLE} --version\necho start >> ${starts}\nexit 7\n`,
  );
  chmodSync(executable, 0o755);
  const room = world.room(create({ executable, retries: 1 }));
  const { events } = await room.turn(script([{ say: "Never." }]));
  expect(events).toEqual([
    { type: "turn.failed", error: { code: "engine_failed", message: expect.stringContaining("exit code 7") } },
  ]);
  expect(readFileSync(starts, "utf8")).toBe("start\nstart\n");
  await room.close();
});

test("a program that is killed while it is asked for its version is asked again", async () => {
  const executable = join(world.root, "probed.sh");
  const once = join(world.root, "probed");
  writeFileSync(executable, `#!/bin/sh\nmkdir ${once} 2>/dev/null && kill -9 $$\nexec ${EXECUTABLE} "$@"\n`);
  chmodSync(executable, 0o755);
  const room = world.room(createClaudeCliEngine({ executable, retries: 1 }));
  await room.conversation();
  expect(existsSync(once)).toBe(true);
  await room.close();
});
