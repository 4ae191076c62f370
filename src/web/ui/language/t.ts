import { createElement, Fragment, type ReactNode } from "react";
import { isLanguage, LANGUAGES, type Language } from "./languages.ts";
import { createTranslator, type Catalogue, type PluralForms, type Translator } from "./translate.ts";

const CATALOGUES: Readonly<Partial<Record<Language, () => Promise<{ readonly default: Catalogue }>>>> = {
  de: () => import("./catalogues/de.json"),
  ar: () => import("./catalogues/ar.json"),
};

/**
 * The language of this page, from its root element. It is chosen before the first paint and stays until the page is loaded again, so texts may
 * also stand in constants. The modules that use them wait here for the catalogue; English has none and waits for nothing.
 */
const { language, catalogue } = await read(pageLanguage());

export const direction = LANGUAGES[language].direction;

/** The language as the person's browser names it, with its region. Digits are those of code and commands. */
export const locale = regionOf(language);

const translator = createTranslator({ locale, catalogue, isolates: direction === "rtl" });

export const t: Translator["t"] = translator.t;
export const plural: Translator["plural"] = translator.plural;

/** A sentence with elements in the places of its names. */
export function rich(text: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  return translator
    .pieces(text)
    .map((piece, at) => createElement(Fragment, { key: at }, at % 2 === 0 ? piece : values[piece]));
}

/** Names forms that are chosen elsewhere, so that the catalogues have them. */
export const forms = (each: PluralForms): PluralForms => each;

function pageLanguage(): Language {
  // Workers and tests have no page.
  if (typeof document === "undefined") return "en";
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : "en";
}

/** A catalogue that cannot be loaded must not cost the page: it is shown in English. */
async function read(wanted: Language): Promise<{ readonly language: Language; readonly catalogue: Catalogue }> {
  const load = CATALOGUES[wanted];
  if (load === undefined) return { language: wanted, catalogue: {} };
  try {
    return { language: wanted, catalogue: (await load()).default };
  } catch {
    document.documentElement.lang = "en";
    document.documentElement.dir = "ltr";
    return { language: "en", catalogue: {} };
  }
}

function regionOf(code: Language): string {
  const known = typeof navigator === "undefined" ? [] : navigator.languages;
  const region = known.find((one) => one.split("-")[0] === code && one !== code);
  const base = region ?? (code === "en" ? "en-US" : code);
  return `${base}-u-nu-latn`;
}
