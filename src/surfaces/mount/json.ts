import type { z } from "zod";
import { Failure, FileFailure, LIMITS, mistakesIn, mistakeText } from "../../protocol/index.ts";

/** Parses JSON within bounds. */
export function json(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failure("invalid_request", "invalid request: this is not JSON");
  }
  checkDepth(value);
  return value;
}

/** A written text parsed by its schema; a refusal lists everything that is wrong. */
export function parseWritten<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const mistakes = mistakesIn(parsed.error, schema);
  const words = `invalid request: ${mistakeText(mistakes)}`;
  if (parsed.error.issues.some(isTooLong)) throw new FileFailure("EFBIG", "payload_too_large", words, mistakes);
  throw new Failure("invalid_request", words, mistakes);
}

/** Whether a text is too long, except names: those are merely wrong. */
function isTooLong(issue: z.core.$ZodIssue): boolean {
  return issue.code === "too_big" && issue.origin === "string" && issue.maximum >= LIMITS.feedbackChars;
}

function checkDepth(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.jsonDepth)
      throw new Failure("invalid_request", `invalid request: JSON may nest ${LIMITS.jsonDepth} deep`);
    level = level.flatMap((inner) => (typeof inner === "object" && inner !== null ? Object.values(inner) : []));
  }
}
