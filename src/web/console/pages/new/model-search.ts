import type { ModelView } from "../../../../protocol/index.ts";
import { count, money } from "../../../ui/words.tsx";
import { t } from "../../../ui/language/t.ts";

/** The most models that are shown at once; a person types to see others. */
const SHOWN = 60;

export interface FoundModels {
  readonly shown: readonly ModelView[];
  /** How many more there are. */
  readonly hidden: number;
}

/** Models whose name contains every word, those that begin with the first word before others. */
export function searchModels(models: readonly ModelView[], query: string): FoundModels {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter((model) => words.every((word) => textOf(model).includes(word)));
  const [first = ""] = words;
  const isBeginning = ({ model, name = "" }: ModelView): boolean =>
    [model, name, model.slice(model.lastIndexOf("/") + 1)].some((text) => text.toLowerCase().startsWith(first));
  const sorted = first === "" ? found : [...found.filter(isBeginning), ...found.filter((model) => !isBeginning(model))];
  return { shown: sorted.slice(0, SHOWN), hidden: Math.max(0, sorted.length - SHOWN) };
}

function textOf({ model, name = "" }: ModelView): string {
  return `${model} ${name}`.toLowerCase();
}

/** What a person should know before choosing it. */
export function modelFacts({ context_tokens, price, price_from, told_price }: ModelView): string {
  const facts = [
    context_tokens === undefined ? undefined : t("{tokens} tokens", { tokens: count(context_tokens) }),
    price_from === "free" ? "free" : priceWords(price),
    price === undefined && told_price !== undefined
      ? t("its provider says {price}", { price: priceWords(told_price) ?? "" })
      : undefined,
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}

function priceWords(price: ModelView["price"]): string | undefined {
  return price === undefined
    ? undefined
    : t("{input} in, {output} out per million tokens", { input: money(price.input), output: money(price.output) });
}

/** The next option that can be chosen, in a direction; -1: none. */
export function nextChoice(models: readonly ModelView[], from: number, step: 1 | -1): number {
  const start = from === -1 && step === -1 ? models.length : from;
  for (let tried = 1; tried <= models.length; tried += 1) {
    const index = (start + step * tried + models.length) % models.length;
    if (models[index]?.refusal === undefined) return index;
  }
  return -1;
}
