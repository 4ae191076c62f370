import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { borrowRecord, holdingsOf, ownAnswers, recordOf, retool } from "../../../src/engines/codex/records.ts";

const THREAD = "01a1e7c4-4fd9-7073-98a1-6afc8f23d413";
const PLACE = join("codex", "sessions", "2026", "11", "17", `rollout-2026-11-17T04-29-24-${THREAD}.jsonl`);
const TOOLS = [{ type: "function", name: "Bash" }];

const line = (type: string, payload: object): string => JSON.stringify({ timestamp: "t", ordinal: 0, type, payload });
const turn = (id: string, prompt: string, ...between: readonly string[]): readonly string[] => [
  line("event_msg", { type: "task_started", turn_id: id }),
  line("event_msg", { type: "item_completed", turn_id: id, item: { type: "UserMessage", client_id: prompt } }),
  ...between,
  line("event_msg", { type: "task_complete", turn_id: id }),
  line("event_msg", { type: "thread_settings_applied", thread_id: THREAD }),
];
const call = (call_id: string, name: string): string =>
  line("response_item", { type: "function_call", name, arguments: '{"to":"Mars"}', call_id });
const result = (call_id: string, output: string): string =>
  line("response_item", { type: "function_call_output", call_id, output });
const said = (words: string): string =>
  line("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text: words }] });

const META = line("session_meta", { session_id: THREAD, id: THREAD, dynamic_tools: TOOLS, cwd: "/r" });
const RECORD = [
  META,
  ...turn("one", "turn_1", said("First.")),
  ...turn(
    "two",
    "turn_2",
    call("c1", "Bash"),
    result("c1", "ran"),
    call("c2", "Teleport"),
    result("c2", "unsupported"),
  ),
];

let folder = "";
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sallyport-records-")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, lines: readonly string[], end = "\n"): Promise<string> {
  const place = join(folder, name);
  await mkdir(dirname(join(place, PLACE)), { recursive: true });
  await writeFile(join(place, PLACE), `${lines.join("\n")}${end}`);
  return place;
}

describe("Codex's record of a thread", () => {
  it("is found by the thread", async () => {
    const place = await write("found", RECORD);
    expect(recordOf(place, THREAD)).toBe(join(place, PLACE));
    expect(recordOf(place, "another")).toBeUndefined();
  });

  it("reads tools, prompts, and everything after the newest prompt", async () => {
    const place = await write("held", RECORD);
    expect(await holdingsOf(join(place, PLACE))).toEqual({
      tools: JSON.stringify(TOOLS),
      isWhole: true,
      prompts: new Set(["turn_1", "turn_2"]),
      results: new Set(["c1", "c2"]),
      said: new Set(),
      ends: new Set(["two"]),
    });
  });

  it("that is torn loses only its last line, and gets other tools", async () => {
    const place = await write("torn", [...RECORD, line("event_msg", { type: "task_started" }).slice(0, 30)], "");
    const path = join(place, PLACE);
    expect(await holdingsOf(path)).toMatchObject({ isWhole: false });
    expect(await retool(path, [])).toBe(true);
    expect(await holdingsOf(path)).toMatchObject({ isWhole: true, tools: "[]" });
    expect((await readFile(path, "utf8")).trim().split("\n")).toHaveLength(RECORD.length);
  });

  it("is copied up to a turn, as another thread", async () => {
    const place = await write("parent", RECORD);
    const own = join(folder, "child");
    await mkdir(own, { recursive: true });
    const thread = await borrowRecord(join(place, PLACE), { folder: own, tools: [], upto: "one" });
    const path = recordOf(own, thread ?? "");
    const lines = (await readFile(path ?? "", "utf8")).trim().split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      payload: { id: thread, session_id: thread, dynamic_tools: [] },
    });
    expect(lines.slice(1)).toEqual(RECORD.slice(1, 6));
  });

  it("is not copied where the end of the turn is missing", async () => {
    const place = await write("young", RECORD.slice(0, 4));
    const own = join(folder, "none");
    await mkdir(own, { recursive: true });
    expect(await borrowRecord(join(place, PLACE), { folder: own, tools: [], upto: "one" })).toBeUndefined();
    expect(await borrowRecord(join(place, PLACE), { folder: own, tools: [], upto: "never" })).toBeUndefined();
  });

  it("names the calls that Codex answered by itself, from a place on", async () => {
    const place = await write("answered", RECORD);
    const path = join(place, PLACE);
    const known = new Set(["c1"]);
    expect(await ownAnswers(path, { start: 0, known })).toEqual([
      { type: "call", call_id: "c2", tool: "Teleport", input: '{"to":"Mars"}', output: "unsupported" },
    ]);
    const { length } = await readFile(path);
    expect(await ownAnswers(path, { start: length, known })).toEqual([]);
  });

  it("is no record where a link stands in its place", async () => {
    const place = await write("linked", []);
    const secret = join(folder, "secret.jsonl");
    await writeFile(secret, `${RECORD.join("\n")}\n`);
    await rm(join(place, PLACE));
    await symlink(secret, join(place, PLACE));
    expect(await holdingsOf(join(place, PLACE))).toBeUndefined();
    expect(await retool(join(place, PLACE), [])).toBe(false);
    expect(await readFile(secret, "utf8")).toBe(`${RECORD.join("\n")}\n`);
  });
});
