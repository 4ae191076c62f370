import type { z } from "zod";
import { LIMITS } from "../limits.ts";
import { mistakeWords } from "./mistake-words.ts";

type MistakeStep = string | number;

/** One mistake in a text: where, and what would be right. */
export interface Mistake {
  readonly path: readonly MistakeStep[];
  readonly message: string;
}

/** Everything that a schema refused, in its order: one mistake for each unknown name, with the name that was probably meant. */
export function mistakesIn(
  { issues }: Pick<z.ZodError, "issues">,
  schema: z.ZodType,
  noun = "setting",
): readonly Mistake[] {
  return issues.flatMap((issue) => mistakesOf(issue, schema, noun));
}

/**
 * The same, plus mistakes that a schema reports only once the rest is valid, such as conflicting settings: invalid parts are removed, and
 * the rest is checked again.
 */
export function allMistakes(schema: z.ZodType, value: unknown): readonly Mistake[] {
  const found = new Map<string, Mistake>();
  const rest = structuredClone(value);
  for (let round = 0; round < LIMITS.mistakeRounds; round += 1) {
    const parsed = schema.safeParse(rest);
    if (parsed.success) break;
    // A removed part is now missing; that is no mistake of its own.
    const fresh = mistakesIn(parsed.error, schema).filter(({ path }) => !found.has(JSON.stringify(path)));
    for (const mistake of fresh) {
      found.set(JSON.stringify(mistake.path), mistake);
      takeOut(rest, mistake.path);
    }
    if (fresh.length === 0) break;
  }
  return [...found.values()];
}

function takeOut(value: unknown, path: readonly MistakeStep[]): void {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  if (rest.length > 0) takeOut(holder[String(step)], rest);
  else if (!Array.isArray(holder)) delete holder[String(step)];
}

/** `a.b is wrong; c must be a number`, cut to the allowed length. */
export function mistakeText(mistakes: readonly Mistake[]): string {
  const shown = mistakes.slice(0, LIMITS.mistakes).map(({ path, message }) => {
    const place = path.join(".");
    return place === "" ? message : `${place}: ${message}`;
  });
  const hidden = mistakes.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join("; ");
}

function mistakesOf(issue: z.core.$ZodIssue, schema: z.ZodType, noun: string): readonly Mistake[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = namesAt(schema, path);
      return issue.keys.map((key) => ({ path: [...path, key], message: unknownName(key, known, noun) }));
    }
    case "invalid_union":
      return [{ path, message: unionMessage(issue) }];
    case "invalid_key":
      return issue.issues.map((one) => ({ path, message: `is not a valid name: ${mistakeWords(one)}` }));
    default:
      return [{ path, message: mistakeWords(issue) }];
  }
}

/** What each branch of a union wanted; the branch that got furthest is the intended one. */
function unionMessage(issue: z.core.$ZodIssueInvalidUnion): string {
  const branches = issue.errors.filter((errors) => errors.length > 0);
  const meant = branches.find((errors) => errors.every(({ path }) => path.length > 0));
  const words = (errors: readonly z.core.$ZodIssue[]): string =>
    errors
      .map((issue) =>
        issue.path.length === 0 ? mistakeWords(issue) : `${issue.path.join(".")}: ${mistakeWords(issue)}`,
      )
      .join(", ");
  if (meant !== undefined) return words(meant);
  return branches.length === 0 ? issue.message : branches.map(words).join(", or ");
}

/** "is not a setting" with the nearest name, or all names where none is near. */
function unknownName(name: string, known: readonly string[], noun: string): string {
  // A union knows it in another branch.
  if (known.includes(name)) return "does not go with the other fields here";
  const near = nearestName(name, known);
  if (near !== undefined) return `is not a ${noun}; did you mean ${near}?`;
  return known.length === 0 ? `is not a ${noun}` : `is not a ${noun}; there are: ${known.join(", ")}`;
}

/** The known name with the fewest changes, if it takes at most a third of its letters. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.slice(0, LIMITS.nearNameChars).toLowerCase().replaceAll("-", "_");
  let best: { readonly name: string; readonly changes: number } | undefined;
  for (const candidate of known) {
    const changes = changesBetween(wanted, candidate.toLowerCase().replaceAll("-", "_"));
    if (changes <= Math.max(1, Math.floor(candidate.length / 3)) && changes < (best?.changes ?? Infinity))
      best = { name: candidate, changes };
  }
  return best?.name;
}

/** Letters to insert, remove, replace or swap with their neighbour. */
function changesBetween(left: string, right: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let at = 0; at < left.length; at += 1) {
    const next = [at + 1];
    for (let index = 0; index < right.length; index += 1) {
      const replaced = (row[index] ?? 0) + (left[at] === right[index] ? 0 : 1);
      const isSwapped = index > 0 && at > 0 && left[at] === right[index - 1] && left[at - 1] === right[index];
      const swapped = isSwapped ? (before[index - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The names that a schema has at a path; empty: any name is allowed, or none is known. */
function namesAt(schema: z.ZodType, path: readonly MistakeStep[]): readonly string[] {
  const [step, ...rest] = path;
  const { def } = schema as unknown as { readonly def: Definition };
  if (def.innerType !== undefined) return namesAt(def.innerType, path);
  if (def.in !== undefined) return namesAt(def.in, path);
  if (def.options !== undefined) return [...new Set(def.options.flatMap((option) => namesAt(option, path)))];
  if (step === undefined) return Object.keys(def.shape ?? {});
  const below = def.shape === undefined ? (def.valueType ?? def.element) : (def.shape[String(step)] ?? def.catchall);
  return below === undefined ? [] : namesAt(below, rest);
}

/** The library's description of a schema: objects, records, lists, unions, and wrappers around another schema. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  /** Of an object: what stands under every other name. */
  readonly catchall?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
}
