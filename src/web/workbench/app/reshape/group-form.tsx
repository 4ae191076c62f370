import { useState, type ReactNode } from "react";
import { Field, Select } from "../../../ui/field.tsx";
import { AGGREGATES, type Aggregate } from "../../data/aggregate.ts";
import { isNumeric } from "../../data/column.ts";
import { groupTable } from "../../data/reshape/reshape.ts";
import { ColumnChecks } from "./column-checks.tsx";
import type { ReshapeFormProps } from "./kinds.ts";

const FIGURE_WORDS: Readonly<Record<Aggregate, string>> = {
  avg: "Average",
  min: "Least",
  max: "Greatest",
  sum: "Sum",
  med: "Median",
  stdev: "Standard deviation",
  variance: "Variance",
  q1: "First quartile",
  q3: "Third quartile",
  count: "Rows",
  values: "Rows with a value",
  unique: "Different values",
  nulls: "Rows without a value",
  first: "First value",
};
/** Of texts only these mean something. */
const TEXT_FIGURES: ReadonlySet<Aggregate> = new Set(["values", "unique", "nulls", "first"]);

export function GroupForm({ view, ready }: ReshapeFormProps): ReactNode {
  const { table } = view;
  const [by, setBy] = useState<readonly string[]>([]);
  const [measured, setMeasured] = useState<readonly string[]>([]);
  const [kind, setKind] = useState<Aggregate>("avg");
  const fits = TEXT_FIGURES.has(kind) ? table.columns : table.columns.filter(isNumeric);
  const change = (next: {
    readonly by?: readonly string[];
    readonly measured?: readonly string[];
    readonly kind?: Aggregate;
  }): void => {
    const [keys, names, figure] = [next.by ?? by, next.measured ?? measured, next.kind ?? kind];
    const allowed = TEXT_FIGURES.has(figure)
      ? names
      : names.filter((name) => table.columns.some((one) => one.name === name && isNumeric(one)));
    setBy(keys);
    setMeasured(allowed);
    setKind(figure);
    const measures = allowed.map((column) => ({ column, kind: figure }));
    ready(keys.length === 0 ? undefined : () => groupTable(table, keys, measures));
  };
  return (
    <>
      <ColumnChecks
        label="Group by"
        names={table.columns.map(({ name }) => name)}
        chosen={by}
        choose={(names) => change({ by: names })}
      />
      <Field label="Figure" hint="Beside the number of rows, which is always there.">
        {(ids) => (
          <Select
            {...ids}
            value={kind}
            onChange={({ target }) => change({ kind: AGGREGATES.find((one) => one === target.value) ?? kind })}
          >
            {AGGREGATES.filter((one) => one !== "count").map((one) => (
              <option key={one} value={one}>
                {FIGURE_WORDS[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ColumnChecks
        label="Of these columns"
        names={fits.map(({ name }) => name)}
        chosen={measured}
        choose={(names) => change({ measured: names })}
      />
    </>
  );
}
