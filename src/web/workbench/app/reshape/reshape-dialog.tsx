import { useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Note } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import type { Table } from "../../data/table.ts";
import { unpivotTable, withoutDuplicates } from "../../data/reshape/reshape.ts";
import type { View } from "../../model/workbench.ts";
import { count } from "../../model/words.ts";
import { useBench } from "../context.tsx";
import { FormButtons } from "../form-buttons.tsx";
import { ColumnChecks } from "./column-checks.tsx";
import { AppendForm, JoinForm } from "./combine-forms.tsx";
import { GroupForm } from "./group-form.tsx";
import { RESHAPE_WORDS, type ReshapeFormProps, type ReshapeKind } from "./kinds.ts";

/** Makes a new table of the rows that are shown. The table itself stays as it is. */
export function ReshapeDialog({
  kind,
  view,
  onClose,
}: {
  readonly kind: ReshapeKind;
  readonly view: View;
  readonly onClose: () => void;
}): ReactNode {
  const { opening } = useBench();
  const tell = useTell();
  const [make, setMake] = useState<{ readonly run: (() => Table) | undefined }>({ run: undefined });
  const [refused, setRefused] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      const made = make.run?.();
      if (made === undefined) return;
      const { table } = opening.add(made, "person");
      tell.ok(`${table.name} is open: ${count(table.rowCount, "row")}.`);
      onClose();
    } catch (error) {
      setRefused(error instanceof Error ? error.message : String(error));
    }
  };
  const ready = (run: (() => Table) | undefined): void => {
    setRefused(undefined);
    setMake({ run });
  };
  const { menu, about } = RESHAPE_WORDS[kind];
  const shown = view.table.filtered.count;
  const rows = shown === view.table.rowCount ? "" : ` Only the ${count(shown, "row")} that pass the filters count.`;
  return (
    <Dialog
      open
      onClose={onClose}
      title={menu.replace("…", "")}
      description={`${about} This table stays as it is.${rows}`}
    >
      <form onSubmit={submit} className="space-y-4">
        <Form kind={kind} view={view} ready={ready} />
        {refused !== undefined && (
          <Note tone="bad" role="alert">
            {refused}
          </Note>
        )}
        <FormButtons words="Make the table" isReady={make.run !== undefined} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function Form({ kind, ...props }: ReshapeFormProps & { readonly kind: ReshapeKind }): ReactNode {
  switch (kind) {
    case "join":
      return <JoinForm {...props} />;
    case "append":
      return <AppendForm {...props} />;
    case "group":
      return <GroupForm {...props} />;
    case "deduplicate":
      return (
        <ColumnsForm
          {...props}
          label="Rows are alike when these are"
          least={1}
          make={(table, names) => withoutDuplicates(table, names)}
        />
      );
    case "unpivot":
      return <ColumnsForm {...props} label="Columns to put into rows" least={2} make={unpivotTable} />;
  }
}

function ColumnsForm({
  view,
  ready,
  label,
  least,
  make,
}: ReshapeFormProps & {
  readonly label: string;
  readonly least: number;
  readonly make: (table: Table, names: readonly string[]) => Table;
}): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { table } = view;
  return (
    <ColumnChecks
      label={label}
      names={table.columns.map(({ name }) => name)}
      chosen={chosen}
      choose={(names) => {
        setChosen(names);
        ready(names.length < least ? undefined : () => make(table, names));
      }}
    />
  );
}
