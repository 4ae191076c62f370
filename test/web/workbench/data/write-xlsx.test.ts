import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOfUnits } from "../../../../src/web/workbench/data/decimal.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import { WriteError } from "../../../../src/web/workbench/data/write/error.ts";
import { toXlsx } from "../../../../src/web/workbench/data/write/xlsx.ts";
import { crcOf } from "../../../../src/web/workbench/data/write/zip.ts";
import { readColumns, shown } from "./reading.ts";

/** The files of a zip file, by a reader that shares nothing with ours: in the order of its list, check sums compared. */
async function unzipped(file: Blob): Promise<ReadonlyMap<string, string>> {
  const bytes = Buffer.from(await file.arrayBuffer());
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  expect(at + bytes.readUInt32LE(end + 12)).toBe(end);
  for (let index = 0; index < bytes.readUInt16LE(end + 10); index += 1) {
    const [crc, packed, size, nameBytes, offset] = [
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt32LE(at + 42),
    ];
    const name = bytes.toString("utf8", at + 46, at + 46 + nameBytes);
    // What stands before a file says the same as the list.
    expect(bytes.subarray(offset + 4, offset + 28)).toEqual(bytes.subarray(at + 6, at + 30));
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const content = inflateRawSync(bytes.subarray(start, start + packed));
    expect([content.length, crcOf(content)]).toEqual([size, crc]);
    files.set(name, content.toString("utf8"));
    at += 46 + nameBytes;
  }
  return files;
}

async function sheetOf(table: Table): Promise<string> {
  const { file } = await toXlsx(table);
  return (await unzipped(file)).get("xl/worksheets/sheet1.xml") ?? "";
}

async function readBack(table: Table, rows?: Bits): Promise<ReturnType<typeof shown>> {
  const { file } = await toXlsx(table, { rows });
  return shown(await readColumns("a.xlsx", await file.arrayBuffer(), { header: true }));
}

const at = (text: string): Date => new Date(`${text}Z`);

