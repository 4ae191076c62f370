import { useState } from "react";
import type { CellEdit } from "../model/workbench.ts";
import type { ActiveCell } from "./keys.ts";
import type { GridModel } from "./model.ts";

export interface GridEditing {
  /** The cell that is written in. Absent: none. */
  readonly cell: ActiveCell | undefined;
  /** Its row in the table; -1: none. */
  readonly row: number;
  readonly edit: (cell: ActiveCell) => void;
  /** Takes the value of a cell away. */
  readonly erase: (cell: ActiveCell) => void;
  /** Words where the value is refused. */
  readonly commit: (text: string) => string | undefined;
  readonly end: () => void;
}

interface CellInWork {
  readonly cell: ActiveCell;
  readonly row: number;
  readonly column: string;
}

export function useEditing(
  model: GridModel,
  {
    onEdit,
    tell,
  }: {
    readonly onEdit: ((edit: CellEdit) => string | undefined) | undefined;
    readonly tell: (words: string | undefined) => void;
  },
): GridEditing {
  const [edited, setEdited] = useState<CellInWork>();
  const found = (cell: ActiveCell): CellInWork | undefined => {
    const column = model.plan.all[cell.place]?.column;
    const row = model.shown.at(cell.position);
    if (onEdit === undefined || column === undefined || row < 0) return undefined;
    if (column.formula === undefined) return { cell, row, column: column.name };
    tell(`${column.name} is worked out by a formula: change the columns that it reads`);
    return undefined;
  };
  const write = ({ row, column }: CellInWork, text: string): string | undefined => {
    const refused = onEdit?.({ row, column, text });
    const isGone = refused === undefined && !model.table.filtered.has(row);
    tell(isGone ? `Row ${row + 1} does not pass the filters any more` : undefined);
    return refused;
  };
  return {
    cell: edited?.cell,
    row: edited?.row ?? -1,
    edit: (cell) => setEdited(found(cell)),
    erase: (cell) => {
      const erased = found(cell);
      if (erased !== undefined) tell(write(erased, ""));
    },
    commit: (text) => (edited === undefined ? undefined : write(edited, text)),
    end: () => setEdited(undefined),
  };
}

/** A count that grows when something is asked for, here or from outside; 0 until then, and after its end. */
export function useAsked(outside = 0): {
  readonly asked: number;
  readonly ask: () => void;
  readonly end: () => void;
} {
  const [own, setOwn] = useState(0);
  // What was asked for before the grid was there is not for it.
  const [ended, setEnded] = useState(outside);
  const all = own + outside;
  return { asked: all > ended ? all : 0, ask: () => setOwn((times) => times + 1), end: () => setEnded(all) };
}
