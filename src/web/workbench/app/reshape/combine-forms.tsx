import { useState, type ReactNode } from "react";
import { Field, Select } from "../../../ui/field.tsx";
import { Note } from "../../../ui/states.tsx";
import { appendTables, joinTables, type JoinKind } from "../../data/reshape/combine.ts";
import type { Table } from "../../data/table.ts";
import { useViews } from "../context.tsx";
import type { ReshapeFormProps } from "./kinds.ts";

const JOIN_WORDS: readonly (readonly [JoinKind, string])[] = [
  ["all", "All rows of this table"],
  ["matching", "Only rows that match"],
  ["without", "Only rows without a match"],
];

/** A choice among names. */
function NameField(props: {
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  readonly choose: (name: string) => void;
  /** What stands for no choice. Absent: something is always chosen. */
  readonly none?: string;
}): ReactNode {
  const { label, value, names, choose, none } = props;
  return (
    <Field label={label} className="min-w-0 flex-1">
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => choose(target.value)}>
          {none !== undefined && <option value="">{none}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The other open tables. */
function useOthers({ view }: ReshapeFormProps): readonly Table[] {
  return useViews()
    .filter(({ id }) => id !== view.id)
    .map(({ table }) => table);
}

function NoOther(): ReactNode {
  return <Note tone="info">No other table is open. Open the second table first.</Note>;
}

interface JoinChoice {
  readonly other: string;
  readonly kind: JoinKind;
  readonly left: string;
  readonly right: string;
  readonly moreLeft: string;
  readonly moreRight: string;
}

export function JoinForm(props: ReshapeFormProps): ReactNode {
  const { view, ready } = props;
  const others = useOthers(props);
  const [choice, setChoice] = useState<JoinChoice>({
    other: "",
    kind: "all",
    left: "",
    right: "",
    moreLeft: "",
    moreRight: "",
  });
  if (others.length === 0) return <NoOther />;
  const left = view.table;
  const change = (changed: Partial<JoinChoice>): void => {
    const next = { ...choice, ...changed };
    const right = others.find(({ name }) => name === next.other);
    // The same name on both sides is what people mean most often.
    const shared =
      right === undefined ? undefined : left.columns.find(({ name }) => right.columns.some((one) => one.name === name));
    const filled =
      changed.other === undefined
        ? next
        : { ...next, left: shared?.name ?? "", right: shared?.name ?? "", moreLeft: "", moreRight: "" };
    setChoice(filled);
    const keys = [
      { left: filled.left, right: filled.right },
      { left: filled.moreLeft, right: filled.moreRight },
    ].filter((key) => key.left !== "" && key.right !== "");
    ready(
      right === undefined || keys.length === 0 ? undefined : () => joinTables({ left, right, keys, kind: filled.kind }),
    );
  };
  const right = others.find(({ name }) => name === choice.other);
  const names = (table: Table | undefined): readonly string[] => table?.columns.map(({ name }) => name) ?? [];
  return (
    <>
      <NameField
        label="Table"
        value={choice.other}
        names={others.map(({ name }) => name)}
        none="Choose a table"
        choose={(other) => change({ other })}
      />
      <div className="flex gap-3">
        <NameField
          label={`Column of ${left.name}`}
          value={choice.left}
          names={names(left)}
          none="Choose"
          choose={(name) => change({ left: name })}
        />
        <NameField
          label={`Column of ${right?.name ?? "the other"}`}
          value={choice.right}
          names={names(right)}
          none="Choose"
          choose={(name) => change({ right: name })}
        />
      </div>
      <div className="flex gap-3">
        <NameField
          label="Also match"
          value={choice.moreLeft}
          names={names(left)}
          none="None"
          choose={(name) => change({ moreLeft: name })}
        />
        <NameField
          label="With"
          value={choice.moreRight}
          names={names(right)}
          none="None"
          choose={(name) => change({ moreRight: name })}
        />
      </div>
      <RowsField kind={choice.kind} choose={(kind) => change({ kind })} />
    </>
  );
}

function RowsField({
  kind,
  choose,
}: {
  readonly kind: JoinKind;
  readonly choose: (kind: JoinKind) => void;
}): ReactNode {
  return (
    <Field label="Rows">
      {(ids) => (
        <Select
          {...ids}
          value={kind}
          onChange={({ target }) => choose(JOIN_WORDS.find(([one]) => one === target.value)?.[0] ?? kind)}
        >
          {JOIN_WORDS.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export function AppendForm(props: ReshapeFormProps): ReactNode {
  const { view, ready } = props;
  const others = useOthers(props);
  const [other, setOther] = useState("");
  if (others.length === 0) return <NoOther />;
  return (
    <NameField
      label="Table"
      value={other}
      names={others.map(({ name }) => name)}
      none="Choose a table"
      choose={(name) => {
        setOther(name);
        const bottom = others.find((table) => table.name === name);
        ready(bottom === undefined ? undefined : () => appendTables(view.table, bottom));
      }}
    />
  );
}
