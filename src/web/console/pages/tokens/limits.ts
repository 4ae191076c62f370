import type { CreateToken, TokenView } from "../../../../protocol/index.ts";
import { exactMoney } from "../../../ui/words.tsx";
import { forms, plural, t } from "../../../ui/language/t.ts";
import type { PluralForms } from "../../../ui/language/translate.ts";

/** The form's fields as typed. Empty: not limited. */
export interface LimitFields {
  readonly expiresIn: string;
  readonly profile: string;
  readonly maxAutonomy: string;
  readonly tools: string;
  readonly origins: string;
  readonly roots: string;
  readonly maxCost: string;
  readonly maxCostPerDay: string;
  readonly maxConcurrent: string;
}

export const NO_LIMITS: LimitFields = {
  expiresIn: "",
  profile: "",
  maxAutonomy: "",
  tools: "",
  origins: "",
  roots: "",
  maxCost: "",
  maxCostPerDay: "",
  maxConcurrent: "",
};

const MICRO = 1_000_000;

/** The part of a request from these fields. The server reports mistakes. */
export function limitsOf(fields: LimitFields): Partial<CreateToken> {
  const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");
  const amount = (text: string): number | undefined =>
    text.trim() === "" ? undefined : Math.round(Number(text.replace(/^\$/, "")) * MICRO);
  const list = (text: string): string[] | undefined => (words(text).length === 0 ? undefined : words(text));
  const all = {
    expires_in_s: fields.expiresIn === "" ? undefined : Number(fields.expiresIn),
    profile: fields.profile === "" ? undefined : fields.profile,
    max_autonomy: fields.maxAutonomy === "" ? undefined : fields.maxAutonomy,
    tools: list(fields.tools),
    origins: list(fields.origins),
    workspace_roots: list(fields.roots),
    max_cost_microusd: amount(fields.maxCost),
    max_cost_microusd_per_day: amount(fields.maxCostPerDay),
    max_concurrent: fields.maxConcurrent === "" ? undefined : Number(fields.maxConcurrent),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** What limits a token, one phrase each. */
export function limitWords({ bounds }: TokenView): readonly string[] {
  const money = (amount: number | undefined, words: (amount: string) => string): readonly string[] =>
    amount === undefined ? [] : [words(exactMoney(amount))];
  const rate = (count: number | undefined, forms: PluralForms): readonly string[] =>
    count === undefined ? [] : [plural(forms, { count })];

  return [
    ...(bounds.profile === undefined ? [] : [t("profile {profile}", { profile: bounds.profile })]),
    ...(bounds.max_autonomy === undefined ? [] : [t("up to {autonomy}", { autonomy: bounds.max_autonomy })]),
    ...(bounds.tools === undefined ? [] : [bounds.tools.join(", ")]),
    ...(bounds.origins === undefined ? [] : [bounds.origins.join(", ")]),
    ...(bounds.workspace_roots === undefined ? [] : [bounds.workspace_roots.join(", ")]),
    ...money(bounds.max_cost_microusd, (amount) => t("{amount} in all", { amount })),
    ...money(bounds.max_cost_microusd_per_day, (amount) => t("{amount} a day", { amount })),
    ...money(bounds.max_cost_microusd_per_session, (amount) => t("{amount} a session", { amount })),
    ...(bounds.max_concurrent === undefined
      ? []
      : [
          plural(
            { one: "{count} session at once", other: "{count} sessions at once" },
            { count: bounds.max_concurrent },
          ),
        ]),
    ...rate(bounds.requests_per_minute, forms({ one: "{count} request a minute", other: "{count} requests a minute" })),
    ...rate(
      bounds.model_rate?.requests_per_minute,
      forms({ one: "{count} model request a minute", other: "{count} model requests a minute" }),
    ),
    ...rate(
      bounds.model_rate?.tokens_per_minute,
      forms({ one: "{count} model token a minute", other: "{count} model tokens a minute" }),
    ),
  ];
}
