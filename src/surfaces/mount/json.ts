import { Failure, LIMITS } from "../../protocol/index.ts";

/** What a text says as JSON, within bounds. */
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

function checkDepth(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.jsonDepth)
      throw new Failure("invalid_request", `invalid request: JSON may nest ${LIMITS.jsonDepth} deep`);
    level = level.flatMap((inner) => (typeof inner === "object" && inner !== null ? Object.values(inner) : []));
  }
}
