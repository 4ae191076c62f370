import { isDeepStrictEqual } from "node:util";
import { LIMITS } from "../protocol/index.ts";

/** One mismatch. The path leads to it; empty: the whole input. */
export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Schema = Readonly<Record<string, unknown>>;
type Path = SchemaProblem["path"];

/**
 * What is wrong with a schema itself, in words; undefined: nothing. Checks everything that `problemsOf` walks through, so that it may
 * trust the shape.
 */
export function schemaFault(schema: unknown): string | undefined {
  if (!isRecord(schema)) return "it must be an object";
  if (schema["type"] !== "object") return 'its type must be "object"';
  return faultIn(schema, { root: schema, depth: 0, path: "" });
}

/**
 * How an input differs from a JSON Schema, at most LIMITS.schemaIssues entries; empty if it fits. Checks only what can be checked in bounded time: types, values, properties,
 * items, lengths, ranges, combinations and references within the schema. Expressions (`pattern`), formats and unlisted keywords are left to the tool's owner: a stranger's
 * expression could block the whole server.
 */
export function problemsOf(schema: Schema, input: unknown): readonly SchemaProblem[] {
  const check = new SchemaCheck(schema);
  try {
    check.value(schema, input, []);
  } catch (error) {
    if (error instanceof TooComplex) return [{ path: [], message: "is too deep or too long to be checked" }];
    throw error;
  }
  return check.problems;
}

class TooComplex extends Error {}

/** A name costs little beside a step, but there may be thousands of steps and millions of names. */
const NAMES_PER_STEP = 16;
const CHARS_PER_STEP = 256;

class SchemaCheck {
  readonly problems: SchemaProblem[] = [];
  readonly #root: Schema;
  #steps = 0;
  #depth = 0;
  /** The number of all mismatches; the first ones are in `problems`. */
  #found = 0;
  /** Depth of combinations: a mismatch inside one may be no problem at all. */
  #trying = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  value(schema: unknown, value: unknown, path: Path): void {
    this.#spend(1);
    this.#depth += 1;
    if (this.#depth > LIMITS.clientToolSchemaDepth) throw new TooComplex();
    if (schema === false) this.#wrong(path, () => "is not allowed here");
    else if (isRecord(schema)) this.#record(schema, value, path);
    this.#depth -= 1;
  }

  #record(schema: Schema, value: unknown, path: Path): void {
    const reference = schema["$ref"];
    if (typeof reference === "string") {
      this.#spend(reference.length / CHARS_PER_STEP);
      this.value(resolved(this.#root, reference), value, path);
    }
    if (!this.#hasType(schema["type"], value, path)) return;
    this.#listed(schema, value, path);
    if (typeof value === "string") this.#text(schema, value, path);
    else if (typeof value === "number") this.#number(schema, value, path);
    else if (Array.isArray(value)) this.#array(schema, value, path);
    else if (isRecord(value)) this.#object(schema, value, path);
    this.#combined(schema, value, path);
  }

  #hasType(type: unknown, value: unknown, path: Path): boolean {
    const types = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type];
    this.#spend(types.length / NAMES_PER_STEP);
    if (types.length === 0 || types.some((name) => isOfType(name, value))) return true;
    this.#wrong(path, () => `must be ${types.map((name) => article(String(name))).join(" or ")}`);
    return false;
  }

