import { expect } from "vitest";
import { Failure } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { bash, NO, YES, type Scenario } from "./scenario.ts";

/** What a person sends while a question is open. The scripted model follows the last thing that a person said. */
const steered: Scenario = {
  name: "a prompt sent into a running turn is read before the model is asked again",
  shows: "steer",
  async run(bench) {
    const main = await bench.main();
    const begun = await main.begin([bash("echo before"), { say: "Never said." }], { answer: () => undefined });
    await main.kind("approval.requested", begun.from);
    const text = `Go another way. ${script({ say: "Another way." })}`;
    const sent = await main.client.prompt(main.id, { text, when: "now" }).catch((error: unknown) => error);
    await main.answerWith(() => ({ decision: "approve" }));
    const turn = await main.finish(begun);
    expect(turn.end).toMatchObject({ type: "turn.completed" });
    const { turns, queue } = await main.client.session(main.id);
    expect(queue).toEqual([]);
    const told = turn.frames.filter(({ type }) => type === "turn.steered");
    if (sent instanceof Failure) {
      expect(sent).toMatchObject({ code: "unsupported" });
      expect([turn.items.at(-1), told]).toMatchObject([{ text: "Never said." }, []]);
      return NO;
    }
    expect(sent).toMatchObject({ queued: true });
    expect(told).toMatchObject([{ turn_id: turn.id, prompt: { text } }]);
    expect(turn.items).toMatchObject([
      { type: "command_execution", command: "echo before", status: "completed" },
      // Claude Code tells its model in words of its own, which the scripted one takes for no prompt.
      { type: "agent_message", text: expect.stringMatching(/^(?:Another way|Never said)\.$/), status: "completed" },
    ]);
    // Once, and after the result of the call.
    const [before = "", after = "", ...more] = turn.requests.map(({ messages }) => JSON.stringify(messages));
    expect([before.includes("Go another way."), after.split("Go another way.").length - 1, more]).toEqual([
      false,
      1,
      [],
    ]);
    // The next turn knows it, once.
    const next = await main.turn([{ say: "On we go." }]);
    expect(JSON.stringify(next.requests[0]).split("Go another way.")).toHaveLength(2);
    expect((await main.client.session(main.id)).turns).toBe(turns + 1);
    return YES;
  },
};

export const STEERING: readonly Scenario[] = [steered];
