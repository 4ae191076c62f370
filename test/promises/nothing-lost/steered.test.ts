import { describe, expect, it } from "vitest";
import type { Approval } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { Phoenix } from "../../support/life.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace } from "../../support/server.ts";
import { until } from "../../support/until.ts";

const STEERED = `Go another way. ${script({ say: "Another way." })}`;

/** Where the server is killed: as the prompt comes, and as the turn takes it. */
const POINTS = ["queue.decided", "queue.durable", "steer.decided", "steer.durable"] as const;

describe("a prompt sent into a running turn reaches the model exactly once", () => {
  it.each(POINTS)("though the server is killed at %s", async (point) => {
    const place = await makePlace();
    const starts = (start: number): Readonly<Record<string, string>> =>
      start === 0 ? { SALLYPORT_CRASH_AT: point } : {};
    const phoenix = new Phoenix(place, await ownPort(), starts);
    const { client } = phoenix;
    try {
      const steps = [{ tool: "Bash", input: { command: "echo before" } }, { say: "The old way." }];
      const { id } = await phoenix.insist(() =>
        client.createSession({ unattended: "park", prompt: { text: script(...steps) } }, { key: "begin" }),
      );
      const asked: Approval[] = [];
      await until(async () => {
        const { approvals } = await phoenix.insist(() => client.approvals({ status: "pending", session_id: id }));
        asked.push(...approvals);
        return asked.length > 0;
      });
      await phoenix.insist(() => client.prompt(id, { text: STEERED, when: "now" }, { key: "steer" }));
      for (const { id: question, input_hash } of asked)
        await phoenix.insist(() => client.decide(question, { decision: "approve", input_hash }));
      await until(async () => {
        const { status, queue } = await phoenix.insist(() => client.session(id));
        return status === "idle" && queue.length === 0;
      });
      const { events } = await phoenix.insist(() => client.events(id));
      const taken = events.flatMap((event) =>
        (event.type === "turn.steered" || event.type === "turn.started") && event.prompt.text === STEERED
          ? [event.type]
          : [],
      );
      const said = events.flatMap((event) =>
        event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
      );
      expect(phoenix.kills).toBe(1);
      expect(taken).toHaveLength(1);
      expect(said.filter((text) => text === "Another way.")).toEqual(["Another way."]);
      expect(events.filter(({ type }) => type === "turn.queued")).toHaveLength(1);
    } finally {
      await phoenix.stop();
      await place.remove();
    }
  });
});
