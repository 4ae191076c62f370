import { z } from "zod";
import { answerKeys, LIMITS, showHidden, type Question } from "../../protocol/index.ts";

/** A value of a form, as the protocol has it. */
export type FormValue = string | number | boolean | string[];

const Choice = z.object({ const: z.string(), title: z.string().optional() });
const ServerFormField = z.object({
  type: z.enum(["string", "number", "integer", "boolean", "array"]).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  enumNames: z.array(z.string()).optional(),
  oneOf: z.array(Choice).optional(),
  anyOf: z.array(Choice).optional(),
  items: z
    .object({
      enum: z.array(z.string()).optional(),
      anyOf: z.array(Choice).optional(),
      oneOf: z.array(Choice).optional(),
    })
    .optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});
type ServerFormField = z.infer<typeof ServerFormField>;
const Schema = z.object({
  properties: z.record(z.string(), ServerFormField),
  required: z.array(z.string()).optional(),
});

interface ElicitedField {
  readonly field: ServerFormField;
  readonly name: string;
  readonly isRequired: boolean;
  readonly choices: readonly z.infer<typeof Choice>[];
}

/** What a server wants to know, field by field. */
export interface ElicitationForm {
  readonly fields: readonly ElicitedField[];
  /** One question for each field, in its order; one to agree to, where there is no field. */
  readonly questions: readonly Question[];
}

const LEAVE_OUT = "Leave it out";
const AGREE = "Continue";

/** Undefined: a person cannot be asked for it here. */
export function formOf(message: string, schema: unknown): ElicitationForm | undefined {
  const { data } = Schema.safeParse(schema);
  const entries = Object.entries(data?.properties ?? {});
  if (data === undefined || entries.length > LIMITS.mcpFormFields) return undefined;
  const required = new Set(data.required);
  const fields = entries.map(([name, field]): ElicitedField => {
    const choices = field.oneOf ?? field.items?.anyOf ?? field.items?.oneOf ?? field.anyOf;
    const values = field.enum ?? field.items?.enum ?? [];
    return {
      field,
      name,
      isRequired: required.has(name),
      choices: choices ?? values.map((value, index) => ({ const: value, title: field.enumNames?.[index] })),
    };
  });
  if (fields.some(({ choices }) => choices.length > LIMITS.mcpFormChoices)) return undefined;
  const questions = fields.map(questionOf);
  if (JSON.stringify(questions).length > LIMITS.mcpFormChars) return undefined;
  const plain = { question: shown(message), header: "", options: [option(AGREE, "")], multiSelect: false };
  return { fields, questions: questions.length === 0 ? [plain] : questions };
}

function questionOf(field: ElicitedField): Question {
  const { name, isRequired, choices } = field;
  const { title, description, type } = field.field;
  const words = [title ?? name, description].flatMap((text) => (text === undefined ? [] : [shown(text)])).join(": ");
  const suggested = defaultsOf(field).map((usual) => option(labelOf(field, usual), "suggested"));
  const listed =
    type === "boolean"
      ? ["Yes", "No"].map((label) => option(label, ""))
      : choices.map((one) => option(labelFor(one), ""));
  const labels = new Set(listed.map(({ label }) => label));
  const options = [
    ...listed.map((one) => suggested.find(({ label }) => label === one.label) ?? one),
    ...suggested.filter(({ label }) => !labels.has(label)),
    ...(isRequired ? [] : [option(LEAVE_OUT, "")]),
  ];
  return {
    question: words,
    header: shown(name).slice(0, LIMITS.mcpFormHeaderChars),
    options,
    multiSelect: type === "array",
  };
}

/** What a field holds that is left open. */
function defaultsOf({ field: { default: usual } }: ElicitedField): readonly (string | number | boolean)[] {
  if (usual === undefined) return [];
  return Array.isArray(usual) ? usual : [usual];
}

function option(label: string, description: string): Question["options"][number] {
  return { label, description };
}

function labelFor({ const: value, title }: z.infer<typeof Choice>): string {
  return shown(title ?? value);
}

function labelOf({ choices }: ElicitedField, value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const choice = choices.find((one) => one.const === value);
  return choice === undefined ? shown(String(value)) : labelFor(choice);
}

function shown(text: string): string {
  return showHidden(text.slice(0, LIMITS.mcpFormTextChars), "content");
}

/** What a person filled in, with defaults where a field was left open. A text: what is wrong with it. */
export function contentOf(
  { fields, questions }: ElicitationForm,
  answers: Readonly<Record<string, unknown>>,
): Readonly<Record<string, FormValue>> | string {
  const keys = answerKeys(questions);
  const content: Record<string, FormValue> = {};
  for (const [index, field] of fields.entries()) {
    const key = keys[index] ?? "";
    // A field may be named like something that every object has.
    const given = Object.hasOwn(answers, key) ? answers[key] : undefined;
    if (given === LEAVE_OUT || (Array.isArray(given) && given.includes(LEAVE_OUT))) continue;
    const value = isOpen(given) || isSuggested(field, given) ? field.field.default : valueOf(field, given);
    const problem = value === undefined ? (field.isRequired ? "is missing" : undefined) : problemOf(field, value);
    if (problem !== undefined) return `${shown(field.field.title ?? field.name)} ${problem}`;
    if (value !== undefined) content[field.name] = value;
  }
  return content;
}

function isOpen(given: unknown): boolean {
  return given === undefined || given === "" || (Array.isArray(given) && given.length === 0);
}

/** The label may be shorter than the value. */
function isSuggested(field: ElicitedField, given: unknown): boolean {
  const { default: usual } = field.field;
  return usual !== undefined && !Array.isArray(usual) && given === labelOf(field, usual);
}

function valueOf(field: ElicitedField, given: unknown): FormValue {
  const texts = (Array.isArray(given) ? given : [given]).map(String);
  const chosen = texts.map((text) => field.choices.find((one) => labelFor(one) === text)?.const ?? text);
  const [first = ""] = chosen;
  switch (field.field.type) {
    case "array":
      return chosen;
    case "boolean":
      return /^(yes|true)$/i.test(first);
    case "number":
    case "integer":
      return Number(first);
    case "string":
    case undefined:
      return first;
  }
}

function problemOf(field: ElicitedField, value: FormValue): string | undefined {
  const { choices } = field;
  const { minimum = -Infinity, maximum = Infinity, type } = field.field;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return "must be a number";
    if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
    return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}` : undefined;
  }
  if (typeof value === "boolean") return undefined;
  const values = Array.isArray(value) ? value : [value];
  if (choices.length > 0 && values.some((one) => !choices.some((choice) => choice.const === one)))
    return "must be one of the choices";
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity } = field.field;
    return value.length < minItems || value.length > maxItems
      ? `must have ${minItems} to ${maxItems} choices`
      : undefined;
  }
  const { minLength = 0, maxLength = Infinity } = field.field;
  return value.length < minLength || value.length > maxLength ? "has a wrong length" : undefined;
}
