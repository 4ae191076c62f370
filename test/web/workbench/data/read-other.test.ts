import { describe, expect, test } from "vitest";
import type { CellValue } from "../../../../src/web/workbench/data/column.ts";
import { READ_BOUNDS, ReadError } from "../../../../src/web/workbench/data/read/error.ts";
import { fetchFile } from "../../../../src/web/workbench/data/read/fetch-file.ts";
import { writeParquet } from "./parquet-writer.ts";
import type { ParquetColumn } from "./parquet-writer.ts";
import { readColumns, shown } from "./reading.ts";

const DEEP = "[".repeat(100_000) + "]".repeat(100_000);

type Shown = readonly (readonly [string, string, readonly CellValue[]])[];

describe("JSON", () => {
  test.each<[string, string, string, Shown]>([
    [
      "objects",
      "x.json",
      '[{"a":1,"b":"x"},{"b":"y","c":true},{"a":2.5}]',
      [
        ["a", "double", [1, null, 2.5]],
        ["b", "string", ["x", "y", null]],
        ["c", "bool", [null, true, null]],
      ],
    ],
    [
      "columns",
      "x.json",
      '{"a":[1,2],"b":["x","y"]}',
      [
        ["a", "int", [1, 2]],
        ["b", "string", ["x", "y"]],
      ],
    ],
    [
      "arrays",
      "x.json",
      '[[1,"x"],[2]]',
      [
        ["Column 1", "int", [1, 2]],
        ["Column 2", "string", ["x", null]],
      ],
    ],
    ["values", "x.json", "[1,null,3]", [["Value", "int", [1, null, 3]]]],
    ["within an object", "x.json", '{"total":1,"data":[{"a":1}]}', [["a", "int", [1]]]],
    [
      "one object",
      "x.json",
      '{"a":1,"b":"x"}',
      [
        ["a", "int", [1]],
        ["b", "string", ["x"]],
      ],
    ],
    ["lines", "x.ndjson", '{"a":1}\n\n{"a":2}\r\n', [["a", "int", [1, 2]]]],
    ["lines in a .json", "x.json", '{"a":1}\n{"a":2}\n', [["a", "int", [1, 2]]]],
    ["by content", "data", ' [{"a":1}]', [["a", "int", [1]]]],
    ["nested", "x.json", '[{"a":{"b":[1,"x"]}},{"a":[]}]', [["a", "string", ['{"b":[1,"x"]}', "[]"]]]],
    [
      "dates",
      "x.json",
      '[{"a":"2024-05-17"},{"a":null},{"a":"2024-05-17T10:00:00Z"}]',
      [["a", "datetime", [new Date("2024-05-17T00:00Z"), null, new Date("2024-05-17T10:00Z")]]],
    ],
    ["numbers in texts stay texts", "x.json", '[{"a":"1"},{"a":"2"}]', [["a", "string", ["1", "2"]]]],
    ["mixed", "x.json", '[{"a":"x"},{"a":1},{"a":true}]', [["a", "string", ["x", "1", "true"]]]],
    [
      "large whole numbers",
      "x.json",
      '[{"a":12345678901234567890,"b":{"c":-12345678901234567890}},{"a":1,"b":"t 1234567890123456789"}]',
      [
        ["a", "bigint", ["12345678901234567890", "1"]],
        ["b", "string", ['{"c":-12345678901234567890}', "t 1234567890123456789"]],
      ],
    ],
    [
      "long fractions",
      "x.json",
      '[{"a":0.12345678901234567890},{"a":1234567890123456}]',
      [["a", "double", [0.12345678901234568, 1234567890123456]]],
    ],
    [
      "names that objects have",
      "x.json",
      '[{"__proto__":1,"constructor":2}]',
      [
        ["__proto__", "int", [1]],
        ["constructor", "int", [2]],
      ],
    ],
  ])("%s", async (_, name, text, expected) => {
    expect(shown(await readColumns(name, text))).toEqual(expected);
  });

  test.each<[string, string, string]>([
    ["x.json", "[1,", "The JSON cannot be read"],
    ["x.json", "5", "The JSON holds no table"],
    ["x.json", '{"a":[1,2],"b":["x"]}', "The JSON holds several lists: choose which one is the table (a, b)."],

    ["x.json", "[]", "no rows and no columns"],
    ["x.ndjson", '{"a":1}\n{"a":\n', "Line 2 is not JSON"],
  ])("%s %s", async (name, text, words) => {
    await expect(readColumns(name, text)).rejects.toMatchObject({
      code: "bad_format",
      message: expect.stringContaining(words) as string,
    });
  });

  test.each([
    ["an object's value", "x.json", `[{"a":${DEEP}}]`],
    ["a column's value", "x.json", `{"a":[${DEEP}]}`],
    ["a line's value", "x.ndjson", `{"a":1}\n{"a":${DEEP}}`],
  ])("%s that nests too deep is refused with words", async (_, name, text) => {
    await expect(readColumns(name, text)).rejects.toMatchObject({
      code: "bad_format",
      message:
        "A value holds lists or objects too deep inside each other for a cell: flatten the data, or leave that value out.",
    });
  });

  test("mistakes are reported at once, however many empty lines there are", async () => {
    const text = `{}${"\n".repeat(300_000)}x`;
    await expect(readColumns("x.json", text)).rejects.toMatchObject({ code: "bad_format" });
  });
});