  #listed(schema: Schema, value: unknown, path: Path): void {
    const { enum: values, const: only } = schema;
    if (Array.isArray(values)) {
      this.#spend(values.length);
      if (!values.some((one) => isDeepStrictEqual(one, value)))
        this.#wrong(path, () => `must be one of ${shown(values as unknown[])}`);
    }
    if ("const" in schema && !isDeepStrictEqual(only, value)) this.#wrong(path, () => `must be ${shown([only])}`);
  }

  #text(schema: Schema, value: string, path: Path): void {
    const { minLength, maxLength } = schema;
    if (minLength !== undefined || maxLength !== undefined) this.#spend(value.length / CHARS_PER_STEP);
    if (typeof minLength === "number" && characters(value) < minLength)
      this.#wrong(path, () => `must have at least ${minLength} characters`);
    if (typeof maxLength === "number" && characters(value) > maxLength)
      this.#wrong(path, () => `must have at most ${maxLength} characters`);
  }

  #number(schema: Schema, value: number, path: Path): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    if (typeof minimum === "number" && value < minimum) this.#wrong(path, () => `must be at least ${minimum}`);
    if (typeof maximum === "number" && value > maximum) this.#wrong(path, () => `must be at most ${maximum}`);
    if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
      this.#wrong(path, () => `must be more than ${exclusiveMinimum}`);
    if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
      this.#wrong(path, () => `must be less than ${exclusiveMaximum}`);
  }

  #array(schema: Schema, value: readonly unknown[], path: Path): void {
    const { items, prefixItems, minItems, maxItems } = schema;
    if (typeof minItems === "number" && value.length < minItems)
      this.#wrong(path, () => `must have at least ${minItems} items`);
    if (typeof maxItems === "number" && value.length > maxItems)
      this.#wrong(path, () => `must have at most ${maxItems} items`);
    // In an older draft, `items` itself is the list.
    const listed = [prefixItems, items].find((rules) => Array.isArray(rules));
    const first = (listed ?? []) as readonly unknown[];
    const rest = Array.isArray(items) ? undefined : items;
    for (const [index, item] of value.entries()) {
      const rule = index < first.length ? first[index] : rest;
      if (rule !== undefined) this.value(rule, item, [...path, index]);
    }
  }

  #object(schema: Schema, value: Schema, path: Path): void {
    const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
    this.#spend(required.length / NAMES_PER_STEP);
    for (const name of required) {
      if (typeof name === "string" && !Object.hasOwn(value, name)) this.#wrong([...path, name], () => "is required");
    }
    // The value of such a property depends on an expression, which is not evaluated here.
    const others = isRecord(schema["patternProperties"]) ? true : schema["additionalProperties"];
    for (const [name, part] of Object.entries(value)) {
      const at = [...path, name];
      if (Object.hasOwn(properties, name)) this.value(properties[name], part, at);
      else if (others === false) this.#wrong(at, () => "is not an argument of this tool");
      else if (others !== undefined) this.value(others, part, at);
    }
  }

  #combined(schema: Schema, value: unknown, path: Path): void {
    const { allOf, anyOf, oneOf, not } = schema;
    if (Array.isArray(allOf)) for (const part of allOf) this.value(part, value, path);
    if (Array.isArray(anyOf) && this.#fitting(anyOf as unknown[], value) === 0)
      this.#wrong(path, () => "fits none of the allowed forms");
    if (Array.isArray(oneOf)) {
      const fitting = this.#fitting(oneOf as unknown[], value);
      if (fitting === 0) this.#wrong(path, () => "fits none of the allowed forms");
      if (fitting > 1) this.#wrong(path, () => "fits more than one of the allowed forms, but may fit only one");
    }
    if (not !== undefined && this.#fitting([not], value) === 1)
      this.#wrong(path, () => "has a form that is not allowed");
  }

  /** How many of the schemas fit; their own mismatches are discarded. */
  #fitting(schemas: readonly unknown[], value: unknown): number {
    const before = this.#found;
    let fitting = 0;
    this.#trying += 1;
    for (const schema of schemas) {
      this.value(schema, value, []);
      if (this.#found === before) fitting += 1;
      this.#found = before;
    }
    this.#trying -= 1;
    return fitting;
  }

  /** Fractions of a step count too. */
  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > LIMITS.clientToolSchemaSteps) throw new TooComplex();
  }

  #wrong(path: Path, message: () => string): void {
    this.#spend(1);
    this.#found += 1;
    if (this.#trying === 0 && this.problems.length < LIMITS.schemaIssues)
      this.problems.push({ path, message: message() });
  }
}

const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    default:
      return false;
  }
}

/** Counts whole characters, not halves of surrogate pairs. */
function characters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function article(type: string): string {
  if (type === "null") return "null";
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

function shown(values: readonly unknown[]): string {
  const text = values.map((value) => JSON.stringify(value)).join(", ");
  return text.length <= LIMITS.previewSummaryChars ? text : `${text.slice(0, LIMITS.previewSummaryChars)}...`;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The target of a reference within the schema; undefined: none. */
function resolved(root: Schema, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const word of reference.split("/").slice(1)) {
    const name = word.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isRecord(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** Keywords whose value is a schema, a list of schemas, or a map of names to schemas. */
const ONE = ["items", "additionalProperties", "not"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS = ["properties", "$defs", "definitions"];

interface SchemaPlace {
  readonly root: Schema;
  readonly depth: number;
  readonly path: string;
}

function faultIn(schema: unknown, place: SchemaPlace): string | undefined {
  const { root, depth, path } = place;
  if (typeof schema === "boolean") return undefined;
  if (!isRecord(schema)) return `${path} must be a schema`;
  if (depth > LIMITS.clientToolSchemaDepth) return `it may nest ${LIMITS.clientToolSchemaDepth} deep`;
  const { type, $ref: reference } = schema;
  for (const name of Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type])
    if (typeof name !== "string" || !TYPES.has(name)) return `${path}/type names no type: ${shown([name])}`;
  if (reference !== undefined && (typeof reference !== "string" || resolved(root, reference) === undefined))
    return `${path}/$ref must lead to a place within the schema (#/…)`;
  for (const [name, part] of partsOf(schema)) {
    const fault = faultIn(part, { root, depth: depth + 1, path: `${path}/${name}` });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function* partsOf(schema: Schema): Generator<readonly [string, unknown]> {
  for (const name of ONE) if (schema[name] !== undefined && !Array.isArray(schema[name])) yield [name, schema[name]];
  for (const name of LISTS) {
    const list = schema[name];
    if (list === undefined || (name === "items" && !Array.isArray(list))) continue;
    if (!Array.isArray(list)) yield [name, null];
    else for (const [index, part] of (list as unknown[]).entries()) yield [`${name}/${index}`, part];
  }
  for (const name of MAPS) {
    const map = schema[name];
    if (map === undefined) continue;
    if (!isRecord(map)) yield [name, null];
    else for (const [key, part] of Object.entries(map)) yield [`${name}/${key}`, part];
  }
}
