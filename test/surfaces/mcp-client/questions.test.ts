import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import { LIMITS, type Approval, type Decision } from "../../../src/protocol/index.ts";
import { openTestApp, runScript, script } from "../../support/app.ts";
import { scriptedServer } from "../../support/mcp-servers.ts";
import { openWith, outputs } from "./world.ts";

const FORM = {
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", maxLength: 5 },
      age: { type: "integer", minimum: 1, default: 30 },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
      sure: { type: "boolean" },
      note: { type: "string" },
    },
    required: ["name", "color", "sure"],
  },
};
const ADDRESS = { mode: "url", elicitationId: "1", message: "Log in there.", url: "https://login.example/a?b=1" };
const SAMPLE = {
  messages: [{ role: "user", content: { type: "text", text: script({ say: "A model's words." }) } }],
  maxTokens: 100,
};

type Answer = (asked: Approval) => Omit<Decision, "input_hash"> | undefined;

/** One call of a server that asks; `answer` says what a person does with each question that is not about the call itself. */
async function asking(
  client: SallyportClient,
  question: { readonly method: string; readonly params: object; readonly times?: number },
  { answer, profile }: { readonly answer: Answer; readonly profile?: string },
): Promise<{ readonly asked: readonly Approval[]; readonly said: unknown }> {
  const asked: Approval[] = [];
  const prompt = { text: script({ tool: "mcp__it__act", input: { do: "ask", ...question } }, { say: "Done." }) };
  const { events } = await runScript(
    client,
    // What a server is told to ask may be long.
    {
      prompt,
      max_tokens: 200_000,
      mcp_servers: { it: scriptedServer() },
      ...(profile === undefined ? {} : { profile }),
    },
    async (approval) => {
      const { id, input_hash, tool } = approval;
      if (tool === "mcp__it__act") return client.decide(id, { decision: "approve", input_hash });
      asked.push(approval);
      const decision = answer(approval);
      return decision === undefined ? undefined : client.decide(id, { ...decision, input_hash });
    },
  );
  return { asked, said: JSON.parse(outputs(events)[0] ?? "null") as unknown };
}

const filled =
  (answers: Readonly<Record<string, unknown>>): Answer =>
  ({ input }) => ({ decision: "approve", updated_input: { ...input, answers } });

