import { useEffect, useState, type ReactNode } from "react";
import { Input, Select } from "../../../ui/field.tsx";
import { dateText } from "../../data/format.ts";
import type { Table } from "../../data/table.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { columnFits } from "../../viewers/look.ts";
import type { PropertyDefinition } from "../../viewers/viewer.ts";

interface ControlProps {
  readonly id: string;
  readonly property: PropertyDefinition;
  readonly table: Table;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** What a value is set with, by the property's type. */
export function PropertyControl(props: ControlProps): ReactNode {
  const { id, property, value, onChange } = props;
  switch (property.type) {
    case "bool":
      return (
        <input
          id={id}
          type="checkbox"
          role="switch"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
          className="size-4.5 shrink-0 accent-(--accent)"
        />
      );
    case "column": {
      const fitting = fittingColumns(props);
      return <Choice {...props} choices={fitting} none={fitting.length === 0 ? "No column fits" : "—"} />;
    }
    case "column_list":
      return <Checks {...props} names={fittingColumns(props)} />;
    case "string_list":
      return property.choices === undefined ? (
        <Typed {...props} text={Array.isArray(value) ? value.join(", ") : ""} read={readList} />
      ) : (
        <Checks {...props} names={property.choices} />
      );
    case "int":
    case "double":
      return <Typed {...props} text={typeof value === "number" ? String(value) : ""} read={readNumber(property)} />;
    case "datetime":
      return <Typed {...props} text={typeof value === "number" ? dateText(value) : ""} read={(text) => text} />;
    case "string":
      return property.choices === undefined ? (
        <Typed {...props} text={typeof value === "string" ? value : ""} read={(text) => text} />
      ) : (
        <Choice {...props} choices={property.choices} />
      );
  }
}

interface ChoiceProps {
  readonly choices: readonly string[];
  readonly none?: string;
}

/** One of a list; `none` is what stands for no value, absent: there must be one. */
function Choice({ id, value, onChange, choices, none }: ControlProps & ChoiceProps): ReactNode {
  const chosen = typeof value === "string" ? value : "";
  return (
    <Select
      id={id}
      className="h-8! px-2!"
      value={chosen}
      onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
    >
      {(none !== undefined || chosen === "") && <option value="">{none ?? "—"}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </Select>
  );
}

function fittingColumns({ property, table }: ControlProps): readonly string[] {
  return table.columns
    .filter((column) => columnFits(property, column))
    .slice(0, WORKBENCH_LIMITS.pickerColumns)
    .map(({ name }) => name);
}

/** Several of a list; they keep the list's order. */
function Checks({ id, names, value, onChange }: ControlProps & { readonly names: readonly string[] }): ReactNode {
  const chosen = new Set(Array.isArray(value) ? value.filter((name) => typeof name === "string") : []);
  return (
    <div
      role="group"
      aria-labelledby={id}
      className="max-h-40 overflow-y-auto rounded-lg border border-line-strong/60 bg-raised py-1"
    >
      {names.map((name) => (
        <label key={name} className="flex min-h-6 items-center gap-2 px-2 text-sm hover:bg-sunken">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={chosen.has(name)}
            onChange={(event) =>
              onChange(names.filter((other) => (other === name ? event.target.checked : chosen.has(other))))
            }
          />
          <span className="truncate">{name}</span>
        </label>
      ))}
      {names.length === 0 && <p className="px-2 text-sm text-faint">No column fits</p>}
    </div>
  );
}

function readList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Undefined: what is written is no value yet. */
function readNumber({ type, min, max }: PropertyDefinition): (text: string) => number | undefined {
  return (text) => {
    const number = Number(text);
    const isWrong = !Number.isFinite(number) || (type === "int" && !Number.isInteger(number));
    return isWrong || number < (min ?? number) || number > (max ?? number) ? undefined : number;
  };
}

/** Written by hand: taken when it is finished, with Enter or by leaving the field. */
function Typed({
  id,
  property,
  text,
  read,
  onChange,
}: ControlProps & { readonly text: string; readonly read: (text: string) => unknown }): ReactNode {
  const [written, setWritten] = useState(text);
  useEffect(() => setWritten(text), [text]);
  const isNumber = property.type === "int" || property.type === "double";
  const value = written === "" ? undefined : read(written);
  const isWrong = written !== "" && value === undefined;
  const take = (): void => {
    if (isWrong) setWritten(text);
    else if (written !== text) onChange(value);
  };
  return (
    <Input
      id={id}
      className="h-8! px-2!"
      {...(isNumber
        ? { type: "number", min: property.min, max: property.max, step: property.type === "int" ? 1 : "any" }
        : { type: "text", spellCheck: false })}
      aria-invalid={isWrong}
      value={written}
      onChange={(event) => setWritten(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
    />
  );
}
