import { useId, useState, type ReactNode } from "react";
import { Field, Input, Select } from "../../../ui/field.tsx";
import {
  DATE_STYLE_WORDS,
  DIGIT_GROUP_WORDS,
  MOST_DIGITS,
  NUMBER_STYLE_WORDS,
  columnFormat,
  kindOfFormat,
  type ColumnFormat,
  type DateFormat,
  type NumberFormat,
} from "../../data/column-format.ts";
import { isMissing, type Column } from "../../data/column.ts";
import { shownAt } from "../../data/display.ts";
import { textAt } from "../../data/format.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";

interface FormatFieldsProps {
  /** As it will be, with its format. */
  readonly column: Column;
  readonly set: (format: ColumnFormat | undefined) => void;
}

const PLAIN_NUMBER: NumberFormat = { kind: "number", style: "plain", groups: "comma" };
const PLAIN_DATE: DateFormat = { kind: "date", style: "full" };

/** How the values of a column are shown; nothing for types that have no formats. */
export function FormatFields({ column, set }: FormatFieldsProps): ReactNode {
  const kind = kindOfFormat(column.type);
  const { format } = column;
  if (kind === undefined) return undefined;
  return (
    <fieldset className="space-y-3 rounded-lg border p-3">
      <legend className="px-1 text-sm font-medium">Format</legend>
      {kind === "number" ? (
        <NumberFields format={format?.kind === "number" ? format : undefined} set={set} />
      ) : (
        <DateFields format={format?.kind === "date" ? format : undefined} set={set} />
      )}
      <FormatPreview column={column} />
    </fieldset>
  );
}

interface FormatChoice<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly choose: (value: Value) => void;
}

function ChoiceField<Value extends string>({ label, value, choices, choose }: FormatChoice<Value>): ReactNode {
  return (
    <Field label={label} className="min-w-0 flex-1 basis-32">
      {(ids) => (
        <Select
          {...ids}
          value={value}
          onChange={(event) => {
            const found = choices.find(([one]) => one === event.target.value);
            if (found !== undefined) choose(found[0]);
          }}
        >
          {choices.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

const NO_FORMAT = ["none", "As stored: every digit"] as const;
const DIGIT_CHOICES: readonly (readonly [string, string])[] = [
  ["", "Automatic"],
  ...Array.from({ length: MOST_DIGITS + 1 }, (_, digits) => [String(digits), String(digits)] as const),
];

function NumberFields({
  format,
  set,
}: {
  readonly format: NumberFormat | undefined;
  readonly set: FormatFieldsProps["set"];
}): ReactNode {
  const standing = format ?? PLAIN_NUMBER;
  const digits = standing.digits === undefined ? "" : String(standing.digits);
  return (
    <div className="flex flex-wrap gap-3">
      <ChoiceField
        label="Show as"
        value={format?.style ?? "none"}
        choices={[NO_FORMAT, ...NUMBER_STYLE_WORDS]}
        choose={(style) => set(style === "none" ? undefined : { ...standing, style })}
      />
      {format !== undefined && (
        <>
          <ChoiceField
            label="Separators"
            value={standing.groups}
            choices={DIGIT_GROUP_WORDS}
            choose={(groups) => set({ ...standing, groups })}
          />
          <ChoiceField
            label="Decimals"
            value={digits}
            choices={DIGIT_CHOICES}
            choose={(value) => set({ ...standing, digits: value === "" ? undefined : Number(value) })}
          />
          {format.style === "currency" && <CurrencyField format={format} set={set} />}
        </>
      )}
    </div>
  );
}

const CURRENCIES = ["USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "BRL"];

function CurrencyField({
  format,
  set,
}: {
  readonly format: NumberFormat;
  readonly set: FormatFieldsProps["set"];
}): ReactNode {
  const list = useId();
  return (
    <CheckedField
      label="Currency"
      hint="Three letters, such as EUR"
      value={format.currency ?? "USD"}
      list={list}
      take={(text) => ({ ...format, currency: text.toUpperCase() })}
      set={set}
    >
      <datalist id={list}>
        {CURRENCIES.map((code) => (
          <option key={code} value={code} />
        ))}
      </datalist>
    </CheckedField>
  );
}

function DateFields({
  format,
  set,
}: {
  readonly format: DateFormat | undefined;
  readonly set: FormatFieldsProps["set"];
}): ReactNode {
  const list = useId();
  const standing = format ?? PLAIN_DATE;
  return (
    <div className="flex flex-wrap gap-3">
      <ChoiceField
        label="Show as"
        value={standing.style}
        choices={DATE_STYLE_WORDS}
        choose={(style) => set(style === "full" && standing.zone === undefined ? undefined : { ...standing, style })}
      />
      <CheckedField
        label="Time zone"
        hint="Such as Europe/Berlin. The values stay the same."
        value={standing.zone ?? "UTC"}
        list={list}
        take={(zone) => (zone === "UTC" ? { kind: "date", style: standing.style } : { ...standing, zone })}
        set={(made) =>
          set(made?.kind === "date" && made.style === "full" && made.zone === undefined ? undefined : made)
        }
      >
        <datalist id={list}>
          {Intl.supportedValuesOf("timeZone").map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </CheckedField>
    </div>
  );
}

/** A text that is only taken where it makes a format. */
function CheckedField(props: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly list: string;
  readonly take: (text: string) => ColumnFormat;
  readonly set: FormatFieldsProps["set"];
  readonly children: ReactNode;
}): ReactNode {
  const { label, hint, list, take, set, children } = props;
  const [text, setText] = useState(props.value);
  const isRight = columnFormat.safeParse(take(text.trim())).success;
  return (
    <Field
      label={label}
      hint={hint}
      error={isRight ? undefined : `“${text}” is not known.`}
      className="min-w-0 flex-1 basis-40"
    >
      {(ids) => (
        <>
          <Input
            {...ids}
            value={text}
            list={list}
            spellCheck={false}
            onChange={(event) => {
              setText(event.target.value);
              const made = columnFormat.safeParse(take(event.target.value.trim()));
              if (made.success) set(made.data);
            }}
          />
          {children}
        </>
      )}
    </Field>
  );
}

/** Rows that are looked through for values to show. */
const LOOKED_AT = 1_000;

function FormatPreview({ column }: { readonly column: Column }): ReactNode {
  const rows: number[] = [];
  const all = "codes" in column ? column.codes.length : column.numbers.length;
  for (let row = 0; row < Math.min(all, LOOKED_AT) && rows.length < WORKBENCH_LIMITS.formatExamples; row += 1)
    if (!isMissing(column, row)) rows.push(row);
  if (rows.length === 0) return undefined;
  return (
    <dl aria-label="Preview" className="space-y-0.5 rounded-md bg-panel px-2.5 py-2 text-sm tabular-nums">
      {rows.map((row) => (
        <div key={row} className="flex justify-between gap-3">
          <dt className="min-w-0 truncate text-faint">{textAt(column, row)}</dt>
          <dd className="min-w-0 truncate">{shownAt(column, row)}</dd>
        </div>
      ))}
    </dl>
  );
}
