import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Decision, type JournalEvent } from "../../../src/protocol/index.ts";
import { openTestApp, untilTurnEnds, type TestApp } from "../../support/app.ts";

const ENGINE = "acp:scripted";
/** One pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SYSTEM_PROMPT = "Speak like a captain.";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  const command = [process.execPath, resolve(import.meta.dirname, "agent.mjs")];
  const acp_agents = { scripted: { command, unmetered: true } };
  await writeFile(join(app.place.home, "sallyport.yaml"), JSON.stringify({ acp_agents }));
  const profiles = { open: { allow_unmetered: true } };
  await writeFile(join(app.place.home, "policy.yaml"), JSON.stringify({ default_profile: "open", profiles }));
  await app.restart();
});
afterAll(() => app[Symbol.asyncDispose]());

type Said = Omit<Decision, "input_hash">;

async function session(): Promise<string> {
  return (await app.client.createSession({ engine: ENGINE, system_prompt: SYSTEM_PROMPT })).id;
}

async function turn(
  id: string,
  text: string,
  decision: Said = { decision: "approve" },
): Promise<readonly JournalEvent[]> {
  const { events: before } = await app.client.events(id, { after: 0, limit: 500 });
  await app.client.prompt(id, { text });
  return untilTurnEnds(app.client, id, {
    after: before.at(-1)?.seq ?? 0,
    answer: ({ id: approval, input_hash }) => app.client.decide(approval, { ...decision, input_hash }),
  });
}

/** How the turn ended. */
async function play(id: string, steps: readonly object[], decision?: Said): Promise<string> {
  const end = (await turn(id, `[m]\nagent: ${JSON.stringify(steps)}`, decision)).at(-1);
  return end?.type === "turn.failed" ? end.error.code : String(end?.type);
}

/** All that the agent is told with a prompt without steps: it says that. */
async function told(id: string): Promise<string> {
  const events = await turn(id, "What do you know?");
  return events
    .flatMap((event) =>
      event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
    )
    .join("\n");
}

const ran = (sessionUpdate: string, status: string): object => ({
  sessionUpdate,
  toolCallId: "c1",
  kind: "execute",
  title: "x",
  rawInput: { command: "echo did" },
  status,
});
const DIE = { die: 3 };
/** A turn that ends with the process, and what the agent has of it. */
const dies = (word: string, record: readonly unknown[]): readonly object[] => [{ say: word }, { record }, DIE];

it("a call whose result the killed agent had not written down is told again", async () => {
  const id = await session();
  const begun = ran("tool_call", "pending");
  expect(await play(id, [{ update: ran("tool_call", "completed") }, { record: [begun] }, DIE])).toBe("engine_failed");
  expect(await told(id)).toContain('Tool Bash {"command":"echo did"} (completed)');
});

it("a call whose result it has is not", async () => {
  const id = await session();
  const record = [ran("tool_call", "pending"), ran("tool_call_update", "completed"), "Done."];
  expect(await play(id, [{ update: ran("tool_call", "completed") }, { say: "Done." }, { record }, DIE])).toBe(
    "engine_failed",
  );
  expect(await told(id)).not.toContain("Tool Bash");
});

it("what was told again is told once more if the agent is killed in that turn too", async () => {
  const id = await session();
  expect(await play(id, [{ say: "Before." }])).toBe("turn.completed");
  expect(await play(id, dies("Half one.", []))).toBe("engine_failed");
  expect(await play(id, dies("Half two.", []))).toBe("engine_failed");
  expect(await play(id, dies("Half three.", []))).toBe("engine_failed");
  const words = await told(id);
  for (const half of ["Half one.", "Half two.", "Half three."]) expect(words).toContain(`Assistant: ${half}`);
  // It has heard that now.
  expect(await told(id)).not.toContain("Assistant: Half");
});

it.each([{ stop: "refusal" }, { fail: "no" }])(
  "also after a prompt that the agent may have dropped: %j",
  async (step) => {
    const id = await session();
    expect(await play(id, dies("Half one.", []))).toBe("engine_failed");
    expect(await play(id, [step])).toMatch(/refusal|engine_failed/);
    expect(await told(id)).toContain("Assistant: Half one.");
  },
);

