import { Bits } from "../bits.ts";
import type { Column } from "../column.ts";
import { textAt } from "../format.ts";
import type { Table } from "../table.ts";
import { EXCEL_BOUNDS, WriteError } from "./error.ts";
import { cellOf, headCell, xmlText, XlsxNotes, type XlsxCell } from "./xlsx-cells.ts";
import { zipOf } from "./zip.ts";

interface SavedXlsx {
  readonly file: Blob;
  /** What Excel cannot hold as it is, and what became of it. */
  readonly notes: readonly string[];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const XLSX_TYPE = `${KIND}.sheet`;

/** Cells that are put together at a time. */
const BLOCK_CELLS = 4_096;

/**
 * As a workbook of Excel with one sheet: numbers, truth values and times as such, texts as texts that no program runs as formulas. Throws a
 * WriteError where Excel has no room. The sheet is packed while it is made, so that its text is never held.
 */
export async function toXlsx(
  table: Table,
  options: {
    readonly rows?: Bits | undefined;
    readonly now?: () => number;
    readonly pause?: () => Promise<void>;
  } = {},
): Promise<SavedXlsx> {
  const { rows = Bits.all(table.rowCount), now = () => performance.now(), pause = nextTask } = options;
  checkSize(rows.count, table.columns.length);
  const notes = new XlsxNotes();
  const picked = rows.toArray();
  const texts = [
    { name: "[Content_Types].xml", parts: [CONTENT_TYPES] },
    { name: "_rels/.rels", parts: [linksXml([["officeDocument", "xl/workbook.xml"]])] },
    { name: "xl/workbook.xml", parts: [workbookXml(sheetName(table.name))] },
    {
      name: "xl/_rels/workbook.xml.rels",
      parts: [
        linksXml([
          ["worksheet", "worksheets/sheet1.xml"],
          ["styles", "styles.xml"],
        ]),
      ],
    },
    { name: "xl/styles.xml", parts: [STYLES] },
    { name: "xl/worksheets/sheet1.xml", parts: sheetParts(table, picked, notes) },
  ];
  const packed = await zipOf(texts, { now, pause });
  return { file: new Blob([packed], { type: XLSX_TYPE }), notes: notes.lines };
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function checkSize(rows: number, columns: number): void {
  const count = (value: number): string => value.toLocaleString("en");
  if (rows >= EXCEL_BOUNDS.rows)
    throw new WriteError(
      "too_many_rows",
      `${count(rows)} rows are more than a sheet of Excel holds, which is ${count(EXCEL_BOUNDS.rows - 1)} below the names: filter them, or save as CSV or Parquet.`,
    );
  if (columns > EXCEL_BOUNDS.columns)
    throw new WriteError(
      "too_many_columns",
      `${count(columns)} columns are more than a sheet of Excel holds, which is ${count(EXCEL_BOUNDS.columns)}: remove some, or save as CSV or Parquet.`,
    );
}

function* sheetParts(table: Table, rows: Int32Array, notes: XlsxNotes): Iterable<string> {
  const { columns } = table;
  const letters = columns.map((_, at) => columnLetters(at));
  const last = `${letters.at(-1) ?? "A"}${rows.length + 1}`;
  yield `${HEAD}<worksheet xmlns="${MAIN}"><dimension ref="A1:${last}"/><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${widthsXml(columns, rows)}<sheetData>`;
  yield rowXml(
    1,
    columns.map(({ name }, at) => headCell(name, `${letters[at] ?? ""}1`)),
  );
  const cells: readonly XlsxCell[] = columns.map((column) => cellOf(column, rows, notes));
  const block = Math.max(1, Math.floor(BLOCK_CELLS / Math.max(1, columns.length)));
  for (let start = 0; start < rows.length; start += block) {
    const lines = Array.from(rows.subarray(start, start + block), (row, at) => {
      const number = start + at + 2;
      return rowXml(
        number,
        cells.map((cell, column) => cell(row, `${letters[column] ?? ""}${number}`)),
      );
    });
    yield lines.join("");
  }
  yield "</sheetData></worksheet>";
}

function rowXml(number: number, cells: readonly string[]): string {
  return `<row r="${number}">${cells.join("")}</row>`;
}

/** 0 is A, 27 is AB. */
function columnLetters(index: number): string {
  let [letters, rest] = ["", index + 1];
  while (rest > 0) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
    rest = Math.floor((rest - 1) / 26);
  }
  return letters;
}

/** Rows that widths are made of; letters that a column is wide at least and at most. */
const WIDTHS = { rows: 100, least: 9, most: 60, room: 2 } as const;

function widthsXml(columns: readonly Column[], rows: Int32Array): string {
  if (columns.length === 0) return "";
  const seen = rows.subarray(0, WIDTHS.rows);
  const widths = columns.map((column, at) => {
    const longest = seen.reduce((most, row) => Math.max(most, textAt(column, row).length), column.name.length);
    // Seconds are always shown: a time without them is longer than its text.
    const text = column.type === "datetime" && longest > "2024-05-17".length ? Math.max(longest, 19) : longest;
    const width = Math.min(WIDTHS.most, Math.max(WIDTHS.least, text + WIDTHS.room));
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`;
  });
  return `<cols>${widths.join("")}</cols>`;
}

/** A name without what Excel forbids in it. */
function sheetName(name: string): string {
  const plain = name
    .replaceAll(/[[\]:*?/\\]|\p{Cc}|\p{Cs}/gu, " ")
    .trim()
    .slice(0, EXCEL_BOUNDS.nameChars)
    .replaceAll(/^'+|'+$|[\uD800-\uDBFF]$/g, "")
    .trim();
  // Excel keeps this name for itself.
  return plain === "" || plain.toLowerCase() === "history" ? "Table" : plain;
}

function workbookXml(sheet: string): string {
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${LINKS}"><sheets><sheet name="${xmlText(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
}

function linksXml(links: readonly (readonly [kind: string, target: string])[]): string {
  const lines = links.map(
    ([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${LINKS}/${kind}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${lines.join("")}</Relationships>`;
}

const CONTENT_TYPES = `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${KIND}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${KIND}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${KIND}.worksheet+xml"/></Types>`;

/** By `CELL_STYLES`: plain, names of columns, texts (`@`), days, times, times with milliseconds. */
const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
