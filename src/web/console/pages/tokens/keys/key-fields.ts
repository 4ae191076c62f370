import type { CreateKey, KeyView } from "../../../../../protocol/index.ts";
import { parseDollars } from "../../../../ui/dollars.ts";
import { exactMoney } from "../../../../ui/words.tsx";
import { forms, plural, t } from "../../../../ui/language/t.ts";
import type { PluralForms } from "../../../../ui/language/translate.ts";

/** The form's fields as typed. Empty: not limited. */
export interface KeyFields {
  readonly name: string;
  readonly provider: string;
  readonly models: string;
  readonly maxCost: string;
  readonly maxCostPerDay: string;
  readonly requestsPerMinute: string;
  readonly tokensPerMinute: string;
  readonly expiresIn: string;
}

export const NO_FIELDS: KeyFields = {
  name: "",
  provider: "",
  models: "",
  maxCost: "",
  maxCostPerDay: "",
  requestsPerMinute: "",
  tokensPerMinute: "",
  expiresIn: "2592000",
};

/** What is wrong with an amount of money; absent: nothing. */
export function amountProblem(text: string): string | undefined {
  return text.trim() === "" || parseDollars(text) !== undefined
    ? undefined
    : t("Write an amount in dollars, such as 2.50.");
}

/** The request from these fields. The server reports other mistakes. */
export function keyRequest(fields: KeyFields): CreateKey {
  const models = fields.models.split(/[\s,]+/).filter((word) => word !== "");
  const figure = (text: string): number | undefined => (text.trim() === "" ? undefined : Number(text));
  const amount = (text: string): number | undefined => (text.trim() === "" ? undefined : parseDollars(text));
  const rate = {
    requests_per_minute: figure(fields.requestsPerMinute),
    tokens_per_minute: figure(fields.tokensPerMinute),
  };
  return withoutAbsent({
    name: fields.name.trim(),
    provider: fields.provider === "" ? undefined : fields.provider,
    models: models.length === 0 ? undefined : models,
    rate: Object.values(rate).every((value) => value === undefined) ? undefined : withoutAbsent(rate),
    max_cost_microusd: amount(fields.maxCost),
    max_cost_microusd_per_day: amount(fields.maxCostPerDay),
    expires_in_s: figure(fields.expiresIn),
  });
}

function withoutAbsent(fields: object): CreateKey {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What limits a key, one phrase each. */
export function keyLimitWords({ bounds }: Pick<KeyView, "bounds">): readonly string[] {
  const money = (amount: number | undefined, words: (amount: string) => string): readonly string[] =>
    amount === undefined ? [] : [words(exactMoney(amount))];
  const rate = (count: number | undefined, forms: PluralForms): readonly string[] =>
    count === undefined ? [] : [plural(forms, { count })];

  return [
    bounds.provider,
    ...(bounds.models === undefined ? [] : [bounds.models.join(", ")]),
    ...money(bounds.max_cost_microusd, (amount) => t("{amount} in all", { amount })),
    ...money(bounds.max_cost_microusd_per_day, (amount) => t("{amount} a day", { amount })),
    ...rate(
      bounds.rate?.requests_per_minute,
      forms({ one: "{count} request a minute", other: "{count} requests a minute" }),
    ),
    ...rate(bounds.rate?.tokens_per_minute, forms({ one: "{count} token a minute", other: "{count} tokens a minute" })),
  ];
}
