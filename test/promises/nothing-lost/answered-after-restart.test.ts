import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isToolItem, type Approval, type JournalEvent } from "../../../src/protocol/index.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { LifePage } from "../../support/life-page.ts";
import { PAGE } from "../../support/life-script.ts";
import { leftBehind, makePlace, startServer } from "../../support/server.ts";

const effect = (word: string): object => ({ tool: "Bash", input: { command: `echo ${word} >> effects.txt` } });
const write = (name: string): object => ({ tool: "Write", input: { file_path: name, content: `${name}\n` } });

/** What is open when the server is killed: the steps of a session, and how many questions it has then. */
const SCENES = [
  { engine: "loop", name: "loop-one", steps: [effect("loop-one")], questions: 1 },
  { engine: "loop", name: "loop-many", steps: [{ tools: [effect("loop-a"), effect("loop-b")] }], questions: 2 },
  { engine: "claude-sdk", name: "sdk-one", steps: [effect("sdk-one")], questions: 1 },
  { engine: "claude-sdk", name: "sdk-own", steps: [write("sdk-own.txt")], questions: 1 },
  {
    engine: "claude-sdk",
    name: "sdk-inner",
    steps: [{ tool: "Agent", input: { description: "look", prompt: script(effect("sdk-inner"), { say: "Inner." }) } }],
    questions: 1,
  },
  {
    engine: "claude-sdk",
    name: "sdk-agent",
    steps: [{ tool: "Agent", input: { description: "look", prompt: script(effect("sdk-agent"), { say: "Inner." }) } }],
    questions: 1,
  },
  { engine: "claude-cli", name: "cli-one", steps: [effect("cli-one")], questions: 1 },
] as const;

function ends(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "turn.completed") return ["turn completed"];
    if (event.type === "turn.failed") return [`turn failed: ${event.error.message}`];
    if (event.type !== "item.completed" || !isToolItem(event.item)) return [];
    return [`${event.item.tool} ${event.item.status}`];
  });
}

test("what is approved after a kill runs exactly once, though no model calls it again", async () => {
  const place = await makePlace();
  const first = await startServer(place);
  const sessions = await Promise.all(
    SCENES.map(async ({ name, engine, steps, questions }) => {
      const { id } = await first.client.createSession({
        engine,
        unattended: "park",
        prompt: { text: script(...steps, { say: "Done." }) },
      });
      let asked = 0;
      for await (const frame of first.client.watch(id)) {
        if (frame.type !== "approval.requested") continue;
        const { id: approval_id, tool, input_hash } = frame.approval;
        // A sub-agent begins, so that its own call is what waits.
        if (tool === "Agent" && name === "sdk-inner")
          await first.client.decide(approval_id, { decision: "approve", input_hash });
        else asked += 1;
        if (asked === questions) break;
      }
      return id;
    }),
  );
  await first.kill();
  const second = await startServer(place);
  const { client } = second;
  const { approvals } = await client.approvals({ status: "pending" });
  expect(approvals).toHaveLength(SCENES.reduce((sum, { questions }) => sum + questions, 0));
  // The later call of a message first: it must wait for its turn, and lose nothing by it.
  for (const { id, input_hash } of newestFirst(approvals))
    expect(await client.decide(id, { decision: "approve", input_hash })).toMatchObject({ status: "approved" });
  // What a sub-agent, which begins only now, asks itself.
  const known = new Set(approvals.map(({ id }) => id));
  const answer = async ({ id, input_hash }: Approval): Promise<void> => {
    if (!known.has(id)) await client.decide(id, { decision: "approve", input_hash }).catch(() => undefined);
  };
  const told = await Promise.all(sessions.map((id) => untilTurnEnds(client, id, { answer })));
  expect(Object.fromEntries(told.map((events, index) => [SCENES[index]?.name, ends(events)]))).toEqual({
    "loop-one": ["Bash completed", "turn completed"],
    "loop-many": ["Bash completed", "Bash completed", "turn completed"],
    "sdk-one": ["Bash completed", "turn completed"],
    "sdk-own": ["Write completed", "turn completed"],
    "sdk-inner": ["Bash completed", "Agent completed", "turn completed"],
    "sdk-agent": ["Bash completed", "Agent completed", "turn completed"],
    "cli-one": ["Bash completed", "turn completed"],
  });
  const effects = (await readFile(join(place.workspace, "effects.txt"), "utf8")).trim().split("\n");
  expect(effects.toSorted()).toEqual(["cli-one", "loop-a", "loop-b", "loop-one", "sdk-agent", "sdk-inner", "sdk-one"]);
  expect(effects.filter((word) => word.startsWith("loop-a") || word.startsWith("loop-b"))).toEqual([
    "loop-a",
    "loop-b",
  ]);
  expect(await readFile(join(place.workspace, "sdk-own.txt"), "utf8")).toBe("sdk-own.txt\n");
  expect((await client.approvals({ status: "pending" })).approvals).toEqual([]);
  await second.stop();
  expect(await leftBehind(place)).toEqual([]);
  await place.remove();
});

