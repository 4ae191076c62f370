import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joined, Story, storyOf } from "../../../src/engines/claude/history.ts";
import {
  borrowTranscript,
  mendTranscript,
  returnTranscript,
  transcriptOf,
} from "../../../src/engines/claude/transcripts.ts";
import { LIMITS, NO_USAGE, type EventBody, type Item, type JournalEvent } from "../../../src/protocol/index.ts";
import { numbered } from "../world.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sp-record-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (uuid: string, parent: string | null, content: unknown, more: object = {}): string =>
  JSON.stringify({ parentUuid: parent, isSidechain: false, type: "user", message: { content }, uuid, ...more });
const prompt = (uuid: string, parent: string | null): string => line(uuid, parent, "Do it.");
const answer = (uuid: string, parent: string, ...content: readonly object[]): string =>
  line(uuid, parent, content, { type: "assistant", message: { role: "assistant", content } });
const use = (id: string): object => ({ type: "tool_use", id, name: "Bash", input: {} });
const result = (id: string, content = "ok"): object => ({ type: "tool_result", tool_use_id: id, content });
const newest = (uuid: string): string => JSON.stringify({ type: "last-prompt", leafUuid: uuid });
const BESIDE = JSON.stringify({ type: "queue-operation", operation: "enqueue" });
const REFUSAL = "The user doesn't want to take this action right now. STOP what you are doing.";

