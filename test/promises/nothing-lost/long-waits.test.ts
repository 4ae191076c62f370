import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Approval, CreateSession, JournalEvent } from "../../../src/protocol/index.ts";
import { MovableClock } from "../../support/clock.ts";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { sample } from "../../support/sample.ts";

const HOURS_MS = 13 * 3_600_000;
const ENGINES = sample(["loop", "claude-sdk", "claude-cli"], 2);

const clock = new MovableClock();
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_START_AHEAD: "on" }, { clock });
});
afterAll(() => app[Symbol.asyncDispose]());

/** Milliseconds pass on both clocks; or only the wall clock moves, as after a night with the lid closed. */
const NIGHTS = {
  "thirteen hours pass": () => clock.pass(HOURS_MS),
  "the machine sleeps for thirteen hours": () => clock.jump(HOURS_MS),
} as const;

const prompt = (...steps: readonly object[]): { readonly text: string } => ({ text: script(...steps) });

function ends(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "turn.completed") return ["completed"];
    if (event.type === "turn.failed") return [`failed: ${event.error.code} ${event.error.message}`];
    if (event.type !== "item.completed" || event.item.type !== "command_execution") return [];
    return [`${event.item.status} ${event.item.tool}`];
  });
}

async function begun(settings: CreateSession): Promise<{ readonly id: string; readonly seq: number }> {
  const { id } = await app.client.createSession(settings);
  const events = await untilTurnEnds(app.client, id);
  expect(ends(events)).toEqual(["completed"]);
  return { id, seq: events.at(-1)?.seq ?? 0 };
}

describe.each(Object.entries(NIGHTS))("%s", (_night, fall) => {
  test("sessions of yesterday, and new ones, go on with every engine", async () => {
    const { client } = app;
    const sessions = await Promise.all(
      ENGINES.map((engine) => begun({ engine, prompt: prompt({ say: "Good night." }) })),
    );
    fall();
    for (const { id, seq } of sessions) {
      const after = await client.prompt(id, prompt({ say: "Good morning." }));
      expect(after.seq).toBeGreaterThan(seq);
      expect(ends(await untilTurnEnds(client, id, { after: seq }))).toEqual(["completed"]);
    }
    // Those that were made ready the evening before are taken now.
    for (const engine of ENGINES) {
      const { id } = await begun({ engine, prompt: prompt({ say: "New." }) });
      await client.control(id, "close");
    }
    for (const { id } of sessions) await client.control(id, "close");
  });

  test("a question that waited overnight is answered, and its turn ends well", async () => {
    const { client } = app;
    const asked: Promise<readonly JournalEvent[]>[] = [];
    const questions: Approval[] = [];
    for (const engine of ENGINES) {
      const { id } = await client.createSession({
        engine,
        unattended: "park",
        prompt: prompt({ tool: "Bash", input: { command: `echo ${engine} > asked.txt` } }, { say: "Done." }),
      });
      await new Promise<void>((resolve) => {
        const answer = (approval: Approval): Promise<void> => {
          questions.push(approval);
          resolve();
          return Promise.resolve();
        };
        asked.push(untilTurnEnds(client, id, { answer }));
      });
    }
    fall();
    for (const approval of questions) await approveWith(client)(approval);
    expect((await Promise.all(asked)).map(ends)).toEqual(ENGINES.map(() => ["completed Bash", "completed"]));
    for (const { session_id } of questions) await client.control(session_id, "close");
  });
});

test.each(ENGINES)("%s: a turn streams on while the machine's clock jumps", async (engine) => {
  const { client } = app;
  // Longer than the proxy takes to look at what is silent.
  const stream = { stream: { tokens: 40, per_second: 20 } };
  const { id } = await client.createSession({ engine, prompt: prompt(stream) });
  let jumped = false;
  const events = await untilTurnEnds(client, id, {
    onFrame: (frame) => {
      if (frame.type !== "item.delta" || jumped) return;
      jumped = true;
      clock.jump(HOURS_MS);
    },
  });
  expect([jumped, ends(events)]).toEqual([true, ["completed"]]);
  await client.control(id, "close");
});
