import type { Bits } from "../../data/bits.ts";
import { isText, type NumberColumn } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { pearson, spearman } from "../drawing/correlation.ts";
import { chosenList, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface CorrelationModel {
  readonly across: readonly NumberColumn[];
  readonly down: readonly NumberColumn[];
  readonly kind: "Pearson" | "Spearman";
  /** Pairs to work out: each two columns once. */
  readonly pairs: readonly (readonly [NumberColumn, NumberColumn])[];
}

/** More columns than this make cells too small to read. */
const MOST_COLUMNS = 40;

export function correlationModel(table: Table, look: Look): CorrelationModel {
  const numbers = (name: string): readonly NumberColumn[] =>
    chosenList(table, look, name)
      .flatMap((column) => (isText(column) ? [] : [column]))
      .slice(0, MOST_COLUMNS);
  const [across, down] = [numbers("xColumnNames"), numbers("yColumnNames")];
  const pairs = new Map<string, readonly [NumberColumn, NumberColumn]>();
  for (const y of down) for (const x of across) if (x !== y) pairs.set(pairKey(x, y), [x, y]);
  return {
    across,
    down,
    kind: textOf(look, "correlationType") === "Spearman" ? "Spearman" : "Pearson",
    pairs: [...pairs.values()],
  };
}

/** The same for both orders. */
export function pairKey(one: NumberColumn, other: NumberColumn): string {
  return [one.name, other.name].sort().join("\u0000");
}

function correlate(
  kind: CorrelationModel["kind"],
  [x, y]: readonly [NumberColumn, NumberColumn],
  rows: Int32Array,
): number {
  return kind === "Spearman" ? spearman(x.numbers, y.numbers, rows) : pearson(x.numbers, y.numbers, rows);
}

/** Works out pair by pair; each step is one pair. */
export function* correlations(model: CorrelationModel, rows: Bits): Generator<readonly [key: string, value: number]> {
  const list = rows.toArray();
  for (const pair of model.pairs) yield [pairKey(...pair), correlate(model.kind, pair, list)];
}
