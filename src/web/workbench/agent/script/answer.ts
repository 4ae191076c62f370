import type { AnyValue } from "../../data/make.ts";

/** Bounds of what a script leaves. The page looks at it once more: a script can say anything in the name of its worker. */
export const ANSWER = {
  printChars: 20_000,
  resultChars: 20_000,
  messageChars: 4_000,
  nameChars: 1_000,
  tables: 20,
  columns: 1_000,
  /** Values of all columns together. */
  cells: 20_000_000,
} as const;

/** What a script left, by columns. */
export interface MadeColumn {
  readonly name: string;
  readonly values: readonly AnyValue[];
}

export interface ScriptDone {
  readonly lines: readonly string[];
  /** More was printed than is kept. */
  readonly cut: boolean;
  /** What it returned, as JSON unless it was a text. Absent: nothing. */
  readonly result?: string | undefined;
  readonly resultCut: boolean;
  readonly columns: readonly MadeColumn[];
  readonly tables: readonly { readonly name: string; readonly columns: readonly MadeColumn[] }[];
}

/** A script that ended with an error; `lines` is what it had printed. */
export class ScriptError extends Error {
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.name = "ScriptError";
    this.lines = lines;
  }
}

/** What a script's worker said, checked. Throws a ScriptError: the script's own, or what is wrong with its answer. */
export function readAnswer(said: unknown): ScriptDone {
  const answer = recordOf(said);
  const { lines, cut } = linesOf(answer["lines"]);
  if (answer["type"] === "failed") throw new ScriptError(textOf(answer["message"], ANSWER.messageChars), lines);
  if (answer["type"] !== "done") throw strange();
  const { result } = answer;
  if (result !== undefined && typeof result !== "string") throw strange();
  const made = recordOf(answer["made"]);
  const room = { columns: ANSWER.columns, cells: ANSWER.cells };
  const columns = columnsOf(made["columns"], room);
  const tables = listOf(made["tables"]).map((table) => {
    const { name, columns: own } = recordOf(table);
    return { name: textOf(name, ANSWER.nameChars), columns: columnsOf(own, room) };
  });
  if (tables.length > ANSWER.tables) throw new ScriptError(`a script may make ${ANSWER.tables} tables`);
  return {
    lines,
    cut: cut || answer["cut"] === true,
    result: result?.slice(0, ANSWER.resultChars),
    resultCut: answer["resultCut"] === true || (result?.length ?? 0) > ANSWER.resultChars,
    columns,
    tables,
  };
}

function columnsOf(list: unknown, room: { columns: number; cells: number }): readonly MadeColumn[] {
  return listOf(list).map((column) => {
    const { name, values } = recordOf(column);
    const cells = listOf(values);
    room.columns -= 1;
    room.cells -= cells.length;
    if (room.columns < 0) throw new ScriptError(`a script may make ${ANSWER.columns} columns`);
    if (room.cells < 0) throw new ScriptError(`a script may make ${ANSWER.cells} values`);
    const title = textOf(name, ANSWER.nameChars);
    return { name: title, values: Array.from(cells, (value) => cellOf(value, title)) };
  });
}

function cellOf(value: unknown, column: string): AnyValue {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
    case "undefined":
      return value;
    default:
      if (value === null || value instanceof Date) return value;
      throw new ScriptError(`column ${column} holds a value that is not a text, number, date, true or false`);
  }
}

function linesOf(list: unknown): { readonly lines: readonly string[]; readonly cut: boolean } {
  const lines: string[] = [];
  let left: number = ANSWER.printChars;
  for (const line of listOf(list)) {
    if (typeof line !== "string") throw strange();
    left -= line.length + 1;
    // One more than was let through: the last line break is not counted there.
    if (left < -1) return { lines, cut: true };
    lines.push(line);
  }
  return { lines, cut: false };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw strange();
  return value as Readonly<Record<string, unknown>>;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw strange();
  return value as readonly unknown[];
}

function textOf(value: unknown, chars: number): string {
  if (typeof value !== "string") throw strange();
  return value.slice(0, chars);
}

function strange(): ScriptError {
  return new ScriptError("the script answered in a way that is not its own to choose; use print, output and return");
}
