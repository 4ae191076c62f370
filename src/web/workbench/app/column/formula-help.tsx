import { useState, type ReactNode } from "react";
import { Input } from "../../../ui/field.tsx";
import { FORMULA_FUNCTIONS } from "../../data/formula.ts";
import type { Table } from "../../data/table.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";

/** Columns and functions; one that is clicked goes into the formula. */
export function FormulaHelp({
  table,
  onInsert,
}: {
  readonly table: Table;
  readonly onInsert: (piece: string) => void;
}): ReactNode {
  const [sought, setSought] = useState("");
  const fits = (...texts: readonly string[]): boolean =>
    texts.some((text) => text.toLowerCase().includes(sought.trim().toLowerCase()));
  const columns = table.columns.filter(({ name }) => fits(name)).slice(0, WORKBENCH_LIMITS.pickerColumns);
  const functions = FORMULA_FUNCTIONS.filter(({ name, about }) => fits(name, about));
  return (
    <div className="flex max-h-[60dvh] min-h-0 flex-col gap-2">
      <Input
        aria-label="Find a column or function"
        placeholder="Find a column or function"
        value={sought}
        onChange={(event) => setSought(event.target.value)}
        className="h-9! shrink-0"
      />
      <div className="min-h-40 flex-1 overflow-y-auto rounded-lg border bg-panel py-1" tabIndex={-1}>
        <h3 className="px-3 py-1 text-xs text-faint">Columns</h3>
        {columns.map(({ name, type }) => (
          <Piece key={name} title={type} label={name} about={type} onPress={() => onInsert(`\${${name}}`)} />
        ))}
        <h3 className="mt-1 border-t px-3 pt-2 pb-1 text-xs text-faint">Functions</h3>
        {functions.map(({ name, form, about }) => (
          <Piece key={name} title={about} label={form} about={about} onPress={() => onInsert(`${name}(`)} />
        ))}
        {columns.length + functions.length === 0 && (
          <p className="px-3 py-2 text-sm text-soft">Nothing is called so.</p>
        )}
      </div>
    </div>
  );
}

function Piece({
  label,
  about,
  title,
  onPress,
}: {
  readonly label: string;
  readonly about: string;
  readonly title: string;
  readonly onPress: () => void;
}): ReactNode {
  return (
    <button
      type="button"
      title={title}
      onClick={onPress}
      className="block w-full px-3 py-1 text-left text-sm hover:bg-sunken"
    >
      <span className="block truncate font-mono text-[0.8rem]">{label}</span>
      <span className="block truncate text-xs text-faint">{about}</span>
    </button>
  );
}
