import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { openRecordedApp, type RecordedApp } from "../support/recorded-model.ts";

let recorded: RecordedApp;
let app: TestApp;
beforeAll(async () => {
  recorded = await openRecordedApp();
  app = recorded.app;
});
afterAll(() => recorded[Symbol.asyncDispose]());

/** As JSON: a half stands there as an escape, which models' servers refuse. */
const HALF = /\\ud[89a-f]/i;

describe("half a character", () => {
  it("reaches no model: the prompt that holds one is read, and so is every later one", async () => {
    const { session, events } = await runScript(app.client, {
      prompt: { text: `a\ud83d b\n${script({ say: "hi" })}`, attachments: [{ type: "text", text: "x\ude00y" }] },
    });
    expect(events.at(-1)?.type).toBe("turn.completed");
    await app.client.prompt(session.id, { text: script({ say: "again" }) });
    await untilTurnEnds(app.client, session.id, { after: events.at(-1)?.seq ?? 0 });
    expect(recorded.asked.length).toBeGreaterThan(1);
    for (const body of recorded.asked) expect(JSON.stringify(body)).not.toMatch(HALF);
  });

  it("is not what the title of a session ends with", async () => {
    const session = await app.client.createSession({
      prompt: { text: `${"x".repeat(LIMITS.madeTitleChars - 1)}😀 and more` },
    });
    expect((await app.client.session(session.id)).title.isWellFormed()).toBe(true);
  });
});
