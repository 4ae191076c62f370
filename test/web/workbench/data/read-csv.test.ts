import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CellValue } from "../../../../src/web/workbench/data/column.ts";
import { READ_BOUNDS, ReadError } from "../../../../src/web/workbench/data/read/error.ts";
import type { FormatOptions } from "../../../../src/web/workbench/data/read/options.ts";
import { RecordScanner } from "../../../../src/web/workbench/data/read/records.ts";
import { readColumns, shown } from "./reading.ts";

type Shown = readonly (readonly [string, string, readonly CellValue[]])[];
const at = (text: string): Date => new Date(text);

describe("what is read of a CSV file", () => {
  test.each<[string, string, Shown, FormatOptions?]>([
    [
      "plain",
      "a,b\n1,x\n2,y\n",
      [
        ["a", "int", [1, 2]],
        ["b", "string", ["x", "y"]],
      ],
    ],
    [
      "no line end at the end",
      "a,b\n1,x",
      [
        ["a", "int", [1]],
        ["b", "string", ["x"]],
      ],
    ],
    [
      "CRLF",
      "a,b\r\n1,x\r\n",
      [
        ["a", "int", [1]],
        ["b", "string", ["x"]],
      ],
    ],
    [
      "CR alone",
      "a,b\r1,x\r",
      [
        ["a", "int", [1]],
        ["b", "string", ["x"]],
      ],
    ],
    [
      "byte order mark",
      "\uFEFFa,b\n1,2",
      [
        ["a", "int", [1]],
        ["b", "int", [2]],
      ],
    ],
    [
      "quotes",
      'a,b\n"x, ""y""","l1\nl2"\n',
      [
        ["a", "string", ['x, "y"']],
        ["b", "string", ["l1\nl2"]],
      ],
    ],
    [
      "text behind a quote",
      'a,b\n"x"y,"p""q"r\n',
      [
        ["a", "string", ["xy"]],
        ["b", "string", ['p"qr']],
      ],
    ],
    [
      "a quote within",
      'a,b\n5" pipe,x\n',
      [
        ["a", "string", ['5" pipe']],
        ["b", "string", ["x"]],
      ],
    ],
    [
      "a quote not closed",
      'a,b\n1,"x\ny',
      [
        ["a", "int", [1]],
        ["b", "string", ["x\ny"]],
      ],
    ],
    [
      "short and long rows",
      "a,b\n1\n2,x,more\n",
      [
        ["a", "int", [1, 2]],
        ["b", "string", [null, "x"]],
        ["Column 3", "string", [null, "more"]],
      ],
    ],
    [
      "empty lines",
      "a,b\n\n1,x\n\r\n\n2,y\n\n",
      [
        ["a", "int", [1, 2]],
        ["b", "string", ["x", "y"]],
      ],
    ],
    [
      "an empty last cell",
      "a,b\n1,",
      [
        ["a", "int", [1]],
        ["b", "string", [null]],
      ],
    ],
    [
      "semicolons and decimal commas",
      "a;b\n1,5;x\n2,25;y\n",
      [
        ["a", "double", [1.5, 2.25]],
        ["b", "string", ["x", "y"]],
      ],
    ],
    [
      "tabs",
      "a\tb\n1\tx,y\n",
      [
        ["a", "int", [1]],
        ["b", "string", ["x,y"]],
      ],
    ],
    [
      "pipes",
      "a|b\n1|x\n",
      [
        ["a", "int", [1]],
        ["b", "string", ["x"]],
      ],
    ],
    [
      "names twice and empty",
      "a,a,,a (2)\n1,2,3,4\n",
      [
        ["a", "int", [1]],
        ["a (3)", "int", [2]],
        ["Column 3", "int", [3]],
        ["a (2)", "int", [4]],
      ],
    ],
    [
      "no header",
      "1,x\n2,y\n",
      [
        ["Column 1", "int", [1, 2]],
        ["Column 2", "string", ["x", "y"]],
      ],
    ],
    [
      "years as names",
      "country,2020\nPeru,x\n",
      [
        ["country", "string", ["Peru"]],
        ["2020", "string", ["x"]],
      ],
      { header: true },
    ],
    [
      "no header, as told",
      "a,b\nc,d\n",
      [
        ["Column 1", "string", ["a", "c"]],
        ["Column 2", "string", ["b", "d"]],
      ],
      { header: false },
    ],
    [
      "only a header",
      "a,b\n",
      [
        ["a", "string", []],
        ["b", "string", []],
      ],
    ],
    ["one column with gaps", 'a\n1\n""\n3\n', [["a", "int", [1, null, 3]]]],
    [
      "words for nothing",
      'a,b\nNA,NA\n1,"NA"\nnull,x\n',
      [
        ["a", "int", [null, 1, null]],
        ["b", "string", [null, "NA", "x"]],
      ],
    ],
    [
      "own words for nothing",
      "a,b\n-,NA\n1,x\n",
      [
        ["a", "int", [null, 1]],
        ["b", "string", ["NA", "x"]],
      ],
      { nullWords: ["-"] },
    ],
    [
      "nothing but gaps",
      "a,b\n,1\n,2\n",
      [
        ["a", "string", [null, null]],
        ["b", "int", [1, 2]],
      ],
    ],
    [
      "spaces",
      "a,b\n 1 , x \n 2,  \n",
      [
        ["a", "int", [1, 2]],
        ["b", "string", [" x ", null]],
      ],
    ],
    [
      "given types",
      "a,b\n1,2\n2,x\n",
      [
        ["a", "string", ["1", "2"]],
        ["b", "int", [2, null]],
      ],
      { types: { a: "string", b: "int" } },
    ],
    [
      "given delimiter",
      "a;b,c\n1;2,3\n",
      [
        ["a;b", "string", ["1;2"]],
        ["c", "int", [3]],
      ],
      { delimiter: "comma" },
    ],
  ])("%s", async (_, text, expected, options = {}) => {
    expect(shown(await readColumns("x.csv", text, options))).toEqual(expected);
  });

  test.each<[string, readonly string[], string, readonly CellValue[]]>([
    ["whole numbers", ["0", "-12", "9007199254740991"], "int", [0, -12, 9007199254740991]],
    ["too large for a double", ["1", "12345678901234567890"], "bigint", ["1", "12345678901234567890"]],
    ["fractions", ["1", "-0.5", ".5", "5.", "1e3", "1.5E-7"], "double", [1, -0.5, 0.5, 5, 1000, 1.5e-7]],
    ["exact fractions", ["0.1", "123456.789", "0.30000000000000004"], "double", [0.1, 123456.789, 0.30000000000000004]],
    ["zeros that matter", ["007", "1"], "string", ["007", "1"]],
    ["a plus sign", ["+49301234", "1"], "string", ["+49301234", "1"]],
    ["out of range", ["1e999"], "string", ["1e999"]],
    ["not quite numbers", ["1.2.3", "-", ".", "1e", "--1"], "string", ["1.2.3", "-", ".", "1e", "--1"]],
    ["truth", ["true", "FALSE", "True"], "bool", [true, false, true]],
    ["truth and more", ["true", "maybe"], "string", ["true", "maybe"]],
    ["numbers and truth", ["1", "true"], "string", ["1", "true"]],
    ["days", ["2024-02-29", "1969-12-31"], "datetime", [at("2024-02-29T00:00Z"), at("1969-12-31T00:00Z")]],
    ["no such day", ["2023-02-29"], "string", ["2023-02-29"]],
    ["months", ["2024-02", "2024-12"], "datetime", [at("2024-02-01T00:00Z"), at("2024-12-01T00:00Z")]],
    [
      "times",
      ["2024-05-17T12:30", "2024-05-17 12:30:05", "2024-05-17T12:30:05.25Z", "2024-05-17T12:30:05+02:00"],
      "datetime",
      [at("2024-05-17T12:30Z"), at("2024-05-17T12:30:05Z"), at("2024-05-17T12:30:05.250Z"), at("2024-05-17T10:30:05Z")],
    ],
    [
      "month first",
      ["5/17/2024", "12/31/1999 11:30 PM"],
      "datetime",
      [at("2024-05-17T00:00Z"), at("1999-12-31T23:30Z")],
    ],
    ["day first", ["1/2/2024", "17/5/2024"], "datetime", [at("2024-02-01T00:00Z"), at("2024-05-17T00:00Z")]],
    ["either: month first", ["1/2/2024"], "datetime", [at("2024-01-02T00:00Z")]],
    ["neither for all", ["13/1/2024", "1/13/2024"], "string", ["13/1/2024", "1/13/2024"]],
    ["points", ["17.05.2024", "1.2.2024 08:05"], "datetime", [at("2024-05-17T00:00Z"), at("2024-02-01T08:05Z")]],
    [
      "names of months",
      ["17 May 2024", "Sept 1, 1999", "3-Dec-2000"],
      "datetime",
      [at("2024-05-17T00:00Z"), at("1999-09-01T00:00Z"), at("2000-12-03T00:00Z")],
    ],
    ["a month that is none", ["17 Foo 2024"], "string", ["17 Foo 2024"]],
    ["other letters", ["é", "日本"], "string", ["é", "日本"]],
  ])("types: %s", async (_, cells, type, values) => {
    const text = `v,k\n${cells.map((cell) => `"${cell}",k\n`).join("")}`;
    expect(shown(await readColumns("x.csv", text))[0]).toEqual(["v", type, values]);
  });

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["UTF-16, as Excel saves it", new Uint8Array(Buffer.from("\uFEFFn\tw\né\t1\n", "utf16le"))],
    ["Windows-1252, without a sign", new Uint8Array(Buffer.from("n\tw\né\t1\n", "latin1"))],
    ["gzip", new Uint8Array(gzipSync("n\tw\né\t1\n"))],
  ])("bytes: %s", async (_, bytes) => {
    expect(shown(await readColumns("x.tsv", bytes))).toEqual([
      ["n", "string", ["é"]],
      ["w", "int", [1]],
    ]);
  });
});

