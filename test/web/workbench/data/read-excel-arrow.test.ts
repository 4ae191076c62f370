import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { Bool, DateMillisecond, Float64, Int32, Int64, Table, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { READ_BOUNDS, ReadError } from "../../../../src/web/workbench/data/read/error.ts";
import { parseFile } from "../../../../src/web/workbench/data/read/parse.ts";
import { readColumns, shown } from "./reading.ts";

/** Written by SheetJS 0.18.5. */
const file = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`excel/${name}`, import.meta.url)));

/** A zip file with these texts; `size`: the bytes of what it holds, as the file says. */
function zipOf(texts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const [bodies, listed]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(texts)) {
    const packed = deflateRawSync(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    bodies.push(local, Buffer.from(name), packed);
    listed.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(listed);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(texts).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...bodies, directory, end]));
}

const sheetOf = (rows: string, before = ""): Uint8Array<ArrayBuffer> =>
  zipOf({
    "xl/workbook.xml": `${before}<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="a" Target="worksheets/s.xml"/></Relationships>',
    "xl/worksheets/s.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });

const refused = async (content: Uint8Array<ArrayBuffer>, name = "x.xlsx"): Promise<unknown> => {
  const error: unknown = await readColumns(name, content).catch((thrown: unknown) => thrown);
  return error instanceof ReadError ? [error.code, error.message] : error;
};

describe("Excel", () => {
  test("several sheets: a person chooses; values, dates, errors and merged cells", async () => {
    const error: unknown = await readColumns("several.xlsx", file("several.xlsx")).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "bad_format",
      choices: [
        { part: "Orders", rows: 6 },
        { part: "Notes & more", rows: 2 },
      ],
    });
    const packed = await parseFile(new Blob([file("several.xlsx")]), { name: "several.xlsx", part: "Orders" });
    expect(packed.notes).toEqual([
      "1 cell with an error such as #N/A: they are missing.",
      "1 merged area: only its first cell has the value.",
      'The column "mixed" holds texts and other values: all of them are texts.',
    ]);
    const date = (text: string): Date => new Date(`${text}Z`);
    expect(shown(await readColumns("several.xlsx", file("several.xlsx"), { part: "Orders" }))).toEqual([
      ["id", "int", [1, 2, 3, null]],
      ["customer", "string", ["Ada & Söhne <x>", "Bob", null, "sum"]],
      ["total", "double", [12.5, 1_000_000_000_000_001, -0.1, null]],
      ["paid", "bool", [true, false, true, null]],
      ["ordered", "datetime", [date("2024-02-29T00:00"), date("1900-01-15T00:00"), date("2030-12-31T00:00"), null]],
      ["at", "datetime", [date("2024-02-29T13:45:30"), null, date("2024-03-01T00:00"), null]],
      ["share", "double", [0.25, 0.5, 0.25, null]],
      ["mixed", "string", ["a", "7", "b", null]],
      ["note", "string", ["line\nbreak", null, "two parts", null]],
      ["clock", "string", ["12:00:00", "13:45:30", null, null]],
    ]);
  });

  test("one sheet beside an empty one, days from 1904, stored without packing", async () => {
    const when = [new Date("2024-01-01T00:00Z"), new Date("2024-01-02T12:00Z")];
    expect(shown(await readColumns("one.xlsx", file("one.xlsx")))).toEqual([
      ["n", "double", [1, 2.5]],
      ["when", "datetime", when],
    ]);
  });

  test("texts of any kind stay texts: entities, CDATA, inline, and no entity of the file's own", async () => {
    const rows = [
      '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="C1" t="str"><v>c</v></c></row>',
      '<row><c t="inlineStr"><is><t>&lt;b&gt; &#x41;&#66; &mine;</t></is></c><c r="C2" t="str"><v><![CDATA[x<y&amp;]]></v></c></row>',
      '<!-- <row><c><v>9</v></c></row> --><row><c r="A3" t="inlineStr"><is><t>_x000A_</t></is></c></row>',
    ].join("");
    const bomb = '<!DOCTYPE w [<!ENTITY mine "boom">]>';
    expect(shown(await readColumns("x.xlsx", sheetOf(rows, bomb)))).toEqual([
      ["a", "string", ["<b> AB &mine;", "\n"]],
      ["Column 2", "string", [null, null]],
      ["c", "string", ["x<y&amp;", null]],
    ]);
  });

  test("a broken, encrypted, empty or too large file is refused with a message", async () => {
    const whole = file("one.xlsx");
    expect(await refused(whole.slice(0, 9_000))).toEqual([
      "bad_format",
      "The zip file is damaged: save or download it again.",
    ]);
    expect(await refused(zipOf({ "a.txt": "a" }), "a.zip")).toEqual([
      "unsupported",
      "This is a zip file without a sheet of Excel: unpack it first.",
    ]);
    expect(await refused(sheetOf(""))).toEqual(["bad_format", "The sheet has no cells: choose another."]);
    // A small file that unpacks to more than may be held.
    const bomb = zipOf({ "xl/workbook.xml": " ".repeat(READ_BOUNDS.xmlBytes + 1) });
    expect(bomb.length).toBeLessThan(100_000);
    expect(await refused(bomb)).toMatchObject(["too_large", expect.stringContaining("xl/workbook.xml")]);
    const far = sheetOf('<row><c r="ZZZ1" t="n"><v>1</v></c><c r="A1"><v>1</v></c></row>');
    const packed = await parseFile(new Blob([far]), { name: "x.xlsx" });
    expect(packed.notes).toEqual(["1 cell could not be read: they are missing."]);
    expect(await refused(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]), "x.xls")).toMatchObject([
      "unsupported",
      expect.any(String),
    ]);
  });
});

describe("Arrow", () => {
  const table = new Table({
    n: vectorFromArray([1, null, 3], new Int32()),
    big: vectorFromArray([9_007_199_254_740_993n, 2n, null], new Int64()),
    d: vectorFromArray([0.5, null, -1], new Float64()),
    ok: vectorFromArray([true, false, null], new Bool()),
    at: vectorFromArray([new Date(0), null, new Date(86_400_000)], new DateMillisecond()),
    t: vectorFromArray(["a", "é", null], new Utf8()),
    k: vectorFromArray(["x", "y", "x"]),
  });
  test.each(["file", "stream"] as const)("as a %s, whatever it is called", async (format) => {
    const bytes = new Uint8Array(tableToIPC(table, format));
    const name = format === "file" ? "x.feather" : "x.arrow";
    const columns = await readColumns(name, bytes);
    expect(shown(columns)).toEqual([
      ["n", "int", [1, null, 3]],
      ["big", "bigint", ["9007199254740993", "2", null]],
      ["d", "double", [0.5, null, -1]],
      ["ok", "bool", [true, false, null]],
      ["at", "datetime", [new Date(0), null, new Date(86_400_000)]],
      ["t", "string", ["a", "é", null]],
      ["k", "string", ["x", "y", "x"]],
    ]);
    if (format === "file") expect(shown(await readColumns("data", bytes))).toHaveLength(7);
  });
  test("a broken file is refused in words", async () => {
    const bytes = new Uint8Array(tableToIPC(table, "file"));
    expect(await refused(bytes.slice(0, 300), "x.arrow")).toMatchObject(["bad_format", expect.any(String)]);
    expect(await refused(new TextEncoder().encode("hello"), "x.arrow")).toMatchObject([
      "bad_format",
      expect.any(String),
    ]);
  });
});
