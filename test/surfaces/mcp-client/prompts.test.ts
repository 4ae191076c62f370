import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JournalEvent, McpServers, Prompt } from "../../../src/protocol/index.ts";
import { resourcesIn, promptCall } from "../../../src/sessions/mcp/prompt-parts.ts";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { officialServer, scriptedServer } from "../../support/mcp-servers.ts";
import { until } from "../../support/until.ts";
import { openWith } from "./world.ts";

describe("a prompt", () => {
  it.each([
    ["/mcp__docs__review a b", { command: "mcp__docs__review", server: "docs", rest: "a b" }],
    ["/mcp__my-docs_2__review", { command: "mcp__my-docs_2__review", server: "my-docs_2", rest: "" }],
    ["/review a", undefined],
    ["say /mcp__docs__review", undefined],
  ])("%s", (text, call) => {
    expect(promptCall(text)).toEqual(call);
  });

  it.each([
    ["see @docs:file:///a.md, and @docs:file:///a.md", [["docs", "file:///a.md"]]],
    ["(@docs:demo://x/1) @src/a.ts me@docs:b @docs:x", [["docs", "demo://x/1"]]],
  ])("names resources: %s", (text, resources) => {
    expect(resourcesIn(text).map(({ server, uri }) => [server, uri])).toEqual(resources);
  });
});

const DOCS = scriptedServer({
  prompts: [
    {
      name: "review",
      description: "Reviews a\u001Bchange",
      arguments: [{ name: "number", required: true }, { name: "words" }],
      text: "REVIEW-WORDS",
    },
    { name: "plain", text: "PLAIN-WORDS" },
  ],
  resources: { "demo://guide": "GUIDE-WORDS" },
});

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

async function begin(mcp_servers: McpServers, client = app.client): Promise<string> {
  const { id } = await client.createSession({ mcp_servers, prompt: { text: script({ say: "Ready." }) } });
  await untilTurnEnds(client, id, { answer: approveWith(client) });
  return id;
}

/** What a prompt became, and how its turn ended. */
async function prompted(id: string, text: string): Promise<Prompt | undefined> {
  const { seq } = await app.client.session(id);
  await app.client.prompt(id, { text });
  const events: readonly JournalEvent[] = await untilTurnEnds(app.client, id, {
    after: seq,
    answer: approveWith(app.client),
  });
  return events.flatMap((event) => (event.type === "turn.started" ? [event.prompt] : []))[0];
}

it("prompts of servers are commands: listed, filled in, and kept as they were written", async () => {
  const id = await begin({ docs: DOCS });
  expect((await app.client.sessionCommands(id)).commands).toEqual([
    {
      name: "mcp__docs__review",
      kind: "prompt",
      description: "Reviews a change",
      argument_hint: "<number> [words]",
      path: "mcp:docs",
    },
    { name: "mcp__docs__plain", kind: "prompt", description: "no description", path: "mcp:docs" },
  ]);
  const text = '/mcp__docs__review 42 "in a" hurry';
  const prompt = await prompted(id, text);
  expect(prompt).toMatchObject({ text, attachments: [{ type: "text", name: "/mcp__docs__review" }] });
  expect(JSON.stringify(prompt)).toContain("REVIEW-WORDS");
  expect(JSON.stringify(prompt?.attachments).replaceAll("\\", "")).toContain('{"number":"42","words":"in a hurry"}');
  await expect(app.client.prompt(id, { text: "/mcp__docs__review" })).rejects.toMatchObject({
    code: "invalid_request",
    message: "/mcp__docs__review needs number after it",
  });
  await expect(app.client.prompt(id, { text: "/mcp__docs__nothing" })).rejects.toMatchObject({ code: "not_found" });
  // A server that the session does not have is only a word.
  expect(await prompted(id, "/mcp__other__review")).toEqual({ text: "/mcp__other__review" });
});

it("resources that a prompt names are attached, and one that is not there is an error that changes nothing", async () => {
  const id = await begin({ docs: DOCS });
  const prompt = await prompted(id, "Read @docs:demo://guide.");
  expect(prompt?.attachments).toMatchObject([{ type: "text", name: "@docs:demo://guide" }]);
  expect(JSON.stringify(prompt)).toContain("GUIDE-WORDS");
  const { seq } = await app.client.session(id);
  await expect(app.client.prompt(id, { text: "Read @docs:demo://none" })).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("no resource demo://none"),
  });
  const many = Array.from({ length: 9 }, (_none, index) => `@docs:demo://${index}`).join(" ");
  await expect(app.client.prompt(id, { text: many })).rejects.toMatchObject({ code: "invalid_request" });
  expect((await app.client.session(id)).seq).toBe(seq);
});

it("a list of prompts that changes is read again", async () => {
  const id = await begin({ docs: DOCS });
  const next = [{ name: "fresh", text: "x" }];
  await prompted(id, script({ tool: "mcp__docs__act", input: { do: "changePrompts", next } }, { say: "Done." }));
  await until(async () => {
    const { commands } = await app.client.sessionCommands(id);
    return commands.map(({ name }) => name).join() === "mcp__docs__fresh";
  });
});

it("a first prompt, whose servers do not run yet, tells the model where the prompt is", async () => {
  const { id } = await app.client.createSession({
    mcp_servers: { docs: DOCS },
    prompt: { text: "/mcp__docs__plain" },
  });
  const events = await untilTurnEnds(app.client, id, { answer: approveWith(app.client) });
  const started = events.find((event) => event.type === "turn.started");
  expect(started).toMatchObject({
    prompt: { text: "/mcp__docs__plain", attachments: [{ name: "/mcp__docs__plain" }] },
  });
  expect(JSON.stringify(started)).toContain("mcp__docs__get_prompt");
});

it("what the policy denies stays denied, and an agent has what needs no question alone", async () => {
  await using strict = await openWith({
    policy: {
      default_profile: "own",
      profiles: { own: { for_agents: true, mcp_servers: ["docs"], deny: ["mcp__docs__read_resource"] } },
    },
    settings: { mcp_servers: { docs: DOCS } },
  });
  const id = await begin({}, strict.client);
  await expect(strict.client.prompt(id, { text: "@docs:demo://guide" })).rejects.toMatchObject({ code: "forbidden" });
  const agent = await strict.as("agent");
  const { id: own } = await agent.createSession({ prompt: { text: script({ say: "Ready." }) } });
  await untilTurnEnds(strict.client, own, { answer: approveWith(strict.client) });
  await expect(agent.prompt(own, { text: "/mcp__docs__plain" })).rejects.toMatchObject({ code: "forbidden" });
});

const everything = officialServer("everything");
it.skipIf(everything === undefined)("the official server's prompts and resources come the same way", async () => {
  const id = await begin({ everything: { command: process.execPath, args: [everything ?? "", "stdio"] } });
  const { commands } = await app.client.sessionCommands(id);
  const first = commands.find(({ argument_hint }) => argument_hint === undefined);
  expect(first).toMatchObject({ kind: "prompt", path: "mcp:everything" });
  const prompt = await prompted(id, `/${first?.name ?? ""}`);
  expect(prompt?.attachments?.[0]).toMatchObject({ type: "text", name: `/${first?.name ?? ""}` });
});