describe("a server that asks a person", () => {
  it("shows its fields in the inbox, and gets what was filled in", async () => {
    await using app = await openTestApp();
    const question = { method: "elicitation/create", params: FORM };
    const { asked, said } = await asking(app.client, question, {
      answer: filled({ Name: "Ada", age: "30", color: "Green", sure: "Yes", note: "Leave it out" }),
    });
    expect(asked).toMatchObject([
      {
        tool: "McpQuestion",
        reason: "The MCP server it asks: Who are you?",
        preview: {
          type: "question",
          questions: [
            { question: "Name", options: [] },
            { question: "age", options: [{ label: "30", description: "suggested" }, { label: "Leave it out" }] },
            { question: "color", options: [{ label: "Red" }, { label: "Green" }] },
            { question: "sure", options: [{ label: "Yes" }, { label: "No" }] },
            { question: "note", options: [{ label: "Leave it out" }] },
          ],
        },
      },
    ]);
    expect(said).toEqual({ action: "accept", content: { name: "Ada", age: 30, color: "g", sure: true } });
  });

  it("is not given what its form forbids: the question comes again and says why", async () => {
    await using app = await openTestApp();
    let round = 0;
    const { asked, said } = await asking(
      app.client,
      { method: "elicitation/create", params: FORM },
      {
        answer: (approval) => {
          round += 1;
          const name = round === 1 ? "Ada Lovelace" : "Ada";
          return filled({ Name: name, color: "Red", sure: "No" })(approval);
        },
      },
    );
    expect(asked.map(({ reason }) => reason)).toEqual([
      "The MCP server it asks: Who are you?",
      "The MCP server it asks: Who are you? The last answer cannot be used: Name has a wrong length.",
    ]);
    expect(said).toEqual({ action: "accept", content: { name: "Ada", age: 30, color: "r", sure: false } });
  });

  it("hears that nobody wants to answer", async () => {
    await using app = await openTestApp();
    const question = { method: "elicitation/create", params: FORM };
    const { said } = await asking(app.client, question, { answer: () => ({ decision: "reject" }) });
    expect(said).toEqual({ action: "decline" });
  });

  it("can send a person to an address, which is shown with its host and opened by nobody else", async () => {
    await using app = await openTestApp();
    const question = { method: "elicitation/create", params: ADDRESS };
    const { asked, said } = await asking(app.client, question, { answer: filled({}) });
    expect(asked).toMatchObject([{ preview: { questions: [{ header: "login.example", link: ADDRESS.url }] } }]);
    expect(said).toEqual({ action: "accept" });
    const bad = { method: "elicitation/create", params: { ...ADDRESS, url: "javascript:alert(1)" } };
    const refused = await asking(app.client, bad, { answer: () => undefined });
    expect(refused.asked).toEqual([]);
    expect(refused.said).toMatchObject({ error: expect.stringContaining("must begin with https://") as string });
  });

  it("gets no default that nobody saw, and nothing for a field that was left open", async () => {
    await using app = await openTestApp();
    const items = { type: "string", enum: ["read", "delete"] };
    const properties = {
      constructor: { type: "string" },
      scopes: { type: "array", items, default: ["delete"] },
      more: { type: "array", items: { anyOf: [{ const: "r", title: "Read" }] }, default: ["r"] },
    };
    const params = { message: "What may it do?", requestedSchema: { type: "object", properties } };
    const { asked, said } = await asking(app.client, { method: "elicitation/create", params }, { answer: filled({}) });
    expect(asked).toMatchObject([
      {
        preview: {
          questions: [
            { question: "constructor", options: [{ label: "Leave it out" }] },
            {
              question: "scopes",
              options: [{ label: "read", description: "" }, { label: "delete", description: "suggested" }, {}],
            },
            { question: "more", options: [{ label: "Read", description: "suggested" }, {}] },
          ],
        },
      },
    ]);
    expect(said).toEqual({ action: "accept", content: { scopes: ["delete"], more: ["r"] } });
  });

  it("cannot ask what nobody can read, nor name a host that is none", async () => {
    await using app = await openTestApp();
    const properties = Object.fromEntries(
      Array.from({ length: LIMITS.mcpFormFields }, (_, at) => [
        `field${at}`,
        { type: "string", title: "t".repeat(3_000) },
      ]),
    );
    const form = { message: "Fill it in.", requestedSchema: { type: "object", properties } };
    const login = { ...ADDRESS, url: "https://accounts.example@evil.example/" };
    const sampled = {
      messages: [{ role: "user", content: { type: "text", text: "a".repeat(LIMITS.mcpSamplingChars) } }],
    };
    for (const [method, params, why] of [
      ["elicitation/create", form, "its texts must be short"],
      ["elicitation/create", login, "the address holds a user name or password"],
      ["sampling/createMessage", { ...sampled, maxTokens: 10 }, "too long for a person to read"],
    ] as const) {
      const { asked, said } = await asking(app.client, { method, params }, { answer: () => undefined });
      expect(asked).toEqual([]);
      expect(said).toMatchObject({ error: expect.stringContaining(why) as string });
    }
  });

  it("has a bounded number of questions in a turn", async () => {
    await using app = await openTestApp();
    const question = { method: "elicitation/create", params: FORM, times: LIMITS.mcpServerQuestions + 1 };
    const { asked, said } = await asking(app.client, question, { answer: () => ({ decision: "reject" }) });
    expect(asked).toHaveLength(LIMITS.mcpServerQuestions);
    expect(said).toMatchObject({ error: expect.stringContaining("questions in this turn already") as string });
  });

  it("cannot change what it asked, nor can the person who answers", async () => {
    await using app = await openTestApp();
    const { client } = app;
    const { asked } = await asking(
      client,
      { method: "elicitation/create", params: FORM },
      { answer: () => ({ decision: "reject" }) },
    );
    expect(asked).toHaveLength(1);
    const seen: unknown[] = [];
    await asking(
      client,
      { method: "elicitation/create", params: ADDRESS },
      {
        answer: ({ id, input_hash, input }) => {
          const changed = client.decide(id, {
            decision: "approve",
            input_hash,
            updated_input: { ...input, server: "x" },
          });
          seen.push(changed.catch((error: unknown) => error));
          void changed.catch(() => client.decide(id, { decision: "reject", input_hash }));
          return undefined;
        },
      },
    );
    expect(await Promise.all(seen)).toMatchObject([{ code: "invalid_request" }]);
  });
});

describe("a server that asks a model", () => {
  const question = { method: "sampling/createMessage", params: SAMPLE };

  it("is answered after a yes, by the session's model and budget", async () => {
    await using app = await openTestApp();
    const { asked, said } = await asking(app.client, question, { answer: () => ({ decision: "approve" }) });
    expect(asked).toMatchObject([{ tool: "McpSampling", input: { server: "it", max_tokens: 100 } }]);
    expect(said).toMatchObject({ role: "assistant", content: { type: "text", text: "A model's words." } });
    // Two of the turn, and the server's own.
    expect(await app.client.usage()).toMatchObject({ total: { requests: 3 } });
  });

  it("is not answered after a no", async () => {
    await using app = await openTestApp();
    const { said } = await asking(app.client, question, { answer: () => ({ decision: "reject" }) });
    expect(said).toEqual({ error: "nobody allowed this server to ask a model" });
  });

  it.each([
    ["allow", { role: "assistant" }],
    ["off", { error: "the policy does not let MCP servers ask models" }],
  ])("is treated as the profile says: %s", async (mcp_sampling, expected) => {
    await using app = await openWith({ policy: { default_profile: "p", profiles: { p: { mcp_sampling } } } });
    const { asked, said } = await asking(app.client, question, { answer: () => undefined, profile: "p" });
    expect(asked).toEqual([]);
    expect(said).toMatchObject(expected);
  });
});
