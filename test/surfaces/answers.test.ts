import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CreateSession } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { sample } from "../support/sample.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const output_schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
const agents = { reader: { description: "Reads.", prompt: "You read.", tools: ["Read"] } };
const answer = (word: string): object => ({ tool: "StructuredOutput", input: { word } });

describe("a session that wants its answers in a form", () => {
  it.each(sample(["loop", "claude-sdk", "claude-cli"], 2))(
    "%s has them at the end of each turn, after a restart and in a fork too",
    async (engine) => {
      const { session, events } = await runScript(app.client, {
        engine,
        output_schema,
        agents,
        prompt: { text: script(answer("first")) },
      });
      expect(session.settings).toMatchObject({ output_schema, agents });
      expect(events.at(-1)).toMatchObject({ type: "turn.completed", structured_output: { word: "first" } });
      await app.restart();
      const fork = await app.client.fork(session.id);
      for (const id of [session.id, fork.id]) {
        const { seq } = await app.client.session(id);
        await app.client.prompt(id, { text: script(answer(id)) });
        const told = await untilTurnEnds(app.client, id, { after: seq });
        expect(told.at(-1)).toMatchObject({ type: "turn.completed", structured_output: { word: id } });
        expect(told.filter(({ type }) => type === "error")).toEqual([]);
      }
    },
    60_000,
  );

  it("needs no tool, no approval and no autonomy for it", async () => {
    const { events } = await runScript(app.client, {
      output_schema,
      autonomy: "read_only",
      tools: [],
      prompt: { text: script(answer("free")) },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed", structured_output: { word: "free" } });
    expect(events.filter(({ type }) => type === "approval.requested")).toEqual([]);
  });

  it("is interrupted like any other", async () => {
    const created = await app.client.createSession({
      output_schema,
      prompt: { text: script({ tool: "Bash", input: { command: "true" } }, answer("never")) },
    });
    const events = await untilTurnEnds(app.client, created.id, {
      answer: () => app.client.control(created.id, "interrupt"),
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
  });

  it.each<[string, CreateSession, string]>([
    ["a schema of no object", { output_schema: { type: "string" } }, "invalid_request"],
    ["a schema that is none", { output_schema: { type: "object", properties: 7 } }, "invalid_request"],
    [
      "a schema that is too long",
      { output_schema: { type: "object", description: "x".repeat(70_000) } },
      "invalid_request",
    ],
    ["an agent without a prompt", { agents: { a: { description: "a", prompt: "" } } }, "invalid_request"],
    ["an agent whose name is none", { agents: { "a b": { description: "a", prompt: "a" } } }, "invalid_request"],
    [
      "too many agents",
      {
        agents: Object.fromEntries(
          Array.from({ length: 51 }, (_, index) => [`a${index}`, { description: "a", prompt: "a" }]),
        ),
      },
      "invalid_request",
    ],
  ])("refuses %s", async (_, request, code) => {
    await expect(app.client.createSession(request)).rejects.toMatchObject({ code });
  });

  it("refuses an agent's model that policy blocks", async () => {
    const policy = await app.client.policy();
    await app.client.setPolicy({
      ...policy,
      profiles: { ...policy.profiles, full: { blocked_models: ["bad*"] } },
    });
    const request = { agents: { a: { description: "a", prompt: "a", model: "bad-1" } } };
    await expect(app.client.createSession(request)).rejects.toMatchObject({ code: "model_not_allowed" });
    await app.client.setPolicy(policy);
  });
});
