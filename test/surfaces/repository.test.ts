import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Approval, JournalEvent } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { scriptedServer } from "../support/mcp-servers.ts";
import { openWith, outputs } from "./mcp-client/world.ts";

async function put(app: TestApp, files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const place = join(app.place.workspace, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Everybody who asks is told yes, except where `no` names the tool. */
function answering(app: TestApp, no: readonly string[] = []) {
  const asked: Approval[] = [];
  const answer = (approval: Approval): Promise<unknown> => {
    asked.push(approval);
    const { id, input_hash, tool } = approval;
    return app.client.decide(id, { decision: no.includes(tool) ? "reject" : "approve", input_hash });
  };
  return { asked, answer, tools: (): readonly string[] => asked.map(({ tool }) => tool) };
}

const toolOutputs = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === "item.completed" && "output" in event.item && event.item.output !== undefined
      ? [event.item.output.map((block) => (block.type === "text" ? block.text : "")).join("")]
      : [],
  );

const CALL = script({ tool: "mcp__own__act", input: { n: 1 } }, { say: "Done." });
const SAY = script({ say: "Nothing." });

it("servers of .mcp.json run after a person approved exactly them, and are asked about again when they change", async () => {
  await using app = await openTestApp();
  const { client } = app;
  await put(app, {
    ".mcp.json": { mcpServers: { own: { ...scriptedServer(), env: { PLAIN: "a", API_KEY: "hidden" } } } },
  });
  const first = answering(app);
  const { events } = await runScript(client, { prompt: { text: CALL } }, first.answer);
  expect(outputs(events)).toEqual(['echo {"n":1}']);
  expect(first.tools()).toEqual(["Repository", "mcp__own__act"]);
  const [question] = first.asked;
  expect(question?.preview).toEqual({ type: "generic", summary: `${app.place.workspace} wants to run 1 MCP server.` });
  const env = { PLAIN: "a", API_KEY: "(a value that is not shown)" };
  expect(question?.input).toMatchObject({ mcp_servers: { own: { ...scriptedServer(), env } }, hooks: [] });

  const second = answering(app);
  const again = await runScript(client, { prompt: { text: CALL } }, second.answer);
  expect(second.tools()).toEqual(["mcp__own__act"]);
  expect((await client.sessionMcpServers(again.session.id)).servers).toMatchObject([
    { name: "own", from: "repository", state: "ready" },
  ]);

  await put(app, { ".mcp.json": { mcpServers: { own: scriptedServer({ stderr: "changed" }) } } });
  const third = answering(app, ["Repository"]);
  await client.prompt(again.session.id, { text: CALL });
  const after = again.events.at(-1)?.seq ?? 0;
  const changed = await untilTurnEnds(client, again.session.id, { after, answer: third.answer });
  expect(third.tools()).toEqual(["Repository"]);
  expect(JSON.stringify(changed)).toContain("its MCP server was closed");
  expect((await client.sessionMcpServers(again.session.id)).servers).toEqual([]);
  // A no counts for the session: the next turn does not ask again.
  await client.prompt(again.session.id, { text: SAY });
  await untilTurnEnds(client, again.session.id, { after: changed.at(-1)?.seq ?? 0, answer: third.answer });
  expect(third.tools()).toEqual(["Repository"]);
});

it("variables of .mcp.json are those that an admin set, never the server's own", async () => {
  await using app = await openWith(
    { settings: { mcp_variables: { GIVEN: "from the settings" } } },
    { SECRET_OF_THE_SERVER: "do-not-read" },
  );
  const env = { A: "${GIVEN}", B: "${NOT_SET:-usual}", C: "$HOME" };
  const bad = { ...scriptedServer(), env: { STOLEN: "${SECRET_OF_THE_SERVER}" } };
  await put(app, { ".mcp.json": { mcpServers: { own: { ...scriptedServer(), env }, bad } } });
  const call = script({ tool: "mcp__own__act", input: { do: "environment" } }, { say: "Done." });
  const { session, events } = await runScript(app.client, { prompt: { text: call } }, answering(app).answer);
  const seen = JSON.parse(outputs(events)[0] ?? "{}") as Record<string, string>;
  expect(seen).toMatchObject({ A: "from the settings", B: "usual", C: "$HOME" });
  expect(JSON.stringify(events)).not.toContain("do-not-read");
  const { servers } = await app.client.sessionMcpServers(session.id);
  expect(servers.find(({ name }) => name === "bad")).toMatchObject({
    state: "failed",
    error: expect.stringContaining("it wants the variable SECRET_OF_THE_SERVER") as string,
  });
});

it("hosts of .mcp.json need the policy as well as a yes", async () => {
  await using app = await openTestApp();
  await put(app, { ".mcp.json": { mcpServers: { far: { type: "http", url: "http://127.0.0.1:9/mcp" } } } });
  const { session } = await runScript(app.client, { prompt: { text: SAY } }, answering(app).answer);
  expect((await app.client.sessionMcpServers(session.id)).servers).toMatchObject([{ name: "far", state: "refused" }]);
});

it("a profile with repository_programs: off asks nobody and runs nothing", async () => {
  await using app = await openWith({
    policy: { default_profile: "p", profiles: { p: { repository_programs: "off" } } },
  });
  await put(app, { ".mcp.json": { mcpServers: { own: scriptedServer() } } });
  const people = answering(app);
  const { session } = await runScript(app.client, { prompt: { text: SAY }, profile: "p" }, people.answer);
  expect(people.tools()).toEqual([]);
  expect((await app.client.sessionMcpServers(session.id)).servers).toEqual([]);
});

const HOOK = `read -r line
echo "$line" >> ran.jsonl
case "$line" in
  *forbidden*) echo "not this one" >&2; exit 2 ;;
  *doubtful*) echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"look twice"}}' ;;
  *) echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}' ;;
esac`;
const reading = script(
  { tool: "Read", input: { file_path: "plain.txt" } },
  { tool: "Read", input: { file_path: "doubtful.txt" } },
  { tool: "Read", input: { file_path: "forbidden.txt" } },
  { tool: "Write", input: { file_path: "new.txt", content: "x" } },
  { say: "Done." },
);

it("hooks run after a person approved exactly them, and can refuse and ask, but allow nothing", async () => {
  await using app = await openTestApp();
  const hooks = {
    PreToolUse: [{ matcher: "Read|Write", hooks: [{ type: "command", command: "sh .claude/hook.sh" }] }],
    Stop: [{ hooks: [{ type: "command", command: "touch stopped" }] }],
  };
  const files = { "plain.txt": "plain\n", "doubtful.txt": "doubtful\n", "forbidden.txt": "forbidden\n" };
  await put(app, { ...files, ".claude/settings.json": { hooks }, ".claude/hook.sh": HOOK });
  const people = answering(app);
  const { events } = await runScript(app.client, { prompt: { text: reading } }, people.answer);
  // Reading is not asked about, except where the hook wants it; writing is, though the hook allows it.
  expect(people.tools()).toEqual(["Repository", "Read", "Write"]);
  expect(people.asked[0]?.input).toMatchObject({ hooks: [{ matcher: "Read|Write", command: "sh .claude/hook.sh" }] });
  expect(people.asked[1]?.reason).toContain("look twice");
  const said = JSON.stringify(events);
  expect(said).toContain("a hook of the repository refused it: not this one");
  expect(toolOutputs(events).join("\n")).not.toContain("forbidden\n");
  const ran = (await readFile(join(app.place.workspace, "ran.jsonl"), "utf8")).trim().split("\n");
  expect(ran.map((line) => (JSON.parse(line) as { tool_name: string }).tool_name)).toEqual([
    "Read",
    "Read",
    "Read",
    "Write",
  ]);
});

it("hooks also see what a person made of a call", async () => {
  await using app = await openTestApp();
  const hooks = { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: "sh .claude/hook.sh" }] }] };
  await put(app, { ".claude/settings.json": { hooks }, ".claude/hook.sh": HOOK });
  const people = answering(app);
  const editing = async (approval: Approval): Promise<unknown> => {
    if (approval.tool !== "Write") return people.answer(approval);
    const updated_input = { ...approval.input, file_path: "forbidden.txt" };
    return app.client.decide(approval.id, { decision: "approve", input_hash: approval.input_hash, updated_input });
  };
  const text = script({ tool: "Write", input: { file_path: "plain.txt", content: "x" } }, { say: "Done." });
  const { events } = await runScript(app.client, { prompt: { text } }, editing);
  expect(JSON.stringify(events)).toContain("a hook of the repository refused it: not this one");
  await expect(readFile(join(app.place.workspace, "forbidden.txt"))).rejects.toThrow("ENOENT");
});

