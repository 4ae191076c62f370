import { formatWords, type ColumnFormat } from "../data/column-format.ts";
import type { ColumnType } from "../data/column.ts";
import type { ConvertedColumn } from "../data/convert.ts";
import { count } from "./words.ts";

/** In the past tense, for the list of actions. Type and format: absent means unchanged; a format of null is removed. */
export function changeWords(change: {
  readonly from: string;
  readonly name: string;
  readonly type: ColumnType | undefined;
  readonly format?: ColumnFormat | null | undefined;
}): string {
  const { from, name, type, format } = change;
  const renamed = from === name ? undefined : `Renamed ${from} to ${name}`;
  const typed = type === undefined ? undefined : `Changed the type of ${name} to ${type}`;
  const shown =
    format === undefined
      ? undefined
      : format === null
        ? `Took the format of ${name} away`
        : `Changed the format of ${name} to ${formatWords(format)}`;
  return [renamed, typed, shown].filter((part) => part !== undefined).join("; ");
}

/** What does not fit, in lines; none if everything fits. `isDone`: those values are already missing. */
export function misfitLines(
  { misfits, examples }: Pick<ConvertedColumn, "misfits" | "examples">,
  { isDone }: { readonly isDone: boolean },
): readonly string[] {
  if (misfits === 0) return [];
  const shown = examples.map(({ row, text: cell }) => {
    const short = cell.length > 40 ? `${cell.slice(0, 39)}…` : cell;
    return `row ${(row + 1).toLocaleString("en-US")}: “${short}”`;
  });
  const more = misfits > examples.length ? ", …" : "";
  const isOne = misfits === 1;
  const verbs = isDone
    ? `did not fit and ${isOne ? "is" : "are"} missing`
    : isOne
      ? "does not fit and becomes missing"
      : "do not fit and become missing";
  return [`${count(misfits, "value")} ${verbs} (${shown.join(", ")}${more}).`];
}
