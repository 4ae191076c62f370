import { Columns3 } from "lucide-react";
import * as Popover from "@radix-ui/react-popover";
import { useState, type ReactNode } from "react";
import type { Table } from "../../data/table.ts";
import { columnFits, listOf } from "../look.ts";
import type { LookEditor, PropertyDefinition } from "../viewer.ts";

/** Columns in the list at a time; a search finds the others. */
const MOST_LISTED = 200;

interface ColumnPickerProps {
  /** What is chosen, in a word: Split, Columns. */
  readonly label: string;
  readonly table: Table;
  readonly value: readonly string[];
  readonly columns?: PropertyDefinition["columns"];
  readonly onChange: (names: readonly string[]) => void;
}

/** A small button that opens a list of columns to tick; they keep the order in which they were ticked. */
export function ColumnPicker({ label, table, value, columns, onChange }: ColumnPickerProps): ReactNode {
  const words = value.length <= 2 ? value.join(", ") : `${String(value.length)} columns`;
  return (
    <Popover.Root>
      <Popover.Trigger
        className="flex h-6 max-w-56 min-w-0 items-center gap-1 rounded border border-transparent px-1 text-xs text-soft hover:border-line-strong hover:text-ink"
        title={`${label}: ${value.join(", ")}`}
      >
        <Columns3 aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate">
          {label}: {words === "" ? "none" : words}
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          collisionPadding={8}
          aria-label={`${label}: columns`}
          className="z-40 flex max-h-80 w-60 flex-col rounded-lg border bg-raised p-2 text-sm shadow-lg"
        >
          <PickList table={table} value={value} columns={columns} onChange={onChange} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface LookColumnsProps {
  readonly label: string;
  readonly viewer: LookEditor;
  /** The property that holds the columns' names. */
  readonly name: string;
}

/** The picker of the columns that a property of the viewer names. */
export function LookColumns({ label, viewer: { table, look, change }, name }: LookColumnsProps): ReactNode {
  return (
    <ColumnPicker
      label={label}
      table={table}
      value={listOf(look, name)}
      onChange={(names) => change({ [name]: names })}
    />
  );
}

function PickList({ table, value, columns, onChange }: Omit<ColumnPickerProps, "label">): ReactNode {
  const [query, setQuery] = useState("");
  const fitting = table.columns.filter((column) => columnFits({ columns }, column)).map(({ name }) => name);
  const found = fitting.filter((name) => name.toLowerCase().includes(query.trim().toLowerCase()));
  const toggle = (name: string): void => {
    onChange(value.includes(name) ? value.filter((one) => one !== name) : [...value, name]);
  };
  return (
    <>
      <input
        type="search"
        aria-label="Find a column"
        placeholder="Find a column"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        className="h-8 rounded border border-line-strong/60 bg-paper px-2 text-sm"
      />
      <div className="flex gap-1 py-1">
        <SmallButton words="All" onClick={() => onChange([...new Set([...value, ...found])])} />
        <SmallButton words="None" onClick={() => onChange(value.filter((name) => !found.includes(name)))} />
      </div>
      <ul className="min-h-0 overflow-auto">
        {found.slice(0, MOST_LISTED).map((name) => (
          <li key={name}>
            <label className="flex h-7 cursor-pointer items-center gap-2 rounded px-1 hover:bg-sunken">
              <input type="checkbox" checked={value.includes(name)} onChange={() => toggle(name)} />
              <span className="truncate" title={name}>
                {name}
              </span>
              {value.length > 1 && value.includes(name) && (
                <span aria-hidden className="ml-auto text-xs text-faint tabular-nums">
                  {value.indexOf(name) + 1}
                </span>
              )}
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="p-1 text-soft">No such column.</p>}
      {found.length > MOST_LISTED && (
        <p className="p-1 text-xs text-soft">
          {(found.length - MOST_LISTED).toLocaleString("en-US")} more: search for them.
        </p>
      )}
    </>
  );
}

export function SmallButton({ words, onClick }: { readonly words: string; readonly onClick: () => void }): ReactNode {
  return (
    <button
      type="button"
      onClick={onClick}
      className="h-6 min-w-6 rounded px-1.5 text-xs text-soft underline-offset-2 hover:bg-sunken hover:text-ink hover:underline"
    >
      {words}
    </button>
  );
}
