import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ChunkStream,
  OutputText,
  parseChunkCursor,
  type Item,
  type JournalEvent,
  type MountFrame,
  type StreamFrame,
} from "../../../src/protocol/index.ts";
import { ShownTexts, type ShownSession } from "../../../src/surfaces/mount/shown.ts";

const AT = "2026-11-15T00:00:00.000Z";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-test-shown-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One model message: what is streamed of it, in pieces, and what it is in the end. */
interface Said {
  readonly pieces: readonly string[];
  /** `whole`: what was streamed; `superseded`: it died with the server; `changed`: the end is another text. */
  readonly end: "whole" | "superseded" | "changed";
  /** A call that follows it. */
  readonly tool: string | undefined;
}

function message(id: string, text: string, status: Item["status"]): Item {
  return { id, type: "agent_message", status, text };
}

function call(id: string, command: string, status: "in_progress" | "completed"): Item {
  const tool = { id, status, tool: "Bash", tool_use_id: id, input: { command } };
  return { ...tool, type: "command_execution", command, aggregated_output: "" };
}

/** The frames that a reader sees who was there from the beginning; each inner array came at once. */
function framesOf(said: readonly Said[]): readonly (readonly StreamFrame[])[] {
  let seq = 0;
  const batches: StreamFrame[][] = [];
  const event = (body: object): void => {
    seq += 1;
    batches.push([{ seq, session_id: "ses_1", at: AT, ...body } as JournalEvent]);
  };
  for (const [index, { pieces, end, tool }] of said.entries()) {
    const id = `item_${index}`;
    event({ type: "item.started", item: message(id, "", "in_progress") });
    for (const delta of pieces)
      batches.push([{ type: "item.delta", session_id: "ses_1", item_id: id, field: "text", delta }]);
    const text = end === "whole" ? pieces.join("") : end === "superseded" ? "" : "Something else.";
    event({ type: "item.completed", item: message(id, text, end === "superseded" ? "superseded" : "completed") });
    if (tool === undefined) continue;
    event({ type: "item.started", item: call(`call_${index}`, tool, "in_progress") });
    event({ type: "item.completed", item: call(`call_${index}`, tool, "completed") });
  }
  event({ type: "turn.completed", turn_id: "t", usage: {}, cost_microusd: 0, stop_reason: "end_turn" });
  return batches;
}

const saids = fc.array(
  fc.record({
    pieces: fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }), { maxLength: 6 }),
    end: fc.constantFrom("whole" as const, "whole" as const, "superseded" as const, "changed" as const),
    tool: fc.option(fc.constantFrom("npm test", "ls -la"), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 6 },
);

async function readAs(
  shown: ShownSession,
  batches: readonly (readonly StreamFrame[])[],
  isLooking: (index: number) => boolean,
): Promise<string> {
  const output = new OutputText(shown);
  let text = "";
  for (const [index, batch] of batches.entries()) {
    for (const frame of batch) text += output.next(frame);
    const { open } = output;
    if (open !== undefined && isLooking(index)) text += output.take(await shown.reveal(open.item_id, open.text));
  }
  return text;
}

