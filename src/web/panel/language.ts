import { createTranslator, type Catalogue, type Translator } from "../ui/language/translate.ts";

const CATALOGUES: Readonly<Record<string, () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import("./catalogues/de.json"),
  ar: () => import("./catalogues/ar.json"),
};
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["ar"]);

const english = createTranslator({ locale: "en-US", catalogue: {}, isolates: false });

/** All panels of a page speak one language: that of the one that was connected last. */
const spoken: { code: string; translator: Translator } = { code: "en", translator: english };

export const t: Translator["t"] = (text, values) => spoken.translator.t(text, values);
export const plural: Translator["plural"] = (forms, values) => spoken.translator.plural(forms, values);

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
  spoken.translator =
    catalogue === undefined
      ? english
      : createTranslator({
          locale: `${code}-u-nu-latn`,
          catalogue: catalogue.default,
          isolates: directionOf(code) === "rtl",
        });
}
