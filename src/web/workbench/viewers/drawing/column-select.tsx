import { AGGREGATES } from "../../data/aggregate.ts";
import type { Table } from "../../data/table.ts";
import { columnFits, numberOf, textOf } from "../look.ts";
import type { LookEditor, PropertyDefinition } from "../viewer.ts";

interface ColumnSelectProps {
  /** What is chosen, in a word: X, Y, Color. */
  readonly label: string;
  readonly table: Table;
  readonly value: string | undefined;
  readonly columns?: PropertyDefinition["columns"];
  /** Whether to choose none. */
  readonly optional?: boolean | undefined;
  readonly onChange: (name: string | undefined) => void;
}

const LOOKS =
  "h-6 [field-sizing:content] min-w-0 max-w-44 truncate rounded border border-transparent bg-transparent px-1 text-xs text-soft hover:border-line-strong hover:text-ink";

/** The small selector of a column beside an axis. */
export function ColumnSelect({ label, table, value, columns, optional = false, onChange }: ColumnSelectProps) {
  return (
    <select
      aria-label={`${label} column`}
      title={`${label} column`}
      className={LOOKS}
      value={value ?? ""}
      onChange={(event) => {
        onChange(event.target.value === "" ? undefined : event.target.value);
      }}
    >
      {(optional || value === undefined) && <option value="">{optional ? `${label}: none` : `${label}…`}</option>}
      {table.columns
        .filter((column) => columnFits({ columns }, column))
        .map(({ name }) => (
          <option key={name} value={name}>
            {optional && name === value ? `${label}: ${name}` : name}
          </option>
        ))}
    </select>
  );
}

interface LookColumnProps extends Pick<ColumnSelectProps, "label" | "columns" | "optional"> {
  readonly viewer: LookEditor;
  /** The property that holds the column's name. */
  readonly name: string;
}

/** The selector of a column that a property of the viewer names. */
export function LookColumn({ viewer, name, ...select }: LookColumnProps) {
  const { table, look, change } = viewer;
  const value = textOf(look, name);
  return <ColumnSelect {...select} table={table} value={value} onChange={(column) => change({ [name]: column })} />;
}

interface WordSelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onChange: (value: string) => void;
}

/** The small selector of a word: an aggregation, a type of plot. */
export function WordSelect({ label, value, choices, onChange }: WordSelectProps) {
  return (
    <select
      aria-label={label}
      title={label}
      className={LOOKS}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

interface LookAggregateProps {
  readonly label: string;
  readonly viewer: LookEditor;
  /** The property that holds the aggregation. */
  readonly name: string;
}

/** The selector of how the values of many rows become one. */
export function LookAggregate({ label, viewer: { look, change }, name }: LookAggregateProps) {
  const value = textOf(look, name) ?? "";
  return <WordSelect label={label} value={value} choices={AGGREGATES} onChange={(kind) => change({ [name]: kind })} />;
}

export function BinSlider({ viewer, least }: { readonly viewer: LookEditor; readonly least: number }) {
  const bins = numberOf(viewer.look, "bins") ?? least;
  return (
    <label className="ml-auto flex items-center gap-1.5 text-xs text-soft">
      Bins
      <input
        type="range"
        min={least}
        max={100}
        className="h-6 w-20 accent-(--accent)"
        value={bins}
        onChange={(event) => viewer.change({ bins: Number(event.target.value) })}
      />
      <span className="w-6 tabular-nums">{bins}</span>
    </label>
  );
}
