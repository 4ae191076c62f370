import type { RuntimeTool } from "../protocol/dialects/runtime/tools.ts";

/** The part of a JSON Schema for arguments that is used. */
interface ArgumentSchema {
  readonly type: "string" | "integer" | "object" | "array";
}

export type ToolArguments = Readonly<Record<string, unknown>>;

/** Arguments with a default value. */
const DEFAULTED: ReadonlySet<string> = new Set(["maxResults"]);

/** Former names of arguments, by tool. */
const FORMER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  add_viewer: { properties: "viewerProperties" },
  adjust_viewer: { properties: "viewerProperties" },
};

/** The arguments of a call, checked by the tool's schema. The model reads what it throws. */
export function checkedArguments({ name, input_schema }: RuntimeTool, given: unknown): ToolArguments {
  if (!isRecord(given ?? {})) throw new Error(`the arguments of ${name} must be an object, not ${kindOf(given)}`);
  const schemas = input_schema["properties"] as Readonly<Record<string, ArgumentSchema>>;
  const required = input_schema["required"] as readonly string[];
  const values = renamed(name, (given ?? {}) as ToolArguments);
  for (const argument of Object.keys(values)) {
    if (!Object.hasOwn(schemas, argument)) throw new Error(`${name} has no argument "${argument.slice(0, 100)}"`);
  }
  for (const [argument, { type }] of Object.entries(schemas)) {
    const value = values[argument];
    if (value === undefined || value === null) {
      if (required.includes(argument) && !DEFAULTED.has(argument))
        throw new Error(`${name} needs the argument "${argument}", ${WANTED[type]}`);
    } else if (!fits(type, value))
      throw new Error(`the argument "${argument}" of ${name} must be ${WANTED[type]}, not ${kindOf(value)}`);
  }
  return values;
}

const WANTED: Readonly<Record<ArgumentSchema["type"], string>> = {
  string: "a text",
  integer: "a whole number",
  object: "an object",
  array: "a list of texts",
};

function fits(type: ArgumentSchema["type"], value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value) && value.every((entry) => typeof entry === "string");
  }
}

function renamed(tool: string, given: ToolArguments): ToolArguments {
  const former = FORMER[tool];
  if (former === undefined) return given;
  const entries = Object.entries(given).map(([name, value]) => {
    const now = Object.hasOwn(former, name) ? former[name] : undefined;
    return [now === undefined || Object.hasOwn(given, now) ? name : now, value] as const;
  });
  return Object.fromEntries(entries);
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}
