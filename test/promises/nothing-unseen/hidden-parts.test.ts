import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Approval, JournalEvent } from "../../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

/** Looks like a vendor's key, and is a program. */
const PAYLOAD = `sk-ant-${Buffer.from("touch pwned").toString("hex")}`;
const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const tools = (events: readonly JournalEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.type === "item.completed" && "tool_use_id" in event.item ? [event.item] : []));

describe("what a person decides on", () => {
  it("is never hidden by its looks: input, preview, rule, journal, transcript, list", async () => {
    const command = `printf %s ${PAYLOAD} > payload; echo sk-ant-api03-0123456789abcdef0123`;
    const asked: unknown[] = [];
    const { session, events } = await runScript(
      app.client,
      { prompt: { text: script(bash(command), { say: "Done." }) } },
      async ({ id, input_hash }) => {
        asked.push(await app.client.approval(id));
        asked.push((await app.client.approvals({ status: "pending" })).approvals.find((one) => one.id === id));
        asked.push(await app.client.decide(id, { decision: "approve", input_hash }));
      },
    );
    for (const approval of asked)
      expect(approval).toMatchObject({ input: { command }, preview: { command, parts: expect.any(Array) } });
    const [first] = asked as Approval[];
    expect(JSON.stringify([first?.preview, first?.session_rule])).not.toContain("redacted");
    expect(await readFile(join(app.place.workspace, "payload"), "utf8")).toBe(PAYLOAD);
    // What a tool says is no question: there a key is hidden as before.
    expect(tools(events)).toMatchObject([{ input: { command }, command, output: [{ text: "[redacted]" }] }]);
    expect(JSON.stringify(await app.client.events(session.id))).toContain(PAYLOAD);
  });

  it("shows a diff whole, and writes what it showed, also after a restart", async () => {
    const content = `const API_KEY = "${PAYLOAD}";\n`;
    const created = await app.client.createSession({
      prompt: {
        text: script({ tool: "Write", input: { file_path: "cfg.cjs", content } }, { say: "Done." }),
      },
    });
    for await (const frame of app.client.watch(created.id)) if (frame.type === "approval.requested") break;
    await app.restart();
    const { approvals } = await app.client.approvals({ session_id: created.id, status: "pending" });
    const [approval] = approvals;
    expect(approval).toMatchObject({
      input: { content },
      preview: { file: { diff: expect.stringContaining(PAYLOAD) } },
    });
    if (approval !== undefined)
      await app.client.decide(approval.id, { decision: "approve", input_hash: approval.input_hash });
    for await (const frame of app.client.watch(created.id)) if (frame.type === "turn.completed") break;
    expect(await readFile(join(app.place.workspace, "cfg.cjs"), "utf8")).toBe(content);
  });

  it("cannot be approved where a known secret is hidden, but rejected, or approved with another input", async () => {
    const seen: unknown[] = [];
    const answer = async (approval: Approval): Promise<void> => {
      const { id, input_hash } = approval;
      seen.push(approval.input, approval.warnings[0]?.kind, approval.not_approvable !== undefined);
      seen.push(
        await app.client.decide(id, { decision: "approve", input_hash }).catch((error: { code: string }) => error.code),
      );
      await app.client.decide(id, { decision: "approve", input_hash, updated_input: { command: "echo shown" } });
    };
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(bash(`echo ${TEST_TOKEN}`), { say: "Done." }) } },
      answer,
    );
    expect(seen).toEqual([{ command: "echo [redacted]" }, "hidden", true, "not_approvable"]);
    expect(tools(events)).toMatchObject([{ status: "completed", approved_input: { command: "echo shown" } }]);
    const refused = await runScript(
      app.client,
      { prompt: { text: script(bash(`echo ${TEST_TOKEN}`), { say: "Done." }) } },
      ({ id, input_hash }) => app.client.decide(id, { decision: "reject", input_hash }),
    );
    expect(tools(refused.events)).toMatchObject([{ status: "declined" }]);
  });
});
