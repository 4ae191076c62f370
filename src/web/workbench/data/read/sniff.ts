import { ANY_WAY, waysOf } from "../cells.ts";
import { RecordScanner, type SkippedLines } from "./records.ts";

export type FileKind = "csv" | "json" | "ndjson" | "parquet" | "arrow" | "xlsx";

const KINDS: Readonly<Record<string, FileKind>> = {
  csv: "csv",
  tsv: "csv",
  tab: "csv",
  txt: "csv",
  json: "json",
  geojson: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
  parquet: "parquet",
  pq: "parquet",
  arrow: "arrow",
  arrows: "arrow",
  ipc: "arrow",
  feather: "arrow",
};

function startsWith(head: Uint8Array, ...bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte);
}

/** What cannot be read, by its first bytes, in words. Undefined: nothing against it. */
export function unreadable(head: Uint8Array): string | undefined {
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0))
    return "This is an old Excel file, or one with a password: save it as .xlsx without one, or the sheet as CSV.";
  if (startsWith(head, 0x25, 0x50, 0x44, 0x46)) return "This is a PDF: it holds no table that can be read.";
  const text = new TextDecoder().decode(head.subarray(0, 512)).trimStart().toLowerCase();
  if (text.startsWith("<!doctype html") || text.startsWith("<html"))
    return "This is a web page, not data: check the address.";
  return undefined;
}

export function isGzip(head: Uint8Array): boolean {
  return startsWith(head, 0x1f, 0x8b);
}

const ARROW_MAGIC = "ARROW1";

/** By the name, then by the content. */
export function kindOf(name: string, head: Uint8Array): FileKind {
  if (startsWith(head, 0x50, 0x41, 0x52, 0x31)) return "parquet";
  if (startsWith(head, 0x50, 0x4b, 3, 4)) return "xlsx";
  if (new TextDecoder().decode(head.subarray(0, ARROW_MAGIC.length)) === ARROW_MAGIC) return "arrow";
  const extension = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(KINDS, extension)) return KINDS[extension] ?? "csv";
  const text = new TextDecoder().decode(head).trimStart();
  return text.startsWith("{") || text.startsWith("[") ? "json" : "csv";
}

export const DELIMITERS = { comma: 44, semicolon: 59, tab: 9, pipe: 124 } as const;

const SAMPLE_RECORDS = 200;
const decoder = new TextDecoder();

/** The beginning of a file. */
interface CsvSampleOptions extends SkippedLines {
  /** Nothing follows it in the file. */
  readonly isWhole: boolean;
}

/** The first records of a sample, as texts. */
export function sampleRecords(
  sample: Uint8Array,
  delimiter: number,
  { isWhole, ...skipped }: CsvSampleOptions,
): readonly (readonly string[])[] {
  const records: string[][] = [];
  let cells: string[] = [];
  const scanner = new RecordScanner(
    delimiter,
    {
      cell(column, bytes, start, end) {
        if (records.length < SAMPLE_RECORDS) cells[column] = decoder.decode(bytes.subarray(start, end));
      },
      endRecord(count) {
        if (records.length < SAMPLE_RECORDS) records.push(cells.slice(0, count));
        cells = [];
      },
    },
    skipped,
  );
  scanner.scan(sample, isWhole);
  return records;
}

/** The one that cuts the most records into the same number of cells, more than one. */
export function delimiterOf(name: string, sample: Uint8Array, options: CsvSampleOptions): number {
  let best: number = /\.(?:tsv|tab)(?:\.gz)?$/i.test(name) ? DELIMITERS.tab : DELIMITERS.comma;
  let bestScore = 0;
  for (const delimiter of [best, ...Object.values(DELIMITERS)]) {
    const counts = new Map<number, number>();
    const records = sampleRecords(sample, delimiter, options);
    for (const record of records) counts.set(record.length, (counts.get(record.length) ?? 0) + 1);
    for (const [cells, times] of counts) {
      // Alike records count most, then the number of cells.
      const score = cells < 2 ? 0 : times / records.length + Math.min(cells, 100) / 1_000;
      if (score <= bestScore) continue;
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/** Lines of words before the table: those before the first line that has as many cells as most. */
export function wordsBefore(lines: readonly string[], delimiter: string): number {
  const widths = lines.map((line) => line.split(delimiter).length);
  const filled = lines.filter((line) => line.trim() !== "").length;
  const counts = new Map<number, number>();
  for (const width of widths) if (width > 1) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [usual = 0, times = 0] = [...counts].toSorted(([, left], [, right]) => right - left)[0] ?? [];
  return times * 2 < filled
    ? 0
    : Math.max(
        0,
        widths.findIndex((width) => width >= usual),
      );
}

const encoder = new TextEncoder();

function isPlainText(cell: string): boolean {
  const bytes = encoder.encode(cell.trim());
  return bytes.length === 0 || waysOf(bytes, 0, bytes.length, ANY_WAY) === 0;
}

/** Whether the first record names the columns: no cell of it is a number, date or truth value; or below one of its texts others are. */
export function hasHeader(records: readonly (readonly string[])[]): boolean {
  const [first, ...others] = records;
  if (first === undefined) return false;
  if (first.every(isPlainText)) return first.some((cell) => cell.trim() !== "");
  return first.some((cell, column) => {
    const below = others.map((record) => record[column] ?? "").filter((text) => text.trim() !== "");
    return cell.trim() !== "" && isPlainText(cell) && below.length > 0 && !below.some(isPlainText);
  });
}

/** Names that are there once each: empty ones get their place, repeated ones a number. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const trimmed = names.map((name) => name.trim());
  const given = new Set(trimmed);
  const taken = new Set<string>();
  return trimmed.map((name, index) => {
    const wanted = name === "" ? `Column ${index + 1}` : name;
    let unique = wanted;
    // Another column may have the made name as its own.
    for (let number = 2; taken.has(unique) || (unique !== name && given.has(unique)); number += 1)
      unique = `${wanted} (${number})`;
    taken.add(unique);
    return unique;
  });
}
