import type { ReactNode } from "react";
import type { NumberColumn } from "../../data/column.ts";
import type { FilterSpec } from "../../data/filter.ts";
import type { Table } from "../../data/table.ts";
import { filterKeyOf, passing } from "./model.ts";

interface BoolCardProps {
  readonly table: Table;
  readonly columns: readonly NumberColumn[];
  readonly filters: ReadonlyMap<string, FilterSpec>;
  readonly set: (column: string, filter: FilterSpec | undefined) => void;
}

const CHOICES = ["any", "true", "false"] as const;

/** All columns of yes and no in one card. */
export function BoolCard({ columns, filters, set }: BoolCardProps): ReactNode {
  return (
    <section aria-label="Filter by yes and no" className="border-b py-1.5">
      <p className="px-1 text-xs leading-6 font-medium">Yes and no</p>
      {columns.map(({ name }) => {
        const pass = passing(filters.get(filterKeyOf(name)));
        const value = pass?.size === 1 ? (pass.has("true") ? "true" : pass.has("false") ? "false" : "any") : "any";
        return (
          <div key={name} role="radiogroup" aria-label={name} className="flex h-7 items-center gap-1 px-1 text-xs">
            <span className="min-w-0 flex-1 truncate" title={name}>
              {name}
            </span>
            {CHOICES.map((choice) => (
              <label
                key={choice}
                className={`cursor-pointer rounded border px-1.5 leading-6 has-focus-visible:outline-2 ${value === choice ? "border-accent bg-accent-soft text-accent" : "border-transparent text-soft hover:bg-sunken"}`}
              >
                <input
                  type="radio"
                  className="sr-only"
                  name={`filter-${name}`}
                  checked={value === choice}
                  onChange={() =>
                    set(name, choice === "any" ? undefined : { kind: "categories", column: name, values: [choice] })
                  }
                />
                {choice}
              </label>
            ))}
          </div>
        );
      })}
    </section>
  );
}
