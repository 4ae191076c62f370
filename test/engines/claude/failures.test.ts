import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "../../../src/protocol/index.ts";
import { ENGINES, items, outline, script, World, type Room } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const error = (status: number, message: string, type?: string): object => ({
  error: { status, message, ...(type === undefined ? {} : { type }) },
  times: 9,
});

const FAILURES = [
  {
    name: "a wrong key",
    step: error(401, "invalid x-api-key"),
    failure: {
      code: "model_unauthenticated",
      message: "Authentication failed: the model answered 401. Set a valid key for the provider and start again.",
    },
  },
  {
    name: "a key that may not do this",
    step: error(403, "this key is for another model"),
    failure: {
      code: "model_unauthenticated",
      message:
        "Authentication failed: the model answered 403 (this key is for another model). Set a valid key for the provider and start again.",
    },
  },
  {
    name: "too many requests",
    step: error(429, "slow down"),
    failure: { code: "model_unavailable", message: "the model answered 429 (slow down); try again later" },
  },
  {
    name: "a prompt that is too long",
    step: error(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    failure: { code: "context_exceeded", message: expect.stringContaining("start a new session") },
  },
  {
    name: "a refusal",
    step: { stop_reason: "refusal" },
    failure: {
      code: "refusal",
      message: "the model refused to answer; say it in another way or start a new session",
    },
  },
] as const;

describe("claude-sdk", () => {
  let room: Room;
  beforeAll(() => {
    room = world.room(ENGINES[0].create());
  });
  beforeEach(() => {
    world.take();
    room.funds = () => Promise.resolve({ granted: true });
  });
  afterAll(() => room.close());

  test.each(FAILURES)("$name ends the turn with a clear text", async ({ step, failure }) => {
    const told = await room.turn(script([step, { say: "Never." }], JSON.stringify(step)));
    expect(told.events.at(-1)).toMatchObject({ type: "turn.failed", error: failure });
  });

  test.each([
    "model_not_allowed",
    "provider_not_allowed",
    "model_unpriced",
    "session_closed",
    "invalid_request",
  ] as const)("what the proxy refuses with %s ends the turn with just that", async (code) => {
    world.refused = new Failure(code, `The reason of ${code}.`);
    const told = await room.turn(script([{ say: "Never." }], code));
    world.refused = undefined;
    expect(told.events.at(-1)).toEqual({ type: "turn.failed", error: { code, message: `The reason of ${code}.` } });
  });

  test("an overloaded model is asked again, and a notice tells", async () => {
    const told = await room.turn(script([{ error: { status: 529 } }, { say: "Here." }]));
    expect(outline(told.events)).toEqual([
      expect.stringMatching(/^notice the model answered 529 \(overloaded\); attempt 1 of 1 again in 0\.\d s$/),
      "+ agent_message",
      "completed agent_message: Here.",
      "completed end_turn",
    ]);
  });

  test("words of an answer that broke off are superseded", async () => {
    const told = await room.turn(script([{ stream: { tokens: 12, per_second: 60 } }, { cut: true }, { say: "Rest." }]));
    const [dead, whole, rest] = items(told.events);
    expect(outline(told.events).at(-1)).toBe("completed end_turn");
    expect(dead).toMatchObject({
      type: "agent_message",
      status: "superseded",
      text: expect.stringMatching(/^one more/),
    });
    expect([whole?.status, rest]).toMatchObject(["completed", { status: "completed", text: "Rest." }]);
    expect(whole?.message_id).not.toBe(dead?.message_id);
    expect(whole?.message_id).toBe(rest?.message_id);
  });

  test("without money it asks for some, and goes on with the same turn", async () => {
    let asked = 0;
    room.funds = () => {
      asked += 1;
      return Promise.resolve({ granted: true });
    };
    room.decide = (call) => {
      world.broke = 1;
      return { effect: "allow", input: call.input };
    };
    const told = await room.turn(script([{ tool: "Bash", input: { command: "echo hi" } }, { say: "Rest." }]));
    expect(asked).toBe(1);
    expect(outline(told.events)).toEqual([
      "+ command_execution Bash",
      "completed command_execution Bash: hi",
      "+ agent_message",
      "completed agent_message: Rest.",
      "completed end_turn",
    ]);
  });

  test("without money and without more of it the turn ends", async () => {
    room.funds = () => Promise.resolve({ granted: false, message: "Nobody raised it in time." });
    world.broke = 1;
    const told = await room.turn(script([{ say: "Never." }]));
    expect(told.events).toEqual([
      { type: "turn.failed", error: { code: "budget_exceeded", message: "Nobody raised it in time." } },
    ]);
  });

  test("a refusal for money that does not stop although there is some ends the turn", async () => {
    world.broke = 4;
    const told = await room.turn(script([{ say: "Never." }]));
    expect(told.events).toEqual([
      { type: "turn.failed", error: { code: "budget_exceeded", message: "No money is left." } },
    ]);
  });
});

test("max_turns ends the turn", async () => {
  const room = world.room(ENGINES[0].create(), { settings: { max_turns: 2 } });
  const call = { tool: "Bash", input: { command: "echo a" } };
  const told = await room.turn(script([call, call, call, { say: "Never." }]));
  expect(told.events.at(-1)).toMatchObject({
    type: "turn.failed",
    error: {
      code: "max_turns",
      message: "Max turns reached: stopped after 2 rounds of the model (max_turns); send another prompt to go on",
    },
  });
  expect(items(told.events).map(({ status }) => status)).toEqual(["completed", "completed"]);
  await room.close();
});

test("claude-cli gets over an overloaded model, a cut stream and an empty purse in one turn", async () => {
  const room = world.room(ENGINES[1].create());
  room.decide = (call) => {
    world.broke = 1;
    return { effect: "allow", input: call.input };
  };
  const told = await room.turn(
    script([
      { error: { status: 529 } },
      { tool: "Bash", input: { command: "echo hi" } },
      { stream: { tokens: 8, per_second: 60 } },
      { cut: true },
      { say: "Rest." },
    ]),
  );
  expect(outline(told.events).filter((line) => !line.startsWith("+"))).toEqual([
    expect.stringMatching(/^notice the model answered 529/),
    "completed command_execution Bash: hi",
    expect.stringMatching(/^superseded agent_message: one more/),
    expect.stringMatching(/^notice the model's answer broke off; attempt 1 of 1/),
    expect.stringMatching(/^completed agent_message: one more/),
    "completed agent_message: Rest.",
    "completed end_turn",
  ]);
  await room.close();
});
