import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JournalEvent } from "../../src/protocol/index.ts";
import { approveWith, script, untilTurnEnds } from "../support/app.ts";
import { openRecordedApp, type ModelBody, type RecordedApp } from "../support/recorded-model.ts";

let recorded: RecordedApp;
let root: string;
beforeAll(async () => {
  recorded = await openRecordedApp();
  root = await realpath(await mkdtemp(join(tmpdir(), "sallyport-nested-app-")));
});
afterAll(async () => {
  await recorded[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function workspaceWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const workspace = join(root, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  return workspace;
}

const FILES = {
  "CLAUDE.md": "ROOT-WORDS\n",
  "packages/a/CLAUDE.md": "NESTED-WORDS: four blanks.\n",
  "packages/a/.claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash"] } }),
  "packages/a/x.ts": "export const x = 1;\n",
  "packages/a/y.ts": "export const y = 1;\n",
  "node_modules/evil/CLAUDE.md": "EVIL-WORDS\n",
  "node_modules/evil/index.js": "0;\n",
};

const times = (words: string, asked: ModelBody | undefined): number =>
  JSON.stringify(asked ?? {}).split(words).length - 1;

const nestedFiles = (events: readonly JournalEvent[]): readonly (readonly string[])[] =>
  events.flatMap((event) =>
    event.type === "instructions.loaded" ? [event.files.map(({ kind, path }) => `${kind} ${path}`)] : [],
  );

describe.each(["loop", "claude-sdk", "claude-cli"])("%s", (engine) => {
  it("is told what a folder says when it works there, once, and not what code of others says", async () => {
    const { app, asked } = recorded;
    const workspace = await workspaceWith(engine, FILES);
    const read = (path: string) => ({ tool: "Read", input: { file_path: join(workspace, path) } });
    const before = asked.length;
    const text = script(read("node_modules/evil/index.js"), read("packages/a/x.ts"), read("packages/a/y.ts"), {
      say: "Done.",
    });
    const { id } = await app.client.createSession({ engine, workspace, prompt: { text } });
    const events = await untilTurnEnds(app.client, id, { answer: approveWith(app.client) });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    const requests = asked.slice(before).filter((body) => JSON.stringify(body).includes("ROOT-WORDS"));
    expect(requests.map((body) => times("NESTED-WORDS", body))).toEqual([0, 0, 1, 1]);
    expect(JSON.stringify([requests, events])).not.toContain("EVIL-WORDS");
    expect(nestedFiles(events)).toEqual([
      ["instructions CLAUDE.md"],
      ["instructions CLAUDE.md", "nested packages/a/CLAUDE.md"],
    ]);
    const { files } = await app.client.sessionContext(id);
    expect(files.map(({ path }) => path)).toEqual(["CLAUDE.md", "packages/a/CLAUDE.md"]);
  }, 60_000);
});

it("a session that is asked about each reading, or wants no instructions, is told nothing", async () => {
  const { app, asked } = recorded;
  const workspace = await workspaceWith("quiet", FILES);
  for (const settings of [{ ask_reads: true }, { instructions: "off" as const }]) {
    const before = asked.length;
    const read = { tool: "Read", input: { file_path: join(workspace, "packages/a/x.ts") } };
    const { id } = await app.client.createSession({
      workspace,
      ...settings,
      prompt: { text: script(read, { say: "Done." }) },
    });
    await untilTurnEnds(app.client, id, { answer: approveWith(app.client) });
    expect(JSON.stringify(asked.slice(before))).not.toContain("NESTED-WORDS");
  }
});
