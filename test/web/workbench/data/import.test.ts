import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { textAt } from "../../../../src/web/workbench/data/format.ts";
import { isTextTable, previewImport, type TextImportOptions } from "../../../../src/web/workbench/data/read/import.ts";
import { importLines } from "../../../../src/web/workbench/model/import-words.ts";

const REPORT = `Exported by a program
on 17 May

# the rows
name;paid;when
Ann;1.234,50;17.05.2024
# in between
Bob;n/k;18.05.2024
Cid;7,25;soon
`;

async function read(text: string | Uint8Array, options: TextImportOptions, name = "report.csv") {
  const file = new File([typeof text === "string" ? text : new Uint8Array(text)], name);
  const { table, misfits, found } = await previewImport(file, options);
  const cells = Array.from({ length: table.rowCount }, (_, row) => table.columns.map((column) => textAt(column, row)));
  return { head: table.columns.map(({ name: one, type }) => `${one}:${type}`), cells, misfits, found };
}

describe("an import", () => {
  test("finds the separator, the names, and words before the table", async () => {
    const { found } = await read(REPORT, { comment: "#" });
    expect(found).toEqual({ delimiter: "semicolon", header: true, wordsBefore: 4 });
    expect((await read("a,b\n1,2\n", {})).found).toEqual({ delimiter: "comma", header: true, wordsBefore: 0 });
  });

  test("skips lines and comments, and takes types; what does not fit is told with its row", async () => {
    const types = { paid: "double", when: "datetime" } as const;
    const options: TextImportOptions = { skipLines: 3, comment: "#", types, nullWords: ["n/k"] };
    const { head, cells, misfits } = await read(REPORT, options);
    expect(head).toEqual(["name:string", "paid:double", "when:datetime"]);
    expect(cells).toEqual([
      ["Ann", "1234.5", "2024-05-17"],
      ["Bob", "", "2024-05-18"],
      ["Cid", "7.25", ""],
    ]);
    expect(importLines(misfits)).toEqual(["when: 1 value did not fit and is missing (row 3: “soon”)."]);
  });

  test.each<[string, TextImportOptions, readonly string[], readonly string[]]>([
    ["1,5;x;2\n3,5;y;4\n", {}, ["Column 1:double", "Column 2:string", "Column 3:int"], ["1.5", "x", "2"]],
    [
      "1,5;x;2\n3,5;y;4\n",
      { decimal: "point" },
      ["Column 1:string", "Column 2:string", "Column 3:int"],
      ["1,5", "x", "2"],
    ],
    ['"1,5",2\n"3,5",4\n', { decimal: "comma" }, ["Column 1:double", "Column 2:int"], ["1.5", "2"]],
    ["a,b\nc,d\n", { header: false }, ["Column 1:string", "Column 2:string"], ["a", "b"]],
    ["x|y,z\n1|2,b\n", { delimiter: "pipe" }, ["x:int", "y,z:string"], ["1", "2,b"]],
    ["a\n-9\n1\n", { nullWords: ["-9"] }, ["a:int"], [""]],
    ["a\r\r\n1\n", { skipLines: 1, header: false }, ["Column 1:int"], ["1"]],
  ])("%j with %j", async (text, options, head, first) => {
    const made = await read(text, options);
    expect([made.head, made.cells[0]]).toEqual([head, first]);
  });

  test("previews the beginning of a large packed file in whole lines", async () => {
    const lines = Array.from({ length: 60_000 }, (_, row) => `${row},text ${row}`);
    const packed = gzipSync(`n,words\n${lines.join("\n")}\n`);
    const { head, cells } = await read(packed, {}, "large.csv.gz");
    expect(head).toEqual(["n:int", "words:string"]);
    expect(cells.length).toBeLessThan(60_000);
    expect(cells.every(([n, words]) => words === `text ${n}`)).toBe(true);
  });

  test("is for text with separators alone", async () => {
    expect(await isTextTable(new File(["a,b\n"], "a.csv"))).toBe(true);
    expect(await isTextTable(new File(['{"a":[1]}'], "a.json"))).toBe(false);
    expect(await isTextTable(new File(["PAR1"], "a.csv"))).toBe(false);
  });

  test("of nothing is refused with words", async () => {
    await expect(read("", {})).rejects.toThrow("no rows and no columns");
    await expect(read("a,b\n", { skipLines: 5 })).rejects.toThrow("no rows and no columns");
  });
});
