import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { Approval, Failure } from "../../../src/protocol/index.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../../support/server.ts";

const ASKED = "safe=1\nextra=2\n";
const PRECIOUS = "PRECIOUS\nPRECIOUS\nPRECIOUS\n";

/** Starts a session that asks, and answers with the question. */
async function question(client: SallyportClient, file_path: string): Promise<Approval> {
  const write = { tool: "Write", input: { file_path, content: ASKED } };
  const { id } = await client.createSession({ prompt: { text: script(write, { say: "Done." }) } });
  for await (const frame of client.watch(id)) if (frame.type === "approval.requested") return frame.approval;
  throw new Error("nothing was asked");
}

const CASES = [
  { when: "before the answer", file: "before", answered: false, status: "input_changed" },
  { when: "after the answer, before the call ran", file: "after", answered: true, status: "already_answered" },
] as const;

describe("a question survives kill -9 with what it showed", () => {
  let place: Place;
  let second: ServerProcess;
  /** By file. */
  const asked = new Map<string, Approval>();
  const path = (file: string): string => join(place.workspace, file);
  const askedFor = (file: string): Approval => {
    const found = asked.get(file);
    if (found === undefined) throw new Error(`nothing was asked about ${file}`);
    return found;
  };

  /** One server has all questions open when it dies, as kill -9 ends it, on the answer to one of them. The next one has them all. */
  beforeAll(async () => {
    place = await makePlace();
    const first = await startServer(place, { SALLYPORT_CRASH_AT: "answer.durable" });
    for (const file of [...CASES.map((one) => one.file), "unchanged"]) {
      await writeFile(path(file), "safe=1\n");
      asked.set(file, await question(first.client, file));
    }
    for (const { file } of CASES.filter(({ answered }) => answered)) {
      const { id, input_hash } = askedFor(file);
      await first.client.decide(id, { decision: "approve", input_hash }).catch((error: unknown) => error);
    }
    await first.exited;
    for (const { file } of CASES) await writeFile(path(file), PRECIOUS);
    second = await startServer(place);
  });
  afterAll(async () => {
    await second.stop();
    await place.remove();
  });

  it.each(CASES)("the file changes $when", async ({ file, status }) => {
    const first = askedFor(file);
    const answers: unknown[] = [];
    const inbox: Approval[] = [];
    await untilTurnEnds(second.client, first.session_id, {
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
    expect(await readFile(path(file), "utf8")).toBe(PRECIOUS);
    expect(inbox.map(({ id }) => id === first.id)).toEqual([true, false]);
    expect(inbox[1]).toMatchObject({ replaces: first.id, preview: { file: { removed: 3, added: 2 } } });
    expect(answers).toEqual([status, "rejected"]);
  });

  it("runs what was shown when nothing changed", async () => {
    const questions: string[] = [];
    await untilTurnEnds(second.client, askedFor("unchanged").session_id, {
      answer: ({ id, input_hash }) => {
        questions.push(id);
        return second.client.decide(id, { decision: "approve", input_hash });
      },
    });
    expect([questions, await readFile(path("unchanged"), "utf8")]).toEqual([[askedFor("unchanged").id], ASKED]);
  });
});
