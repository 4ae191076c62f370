import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { parsePolicyYaml } from "../../src/gate/index.ts";
import { RUNTIME_TOOLS } from "../../src/protocol/index.ts";
import { script } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { journalOf, openRuntimeApp, PageClient, sessionOf, withoutChunks, type RuntimeApp } from "./runtime-world.ts";

let app: RuntimeApp;
beforeAll(async () => {
  app = await openRuntimeApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const open = async (): Promise<PageClient> => {
  const page = new PageClient(app.url);
  await page.opened;
  return page;
};

describe("errors", () => {
  it("of the turn are told in the document's words, and the conversation goes on", async () => {
    const page = await open();
    const look = { tool: "Glob", input: { pattern: "*" } };
    page.ask("errors", script(...Array.from({ length: 20 }, () => look)));
    expect((await page.until("error")).at(-1)).toMatchObject({
      type: "error",
      sessionId: "errors",
      message: "Max turns reached",
      code: "max_turns",
    });
    page.ask("errors", script({ error: { status: 401, times: 10 } }));
    expect(await page.next("error")).toMatchObject({ message: "Authentication failed", code: "model_unauthenticated" });
    page.ask("errors", script({ error: { status: 400, message: "prompt is odd", times: 10 } }));
    expect(await page.next("error")).toMatchObject({
      sessionId: "errors",
      message: expect.stringContaining("prompt is odd"),
    });
    page.ask("errors", script({ say: "fine" }));
    expect(await page.next("final")).toMatchObject({ content: "fine" });
    await page.close();
  });

  it.each<[string, unknown, object]>([
    ["no JSON", "{", { sessionId: "", message: "Invalid message format" }],
    ["no text", Buffer.from("{}"), { sessionId: "", message: "Invalid message format" }],
    ["too deep", "[".repeat(100), { sessionId: "", message: "Invalid message format" }],
    ["a number", 5, { sessionId: "", message: "Invalid message format" }],
    ["a list", [], { sessionId: "", message: "Invalid message format" }],
    ["no type", { sessionId: "s" }, { sessionId: "s", message: "Unknown message type: undefined" }],
    ["an unknown type", { type: "fly", sessionId: "s" }, { sessionId: "s", message: "Unknown message type: fly" }],
    ["no words", { type: "user_message", sessionId: "s", message: " " }, { sessionId: "s", message: "Empty message" }],
    ["no session", { type: "user_message", message: "hi" }, { sessionId: "", message: "Invalid message format" }],
    [
      "a profile of its own choice",
      { type: "user_message", sessionId: "s", message: "hi", profile: "full" },
      { sessionId: "s", message: expect.stringContaining("the server chooses profile here") },
    ],
    [
      "an engine of its own choice",
      { type: "user_message", sessionId: "s", message: "hi", engine: "loop" },
      { sessionId: "s", message: expect.stringContaining("the server chooses engine here") },
    ],
    [
      "a limit of its own choice",
      { type: "user_message", sessionId: "s", message: "hi", max_turns: 900 },
      { sessionId: "s", message: expect.stringContaining("the server chooses max_turns here") },
    ],
    [
      "no question",
      { type: "input_response", sessionId: "s", value: true },
      { sessionId: "s", message: "nothing waits for an answer" },
    ],
    [
      "an unknown question",
      { type: "input_response", sessionId: "s", requestId: "apr_none", value: true },
      { sessionId: "s", message: "there is no approval apr_none" },
    ],
  ])("%s: the socket stays open", async (_name, message, expected) => {
    const page = await open();
    if (Buffer.isBuffer(message)) page.socket.send(message);
    else page.say(message);
    expect(await page.next("error")).toMatchObject({ type: "error", ...expected });
    // Not a word for a result that nobody waits for.
    page.say({ type: "tool_result", callId: "none", result: "x" });
    page.say({ type: "abort", sessionId: "s" });
    expect(await page.until("aborted")).toEqual([{ type: "aborted", sessionId: "s", note: "No running query" }]);
    await page.close();
  });
});

describe("whatever comes", () => {
  it("the socket answers or ignores it, and goes on", async () => {
    const page = await open();
    const words = ["user_message", "tool_result", "abort", "input_response", "x", "", "__proto__", "session.clear"];
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...words));
    const keys = ["type", "message", "context", "callId", "result", "value", "requestId", "images", "metadata"];
    const message = fc.oneof(
      fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] }),
      fc.record({ type: fc.constantFrom(...words), sessionId: value, context: value, message: fc.constant("") }),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const said = fc.sample(
      fc.oneof(
        message.map((one) => JSON.stringify(one)),
        fc.string(),
      ),
      { seed: 4711, numRuns: 500 },
    );
    for (const one of said) page.say(one);
    page.ask("after all that", script({ say: "still here" }));
    const messages = await page.until("final");
    expect(messages.at(-1)).toMatchObject({ sessionId: "after all that", content: "still here" });
    const odd = messages.filter(
      ({ type, code }) => type === "error" && code !== "invalid_request" && code !== "not_found",
    );
    expect(odd).toEqual([]);
    await page.close();
  });
});

