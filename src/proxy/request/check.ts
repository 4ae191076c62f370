import { Failure } from "../../protocol/index.ts";
import type { RouteName } from "../http/routes.ts";
import { fieldsOfRoute, remedyFor } from "./fields.ts";
import { partKind } from "./parts.ts";
import { isSet, objectsOf, type RequestFields } from "./values.ts";

/** Counts that affect the price. 0 means "no limit" to some providers, so it does not lower what is reserved. */
const COUNTS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
/** Counts that multiply the cost of a request. */
const FACTORS = ["n", "best_of", "max_tool_calls"] as const;
const SWITCHES = ["stream", "store", "background"] as const;

/**
 * Finds values that another reader could interpret differently: a count that is not a number, a switch that is not a
 * boolean. Undefined: nothing is wrong.
 */
export function wrongValue(body: RequestFields): Failure | undefined {
  for (const name of COUNTS) {
    if (isSet(body[name]) && !isCount(body[name])) return invalid(`\`${name}\` must be a whole number, 0 or more`);
  }
  for (const name of FACTORS) {
    if (isSet(body[name]) && !isFactor(body[name])) return invalid(`\`${name}\` must be a whole number above 0`);
  }
  for (const name of SWITCHES) {
    if (isSet(body[name]) && typeof body[name] !== "boolean") return invalid(`\`${name}\` must be true or false`);
  }
  const { thinking } = body;
  const budget =
    typeof thinking === "object" && thinking !== null ? (thinking as RequestFields)["budget_tokens"] : undefined;
  if (isSet(budget) && !isCount(budget)) return invalid("`thinking.budget_tokens` must be a whole number, 0 or more");
  for (const tool of objectsOf(body["tools"])) {
    for (const name of ["max_uses", "max_content_tokens"] as const) {
      if (isSet(tool[name]) && !isFactor(tool[name]))
        return invalid(`\`${name}\` of a tool must be a whole number above 0`);
    }
  }
  return undefined;
}

/** Why a request's effect is unknown: a field that is refused, or unknown here. */
export function refusedField(route: RouteName, body: RequestFields, unknown: "taken" | "refused"): Failure | undefined {
  const fields = fieldsOfRoute(route);
  for (const name in body) {
    if (!isSet(body[name])) continue;
    const judgement = fields.get(name);
    if (judgement === undefined && unknown === "refused") {
      const words = `the field \`${shown(name)}\` is not known here, so nobody can say what it may cost: leave it out`;
      return new Failure("unsupported", words, { field: shown(name) });
    }
    if (judgement !== "refused" || body[name] === false) continue;
    return new Failure("unsupported", `the field \`${name}\` is not taken here: ${remedyFor(name)}`, { field: name });
  }
  // A thread keeps its tools, and later requests that use them do not show them.
  if (isSet(body["thread"]) && objectsOf(body["tools"]).some(isProvidersTool)) {
    const words = "a thread with tools that the provider runs is not taken here: send the whole conversation instead";
    return new Failure("unsupported", words, { field: "thread" });
  }
  return String(body["model"]).includes("@preset/")
    ? new Failure("unsupported", `a preset in \`model\` is not taken here: ${remedyFor("preset")}`, { field: "model" })
    : undefined;
}

/** A name that another reader could take for a known one. */
export function lookalikeName([name, known]: readonly [name: string, known: string]): Failure {
  return new Failure(
    "invalid_request",
    `the body names \`${shown(name)}\`, which can be mistaken for \`${known}\`: use the exact name, or leave it out`,
    { field: shown(name) },
  );
}

function isProvidersTool({ type }: RequestFields): boolean {
  return typeof type === "string" && partKind(type) !== "callers_tool";
}

const SHOWN_CHARS = 60;

function shown(name: string): string {
  return name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}…` : name;
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isFactor(value: unknown): boolean {
  return isCount(value) && value !== 0;
}

function invalid(words: string): Failure {
  return new Failure("invalid_request", words);
}