const COLUMNS: readonly ParquetColumn[] = [
  { name: "whole", type: "INT32", values: [1, -2, 3] },
  { name: "long", type: "INT64", optional: true, values: [1n, null, 3n] },
  { name: "large", type: "INT64", values: [1n, 9223372036854775807n, 3n] },
  { name: "fraction", type: "DOUBLE", optional: true, values: [1, 2, null] },
  { name: "text", type: "BYTE_ARRAY", converted: 0, optional: true, values: ["x", null, "é"] },
  { name: "truth", type: "BOOLEAN", values: [true, false, true] },
  { name: "day", type: "INT32", converted: 6, values: [0, 19860, -1] },
  { name: "time", type: "INT64", converted: 10, optional: true, values: [1_500_000n, null, 0n] },
  { name: "price", type: "INT32", converted: 5, scale: 2, precision: 9, values: [1250, 300, -1] },
  { name: "x", type: "INT32", within: "place", values: [7, 8, 9] },
];

const EXPECTED: Shown = [
  ["whole", "int", [1, -2, 3]],
  ["long", "int", [1, null, 3]],
  ["large", "bigint", ["1", "9223372036854775807", "3"]],
  ["fraction", "double", [1, 2, null]],
  ["text", "string", ["x", null, "é"]],
  ["truth", "bool", [true, false, true]],
  ["day", "datetime", [new Date(0), new Date("2024-05-17T00:00Z"), new Date("1969-12-31T00:00Z")]],
  ["time", "datetime", [new Date(1_500), null, new Date(0)]],
  ["price", "double", [12.5, 3, -0.01]],
  ["place", "string", ['{"x":7}', '{"x":8}', '{"x":9}']],
];

describe("Parquet", () => {
  test.each([
    ["one row group", { groupRows: 3 }],
    ["two row groups", { groupRows: 2 }],
    ["packed", { groupRows: 2, gzip: true }],
  ])("%s", async (_, options) => {
    expect(shown(await readColumns("x.parquet", writeParquet(COLUMNS, options)))).toEqual(EXPECTED);
    expect(shown(await readColumns("no name", writeParquet(COLUMNS, options)))).toEqual(EXPECTED);
  });

  test("a broken file", async () => {
    const bytes = new Uint8Array(writeParquet(COLUMNS, { groupRows: 3 }));
    for (const broken of [bytes.slice(0, 40), bytes.slice(0, -3), new Uint8Array([0x50, 0x41, 0x52, 0x31])])
      await expect(readColumns("x.parquet", broken)).rejects.toMatchObject({ code: "bad_format" });
  });
});

describe("files by address", () => {
  const base = "https://desk.example/workbench?x=1";
  const answer = (body: BodyInit | null, init: ResponseInit = {}) => {
    const asked: string[] = [];
    const fetch = (url: string, options: RequestInit): Promise<Response> => {
      asked.push(`${url} ${options.credentials} ${options.mode}`);
      return Promise.resolve(new Response(body, init));
    };
    return { asked, options: { base, fetch } };
  };

  test.each([
    ["/data/a%20b.csv", "https://desk.example/data/a%20b.csv", "text/plain", "a b.csv"],
    ["data", "https://desk.example/data", "text/tab-separated-values", "data.tsv"],
    ["./?q=1", "https://desk.example/?q=1", "application/json; charset=utf-8", "data.json"],
    ["https://desk.example/x", "https://desk.example/x", "text/plain", "x"],
  ])("%s", async (url, address, type, name) => {
    const { asked, options } = answer("a\n1", { headers: { "content-type": type } });
    const file = await fetchFile(url, options);
    expect([file.name, file.blob.size, asked]).toEqual([name, 3, [`${address} same-origin same-origin`]]);
  });

  test.each([
    "https://other.example/x.csv",
    "//other.example/x.csv",
    "http://desk.example/x.csv",
    "data:text/csv,a",
    "file:///etc/passwd",
    "https://user:word@desk.example/x.csv",
    "https://desk.example:444/x.csv",
  ])("%s is not asked for", async (url) => {
    const { asked, options } = answer("a\n1");
    await expect(fetchFile(url, options)).rejects.toMatchObject({
      code: "not_allowed",
      message: expect.stringContaining("Only data of https://desk.example") as string,
    });
    expect(asked).toEqual([]);
  });

  test("no such file", async () => {
    await expect(fetchFile("x.csv", answer("no", { status: 404 }).options)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("answers 404") as string,
    });
  });

  test("too large by what it says", async () => {
    const { options } = answer("a", { headers: { "content-length": String(READ_BOUNDS.fileBytes + 1) } });
    await expect(fetchFile("x.csv", options)).rejects.toMatchObject({ code: "too_large" });
  });

  test("too large by what comes, and it is asked no further", async () => {
    const part = new Uint8Array(64 * 1024 ** 2);
    const state = { cancelled: false };
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(part),
      cancel: () => {
        state.cancelled = true;
      },
    });
    await expect(fetchFile("x.csv", answer(body).options)).rejects.toBeInstanceOf(ReadError);
    expect(state.cancelled).toBe(true);
  });

  test("aborted", async () => {
    const reason = new Error("enough");
    const fetch = (_: string, { signal }: RequestInit): Promise<Response> => Promise.reject(signal?.reason as Error);
    await expect(fetchFile("x.csv", { base, fetch, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