it("a process that stays is told nothing again after a turn that failed or was stopped", async () => {
  const id = await session();
  expect(await play(id, [{ say: "First." }, { fail: "no" }])).toBe("engine_failed");
  expect(await play(id, [{ say: "Second." }, { stop: "cancelled" }])).toBe("aborted");
  expect(await told(id)).not.toContain("Assistant:");
});

it("all turns that a power cut took are told again, and only those", async () => {
  const id = await session();
  expect(await play(id, [{ say: "Kept." }, { record: ["Kept."] }])).toBe("turn.completed");
  expect(await play(id, [{ say: "Lost one." }])).toBe("turn.completed");
  expect(await play(id, [{ say: "Lost two." }])).toBe("turn.completed");
  await app.restart();
  const words = await told(id);
  expect(words).toContain("Assistant: Lost one.");
  expect(words).toContain("Assistant: Lost two.");
  expect(words).not.toContain("Assistant: Kept.");
});

it("a conversation that was begun anew and lost with its first turn is told whole, with the system prompt", async () => {
  const id = await session();
  expect(await play(id, [{ say: "First." }])).toBe("turn.completed");
  expect(await play(id, [{ say: "Second." }])).toBe("turn.completed");
  await app.restart();
  await rm(join(app.place.home, "engines", id, "acp", "sessions.json"));
  expect(await play(id, dies("Third.", []))).toBe("engine_failed");
  const words = await told(id);
  for (const each of ["First.", "Second.", "Third."]) expect(words).toContain(`Assistant: ${each}`);
  expect(words).toContain(SYSTEM_PROMPT);
});

it("what a person said as they stopped a turn is told until the agent has heard it", async () => {
  const id = await session();
  const call = { toolCallId: "c1", kind: "execute", title: "x", rawInput: { command: "echo no" } };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const ask = { ask: "session/request_permission", params: { toolCall: call, options } };
  const stop: Said = { decision: "reject", feedback: "Not on a Friday.", interrupt: true };
  expect(await play(id, [{ say: "Look." }, ask], stop)).toBe("rejected_and_stopped");
  expect(await play(id, dies("Half.", []))).toBe("engine_failed");
  expect(await told(id)).toMatch(/Your call Bash .* was not run[^]*Not on a Friday\./);
  expect(await told(id)).not.toContain("Not on a Friday.");
});

it("what was attached to a turn that goes on after a restart is told again, images included", async () => {
  const id = await session();
  const image = { type: "image" as const, media_type: "image/png" as const, data: PIXEL };
  const note = { type: "text" as const, name: "note.txt", text: "Mind the gap." };
  await app.client.prompt(id, {
    text: `[m]\nagent: ${JSON.stringify([{ say: "I look." }, { hang: true }])}`,
    attachments: [image, note],
  });
  for await (const frame of app.client.watch(id, { after: 0 })) if (frame.type === "item.started") break;
  await app.restart();
  const words = (await untilTurnEnds(app.client, id)).flatMap((event) =>
    event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
  );
  expect(words.at(-1)).toMatch(/\n\[image\]\n<attachment name="note.txt">\nMind the gap\.[^]*The prompt was:/);
});

it.each([
  { deaths: 1, end: "turn.completed" },
  { deaths: 2, end: "engine_failed" },
])(
  "an agent that is killed $deaths times as it takes up its session is started again once",
  async ({ deaths, end }) => {
    const id = await session();
    expect(await play(id, [{ say: "One." }])).toBe("turn.completed");
    await app.restart();
    const file = join(app.place.home, "engines", id, "acp", "deaths");
    await writeFile(file, "x".repeat(deaths));
    expect(await play(id, [{ say: "Two." }])).toBe(end);
    expect(await readFile(file, "utf8")).toBe("");
  },
);

it.each([
  { deaths: 2, end: "turn.completed" },
  { deaths: 3, end: "engine_failed" },
])(
  "an agent that has died between two turns, with $deaths deaths in all, is started again once more",
  async ({ deaths, end }) => {
    const id = await session();
    expect(await play(id, [{ say: "One." }])).toBe("turn.completed");
    // The first one dies of the prompt, as if it had died before and nobody had noticed.
    const file = join(app.place.home, "engines", id, "acp", "deaths");
    await writeFile(file, "x".repeat(deaths));
    expect(await play(id, [{ say: "Two." }])).toBe(end);
    expect(await readFile(file, "utf8")).toBe("");
  },
);
