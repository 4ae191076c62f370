import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMITS, type JournalEvent } from "../../../src/protocol/index.ts";
import { approveWith, openTestApp, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { MovableClock } from "../../support/clock.ts";

const ENGINE = "acp:scripted";
const clock = new MovableClock();

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { clock });
  const command = [process.execPath, resolve(import.meta.dirname, "agent.mjs")];
  const acp_agents = { scripted: { command, unmetered: true, tools: "sallyport" } };
  await writeFile(join(app.place.home, "sallyport.yaml"), JSON.stringify({ acp_agents }));
  const profiles = { open: { allow_unmetered: true } };
  await writeFile(join(app.place.home, "policy.yaml"), JSON.stringify({ default_profile: "open", profiles }));
  await app.restart();
});
afterAll(() => app[Symbol.asyncDispose]());

let files = 0;

/** A file that the agent waits for, and what makes it. */
function gate(): { readonly path: string; readonly open: () => Promise<void> } {
  files += 1;
  const path = join(app.place.workspace, `go-${files}`);
  return { path, open: () => writeFile(path, "") };
}

const command = (word: string): object => ({ command: `echo ${word}` });
const call = (word: string): object => ({ call: { name: "Bash", arguments: command(word) } });
const reported = (word: string, status: string): object => ({
  update: {
    sessionUpdate: "tool_call",
    toolCallId: word,
    kind: "execute",
    title: word,
    rawInput: command(word),
    status,
  },
});
const ended = (word: string): object => ({
  update: { sessionUpdate: "tool_call_update", toolCallId: word, status: "completed" },
});

/** What was said and called, in the order of the journal. */
async function turn(id: string, steps: readonly object[]): Promise<readonly string[]> {
  const { events: before } = await app.client.events(id, { after: 0, limit: 500 });
  await app.client.prompt(id, { text: `[m]\nagent: ${JSON.stringify(steps)}` });
  const events = await untilTurnEnds(app.client, id, {
    after: before.at(-1)?.seq ?? 0,
    answer: approveWith(app.client),
  });
  expect(events.at(-1)?.type).toBe("turn.completed");
  return told(events);
}

function told(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== "item.completed") return [];
    if (event.item.type === "command_execution") return [`$ ${event.item.command}`];
    return event.item.type === "agent_message" ? [event.item.text] : [];
  });
}

const session = async (): Promise<string> => (await app.client.createSession({ engine: ENGINE })).id;

/** A turn of an agent that reports its call ahead of it. */
const inTime = (word: string): readonly object[] => [
  { say: "I look." },
  reported(word, "pending"),
  call(word),
  { result: "silent" },
  ended(word),
  { say: "Done." },
];

it("a report that comes late, from an agent that reports its calls, is waited for", async () => {
  const id = await session();
  expect(await turn(id, inTime("one"))).toEqual(["I look.", "$ echo one", "Done."]);
  const late = gate();
  const waiting = clock.nextWait(LIMITS.engineMatchMs);
  const playing = turn(id, [
    call("two"),
    { until: late.path },
    { say: "I look." },
    reported("two", "pending"),
    { result: "silent" },
    ended("two"),
    { say: "Done." },
  ]);
  await waiting;
  clock.pass(LIMITS.engineMatchMs - 5_000);
  await late.open();
  expect(await playing).toEqual(["I look.", "$ echo two", "Done."]);
});

it("an agent that has reported none is waited for a moment, and counts as one that does with its first report", async () => {
  const id = await session();
  const [short, late] = [clock.nextWait(LIMITS.agentReportMs), gate()];
  const first = turn(id, [call("three"), { until: late.path }, { result: "silent" }, { say: "Done." }]);
  await short;
  clock.pass(LIMITS.agentReportMs);
  await late.open();
  expect(await first).toEqual(["$ echo three", "Done."]);
  // Later than that moment, while its call is open.
  const asked = gate();
  const again = clock.nextWait(LIMITS.agentReportMs);
  await app.client.prompt(id, {
    text: `[m]\nagent: ${JSON.stringify([
      call("four"),
      { until: asked.path },
      reported("four", "pending"),
      { say: "Reported.", message: "m1" },
      { result: "silent" },
      ended("four"),
      { say: "Done.", message: "m2" },
    ])}`,
  });
  await again;
  clock.pass(LIMITS.agentReportMs);
  const { events: before } = await app.client.events(id, { after: 0, limit: 500 });
  const after = before.findLast(({ type }) => type === "turn.started")?.seq ?? 0;
  const answers: (() => Promise<unknown>)[] = [];
  const events = await untilTurnEnds(app.client, id, {
    after,
    answer: async (approval) => {
      answers.push(() => approveWith(app.client)(approval));
      await asked.open();
    },
    onFrame: (frame) => {
      if (frame.type === "item.delta") for (const answer of answers.splice(0)) void answer();
    },
  });
  // Words after the call end with the next message: two messages are never one item.
  expect(told(events)).toEqual(["$ echo four", "Reported.", "Done."]);
  const long = clock.nextWait(LIMITS.engineMatchMs);
  const next = gate();
  const playing = turn(id, [
    call("five"),
    { until: next.path },
    reported("five", "pending"),
    { result: "silent" },
    ended("five"),
  ]);
  await long;
  await next.open();
  expect(await playing).toEqual(["$ echo five"]);
});

it("a report that never comes holds one call up, and not the next one as long", async () => {
  const id = await session();
  expect(await turn(id, inTime("six"))).toEqual(["I look.", "$ echo six", "Done."]);
  const long = clock.nextWait(LIMITS.engineMatchMs);
  const missed = turn(id, [call("seven"), { result: "silent" }, { say: "Done." }]);
  await long;
  clock.pass(LIMITS.engineMatchMs);
  expect(await missed).toEqual(["$ echo seven", "Done."]);
  const short = clock.nextWait(LIMITS.agentReportMs);
  const next = turn(id, [call("eight"), { result: "silent" }, { say: "Done." }]);
  await short;
  clock.pass(LIMITS.agentReportMs);
  expect(await next).toEqual(["$ echo eight", "Done."]);
});

it("messages with ids of their own are items of their own, and parts of one are one", async () => {
  const id = await session();
  const said = [
    { say: "I ", message: "a" },
    { say: "look.", message: "a" },
    { say: "Done", message: "b" },
    { say: "." },
  ];
  expect(await turn(id, said)).toEqual(["I look.", "Done."]);
});
