import type { Usage } from "../../journal/content.ts";
import type { ErrorDetail } from "../../errors.ts";
import type { CompatRow } from "./rows.ts";

/** How a failed turn is reported: an abort is `aborted`; any other failure is first reported as an error. */
export function failureOf({ code, message }: ErrorDetail): {
  readonly message: string;
  readonly before: readonly Extract<CompatRow, { type: "error" }>[];
} {
  if (code === "aborted") return { message: "aborted", before: [] };
  return { message, before: code === "rejected_and_stopped" ? [] : [{ type: "error", message }] };
}

/** Codex counts cache reads and writes as input; the journal counts them separately. */
export function usageOf(usage: Usage): Extract<CompatRow, { type: "turn.completed" }>["usage"] {
  return {
    input_tokens: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
    cached_input_tokens: usage.cache_read_tokens,
    output_tokens: usage.output_tokens,
  };
}