function write(...lines: readonly string[]): string {
  const path = join(folder, "record.jsonl");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
const read = (path: string): readonly string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

const NOTHING: ReadonlySet<string> = new Set();

describe("a record is mended", () => {
  const CASES: readonly {
    readonly name: string;
    readonly lines: readonly string[];
    readonly kept: readonly number[];
    readonly done?: readonly string[];
    readonly results?: readonly string[];
    readonly said?: readonly string[];
  }[] = [
    {
      name: "all is well",
      lines: [prompt("p", null), answer("a", "p", use("1")), line("r", "a", [result("1")]), newest("r")],
      done: ["1"],
      kept: [0, 1, 2, 3],
      results: ["1"],
    },
    {
      name: "it names a message that is not the newest",
      lines: [prompt("p", null), newest("p"), answer("a", "p", { type: "text", text: "Yes. " })],
      kept: [0, 2],
      said: ["Yes."],
    },
    {
      name: "results that nobody gave are cut, with what follows from them",
      lines: [
        prompt("p", null),
        answer("a", "p", use("1")),
        answer("b", "a", use("2")),
        line("r", "a", [result("1", "Tool permission stream closed")]),
        line("s", "b", [result("2", REFUSAL)]),
        line("t", "s", "more", { type: "attachment" }),
        BESIDE,
        answer("c", "t", { type: "text", text: "I stop." }),
        newest("c"),
      ],
      kept: [0, 1, 2, 6],
    },
    {
      name: "a result that is known stays beside one that is invented",
      lines: [
        prompt("p", null),
        answer("a", "p", use("1")),
        answer("b", "a", use("2")),
        line("r", "a", [result("1", REFUSAL)]),
        line("s", "b", [result("2")]),
      ],
      done: ["2"],
      kept: [0, 1, 2, 4],
      results: ["2"],
    },
    {
      name: "a known result of a message that was cut is cut with it",
      lines: [
        prompt("p", null),
        answer("a", "p", use("1")),
        line("r", "a", [result("1")]),
        answer("b", "r", use("2")),
        line("s", "b", [result("2")]),
      ],
      done: ["2"],
      kept: [0, 1],
    },
    {
      name: "turns before the open one are left alone, and so are sub-agents",
      lines: [
        prompt("o", null),
        answer("n", "o", use("0")),
        line("m", "n", [result("0", REFUSAL)]),
        prompt("p", "m"),
        line("x", "p", [result("inner")], { isSidechain: true }),
      ],
      kept: [0, 1, 2, 3, 4],
    },
    {
      name: "a character that is a line's end elsewhere stays in its line",
      lines: [
        prompt("p", null),
        answer("a", "p", { type: "text", text: "one\u2028two\u2029three\u0085four" }),
        line("r", "a", [result("1", REFUSAL)]),
      ],
      kept: [0, 1],
      said: ["one\u2028two\u2029three\u0085four"],
    },
  ];

  test.each(CASES)("$name", async ({ lines, kept, done = [], results = [], said = [] }) => {
    const path = write(...lines);
    const held = await mendTranscript(path, new Set(["p", "elsewhere"]), { prompt: "p", done: new Set(done) });
    expect(held).toEqual({ any: true, messages: new Set(["p"]), results: new Set(results), said: new Set(said) });
    expect(read(path)).toEqual(kept.map((index) => lines[index]));
    // What is mended stays as it is.
    expect(await mendTranscript(path, new Set(["p"]), { prompt: "p", done: new Set(done) })).toEqual(held);
    expect(read(path)).toEqual(kept.map((index) => lines[index]));
  });

  test("a last line that is half written is gone, and one that lacks its end gets it", async () => {
    const path = write(prompt("p", null), prompt("q", "p"));
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -1));
    expect(await mendTranscript(path, new Set(["q"]), undefined)).toMatchObject({ messages: new Set(["q"]) });
    expect(read(path)).toEqual([prompt("p", null), prompt("q", "p")]);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -5));
    expect(await mendTranscript(path, new Set(["q"]), undefined)).toMatchObject({ messages: NOTHING });
    expect(read(path)).toEqual([prompt("p", null)]);
  });

  test("a message is found wherever it stands in a long record", async () => {
    const uuid = "0b54ad70-8cf7-4b1c-9d5e-000000000001";
    // Over the border of what is read at once.
    for (const before of [0, 65_500, 65_536, 1_048_560, 3_000_000]) {
      const path = write(JSON.stringify("é".repeat(before)), prompt(uuid, null), BESIDE);
      const { messages } = await mendTranscript(path, new Set([uuid, uuid.replace("1", "2")]), undefined);
      expect(messages).toEqual(new Set([uuid]));
    }
  });

  test("where there is no record, or no message in it, nothing is held", async () => {
    const none = { any: false, messages: NOTHING, results: NOTHING, said: NOTHING };
    expect(await mendTranscript(join(folder, "nowhere"), new Set(["p"]), undefined)).toEqual(none);
    expect(await mendTranscript(write(BESIDE, "{}"), new Set(["p"]), undefined)).toEqual(none);
  });

  test("a borrowed record ends where it must", async () => {
    const path = write(
      prompt("a", null),
      prompt("b", "a"),
      newest("b"),
      prompt("c", "b"),
      '{"parentUuid":"c","uuid":"d"',
    );
    const place = join(folder, "borrower");
    expect(await borrowTranscript(path, { session: "s", uuid: "b" }, place)).toBe(true);
    expect(read(transcriptOf(place, "s") ?? "")).toEqual([prompt("a", null), prompt("b", "a")]);
    for (const uuid of ["d", "e"]) expect(await borrowTranscript(path, { session: "t", uuid }, place)).toBe(false);
    expect(transcriptOf(place, "t")).toBeUndefined();
    await returnTranscript(place, "s");
    expect(transcriptOf(place, "s")).toBeUndefined();
  });

  test("a link to a file or folder outside is neither read nor written through", async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, "secret.jsonl"), '{"secret":true}\n{"torn":');
    const place = join(folder, "linked");
    const projects = join(place, "claude", "projects");
    mkdirSync(join(projects, "own"), { recursive: true });
    symlinkSync(outside, join(projects, "forked"));
    symlinkSync(join(outside, "secret.jsonl"), join(projects, "own", "s.jsonl"));
    const link = join(projects, "own", "s.jsonl");
    expect(await mendTranscript(link, new Set(), undefined)).toMatchObject({ any: false });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    const record = join(projects, "own", "real.jsonl");
    writeFileSync(record, '{"parentUuid":null,"uuid":"u1"}\n');
    expect(await borrowTranscript(record, { session: "s", uuid: "u1" }, place)).toBe(false);
    expect(readdirSync(outside)).toEqual(["secret.jsonl"]);
  });
});

