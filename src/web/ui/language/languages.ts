/** The languages of the console, each by its own name. A new one also gets a catalogue, and a place in the head of `console/index.html`. */
export const LANGUAGES = {
  en: { name: "English", direction: "ltr" },
  de: { name: "Deutsch", direction: "ltr" },
  ar: { name: "العربية", direction: "rtl" },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly direction: "ltr" | "rtl" }>>;

export type Language = keyof typeof LANGUAGES;

export const isLanguage = (code: string): code is Language => Object.hasOwn(LANGUAGES, code);
