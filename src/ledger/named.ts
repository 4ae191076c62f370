import type { MatchLogic, ModelInfo } from "@pydantic/genai-prices";

/** How makers mark one release of a model, or the newest one. */
const RELEASE = /[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2})(?:-v\d+(?::\d+)?)?$/;

/**
 * Whether `name` (lower case) is exactly this model: one of its names, optionally with a release suffix. The table's
 * own matching is too broad: it takes `claude-sonnet-5-5` and `claude-opus-4-1-mega` for older, cheaper models.
 */
export function isNamed(model: ModelInfo, name: string): boolean {
  if (!matches(model.match, name)) return false;
  const names = new Set([model.id, ...namesIn(model.match)].map((known) => known.toLowerCase()));
  return names.has(name) || names.has(name.replace(RELEASE, "")) || isPattern(model.match, name);
}

function matches(logic: MatchLogic, name: string): boolean {
  if ("or" in logic) return logic.or.some((part) => matches(part, name));
  if ("and" in logic) return logic.and.every((part) => matches(part, name));
  if ("equals" in logic) return name === logic.equals.toLowerCase();
  if ("starts_with" in logic) return name.startsWith(logic.starts_with.toLowerCase());
  if ("ends_with" in logic) return name.endsWith(logic.ends_with.toLowerCase());
  if ("contains" in logic) return name.includes(logic.contains.toLowerCase());
  return new RegExp(logic.regex).test(name);
}

/** All names that are spelled out. */
function namesIn(logic: MatchLogic): readonly string[] {
  if ("or" in logic) return logic.or.flatMap(namesIn);
  if ("and" in logic || "regex" in logic) return [];
  if ("equals" in logic) return [logic.equals];
  if ("starts_with" in logic) return [logic.starts_with];
  if ("ends_with" in logic) return [logic.ends_with];
  return [logic.contains];
}

/** A pattern for whole names is exact. */
function isPattern(logic: MatchLogic, name: string): boolean {
  if ("or" in logic) return logic.or.some((part) => isPattern(part, name));
  return "regex" in logic && /^\^.*\$$/.test(logic.regex) && matches(logic, name);
}
