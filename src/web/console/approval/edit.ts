import { toolFacts, type ToolField } from "../../../protocol/index.ts";
import { locale, t } from "../../ui/language/t.ts";
import { fieldLabel } from "./field-labels.ts";

export type EditedToolInput = Readonly<Record<string, unknown>>;

/** A text of a tool's input that a person may change. */
export interface EditField {
  /** Its path: `["edits", 0, "new_string"]`. */
  readonly path: readonly (string | number)[];
  readonly label: string;
  readonly text: string;
}

/** The texts of a call that are edited as such. Empty: its input is edited as JSON. */
export function fieldsOf(tool: string, input: EditedToolInput): readonly EditField[] {
  const { list, fields = [] } = toolFacts(tool) ?? {};
  const editable = fields.filter((field) => field.editable);
  if (list === undefined) return textsOf(input, editable, []);
  const entries = input[list];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, index) => textsOf(entry, editable, [list, index]));
}

function textsOf(input: unknown, fields: readonly ToolField[], at: EditField["path"]): readonly EditField[] {
  if (typeof input !== "object" || input === null) return [];
  const [, index] = at;
  return fields.flatMap(({ name, label }) => {
    const text = (input as EditedToolInput)[name];
    const words =
      typeof index === "number"
        ? t("Edit {index}: {label}", { index: index + 1, label: fieldLabel(label).toLocaleLowerCase(locale) })
        : fieldLabel(label);
    return typeof text === "string" ? [{ path: [...at, name], label: words, text }] : [];
  });
}

/** The input with changed texts. An unchanged text stays the same to the last byte. */
export function withTexts(
  input: EditedToolInput,
  fields: readonly EditField[],
  texts: readonly string[],
): EditedToolInput {
  return fields.reduce((changed, { path, text }, index) => {
    const edited = texts[index] ?? shownText(text);
    return edited === shownText(text) ? changed : (setAt(changed, path, keepLineEnds(text, edited)) as EditedToolInput);
  }, input);
}

/** A text as a form field holds it: browsers know only one kind of line end. */
export function shownText(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function keepLineEnds(original: string, edited: string): string {
  const carriage = original.includes("\r\n") && !/(^|[^\r])\n/.test(original);
  return carriage ? edited.replaceAll("\n", "\r\n") : edited;
}

function setAt(value: unknown, [step, ...rest]: readonly (string | number)[], text: string): unknown {
  if (step === undefined) return text;
  if (Array.isArray(value)) return value.map((old: unknown, index) => (index === step ? setAt(old, rest, text) : old));
  const record = value as EditedToolInput;
  return { ...record, [step]: setAt(record[step], rest, text) };
}

/** Input written as JSON. */
export function inputOfJson(text: string): { readonly input: EditedToolInput } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { input: value as EditedToolInput };
    return { problem: t("The input must be a JSON object.") };
  } catch (error) {
    return {
      problem: t("This is not JSON: {message}", { message: error instanceof Error ? error.message : String(error) }),
    };
  }
}
