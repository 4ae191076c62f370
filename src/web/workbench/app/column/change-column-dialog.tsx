import { useMemo, useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { Note } from "../../../ui/states.tsx";
import type { ColumnType } from "../../data/column.ts";
import { convertColumn } from "../../data/convert.ts";
import { changeWords, misfitLines } from "../../model/column-words.ts";
import type { View } from "../../model/workbench.ts";
import { useBench } from "../context.tsx";
import { FormButtons } from "../form-buttons.tsx";

const TYPES: readonly (readonly [ColumnType, string])[] = [
  ["string", "Text"],
  ["int", "Whole number"],
  ["double", "Number"],
  ["bool", "True or false"],
  ["datetime", "Date and time"],
  ["bigint", "Large whole number"],
];

interface ChangeColumnProps {
  readonly view: View;
  readonly name: string;
  readonly onClose: () => void;
}

/** Another name or type for a column. What would not fit is shown before anything is done. */
export function ChangeColumnDialog({ view, name: before, onClose }: ChangeColumnProps): ReactNode {
  const { workbench } = useBench();
  const { table } = view;
  const column = table.column(before);
  const [name, setName] = useState(before);
  const [type, setType] = useState<ColumnType>(column?.type ?? "string");
  const [refused, setRefused] = useState<string>();
  const converted = useMemo(
    () => (column === undefined || column.type === type ? undefined : convertColumn(column, type)),
    [column, type],
  );
  if (column === undefined) return undefined;
  const given = name.trim();
  const isTaken = given !== before && table.columns.some((other) => other.name === given);
  const isChanged = given !== before || converted !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      workbench.replaceColumn(view.id, before, {
        column: { ...(converted?.column ?? column), name: given },
        words: changeWords({ from: before, name: given, type: converted === undefined ? undefined : type }),
        by: "person",
      });
      onClose();
    } catch (error) {
      setRefused(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Dialog open onClose={onClose} title={`Change ${before}`}>
      <form onSubmit={submit} className="space-y-4">
        <Field
          label="Name"
          error={isTaken ? "The table has a column of this name: choose another." : refused}
          hint="Viewers, filters and formulas follow the new name."
        >
          {(ids) => (
            <Input
              {...ids}
              value={name}
              maxLength={200}
              required
              autoFocus
              onChange={(event) => {
                setName(event.target.value);
                setRefused(undefined);
              }}
            />
          )}
        </Field>
        <Field
          label="Type"
          hint={
            column.formula === undefined ? undefined : "With another type, it keeps its values but not its formula."
          }
        >
          {(ids) => (
            <Select {...ids} value={type} onChange={(event) => setType(typeNamed(event.target.value) ?? type)}>
              {TYPES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {converted !== undefined && <Report lines={misfitLines(converted, { isDone: false })} />}
        <FormButtons words="Change the column" isReady={given !== "" && !isTaken && isChanged} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function typeNamed(value: string): ColumnType | undefined {
  return TYPES.find(([type]) => type === value)?.[0];
}

function Report({ lines }: { readonly lines: readonly string[] }): ReactNode {
  if (lines.length === 0)
    return (
      <p role="status" className="text-sm text-soft">
        All values fit.
      </p>
    );
  return (
    <Note tone="warn" role="status">
      {lines.join(" ")}
    </Note>
  );
}