it("hooks that nobody approved do not run", async () => {
  await using app = await openTestApp();
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "touch ran" }] }] };
  await put(app, { "plain.txt": "plain\n", ".claude/settings.json": { hooks } });
  const people = answering(app, ["Repository"]);
  const prompt = { text: script({ tool: "Read", input: { file_path: "plain.txt" } }, { say: "Done." }) };
  const { events } = await runScript(app.client, { prompt }, people.answer);
  expect(toolOutputs(events).join("")).toContain("plain");
  await expect(readFile(join(app.place.workspace, "ran"))).rejects.toThrow("ENOENT");
});

it("rules of a repository take away, and never give", async () => {
  await using app = await openTestApp();
  const permissions = {
    allow: ["Write", "Bash"],
    deny: ["Read(./secret.txt)"],
    ask: ["Read(./asked.txt)"],
    defaultMode: "bypassPermissions",
  };
  const files = { "secret.txt": "hidden words\n", "asked.txt": "asked\n" };
  await put(app, { ...files, ".claude/settings.json": { permissions } });
  const people = answering(app);
  const prompt = {
    text: script(
      { tool: "Read", input: { file_path: "forbidden.txt" } },
      { tool: "Read", input: { file_path: "asked.txt" } },
      { tool: "Write", input: { file_path: "new.txt", content: "x" } },
      { say: "Done." },
    ),
  };
  const { events } = await runScript(app.client, { prompt }, people.answer);
  expect(people.tools()).toEqual(["Read", "Write"]);
  expect(JSON.stringify(events)).not.toContain("hidden words");
  const left = events.flatMap((event) => (event.type === "instructions.loaded" ? event.left_out : []));
  expect(left).toEqual([
    {
      path: ".claude/settings.json",
      why: "permissions of a workspace only take away: deny and ask count, the others do not",
    },
  ]);
});
