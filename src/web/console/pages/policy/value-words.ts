import type { RateLimit } from "../../../../protocol/index.ts";
import type { FieldSpec } from "./field-kinds.ts";
import { writeNumber } from "./numbers.ts";
import { exactMoney } from "../../../ui/words.tsx";
import { locale, plural, t } from "../../../ui/language/t.ts";

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
      return t("on");
    case "switch":
      return value === true ? t("yes") : t("no");
    case "dollars":
      return typeof value === "number" ? exactMoney(value) : "";
    case "count":
      return typeof value === "number" ? value.toLocaleString(locale) : "";
    case "seconds":
      return typeof value === "number" ? t("{seconds} s", { seconds: writeNumber("seconds", value) }) : "";
    case "rate":
      return rateWords(value as RateLimit);
  }
}

function rateWords({ requests_per_minute: requests, tokens_per_minute: tokens }: RateLimit): string {
  return [
    ...(requests === undefined
      ? []
      : [plural({ one: "{count} request per minute", other: "{count} requests per minute" }, { count: requests })]),
    ...(tokens === undefined
      ? []
      : [plural({ one: "{count} token per minute", other: "{count} tokens per minute" }, { count: tokens })]),
  ].join(", ");
}