describe("the bytes of output", () => {
  it("are the same for who reads as it comes, who looks now and then, and who comes after a restart", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(saids, fc.integer({ min: 1, max: 4 }), async (said, every) => {
        count += 1;
        const batches = framesOf(said);
        const before = new ShownTexts(folder);
        const [first, second] = await Promise.all([before.open(`ses_${count}`), before.open(`ses_${count}`)]);
        const early = await readAs(first, batches, (index) => index % every === 0);
        const sometimes = await readAs(second, batches, (index) => index % 3 === 0);
        const journal = batches.map((batch) => batch.filter((frame) => "seq" in frame));
        const late = await readAs(first, journal, () => true);
        first.close();
        second.close();
        const after = await new ShownTexts(folder).open(`ses_${count}`);
        const restarted = await readAs(after, journal, () => true);
        after.close();
        expect({ sometimes, late, restarted }).toEqual({ sometimes: early, late: early, restarted: early });
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  it("are the same from every place where nothing is open", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(saids, async (said) => {
        count += 1;
        const batches = framesOf(said);
        const shown = await new ShownTexts(folder).open(`ses_place_${count}`);
        await readAs(shown, batches, (index) => index % 2 === 0);
        const journal = batches.filter(([frame]) => frame !== undefined && "seq" in frame);
        const output = new OutputText(shown);
        const added = journal.map(([frame]) => {
          const text = frame === undefined ? "" : output.next(frame);
          return { text, isResting: output.isResting, atLineStart: output.atLineStart };
        });
        for (const [index, { isResting, atLineStart }] of added.entries()) {
          if (!isResting) continue;
          const rest = new OutputText(shown, { atLineStart });
          const later = journal.slice(index + 1).map(([frame]) => (frame === undefined ? "" : rest.next(frame)));
          expect(later).toEqual(added.slice(index + 1).map(({ text }) => text));
        }
        shown.close();
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  it("keeps nothing where the messages became what was shown of them", async () => {
    const shown = new ShownTexts(join(folder, "clean"));
    const session = await shown.open("ses_clean");
    const batches = framesOf([{ pieces: ["a", "b", "c"], end: "whole", tool: "ls" }]);
    expect(await readAs(session, batches, () => true)).toBe("abc\n[Bash] ls → completed\n");
    await session.reveal("another", "x");
    session.settle("another", "x");
    await session.reveal("last", "y");
    session.close();
    expect(await readdir(join(folder, "clean"))).toEqual(["ses_clean.jsonl"]);
    const again = await new ShownTexts(join(folder, "clean")).open("ses_clean");
    expect(again.settle("last", "")).toBe("y");
    expect(again.settle("another", "anything")).toBe("anything");
    again.close();
  });

  it("holds a later message back until those before it have ended", () => {
    const output = new OutputText({ settle: (_item, text) => text });
    const step = (frame: object): string => output.next({ session_id: "s", at: AT, ...frame } as StreamFrame);
    step({ seq: 1, type: "item.started", item: message("a", "", "in_progress") });
    step({ seq: 2, type: "item.started", item: message("b", "", "in_progress") });
    step({ type: "item.delta", item_id: "b", field: "text", delta: "second" });
    expect(output.open).toBeUndefined();
    step({ type: "item.delta", item_id: "a", field: "text", delta: "first \ud83d" });
    expect(output.open).toMatchObject({ item_id: "a", text: "first " });
    expect(step({ seq: 3, type: "item.completed", item: message("b", "second", "completed") })).toBe("");
    expect(step({ seq: 4, type: "item.completed", item: message("a", "first 😀", "completed") })).toBe(
      "first 😀\nsecond",
    );
  });
});

describe("chunks", () => {
  it("come exactly once for a watch that is cut anywhere and resumed", () => {
    fc.assert(
      fc.property(saids, fc.nat(60), (said, cut) => {
        const whole = said.map((one) => ({ ...one, end: one.end === "changed" ? ("whole" as const) : one.end }));
        const batches = framesOf(whole);
        const all = chunksOf(new ChunkStream(parseChunkCursor("0")), batches);
        const first = all.slice(0, cut % (all.length + 1));
        const resumed = new ChunkStream(parseChunkCursor(first.at(-1)?.id ?? "0"));
        // The open item's text comes again as a snapshot; here every delta does, which is the same.
        const rest = chunksOf(resumed, batches);
        expect(told([...first, ...rest])).toEqual(told(all));
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it.each(["x", "-1", "1.2.3", "1.", "99999999999999999", "1 "])("refuse the cursor %s", (cursor) => {
    expect(() => parseChunkCursor(cursor)).toThrow(expect.objectContaining({ code: "cursor_invalid" }));
  });
});

function chunksOf(stream: ChunkStream, batches: readonly (readonly StreamFrame[])[]): readonly MountFrame[] {
  return batches.flatMap((batch) => stream.next(batch));
}

/** What was told, with adjacent texts in one. */
function told(frames: readonly MountFrame[]): readonly string[] {
  const words: string[] = [];
  for (const { chunk } of frames) {
    const isText = chunk.chunk_type === "text";
    if (isText && words.at(-1)?.startsWith("text ") === true) words[words.length - 1] += chunk.delta ?? "";
    else words.push(isText ? `text ${chunk.delta ?? ""}` : `${chunk.chunk_type} ${chunk.tool?.name ?? ""}`);
  }
  return words;
}
