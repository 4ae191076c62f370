import { expect, it } from "vitest";
import { permit } from "../../src/sessions/permission/permit.ts";
import type { Session } from "../../src/sessions/core/session.ts";
import { openTestApp, script, untilTurnEnds } from "../support/app.ts";

it("withdraws a question that nobody waits for any more", async () => {
  await using app = await openTestApp();
  const search = (pattern: string): object => ({ tool: "Grep", input: { pattern, path: "." } });
  const session = await app.client.createSession({
    ask_reads: true,
    prompt: { text: script({ tools: [search("left"), search("right")] }, { say: "Never." }) },
  });
  let asked = 0;
  const events = await untilTurnEnds(app.client, session.id, {
    answer: async ({ id, input_hash }) => {
      asked += 1;
      if (asked === 2)
        await app.client.decide(id, { decision: "reject", input_hash, feedback: "Enough.", interrupt: true });
    },
  });
  const resolved = events.filter((event) => event.type === "approval.resolved");
  expect(resolved.map(({ outcome, by, synthetic }) => [outcome, by.role, synthetic])).toEqual([
    ["rejected", "admin", undefined],
    ["cancelled", "system", undefined],
  ]);
  expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "rejected_and_stopped" } });
});

it("refuses to decide on a call that the session does not know", async () => {
  const session = { state: { turn: { id: "turn_1", items: {} } }, dependencies: {} } as unknown as Session;
  const asked = permit(session, { item_id: "item_1", input: {} }, new AbortController().signal);
  await expect(asked).rejects.toMatchObject({ code: "not_found" });
});

it("marks a call before it runs with its message and its parent", async () => {
  await using app = await openTestApp();
  const bash = { tool: "Bash", input: { command: "echo one >> effects.txt" } };
  const prompt = script(bash, { say: "Done." });
  const { id } = await app.client.createSession({
    autonomy: "full",
    prompt: { text: script({ tool: "Task", input: { description: "part", prompt } }, { say: "All done." }) },
  });
  const events = await untilTurnEnds(app.client, id);
  const items = (type: "item.started" | "item.updated" | "item.completed"): readonly unknown[] =>
    events.flatMap((event) =>
      event.type === type && event.item.type === "command_execution"
        ? [{ id: event.item.id, message_id: event.item.message_id, parent_id: event.item.parent_id }]
        : [],
    );
  const place = { id: expect.any(String), message_id: expect.any(String), parent_id: expect.any(String) };
  expect(items("item.started")).toEqual([place]);
  expect([items("item.updated"), items("item.completed")]).toEqual([items("item.started"), items("item.started")]);
});