describe("what is refused", () => {
  test.each<[string, string, string, string | Uint8Array<ArrayBuffer>]>([
    ["bad_format", "The file is empty", "x.csv", ""],
    ["bad_format", "no rows and no columns", "x.csv", "\n\n"],
    ["bad_format", "zip file is damaged", "x.xlsx", new Uint8Array([0x50, 0x4b, 3, 4, 0, 0])],
    ["unsupported", "web page", "x.csv", "<!DOCTYPE html><p>"],
    ["too_many_columns", "more than 5,000 columns", "x.csv", `a\n${",".repeat(READ_BOUNDS.columns)}\n`],
    [
      "bad_format",
      "quote is probably not closed",
      "x.csv",
      `a,b\n"${"x\n".repeat(READ_BOUNDS.recordBytes / 2 + 10)}`.padEnd(READ_BOUNDS.recordBytes + 5_000_000, "y"),
    ],
  ])("%s: %s", async (code, words, name, content) => {
    const error = await readColumns(name, content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReadError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string });
  });
});

const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", ";", " ", "é", "1"), maxLength: 6 });

/** The records of a text that comes in parts of a length. */
function records(bytes: Uint8Array, part: number): readonly (readonly string[])[] {
  const found: string[][] = [];
  let cells: string[] = [];
  const scanner = new RecordScanner(44, {
    cell(column, from, start, end) {
      cells[column] = new TextDecoder().decode(from.subarray(start, end));
    },
    endRecord(count) {
      found.push(cells.slice(0, count));
      cells = [];
    },
  });
  let rest = new Uint8Array(0);
  for (let start = 0; start < bytes.length; start += part) {
    const whole = new Uint8Array([...rest, ...bytes.subarray(start, start + part)]);
    rest = whole.slice(scanner.scan(whole, start + part >= bytes.length));
  }
  return found;
}

test("records are the same however the file is cut, and are those that were written", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      (rows, part) => {
        const text = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(",")).join("\r\n");
        const bytes = new TextEncoder().encode(text);
        expect(records(bytes, part)).toEqual(rows);
        expect(records(bytes, bytes.length + 1)).toEqual(rows);
      },
    ),
    { seed: 6, numRuns: 500 },
  );
});

test("any text is read or refused with words, cut anywhere alike", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r"), maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      (text, part) => {
        const bytes = new TextEncoder().encode(text);
        expect(records(bytes, part)).toEqual(records(bytes, bytes.length + 1));
      },
    ),
    { seed: 6, numRuns: 1_000 },
  );
});
