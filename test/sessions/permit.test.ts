import { expect, it } from "vitest";
import { openTestHouse, script, untilTurnEnds } from "../support/house.ts";

it("withdraws a question that nobody waits for any more", async () => {
  await using house = await openTestHouse();
  const search = (pattern: string): object => ({ tool: "Grep", input: { pattern, path: "." } });
  const session = await house.client.createSession({
    ask_reads: true,
    prompt: { text: script({ tools: [search("left"), search("right")] }, { say: "Never." }) },
  });
  let asked = 0;
  const events = await untilTurnEnds(house.client, session.id, {
    answer: async ({ id, input_hash }) => {
      asked += 1;
      if (asked === 2)
        await house.client.decide(id, { decision: "reject", input_hash, feedback: "Enough.", interrupt: true });
    },
  });
  const resolved = events.filter((event) => event.type === "approval.resolved");
  expect(resolved.map(({ outcome, by, synthetic }) => [outcome, by.role, synthetic])).toEqual([
    ["rejected", "admin", undefined],
    ["cancelled", "system", undefined],
  ]);
  expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "rejected_and_stopped" } });
});
