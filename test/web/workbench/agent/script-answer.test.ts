import { describe, expect, it } from "vitest";
import { ANSWER, readAnswer, ScriptError } from "../../../../src/web/workbench/agent/script/answer.ts";

const done = (more: object = {}): object => ({
  type: "done",
  lines: ["one", "two"],
  cut: false,
  result: "3",
  resultCut: false,
  made: { columns: [], tables: [] },
  ...more,
});
const column = (values: readonly unknown[], name: unknown = "A"): object => ({ name, values });
const trouble = (said: unknown): unknown => {
  try {
    return readAnswer(said);
  } catch (error) {
    return error instanceof ScriptError ? error.message : error;
  }
};

describe("the answer of a script", () => {
  it("is what the script printed, returned and made", () => {
    const day = new Date(0);
    const values = ["a", 1, 2n, true, null, undefined, day];
    const made = { columns: [column(values)], tables: [{ name: "T", columns: [column([1], "B")] }] };
    expect(readAnswer(done({ made }))).toEqual({
      lines: ["one", "two"],
      cut: false,
      result: "3",
      resultCut: false,
      columns: [{ name: "A", values }],
      tables: [{ name: "T", columns: [{ name: "B", values: [1] }] }],
    });
    expect(readAnswer(done({ result: undefined })).result).toBeUndefined();
  });

  it("is the script's error with what it had printed", () => {
    expect(() => readAnswer({ type: "failed", lines: ["x"], message: "TypeError: no" })).toThrow(
      expect.objectContaining({ message: "TypeError: no", lines: ["x"] }) as Error,
    );
  });

  it("is refused where a script made it up", () => {
    const strange = /not its own to choose/;
    const faked: readonly unknown[] = [
      null,
      undefined,
      7,
      "x".repeat(1_000),
      new Uint8Array(10),
      {},
      { type: "ready" },
      done({ type: "answer" }),
      done({ lines: undefined }),
      done({ lines: [{}] }),
      done({ lines: "printed" }),
      done({ result: { toString: 1 } }),
      done({ made: null }),
      done({ made: { columns: {}, tables: [] } }),
      done({ made: { columns: [column([1], { toString: 1 })], tables: [] } }),
      done({ made: { columns: [{ name: "A", values: "abc" }], tables: [] } }),
      { type: "failed", lines: [], message: {} },
    ];
    for (const said of faked) expect([said, trouble(said)]).toEqual([said, expect.stringMatching(strange)]);
    expect(trouble(done({ made: { columns: [column([{ toString: 1 }])], tables: [] } }))).toBe(
      "column A holds a value that is not a text, number, date, true or false",
    );
  });

  it("is bounded, also where the worker's own bounds were passed over", () => {
    const long = readAnswer(done({ lines: Array(50_000).fill("x"), result: "y".repeat(50_000) }));
    expect([long.lines.join("\n").length <= ANSWER.printChars, long.cut]).toEqual([true, true]);
    expect([long.result?.length, long.resultCut]).toEqual([ANSWER.resultChars, true]);
    const huge: unknown[] = [];
    huge.length = 4_000_000_000;
    const many = Array.from({ length: ANSWER.columns + 1 }, () => column([]));
    const tables = Array.from({ length: ANSWER.tables + 1 }, () => ({ name: "T", columns: [] }));
    expect([
      trouble(done({ made: { columns: [column(huge)], tables: [] } })),
      trouble(done({ made: { columns: many, tables: [] } })),
      trouble(done({ made: { columns: [], tables } })),
    ]).toEqual(["a script may make 20000000 values", "a script may make 1000 columns", "a script may make 20 tables"]);
  });

  it("keeps a full page of what was printed", () => {
    const lines = Array.from({ length: ANSWER.printChars / 2 }, () => "x");
    expect(readAnswer(done({ lines }))).toMatchObject({ lines, cut: false });
  });
});
