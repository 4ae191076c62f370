import { compileFormula } from "../formula.ts";
import { newTable } from "../make.ts";
import type { Column } from "../column.ts";
import type { Table } from "../table.ts";
import { columnsIn } from "./rename.ts";

/** The columns after some of them got other values: those whose formulas name them are worked out again, and those that name these. */
export function recomputed(table: Table, columns: readonly Column[], changed: ReadonlySet<string>): readonly Column[] {
  const waiting = dependents(table, columns, changed);
  let now = columns;
  while (waiting.size > 0) {
    const ready = [...waiting].find(([, names]) => names.every((name) => !waiting.has(name)));
    // Formulas that name each other in a circle keep their values.
    if (ready === undefined) return now;
    const [name] = ready;
    waiting.delete(name);
    now = now.map((column) => (column.name === name ? again(column, newTable(table.name, now)) : column));
  }
  return now;
}

function again(column: Column, table: Table): Column {
  const { format, units, semType } = column;
  if (column.formula === undefined) return column;
  const made = compileFormula(column.formula, table).column(column.name);
  return {
    ...made,
    ...(format === undefined ? {} : { format }),
    ...(units === undefined ? {} : { units }),
    ...(semType === undefined ? {} : { semType }),
  };
}

/** By name: the columns that its formula names. */
function dependents(
  table: Table,
  columns: readonly Column[],
  changed: ReadonlySet<string>,
): Map<string, readonly string[]> {
  const named = columns.flatMap(({ name, formula }) =>
    formula === undefined || changed.has(name) ? [] : [[name, columnsIn(formula, table)] as const],
  );
  const found = new Map<string, readonly string[]>();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const [name, names] of named)
      if (names.some((one) => changed.has(one) || found.has(one))) found.set(name, names);
  }
  return found;
}
