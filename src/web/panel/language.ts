import { dollarWriter, exactDigits, roundedDigits } from "../ui/dollars.ts";
import { createTranslator, type Catalogue, type Translator } from "../ui/language/translate.ts";

const CATALOGUES: Readonly<Record<string, () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import("./catalogues/de.json"),
  ar: () => import("./catalogues/ar.json"),
};
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["ar"]);

const english = createTranslator({ locale: "en-US", catalogue: {}, isolates: false });
const dollarsInEnglish = dollarWriter("en-US");

/** All panels of a page speak one language: that of the one that was connected last. */
const spoken = { code: "en", translator: english, write: dollarsInEnglish };

export const t: Translator["t"] = (text, values) => spoken.translator.t(text, values);
export const plural: Translator["plural"] = (forms, values) => spoken.translator.plural(forms, values);

/** Micro-USD as dollars: cents, and more digits where cents would hide it. */
export const dollars = (microusd: number): string => spoken.write(microusd, roundedDigits(microusd));

/** Micro-USD as dollars, with every digit. */
export const exactDollars = (microusd: number): string => spoken.write(microusd, exactDigits(microusd));

/** Names a text that `t` gets from elsewhere, so that the catalogues have it. */
export const mark = (text: string): string => text;

/** `lang` of the nearest element that has it, as far as the panel speaks it. */
export function languageOf(element: Element): string {
  const code = element.closest("[lang]")?.getAttribute("lang")?.split("-")[0]?.toLowerCase() ?? "en";
  return Object.hasOwn(CATALOGUES, code) ? code : "en";
}

export const directionOf = (code: string): "ltr" | "rtl" => (RIGHT_TO_LEFT.has(code) ? "rtl" : "ltr");

export const isSpoken = (code: string): boolean => spoken.code === code;

/** A catalogue that cannot be loaded leaves the panel in English. */
export async function speak(code: string): Promise<void> {
  const catalogue = await CATALOGUES[code]?.().catch(() => undefined);
  spoken.code = code;
  const locale = `${code}-u-nu-latn`;
  const isolates = directionOf(code) === "rtl";
  spoken.translator =
    catalogue === undefined ? english : createTranslator({ locale, catalogue: catalogue.default, isolates });
  spoken.write = catalogue === undefined ? dollarsInEnglish : dollarWriter(locale);
}
