import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { Approval, Failure } from "../../../src/protocol/index.ts";
import { script, untilTurnEnds } from "../../support/house.ts";
import { makePlace, startServer } from "../../support/server.ts";

const ASKED = "safe=1\nextra=2\n";
const PRECIOUS = "PRECIOUS\nPRECIOUS\nPRECIOUS\n";
const write = { tool: "Write", input: { file_path: "settings", content: ASKED } };

/** Starts a session that asks, and answers with the question. */
async function question(client: SallyportClient): Promise<Approval> {
  const { id } = await client.createSession({ prompt: { text: script(write, { say: "Done." }) } });
  for await (const frame of client.watch(id)) if (frame.type === "approval.requested") return frame.approval;
  throw new Error("nothing was asked");
}

describe("a question survives kill -9 with what it showed", () => {
  it.each([
    { when: "before the answer", crash: undefined, status: "input_changed" },
    { when: "after the answer, before the call ran", crash: "answer.durable", status: "already_answered" },
  ])("the file changes $when", { timeout: 60_000 }, async ({ crash, status }) => {
    const place = await makePlace();
    const file = join(place.workspace, "settings");
    await writeFile(file, "safe=1\n");
    const first = await startServer(place, crash === undefined ? {} : { SALLYPORT_CRASH_AT: crash });
    const asked = await question(first.client);
    if (crash === undefined) await first.kill();
    else
      await first.client
        .decide(asked.id, { decision: "approve", input_hash: asked.input_hash })
        .catch((error: unknown) => error);
    await first.exited;
    await writeFile(file, PRECIOUS);
    const second = await startServer(place);
    try {
      const answers: unknown[] = [];
      const inbox: Approval[] = [];
      await untilTurnEnds(second.client, asked.session_id, {
        answer: async (approval) => {
          inbox.push(approval);
          const decision = approval.replaces === undefined ? "approve" : "reject";
          const answer = second.client.decide(approval.id, { decision, input_hash: approval.input_hash });
          answers.push(
            await answer.then(
              (decided) => decided.status,
              (error: Failure) => error.code,
            ),
          );
        },
      });
      expect(await readFile(file, "utf8")).toBe(PRECIOUS);
      expect(inbox.map(({ id }) => id === asked.id)).toEqual([true, false]);
      expect(inbox[1]).toMatchObject({ replaces: asked.id, preview: { file: { removed: 3, added: 2 } } });
      expect(answers).toEqual([status, "rejected"]);
    } finally {
      await second.stop();
      await place.remove();
    }
  });

  it("runs what was shown when nothing changed", { timeout: 60_000 }, async () => {
    const place = await makePlace();
    const file = join(place.workspace, "settings");
    await writeFile(file, "safe=1\n");
    const first = await startServer(place);
    const asked = await question(first.client);
    await first.kill();
    const second = await startServer(place);
    try {
      const questions: string[] = [];
      await untilTurnEnds(second.client, asked.session_id, {
        answer: ({ id, input_hash }) => {
          questions.push(id);
          return second.client.decide(id, { decision: "approve", input_hash });
        },
      });
      expect([questions, await readFile(file, "utf8")]).toEqual([[asked.id], ASKED]);
    } finally {
      await second.stop();
      await place.remove();
    }
  });
});
