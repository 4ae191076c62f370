import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import type { RateLimit } from "../../../../protocol/index.ts";
import { Field, Input, Select, TextArea } from "../../../ui/field.tsx";
import type { FieldSpec } from "./field-kinds.ts";
import { ListEditor } from "./list-editor.tsx";
import { readNumber, writeNumber, type NumberKind } from "./numbers.ts";
import { t } from "../../../ui/language/t.ts";

export interface FieldEditorsEditorProps {
  readonly spec: FieldSpec;
  readonly value: unknown;
  readonly problems: readonly { readonly message: string; readonly index?: number }[];
  readonly onChange: (value: unknown) => void;
  /** The input is not a valid value; absent: it is valid again. */
  readonly onWrong: (wrong: string | undefined) => void;
}

/** The editor that a field's kind asks for. */
export function FieldEditor(props: FieldEditorsEditorProps): ReactNode {
  const { spec } = props;
  switch (spec.kind) {
    case "text":
      return <TextEditor {...props} />;
    case "choice":
      return <ChoiceEditor {...props} options={spec.options} />;
    case "list":
      return spec.emptyCounts === true ? <OnlyTheseEditor {...props} /> : <PlainListEditor {...props} />;
    case "hooks":
      return (
        <Check
          spec={spec}
          on={Array.isArray(props.value) && props.value.includes("guarded")}
          onChange={(on) => props.onChange(on ? ["guarded"] : undefined)}
        />
      );
    case "switch":
      return <Check spec={spec} on={props.value === true} onChange={(on) => props.onChange(on ? true : undefined)} />;
    case "dollars":
    case "count":
    case "seconds":
      return <NumberEditor {...props} kind={spec.kind} />;
    case "rate":
      return <RateEditor {...props} />;
  }
}

const firstOf = (problems: FieldEditorsEditorProps["problems"]): string | undefined => problems[0]?.message;

function TextEditor({ spec, value, problems, onChange }: FieldEditorsEditorProps): ReactNode {
  return (
    <Field label={spec.label} hint={spec.hint} error={firstOf(problems)}>
      {(ids) => (
        <TextArea
          {...ids}
          rows={2}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        />
      )}
    </Field>
  );
}

function ChoiceEditor({
  spec,
  value,
  problems,
  onChange,
  options,
}: FieldEditorsEditorProps & {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}): ReactNode {
  return (
    <Field label={spec.label} hint={spec.hint} error={firstOf(problems)}>
      {(ids) => (
        <Select
          {...ids}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        >
          <option value="">{t("not set ({absent})", { absent: spec.absent })}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as readonly string[]) : []);

function PlainListEditor({ spec, value, problems, onChange }: FieldEditorsEditorProps): ReactNode {
  return (
    <ListEditor
      label={spec.label}
      hint={t("{hint} Not set: {absent}.", { hint: spec.hint, absent: spec.absent })}
      example={spec.kind === "list" ? spec.example : ""}
      list={listOf(value)}
      problems={problems}
      onChange={(list) => onChange(list.length === 0 ? undefined : list)}
    />
  );
}

/** If an empty list means nothing at all, "none" is a separate choice. */
function OnlyTheseEditor({ spec, value, problems, onChange }: FieldEditorsEditorProps): ReactNode {
  const every = value === undefined;
  const id = useId();
  return (
    <fieldset className="space-y-2">
      <legend className="text-sm font-medium">{spec.label}</legend>
      <div className="flex items-center gap-2">
        <input
          id={id}
          type="checkbox"
          className="size-4.5 accent-[var(--accent)]"
          checked={every}
          onChange={(event) => onChange(event.target.checked ? undefined : [])}
        />
        <label htmlFor={id} className="text-sm">
          {spec.absent.charAt(0).toUpperCase() + spec.absent.slice(1)}
        </label>
      </div>
      {!every && (
        <ListEditor
          label={t("Only these")}
          hint={listOf(value).length === 0 ? t("None: sessions with this profile have no tools.") : spec.hint}
          example={spec.kind === "list" ? spec.example : ""}
          list={listOf(value)}
          problems={problems}
          onChange={onChange}
        />
      )}
    </fieldset>
  );
}

function Check({
  spec,
  on,
  onChange,
}: {
  readonly spec: FieldSpec;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input
        id={id}
        type="checkbox"
        aria-describedby={`${id}-hint`}
        className="mt-0.5 size-4.5 shrink-0 accent-[var(--accent)]"
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {spec.label}
        </label>
        <p id={`${id}-hint`} className="text-sm text-faint">
          {spec.hint}
        </p>
      </div>
    </div>
  );
}

export function NumberEditor({
  spec,
  value,
  problems,
  onChange,
  onWrong,
  kind,
}: FieldEditorsEditorProps & { readonly kind: NumberKind }): ReactNode {
  const [text, setText] = useState(typeof value === "number" ? writeNumber(kind, value) : "");
  const tell = useRef(onWrong);
  tell.current = onWrong;
  // An invalid input disappears with its field.
  useEffect(() => () => tell.current(undefined), []);
  const read = readNumber(kind, text);
  const wrong = "wrong" in read ? read.wrong : undefined;
  const change = (written: string): void => {
    setText(written);
    const next = readNumber(kind, written);
    onWrong("wrong" in next ? next.wrong : undefined);
    if ("value" in next) onChange(next.value);
  };
  return (
    <Field label={spec.label} hint={spec.hint} error={wrong ?? firstOf(problems)}>
      {(ids) => (
        <div className="relative">
          {kind === "dollars" && (
            <span aria-hidden className="absolute inset-y-0 start-3 grid place-items-center text-sm text-soft">
              $
            </span>
          )}
          <Input
            {...ids}
            inputMode="decimal"
            className={kind === "dollars" ? "ps-7" : ""}
            placeholder={spec.absent}
            value={text}
            aria-invalid={wrong !== undefined}
            onChange={(event) => change(event.target.value)}
          />
        </div>
      )}
    </Field>
  );
}

const RATES = [
  { name: "requests_per_minute", label: t("requests per minute") },
  { name: "tokens_per_minute", label: t("tokens per minute") },
] as const;

function RateEditor({ spec, value, problems, onChange, onWrong }: FieldEditorsEditorProps): ReactNode {
  const rate = (value ?? {}) as RateLimit;
  const set = (name: keyof RateLimit, next: unknown): void => {
    const { [name]: _, ...others } = rate;
    const changed = next === undefined ? others : { ...others, [name]: next };
    onChange(Object.keys(changed).length === 0 ? undefined : changed);
  };
  return (
    <fieldset className="grid gap-x-5 gap-y-4 sm:col-span-2 sm:grid-cols-2">
      <legend className="sr-only">{spec.label}</legend>
      {RATES.map(({ name, label }) => (
        <NumberEditor
          key={name}
          kind="count"
          spec={{ ...spec, label: `${spec.label}: ${label}` }}
          value={rate[name]}
          problems={problems}
          onChange={(next) => set(name, next)}
          onWrong={onWrong}
        />
      ))}
    </fieldset>
  );
}