describe("a story", () => {
  const by = { id: "t", name: "t", role: "admin" as const };
  const said = (id: string, text: string, more: Partial<Item> = {}): EventBody => ({
    type: "item.completed",
    item: { id, type: "agent_message", status: "completed", text, ...more } as Item,
  });
  const command: Item = {
    type: "command_execution",
    id: "i2",
    tool: "Bash",
    tool_use_id: "t2",
    command: "ls",
    status: "completed",
    input: { command: "ls" },
    aggregated_output: "a",
    output: [{ type: "text", text: "a" }],
  };
  const begun = (turn_id: string, text: string): EventBody => ({ type: "turn.started", turn_id, prompt: { text }, by });
  async function* history(bodies: readonly EventBody[]): AsyncGenerator<JournalEvent> {
    yield* numbered(bodies);
  }

  test("has what was said and done, without what a sub-agent did", async () => {
    const open: Item = { id: "i4", type: "agent_message", status: "in_progress", text: "" };
    const { turns } = await Story.of(
      history([
        begun("1", "One"),
        said("i1", "Yes."),
        { type: "item.completed", item: command },
        said("i3", "Inner.", { parent_id: "i2" }),
        { type: "turn.failed", turn_id: "1", error: { code: "aborted", message: "aborted" }, usage: NO_USAGE },
        begun("2", "Two"),
        { type: "item.completed", item: command },
        { type: "item.started", item: open },
        { type: "turn.resumed", turn_id: "2", restarts: 1 },
      ]),
    );
    const [first, second] = turns;
    expect(storyOf(turns.slice(0, 1))).toBe(
      'User: One\nAssistant: Yes.\nTool Bash {"command":"ls"} (completed): a\n(The turn ended early: aborted)',
    );
    expect(first).toMatchObject({ turn_id: "1", prompt: undefined, done: NOTHING, open: [] });
    expect(second).toEqual({
      turn_id: "2",
      prompt: { text: "Two" },
      asked: "User: Two",
      calls: [{ words: 'Tool Bash {"command":"ls"} (completed): a', tool_use_id: "t2" }],
      done: new Set(["t2"]),
      open: [open],
      resumed: 1,
      end: undefined,
      journaled: expect.anything(),
    });
  });

  test("of a turn goes on in the next life", async () => {
    const before = await Story.of(history([begun("1", "One"), said("i1", "Yes.")]));
    const since = new Story();
    since.begin("1", undefined);
    since.add({ type: "item.completed", item: command });
    since.add({ type: "turn.completed", stop_reason: "end_turn" });
    since.begin("2", { text: "Two" });
    const turns = joined(before.turns, since.turns);
    expect(turns.map(({ turn_id, end }) => [turn_id, end])).toEqual([
      ["1", ""],
      ["2", undefined],
    ]);
    expect(storyOf(turns)).toBe('User: One\nAssistant: Yes.\nTool Bash {"command":"ls"} (completed): a\nUser: Two');
  });

  test("is never longer than may be told, and keeps the newest and what was done", () => {
    const story = new Story();
    for (let turn = 0; turn < 300; turn += 1) {
      story.begin(`${turn}`, { text: `Prompt ${turn}` });
      story.add({ type: "item.completed", item: { ...command, output: [{ type: "text", text: "x".repeat(9_999) }] } });
      story.add({ type: "turn.completed", stop_reason: "end_turn" });
    }
    story.begin("last", { text: "Last" });
    for (let call = 0; call < 300; call += 1) {
      const item = {
        ...command,
        tool_use_id: `t${call}`,
        output: [{ type: "text" as const, text: "y".repeat(9_999) }],
      };
      story.add({ type: "item.completed", item });
    }
    const { turns } = story;
    const text = storyOf(turns);
    expect(text.length).toBeLessThan(LIMITS.engineHistoryChars + 100);
    expect(text).toMatch(/^\(Older parts are left out\.\)\n/);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.done.size).toBe(300);
    expect(turns[0]?.calls.length).toBeLessThan(120);
  });
});