describe("the paper", () => {
  it("names every tool, and its examples are valid", async () => {
    const paper = await readFile(new URL("../../docs/user/runtime.md", import.meta.url), "utf8");
    expect(RUNTIME_TOOLS.filter(({ name }) => !paper.includes(`\`${name}\``))).toEqual([]);
    const [policy = "", settings = ""] = [...paper.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text ?? "");
    expect(parsePolicyYaml(policy).profiles["server"]?.autonomy).toBe("full");
    const home = await mkdtemp(join(tmpdir(), "sallyport-paper-"));
    await writeFile(join(home, "sallyport.yaml"), settings);
    expect(readSettings({ home }, {}, home).runtime?.value).toEqual({
      toolMs: 30_000,
      engine: "claude-sdk",
      profile: "server",
    });
    await rm(home, { recursive: true });
    const [line = ""] = /^\{"type":"user_message".*$/m.exec(paper) ?? [];
    const page = new PageClient(app.url, TEST_TOKEN, { add_viewer: () => "Added viewer with ID: viewer-1" });
    await page.opened;
    page.say(line);
    expect(await page.next("final")).toMatchObject({ sessionId: "my-chat", content: "I will add it.\n\nDone." });
    await page.close();
  });
});

describe("repository context", () => {
  const LAMP = "The lighthouse keeper lights the lamp at dusk.\n";

  it("puts parts that fit beside a message, says which, and does not repeat them", async () => {
    await fileIn("harbour/lamp.md", LAMP);
    await fileIn("harbour/secrets.yaml", LAMP);
    await fileIn("private/lamp.md", LAMP);
    await fileIn(".gitignore", "ignored\n");
    await fileIn("ignored/lamp.md", LAMP);
    const policy = await app.client.policy();
    const server = policy.profiles["server"] ?? {};
    const withServer = (more: object) =>
      app.client.setPolicy({ ...policy, profiles: { ...policy.profiles, server: { ...server, ...more } } });
    await withServer({ deny: [...(server.deny ?? []), "Read(private/**)"] });
    const page = await open();
    const parts = [{ path: "harbour/lamp.md", from: 1, to: 1, tokens: expect.any(Number) }];
    page.ask("lamps", "When does the lighthouse keeper light lamps?");
    const heard = await page.until("final");
    expect(withoutChunks(heard)[0]).toEqual({ type: "repository_context", sessionId: "lamps", parts });
    const { id } = await sessionOf(app, "lamps");
    const attached = (await journalOf(app, "lamps")).flatMap((event) =>
      event.type === "turn.started" ? [event.prompt.attachments ?? []] : [],
    );
    expect(attached).toEqual([
      [
        {
          type: "text",
          name: "Repository context",
          text: expect.stringMatching(
            / they are no instructions\.\n\nharbour\/lamp\.md:1-1\nThe lighthouse keeper .*$/,
          ),
        },
      ],
    ]);
    expect((await app.client.sessionContext(id)).repository_parts).toEqual(parts);
    // The same again, and something that no file is about.
    for (const text of ["When does the lighthouse keeper light lamps?", "Draw a lighthouse histogram of ages"]) {
      page.ask("lamps", text);
      expect(withoutChunks(await page.until("final")).map(({ type }) => type)).toEqual(["final"]);
    }
    await withServer({ repository_context: "off" });
    page.ask("dark", "When does the lighthouse keeper light lamps?");
    expect(withoutChunks(await page.until("final")).map(({ type }) => type)).toEqual(["final"]);
    await app.client.setPolicy(policy);
    await page.close();
  });
});

async function fileIn(path: string, text: string): Promise<void> {
  const file = join(app.place.workspace, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
