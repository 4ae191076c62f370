import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { BridgeClient, type AskedRow } from "./bridge-client.ts";

let app: TestApp;
let client: BridgeClient;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  client = new BridgeClient(app);
});
afterEach(() => client.close());

const answerTo = ({ id, input_hash }: AskedRow, more: object): object => ({
  control: "approval.answer",
  approvalId: id,
  inputHash: input_hash,
  ...more,
});

const run = { tool: "Bash", input: { command: "echo from bash" } };

describe("approval.answer", () => {
  it("lets a call run, and everybody sees the question, its answer and the result", async () => {
    const watcher = new BridgeClient(app);
    await watcher.status();
    await client.submit(script(run, { say: "end" }));
    const question = await client.question();
    expect(question).toMatchObject({ tool: "Bash", input: { command: "echo from bash" } });
    await client.say(answerTo(question, { decision: "approve" }));
    const rows = await client.turn();
    expect(rows).toEqual([
      { type: "approval.resolved", approval_id: question.id, outcome: "approved" },
      {
        type: "item.completed",
        item: expect.objectContaining({ command: "Bash", aggregated_output: "from bash", exit_code: 0 }),
      },
      { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "end" } },
      { type: "turn.completed", usage: expect.any(Object) },
    ]);
    expect((await watcher.turn()).slice(-4)).toEqual(rows);
    watcher.close();
  });

  it("rejects with a reason that the model reads", async () => {
    await client.submit(script(run, { say: "end" }));
    await client.say(answerTo(await client.question(), { decision: "reject", feedback: "use make instead" }));
    const rows = await client.turn();
    expect(rows[0]).toMatchObject({ type: "approval.resolved", outcome: "rejected", feedback: "use make instead" });
    expect(rows[1]).toMatchObject({
      item: { status: "failed", exit_code: 1, aggregated_output: expect.stringContaining("use make instead") },
    });
    expect(rows.at(-1)?.type).toBe("turn.completed");
  });

  it("can change the input, allow it for the session, and end the turn", async () => {
    await client.submit(script({ tool: "Write", input: { file_path: "answer.txt", content: "a\n" } }, run, run, run));
    await client.say(
      answerTo(await client.question(), {
        decision: "approve",
        updatedInput: { file_path: "answer.txt", content: "changed\n" },
      }),
    );
    await client.say(answerTo(await client.question(), { decision: "approve", scope: "session" }));
    expect((await client.turn()).filter(({ type }) => type === "approval.requested")).toEqual([]);
    expect(await readFile(join(app.place.workspace, "answer.txt"), "utf8")).toBe("changed\n");
    await client.submit(script({ tool: "Bash", input: { command: "echo other" } }, { say: "never" }));
    await client.say(answerTo(await client.question(), { decision: "reject", interrupt: true }));
    expect((await client.turn()).at(-1)?.type).toBe("turn.failed");
  });

  it("counts once, and only for exactly what was shown", async () => {
    await client.submit(script(run, { say: "end" }));
    const question = await client.question();
    expect(
      (await client.refusal(answerTo({ ...question, input_hash: "0".repeat(64) }, { decision: "approve" })))["code"],
    ).toBe("input_changed");
    await client.say(answerTo(question, { decision: "reject" }));
    await client.turn();
    expect((await client.refusal(answerTo(question, { decision: "approve" })))["code"]).toBe("already_answered");
  });

  it("works for a client that comes after a restart of the server", async () => {
    await client.submit(script(run, { say: "end" }));
    await client.question();
    await app.restart();
    const late = new BridgeClient(app, { query: "" });
    await late.status();
    const thread = client.thread;
    const questions = late.rows.filter(({ type }) => type === "approval.requested");
    const open = await app.client.approvals({ session_id: thread, status: "pending" });
    const shown = questions.map((row) => row["approval"] as AskedRow).find(({ id }) => id === open.approvals[0]?.id);
    if (shown === undefined) throw new Error("the open question is not among the rows");
    await late.say(answerTo(shown, { decision: "approve" }));
    expect((await late.until("turn.completed")).at(-1)?.type).toBe("turn.completed");
    late.close();
  });

  it("shows an input whole or not at all", async () => {
    const content = "x".repeat(LIMITS.bridgeOutputBytes);
    await client.submit(script({ tool: "Write", input: { file_path: "long.txt", content } }));
    const question = await client.question();
    expect(question.input).toBeUndefined();
    await client.say(answerTo(question, { decision: "reject", interrupt: true }));
    await client.turn();
  });
});