describe("Excel files", () => {
  test("the check sum is that of zip files", () => expect(crcOf(Buffer.from("123456789"))).toBe(0xcbf43926));

  test("are a workbook with one sheet whose cells have types", async () => {
    const table = newTable("a/b: <c> & 'd'", [
      columnOf("n", [1, -0.5, null]),
      columnOf("t", ["=1+1", 'a "b" & <c>', " x"]),
      columnOf("b", [true, null, false]),
      columnOf("d", [at("2024-02-29T00:00:00"), null, at("1900-01-01T00:00:00")]),
      columnOf("s", [at("2024-02-29T12:00:00"), null, at("1970-01-01T00:00:00")]),
    ]);
    const { file, notes } = await toXlsx(table);
    expect([notes, file.type]).toEqual([[], "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"]);
    const files = await unzipped(file);
    expect([...files.keys()]).toEqual([
      "[Content_Types].xml",
      "_rels/.rels",
      "xl/workbook.xml",
      "xl/_rels/workbook.xml.rels",
      "xl/styles.xml",
      "xl/worksheets/sheet1.xml",
    ]);
    expect(files.get("xl/workbook.xml")).toContain('<sheet name="a b  &lt;c&gt; &amp; \'d" sheetId="1" r:id="rId1"/>');
    const sheet = files.get("xl/worksheets/sheet1.xml") ?? "";
    expect(/<dimension ref="[^"]+"\/>/.exec(sheet)?.[0]).toBe('<dimension ref="A1:E4"/>');
    const text = (inside: string): string => `t="inlineStr"><is><t>${inside}</t></is></c>`;
    expect(/<sheetData>(.*)<\/sheetData><\/worksheet>$/s.exec(sheet)?.[1]).toBe(
      [
        `<row r="1"><c r="A1" s="1" ${text("n")}<c r="B1" s="1" ${text("t")}<c r="C1" s="1" ${text("b")}<c r="D1" s="1" ${text("d")}<c r="E1" s="1" ${text("s")}</row>`,
        `<row r="2"><c r="A2"><v>1</v></c><c r="B2" s="2" ${text("=1+1")}<c r="C2" t="b"><v>1</v></c><c r="D2" s="3"><v>45351</v></c><c r="E2" s="4"><v>45351.5</v></c></row>`,
        `<row r="3"><c r="A3"><v>-0.5</v></c><c r="B3" s="2" ${text("a &quot;b&quot; &amp; &lt;c&gt;")}</row>`,
        '<row r="4"><c r="B4" s="2" t="inlineStr"><is><t xml:space="preserve"> x</t></is></c><c r="C4" t="b"><v>0</v></c><c r="D4" s="3"><v>1</v></c><c r="E4" s="4"><v>25569</v></c></row>',
      ].join(""),
    );
    expect(sheet).not.toContain("<f>");
  });

  test("are read again as they were, all rows or some", async () => {
    const table = newTable("kinds", [
      columnOf("int", [1, -2, 2 ** 53 - 1]),
      columnOf("double", [0.1, null, -1e300]),
      columnOf("text", ["007", "line\r\nbreak\tand _x000D_ \u0001 😀 \uFFFE", " spaces "]),
      columnOf("bool", [true, null, false]),
      columnOf("time", [at("2024-05-06T07:08:09.123"), null, at("1900-02-28T23:59:59.999")]),
      columnOf("day", [at("1900-03-01T00:00:00"), at("9999-12-31T00:00:00"), at("1969-12-31T00:00:00")]),
    ]);
    const values = shown(table.columns);
    expect(await readBack(table)).toEqual(values);
    expect(await readBack(table, Bits.of(3, [0, 2]))).toEqual(
      values.map(([name, type, cells]) => [name, type, [cells[0], cells[2]]]),
    );
  });

  test("keep every digit: what Excel would round is a text", async () => {
    const table = newTable("digits", [
      columnOf("short", [5n, -7n], "bigint"),
      columnOf("long", [9_007_199_254_740_993n, 1n], "bigint"),
      columnOfUnits("money", [1_050n, -105n], 2),
      columnOfUnits("wide", [12_345_678_901_234_567_890n, 1n], 2),
    ]);
    expect(await readBack(table)).toEqual([
      ["short", "int", [5, -7]],
      ["long", "string", ["9007199254740993", "1"]],
      ["money", "double", [10.5, -1.05]],
      ["wide", "string", ["123456789012345678.90", "0.01"]],
    ]);
  });

  test("say what Excel cannot hold, and keep it as text where that can be", async () => {
    const table = newTable("edges", [
      columnOf("n", [Number.POSITIVE_INFINITY, 1, Number.NEGATIVE_INFINITY]),
      columnOf("t", [at("1899-12-31T00:00:00"), at("2000-01-01T00:00:00"), new Date(Date.UTC(10_000, 0, 1))]),
      { name: "fine", type: "datetime", numbers: Float64Array.of(0.25, 1, Number.NaN) },
      columnOf("long", ["a", "x".repeat(32_766) + "😀", "y".repeat(32_767)]),
    ]);
    const { file, notes } = await toXlsx(table);
    expect(notes).toEqual([
      'Infinite numbers of "n" are texts, because Excel has none: 2 values, first in row 1.',
      'Times of "t" before 1900 or after 9999 are texts, because Excel has none: 2 values, first in row 1.',
      'Times of "fine" finer than a millisecond were rounded: 1 value, first in row 1.',
      'Texts of "long" were cut after 32,767 characters, more than Excel holds: 1 value, first in row 2.',
    ]);
    const [numbers, times, fine, long] = shown(await readColumns("a.xlsx", await file.arrayBuffer(), { header: true }));
    expect(numbers).toEqual(["n", "string", ["Infinity", "1", "-Infinity"]]);
    expect(times?.[2][0]).toBe("1899-12-31");
    expect(fine).toEqual(["fine", "datetime", [new Date(0), new Date(1), null]]);
    // Not half of a letter.
    expect(long?.[2].map((text) => String(text).length)).toEqual([1, 32_766, 32_767]);
  });

  test("have at most the rows and columns of Excel", async () => {
    const rows = newTable("rows", [{ name: "n", type: "int", numbers: new Float64Array(1_048_576) }]);
    await expect(toXlsx(rows)).rejects.toThrow(
      new WriteError(
        "too_many_rows",
        "1,048,576 rows are more than a sheet of Excel holds, which is 1,048,575 below the names: filter them, or save as CSV or Parquet.",
      ),
    );
    const wide = newTable(
      "columns",
      Array.from({ length: 16_385 }, (_, column) => columnOf(`c${column}`, [1])),
    );
    await expect(toXlsx(wide)).rejects.toMatchObject({ code: "too_many_columns" });
    const widest = newTable("columns", wide.columns.slice(0, 16_384));
    expect(await sheetOf(widest)).toContain('<c r="XFD2"><v>1</v></c></row></sheetData>');
  });

  test("give the page its turn, and end with what the page throws", async () => {
    const table = newTable("many", [
      { name: "n", type: "int", numbers: Float64Array.from({ length: 20_000 }, (_, row) => row) },
    ]);
    let [clock, pauses] = [0, 0];
    const now = (): number => (clock += 20);
    await toXlsx(table, { now, pause: () => Promise.resolve(void (pauses += 1)) });
    expect(pauses).toBeGreaterThan(1);
    const gone = new Error("the page is gone");
    await expect(toXlsx(table, { now, pause: () => Promise.reject(gone) })).rejects.toBe(gone);
  });

  test("a table without rows, and names that Excel forbids", async () => {
    expect(await readBack(newTable("none", [columnOf("a", [], "int")]))).toEqual([["a", "string", []]]);
    for (const [name, expected] of [
      ["''", "Table"],
      ["History", "Table"],
      ["x".repeat(30) + "😀", "x".repeat(30)],
    ] as const) {
      const { file } = await toXlsx(newTable(name, [columnOf("a", [1])]));
      expect((await unzipped(file)).get("xl/workbook.xml")).toContain(`<sheet name="${expected}" `);
    }
  });
});
