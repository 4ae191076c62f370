import { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { categoriesOf, NO_VALUE } from "../drawing/categories.ts";
import { chosenList, flagOf, numberOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface TrellisCell {
  readonly column: number;
  readonly line: number;
  /** Of both categories, for what stands above a tile. */
  readonly name: string;
  readonly rows: Bits;
  readonly count: number;
}

export interface TrellisModel {
  readonly across: readonly string[];
  readonly down: readonly string[];
  readonly cells: readonly TrellisCell[];
  readonly tiled: boolean;
  readonly columns: number;
  readonly lines: number;
}

/** More pictures than this are not drawn. */
const MOST_CELLS = 144;

export function trellisModel(table: Table, look: Look, rows: Bits): TrellisModel {
  const [x, y] = [
    combined(table, chosenList(table, look, "xColumnNames")),
    combined(table, chosenList(table, look, "yColumnNames")),
  ];
  const width = x.names.length;
  const sets = new Map<number, Bits>();
  for (const row of rows.rows()) {
    const cell = (y.codes[row] ?? 0) * width + (x.codes[row] ?? 0);
    const set = sets.get(cell) ?? new Bits(table.rowCount);
    set.add(row);
    sets.set(cell, set);
  }
  const pack = flagOf(look, "packCategories");
  const used = (axis: "x" | "y"): readonly number[] => {
    const codes = (axis === "x" ? x : y).names.map((_, code) => code);
    return pack
      ? codes.filter((code) =>
          [...sets.keys()].some((cell) => (axis === "x" ? cell % width : Math.floor(cell / width)) === code),
        )
      : codes;
  };
  const [usedX, usedY] = [used("x"), used("y")];
  const all = usedY.flatMap((down, line) =>
    usedX.map((across, column): TrellisCell => {
      const own = sets.get(down * width + across) ?? new Bits(table.rowCount);
      const name = [x.names[across], y.names[down]].filter((part) => part !== "" && part !== undefined).join(" / ");
      return { column, line, name, rows: own, count: own.count };
    }),
  );
  const across = usedX.map((code) => x.names[code] ?? "");
  const down = usedY.map((code) => y.names[code] ?? "");
  if (!flagOf(look, "useTiledView"))
    return { across, down, cells: all.slice(0, MOST_CELLS), tiled: false, columns: across.length, lines: down.length };
  const columns = numberOf(look, "tilesPerRow") ?? 4;
  const tiles = all.filter(({ count }) => count > 0 || !pack).slice(0, MOST_CELLS);
  return {
    across,
    down,
    cells: tiles.map((cell, index) => ({ ...cell, column: index % columns, line: Math.floor(index / columns) })),
    tiled: true,
    columns: Math.min(columns, Math.max(1, tiles.length)),
    lines: Math.max(1, Math.ceil(tiles.length / columns)),
  };
}

/** Several columns as one: each combination of their values. Without any, all rows are in one. */
function combined(
  table: Table,
  columns: readonly Column[],
): { readonly codes: Int32Array; readonly names: readonly string[] } {
  let codes = new Int32Array(table.rowCount);
  let names: readonly string[] = [""];
  for (const column of columns) {
    const own = categoriesOf(column);
    const missing = own.codes.includes(-1);
    const more = missing ? [...own.names, NO_VALUE] : own.names;
    codes = codes.map((code, row) => {
      const next = own.codes[row] ?? -1;
      return code * more.length + (next < 0 ? more.length - 1 : next);
    });
    names = names.flatMap((name) => more.map((part) => (name === "" ? part : `${name}, ${part}`)));
  }
  return { codes, names };
}
