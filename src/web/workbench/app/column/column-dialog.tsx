import { useDeferredValue, useMemo, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, TextArea, TextField } from "../../../ui/field.tsx";
import { FormButtons } from "../form-buttons.tsx";
import type { View } from "../../model/workbench.ts";
import { useBench } from "../context.tsx";
import { ColumnPreview } from "./column-preview.tsx";
import { FormulaHelp } from "./formula-help.tsx";
import { tryFormula } from "./try-formula.ts";

/** A column from a formula, with what it would give while it is written. */
export function ColumnDialog({ view, onClose }: { readonly view: View; readonly onClose: () => void }): ReactNode {
  const { workbench } = useBench();
  const { table } = view;
  const [name, setName] = useState("");
  const [expression, setExpression] = useState("");
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const text = useRef<HTMLTextAreaElement>(null);
  const written = useDeferredValue(expression);
  const tried = useMemo(() => tryFormula(written, table), [written, table]);
  const taken = table.columns.find((column) => column.name === name.trim());
  const nameError =
    taken !== undefined && taken.formula === undefined
      ? "The table has a column of this name: choose another."
      : refused;
  const isReady = name.trim() !== "" && nameError === undefined && tried.kind === "ready" && written === expression;
  const insert = (piece: string): void => {
    const field = text.current;
    const from = field?.selectionStart ?? expression.length;
    const to = field?.selectionEnd ?? from;
    setExpression(expression.slice(0, from) + piece + expression.slice(to));
    field?.focus();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (tried.kind !== "ready") return;
    try {
      workbench.putColumn(view.id, tried.formula.column(name.trim()), "person");
      onClose();
    } catch (error) {
      setRefused(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Dialog open onClose={onClose} title="Add new column" wide>
      <form onSubmit={submit} className="grid min-h-0 grid-cols-1 gap-5 md:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="space-y-4">
          <TextField
            label="Name"
            error={nameError}
            hint={taken?.formula === undefined ? undefined : "The column of this name will be replaced."}
            value={name}
            onChange={(text) => {
              setName(text);
              setRefused(undefined);
            }}
            maxLength={200}
            required
            autoFocus
          />
          <Field
            label="Formula"
            error={tried.kind === "wrong" ? tried.words : undefined}
            hint="Columns as ${Name} or [Name]; press one in the list to put it in."
          >
            {(ids) => (
              <TextArea
                {...ids}
                ref={text}
                rows={4}
                spellCheck={false}
                className="font-mono"
                value={expression}
                onChange={(event) => setExpression(event.target.value)}
                required
              />
            )}
          </Field>
          <ColumnPreview tried={tried} table={table} expression={written} />
          <FormButtons words="Add the column" isReady={isReady} onCancel={onClose} />
        </div>
        <FormulaHelp table={table} onInsert={insert} />
      </form>
    </Dialog>
  );
}