function newestFirst(approvals: readonly Approval[]): readonly Approval[] {
  return approvals.toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

test("the second call of a message that is approved first is not lost by a kill while it waits", async () => {
  const place = await makePlace();
  const first = await startServer(place);
  const { id } = await first.client.createSession({
    unattended: "park",
    prompt: { text: script({ tools: [effect("one"), effect("two")] }, { say: "Done." }) },
  });
  const asked: Approval[] = [];
  for await (const frame of first.client.watch(id)) {
    if (frame.type === "approval.requested") asked.push(frame.approval);
    if (asked.length === 2) break;
  }
  // They may be asked in any order.
  const [one, two] = ["one", "two"].map((word) =>
    asked.find(({ input }) => input["command"] === `echo ${word} >> effects.txt`),
  );
  if (one === undefined || two === undefined) throw new Error("nobody was asked");
  await first.client.decide(two.id, { decision: "approve", input_hash: two.input_hash });
  await first.kill();
  const second = await startServer(place);
  await second.client.decide(one.id, { decision: "approve", input_hash: one.input_hash });
  expect(ends(await untilTurnEnds(second.client, id))).toEqual(["Bash completed", "Bash completed", "turn completed"]);
  expect(await readFile(join(place.workspace, "effects.txt"), "utf8")).toBe("one\ntwo\n");
  await second.stop();
  await place.remove();
});

test("a page tool's call that is approved before its page is back runs exactly once", async () => {
  const place = await makePlace();
  const first = await startServer(place);
  const before = new LifePage(first.url);
  const sessions = await Promise.all(
    ["loop", "claude-sdk", "claude-cli"].map(async (engine) => {
      const { id } = await first.client.createSession({ engine, unattended: "park" });
      await before.offer(id);
      const call = { tool: `mcp__${PAGE}__change`, input: { word: engine } };
      await first.client.prompt(id, { text: script(call, { say: "Done." }) });
      for await (const frame of first.client.watch(id)) if (frame.type === "approval.requested") break;
      return id;
    }),
  );
  await first.kill();
  before.close();
  const second = await startServer(place);
  const { approvals } = await second.client.approvals({ status: "pending" });
  expect(approvals).toHaveLength(sessions.length);
  for (const { id, input_hash } of approvals) await second.client.decide(id, { decision: "approve", input_hash });
  const after = new LifePage(second.url);
  const told = await Promise.all(
    sessions.map(async (id) => {
      await after.offer(id);
      return ends(await untilTurnEnds(second.client, id));
    }),
  );
  const expected = [`mcp__${PAGE}__change completed`, "turn completed"];
  expect(told).toEqual(sessions.map(() => expected));
  expect([before.ran, after.ran.toSorted()]).toEqual([[], ["claude-cli", "claude-sdk", "loop"]]);
  after.close();
  await second.stop();
  await place.remove();
});
