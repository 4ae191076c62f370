import type { RateLimit } from "../../../../protocol/index.ts";
import type { FieldSpec } from "./field-kinds.ts";
import { writeNumber } from "./numbers.ts";

/** A setting in words, for those who only read. Lists are shown entry by entry instead. */
export function valueWords(spec: FieldSpec, value: unknown): string {
  if (value === undefined) return spec.absent;
  switch (spec.kind) {
    case "text":
      return typeof value === "string" ? value : "";
    case "choice":
      return spec.options.find((option) => option.value === value)?.label ?? "";
    case "list":
      return Array.isArray(value) ? value.join(", ") : "";
    case "hooks":
      return "on";
    case "switch":
      return value === true ? "yes" : "no";
    case "dollars":
      return typeof value === "number" ? `$${writeNumber("dollars", value)}` : "";
    case "count":
      return typeof value === "number" ? value.toLocaleString("en-US") : "";
    case "seconds":
      return typeof value === "number" ? `${writeNumber("seconds", value)} s` : "";
    case "rate":
      return rateWords(value as RateLimit);
  }
}

function rateWords({ requests_per_minute: requests, tokens_per_minute: tokens }: RateLimit): string {
  return [
    ...(requests === undefined ? [] : [`${requests.toLocaleString("en-US")} requests per minute`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString("en-US")} tokens per minute`]),
  ].join(", ");
}
