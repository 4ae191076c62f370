import { ApiError, type Fields } from "../wire.ts";

/** Parsing and errors that name the position in the request, as OpenAI's do. */
export function refuse(message: string, param: string, code: string): never {
  throw new ApiError(400, message, { param, code });
}

function missing(param: string): never {
  return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
}

function wrongType(param: string, expected: string, value: unknown): never {
  const got = Array.isArray(value) ? "an array" : value === null ? "null" : `a value of type ${typeof value}`;
  return refuse(`Invalid type for '${param}': expected ${expected}, but got ${got}.`, param, "invalid_type");
}

export function notOneOf(param: string, value: unknown, known: readonly string[]): never {
  const values = known.map((name) => `'${name}'`).join(", ");
  return refuse(`Invalid value for '${param}': ${JSON.stringify(value)}. Known: ${values}.`, param, "invalid_value");
}

/** OpenAI treats `null` as absent. */
export function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function readObject(value: unknown, param: string): Fields {
  if (value === undefined) return missing(param);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrongType(param, "an object", value);
  return value as Fields;
}

export function readList(value: unknown, param: string): readonly unknown[] {
  if (value === undefined) return missing(param);
  return Array.isArray(value) ? value : wrongType(param, "an array", value);
}

/** May be empty. */
export function readText(value: unknown, param: string): string {
  if (value === undefined) return missing(param);
  return typeof value === "string" ? value : wrongType(param, "a string", value);
}

export function readName(value: unknown, param: string): string {
  const text = readText(value, param);
  return text === "" ? refuse(`Invalid '${param}': it is empty.`, param, "empty_string") : text;
}

/** Absent: false. */
export function readFlag(value: unknown, param: string): boolean {
  if (!given(value)) return false;
  return typeof value === "boolean" ? value : wrongType(param, "a boolean", value);
}

/** Absent: no bound. */
export function readMaxTokens(value: unknown, param: string): number | undefined {
  if (!given(value)) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value)) return wrongType(param, "an integer", value);
  if (value >= 1) return value;
  return refuse(`Invalid '${param}': ${value} is below the least value, 1.`, param, "integer_below_min_value");
}

export function readToolName(value: unknown, param: string): string {
  const name = readName(value, param);
  if (/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return name;
  return refuse(`Invalid '${param}': it must match '^[a-zA-Z0-9_-]+$'.`, param, "invalid_value");
}

interface Tools {
  readonly names: ReadonlySet<string>;
  /** Those that take plain text. */
  readonly freeform: ReadonlySet<string>;
}

/** `nameOf` returns the name of a function or custom tool, or refuses it. */
export function readTools(
  value: unknown,
  nameOf: (tool: Fields, type: string, param: string) => string | undefined,
): Tools {
  const names = new Set<string>();
  const freeform = new Set<string>();
  if (!given(value)) return { names, freeform };
  for (const [index, raw] of readList(value, "tools").entries()) {
    const param = `tools[${index}]`;
    const tool = readObject(raw, param);
    const type = readName(tool["type"], `${param}.type`);
    const name = nameOf(tool, type, param);
    if (name === undefined) continue;
    names.add(name);
    if (type === "custom") freeform.add(name);
  }
  return { names, freeform };
}
