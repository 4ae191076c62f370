import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EngineEvent, ToolCall, Verdict } from "../../../src/engines/index.ts";
import { ENGINES, items, outline, script, World, type Room, type Told } from "./world.ts";
import { until } from "../../support/until.ts";
import { sample } from "../../support/sample.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const allow = (call: ToolCall): Verdict => ({ effect: "allow", input: call.input });
const LONG = { stream: { tokens: 3_000, per_second: 100 } };

/** The session goes on as if nothing had been. */
/** A program that was killed may not have written its record to the end: the model is then retold it, and a notice says so. */
const RETOLD = /record of this conversation lacked its end/;

async function goesOn(room: Room): Promise<void> {
  const told = await room.turn(script([{ say: "On we go." }]));
  expect(outline(told.events).filter((line) => !RETOLD.test(line))).toEqual([
    "+ agent_message",
    "completed agent_message: On we go.",
    "completed end_turn",
  ]);
}

async function interrupted(
  room: Room,
  steps: readonly unknown[],
  when: (event: EngineEvent) => boolean,
): Promise<Told> {
  const controller = new AbortController();
  const started = Date.now();
  let aborted = 0;
  const told = await room.turn(script(steps), {
    signal: controller.signal,
    onEvent: (event) => {
      if (aborted > 0 || !when(event)) return;
      aborted = Date.now();
      controller.abort();
    },
  });
  expect(Date.now() - aborted, `of ${Date.now() - started} ms`).toBeLessThan(1_500);
  return told;
}

describe.each(sample(ENGINES, 1))("$name", ({ create }) => {
  let room: Room;
  beforeAll(() => {
    room = world.room(create());
  });
  beforeEach(() => {
    room.decide = allow;
    world.take();
  });
  afterAll(() => room.close());

  test("interrupted in the middle of a text", async () => {
    let deltas = 0;
    const told = await interrupted(room, [LONG], (event) => event.type === "item.delta" && (deltas += 1) > 3);
    expect(outline(told.events)).toEqual([
      "+ agent_message",
      expect.stringMatching(/^interrupted agent_message: one more word/),
      "failed aborted",
    ]);
    await goesOn(room);
    expect(world.lastMessages().join("\n")).toContain("[Request interrupted by user]");
  });

  test("interrupted in the middle of a tool, whose processes are gone", async () => {
    const controller = new AbortController();
    const file = `${room.engine.id}.pid`;
    const told = room.turn(script([{ tool: "Bash", input: { command: `echo $$ > ${file}; exec sleep 30` } }, LONG]), {
      signal: controller.signal,
    });
    await until(() =>
      world.read(file).then(
        (text) => text.endsWith("\n"),
        () => false,
      ),
    );
    controller.abort();
    expect(outline((await told).events)).toEqual([
      "+ command_execution Bash",
      "interrupted command_execution Bash: The command was interrupted.",
      "failed aborted",
    ]);
    const pid = (await world.read(file)).trim();
    await until(() =>
      readFile(`/proc/${pid}/stat`).then(
        () => false,
        () => true,
      ),
    );
    await goesOn(room);
  });

  test("rejected and stopped: the model knows the reason the next time", async () => {
    room.decide = () => ({
      effect: "deny",
      message: "User rejected: not like this",
      status: "declined",
      interrupt: true,
    });
    const told = await room.turn(script([{ tool: "Bash", input: { command: "touch stopped" } }, LONG]));
    expect(outline(told.events)).toEqual([
      "+ command_execution Bash",
      "declined command_execution Bash: User rejected: not like this",
      "failed rejected_and_stopped",
    ]);
    room.decide = allow;
    await goesOn(room);
    expect(world.lastMessages().slice(-3).join("\n")).toContain("User rejected: not like this");
    // Stopped means that the model was not asked once more.
    expect(world.take()).toHaveLength(2);
  });

  test("a process that is killed fails its turn, and leaves nothing", async () => {
    const told = await room.turn(script([{ tool: "Bash", input: { command: "setsid sleep 60 & sleep 60" } }]), {
      onEvent: (event) => {
        if (event.type !== "item.started") return;
        // It is not its own child that is asked to die: the vendor's process is the first one of the session.
        void room.pids().then(([pid]) => pid !== undefined && process.kill(pid, "SIGKILL"));
      },
    });
    expect(outline(told.events)).toEqual([
      "+ command_execution Bash",
      expect.stringMatching(/^interrupted command_execution Bash: Interrupted; (outcome unknown|not run)\.$/),
      "failed engine_failed",
    ]);
    expect(told.events.at(-1)).toMatchObject({ error: { message: expect.stringContaining("SIGKILL") } });
    await until(async () => (await room.pids()).length === 0);
    await goesOn(room);
  });
});

describe("claude-sdk", () => {
  let room: Room;
  beforeAll(() => {
    room = world.room(ENGINES[0].create());
  });
  beforeEach(() => {
    room.decide = allow;
    world.take();
  });
  afterAll(() => room.close());

  test("interrupted while a person is asked", async () => {
    const controller = new AbortController();
    room.decide = () => {
      controller.abort();
      return new Promise<Verdict>(() => undefined);
    };
    const told = await room.turn(script([{ tool: "Bash", input: { command: "touch asked" } }, LONG]), {
      signal: controller.signal,
    });
    expect(outline(told.events)).toEqual([
      "+ command_execution Bash",
      "interrupted command_execution Bash: Interrupted.",
      "failed aborted",
    ]);
    room.decide = allow;
    await goesOn(room);
  });

  test("a process that falls silent fails its turn", async () => {
    const real = room.sleep;
    let clock = 0;
    let silent = false;
    room.now = () => Date.now() + clock;
    room.sleep = async (ms, signal) => {
      if (ms < 60_000) return real(ms, signal);
      await until(() => silent || signal.aborted);
      clock += ms;
    };
    const told = await room.turn(script([{ say: "Wait." }, { delay_ms: 60_000 }, { say: "Never." }]), {
      onEvent: (event) => {
        if (event.type === "item.delta") silent = true;
      },
    });
    room.sleep = real;
    room.now = Date.now;
    expect(told.events.at(-1)).toEqual({
      type: "turn.failed",
      error: {
        code: "engine_failed",
        message: "The assistant stopped responding and the turn was cancelled. Please try again.",
      },
    });
    expect(items(told.events).map(({ status }) => status)).toEqual(["interrupted"]);
    await until(async () => (await room.pids()).length === 0);
    await goesOn(room);
  });

  test("closing ends everything, also what left its group", async () => {
    const [before] = await room.pids();
    await room.forget();
    expect(before).toBeGreaterThan(0);
    expect(await room.pids()).toEqual([]);
    await room.turn(script([{ tool: "Bash", input: { command: "setsid sleep 60 >/dev/null 2>&1 &" } }, { say: "ok" }]));
    expect((await room.pids()).length).toBeGreaterThan(1);
    await room.close();
    expect(await room.pids()).toEqual([]);
  });
});
