import type { AnyValue } from "../make.ts";
import { checkColumns, checkRows, READ_BOUNDS, ReadError, type JsonChoice } from "./error.ts";
import type { ParseOptions } from "./options.ts";
import { packColumn, type PackedTable } from "./packed.ts";
import { hasHeader, uniqueNames } from "./sniff.ts";
import { columnOfCells } from "./values.ts";
import { readSheet, type SheetRows } from "./xlsx-sheet.ts";
import { readStyles, sharedTexts } from "./xlsx-parts.ts";
import { XmlScanner } from "./xml.ts";
import { ZipFile } from "./zip.ts";

interface ListedSheet {
  readonly name: string;
  /** Its file in the workbook. */
  readonly path: string;
}

const SAMPLE_ROWS = 200;
/** Of a sheet, to see how large it is. */
const HEAD_CHARS = 4_096;

/** One sheet of a workbook of Excel. `part`: which one, by its name. Throws a ReadError that names them where several hold something. */
export async function parseXlsx(blob: Blob, options: ParseOptions): Promise<PackedTable> {
  const zip = await ZipFile.open(blob);
  const workbook = await zip.text("xl/workbook.xml", READ_BOUNDS.xmlBytes);
  if (workbook === undefined)
    throw new ReadError("unsupported", "This is a zip file without a sheet of Excel: unpack it first.");
  const sheets = await sheetsOf(zip, workbook);
  options.progress?.(0.1);
  const { path } = await chosen(zip, sheets, options.part);
  const styles = await readStyles(zip, isFrom1904(workbook));
  const texts = await sharedTexts(zip);
  options.progress?.(0.4);
  const text = await zip.text(path, READ_BOUNDS.sheetBytes);
  if (text === undefined) throw new ReadError("bad_format", "The sheet is missing in the file: save it again.");
  options.progress?.(0.6);
  return tableOf(readSheet(text, { styles, texts }), options);
}

function isFrom1904(workbook: string): boolean {
  const scanner = new XmlScanner(workbook);
  while (scanner.next())
    if (scanner.name === "workbookPr") return /^(?:1|true)$/.test(scanner.attribute("date1904") ?? "");
  return false;
}

/** Those that people see, in their order. */
async function sheetsOf(zip: ZipFile, workbook: string): Promise<readonly ListedSheet[]> {
  const targets = new Map<string, string>();
  const links = new XmlScanner((await zip.text("xl/_rels/workbook.xml.rels", READ_BOUNDS.xmlBytes)) ?? "");
  while (links.next())
    if (links.name === "Relationship") targets.set(links.attribute("Id") ?? "", links.attribute("Target") ?? "");
  const sheets: ListedSheet[] = [];
  const scanner = new XmlScanner(workbook);
  while (scanner.next()) {
    if (scanner.name !== "sheet" || (scanner.attribute("state") ?? "visible") !== "visible") continue;
    const target = targets.get(scanner.attribute("id") ?? "") ?? "";
    const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
    if (zip.has(path)) sheets.push({ name: scanner.attribute("name") ?? `Sheet ${sheets.length + 1}`, path });
  }
  return sheets;
}

async function chosen(zip: ZipFile, sheets: readonly ListedSheet[], part: string | undefined): Promise<ListedSheet> {
  const named = sheets.find(({ name }) => name === part);
  if (named !== undefined) return named;
  if (part !== undefined) throw new ReadError("bad_format", `The file has no sheet "${part}": choose another.`);
  const choices: (JsonChoice & { readonly sheet: ListedSheet })[] = [];
  for (const sheet of sheets) {
    const rows = rowsOf(await zip.head(sheet.path, HEAD_CHARS));
    if (rows !== 0) choices.push({ part: sheet.name, rows: rows ?? 0, sheet });
  }
  const [only] = choices;
  if (only === undefined) throw new ReadError("bad_format", "The file has no sheet with cells: choose another.");
  if (choices.length === 1) return only.sheet;
  throw new ReadError(
    "bad_format",
    `The file holds several sheets: choose which one is the table (${choices.map(({ part: name }) => name).join(", ")}).`,
    choices.map(({ part: name, rows }) => ({ part: name, rows })),
  );
}

/** Rows that a sheet says it has; 0: none. Undefined: it does not say. */
function rowsOf(head: string): number | undefined {
  if (/<(?:\w+:)?sheetData\s*\/>/.test(head)) return 0;
  const last = /<(?:\w+:)?dimension\s[^>]*ref="[A-Z]+\d+:[A-Z]+(\d+)"/.exec(head)?.[1];
  return last === undefined ? undefined : Number(last);
}

function tableOf(sheet: SheetRows, options: ParseOptions): PackedTable {
  const rows = sheet.rows.slice(options.skipLines ?? 0);
  if (rows.length === 0) throw new ReadError("bad_format", "The sheet has no cells: choose another.");
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  checkColumns(width);
  const sample = rows.slice(0, SAMPLE_ROWS).map((row) => Array.from({ length: width }, (_, at) => written(row[at])));
  const isNamed = options.header ?? hasHeader(sample);
  const body = isNamed ? rows.slice(1) : rows;
  checkRows(body.length);
  const given = Array.from({ length: width }, (_, at) => (isNamed ? written(rows[0]?.[at]) : ""));
  const names = uniqueNames(given);
  const notes = [...sheet.notes];
  const columns = names.map((name, at) => {
    const cells = body.map((row) => row[at] ?? null);
    const type = Object.hasOwn(options.types ?? {}, name) ? options.types?.[name] : undefined;
    if (type === undefined && isMixed(cells))
      notes.push(`The column "${name}" holds texts and other values: all of them are texts.`);
    return packColumn(columnOfCells(name, cells, type));
  });
  options.progress?.(1);
  return { columns, ...(notes.length === 0 ? {} : { notes }) };
}

function isMixed(cells: readonly AnyValue[]): boolean {
  const isSome = (one: (cell: AnyValue) => boolean): boolean => cells.some((cell) => cell !== null && one(cell));
  return isSome((cell) => typeof cell === "string") && isSome((cell) => typeof cell !== "string");
}

function written(value: AnyValue): string {
  if (value === null || value === undefined) return "";
  return value instanceof Date ? value.toISOString() : String(value);
}
