import { useMemo, useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { Note } from "../../../ui/states.tsx";
import { fitsType, isSameFormat, type ColumnFormat } from "../../data/column-format.ts";
import type { Column, ColumnType } from "../../data/column.ts";
import { convertColumn } from "../../data/convert.ts";
import { changeWords, misfitLines } from "../../model/column-words.ts";
import type { View } from "../../model/workbench.ts";
import { useBench } from "../context.tsx";
import { FormatFields } from "./format-fields.tsx";
import { COLUMN_TYPE_WORDS } from "./type-words.ts";
import { FormButtons } from "../form-buttons.tsx";

interface ChangeColumnProps {
  readonly view: View;
  readonly name: string;
  readonly onClose: () => void;
}

/** Another name, type or format for a column. What would not fit is shown before anything is done. */
export function ChangeColumnDialog({ view, name: before, onClose }: ChangeColumnProps): ReactNode {
  const { workbench } = useBench();
  const { table } = view;
  const column = table.column(before);
  const [name, setName] = useState(before);
  const [type, setType] = useState<ColumnType>(column?.type ?? "string");
  const [format, setFormat] = useState(column?.format);
  const [refused, setRefused] = useState<string>();
  const converted = useMemo(
    () => (column === undefined || column.type === type ? undefined : convertColumn(column, type)),
    [column, type],
  );
  if (column === undefined) return undefined;
  const made = withFormat(converted?.column ?? column, format);
  const isFormatted = !isSameFormat(column.format, made.format);
  const given = name.trim();
  const isTaken = given !== before && table.columns.some((other) => other.name === given);
  const isChanged = given !== before || converted !== undefined || isFormatted;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      workbench.replaceColumn(view.id, before, {
        column: { ...made, name: given },
        words: changeWords({
          from: before,
          name: given,
          type: converted === undefined ? undefined : type,
          ...(isFormatted ? { format: made.format ?? null } : {}),
        }),
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
        <TextField
          label="Name"
          error={isTaken ? "The table has a column of this name: choose another." : refused}
          hint="Viewers, filters and formulas follow the new name."
          value={name}
          maxLength={200}
          required
          autoFocus
          onChange={(text) => {
            setName(text);
            setRefused(undefined);
          }}
        />
        <SelectField
          label="Type"
          hint={
            column.formula === undefined ? undefined : "With another type, it keeps its values but not its formula."
          }
          value={type}
          onChange={(choice) => setType(typeNamed(choice) ?? type)}
        >
          {COLUMN_TYPE_WORDS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <FormatFields key={made.type} column={made} set={setFormat} />
        {converted !== undefined && <Report lines={misfitLines(converted, { isDone: false })} />}
        <FormButtons words="Change the column" isReady={given !== "" && !isTaken && isChanged} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function withFormat(column: Column, format: ColumnFormat | undefined): Column {
  const { format: _, ...bare } = column;
  return format === undefined || !fitsType(format, column.type) ? bare : { ...bare, format };
}

function typeNamed(value: string): ColumnType | undefined {
  return COLUMN_TYPE_WORDS.find(([type]) => type === value)?.[0];
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
