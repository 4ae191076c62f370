import { useDeferredValue, useMemo, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Input } from "../../../ui/field.tsx";
import type { Column } from "../../data/column.ts";
import { foundValues, valueCounts, type ValueCount } from "./filter-facts.ts";
import { FilterButtons, type ColumnFilterProps } from "./range-filter.tsx";

/** Which values pass, or which text they must hold. */
export function ValueFilter({ table, column, filterKey, apply }: ColumnFilterProps<Column>): ReactNode {
  const spec = table.filters.get(filterKey);
  const [search, setSearch] = useState(spec?.kind === "contains" ? spec.text : "");
  const [chosen, setChosen] = useState<ReadonlySet<string | null>>(
    () => new Set(spec?.kind === "categories" ? spec.values : []),
  );
  const values = useMemo(() => valueCounts(column, table.filteredWithout(filterKey)), [column, table, filterKey]);
  const wanted = useDeferredValue(search);
  const found = useMemo(() => foundValues(values, wanted), [values, wanted]);
  const text = search.trim();
  const byText = chosen.size === 0 && text !== "";
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (byText) apply({ kind: "contains", column: column.name, text });
    else if (chosen.size === 0 || chosen.size === values.length) apply(undefined);
    else apply({ kind: "categories", column: column.name, values: [...chosen] });
  };
  const toggle = (value: string | null): void =>
    setChosen(
      (before) => new Set(before.has(value) ? [...before].filter((other) => other !== value) : [...before, value]),
    );
  return (
    <form onSubmit={send} className="space-y-2.5">
      <Input
        type="search"
        aria-label="Find values, or text that they hold"
        placeholder="Find, or text that they hold"
        className="h-9!"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ValueList values={found} chosen={chosen} toggle={toggle} />
      <p className="flex items-center gap-1 text-xs text-faint">
        <span className="flex-1">
          {values.length > found.length
            ? `${found.length} of ${values.length.toLocaleString("en")} values`
            : `${values.length} values`}
        </span>
        <Button
          size="small"
          variant="quiet"
          className="h-7"
          onClick={() => setChosen(new Set([...chosen, ...found.map(({ value }) => value)]))}
        >
          All of these
        </Button>
        <Button size="small" variant="quiet" className="h-7" onClick={() => setChosen(new Set())}>
          None
        </Button>
      </p>
      <p role="status" className="text-xs text-soft">
        {byText
          ? `Rows that hold “${text}”`
          : chosen.size === 0
            ? "Every row"
            : `Rows with one of ${chosen.size} ${chosen.size === 1 ? "value" : "values"}`}
      </p>
      <FilterButtons clear={spec === undefined ? undefined : () => apply(undefined)} />
    </form>
  );
}

function ValueList(props: {
  readonly values: readonly ValueCount[];
  readonly chosen: ReadonlySet<string | null>;
  readonly toggle: (value: string | null) => void;
}): ReactNode {
  if (props.values.length === 0) return <p className="py-3 text-center text-sm text-faint">No such value</p>;
  return (
    <ul aria-label="Values" className="max-h-56 overflow-y-auto rounded-lg border py-1">
      {props.values.map(({ value, rows }) => (
        <li key={value ?? "\0"}>
          <label className="flex min-h-7 items-center gap-2 px-2.5 text-sm hover:bg-sunken">
            <input
              type="checkbox"
              className="size-4 shrink-0"
              checked={props.chosen.has(value)}
              onChange={() => props.toggle(value)}
            />
            <span className={value === null || value === "" ? "flex-1 truncate text-faint italic" : "flex-1 truncate"}>
              {value === null ? "no value" : value === "" ? "empty text" : value}
            </span>
            <span className="text-xs text-faint tabular-nums">{rows.toLocaleString("en")}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}
