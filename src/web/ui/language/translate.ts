/** What stands in the place of `{name}`. Numbers are written as the language writes them. */
type Values = Readonly<Record<string, string | number>>;

/** One text for each category of the language's plural rules. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** Translations by the English text; of a plural, by its form `other`. */
export type Catalogue = Readonly<Record<string, string | PluralForms>>;

export interface Translator {
  /** The text in the language; in English where the catalogue has none. */
  readonly t: (text: string, values?: Values) => string;
  /** The form for `count`, which is also the value of `{count}`. */
  readonly plural: (forms: PluralForms, values: Values & { readonly count: number }) => string;
  /** A text cut at its places: texts at even positions, names of values at odd ones. */
  readonly pieces: (text: string) => readonly string[];
}

const PLACE = /\{(\w+)\}/;
const PLACES = /\{(\w+)\}/g;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/** `locale` is the language with its region, for numbers. */
export function createTranslator({
  locale,
  catalogue,
  isolates,
}: {
  readonly locale: string;
  readonly catalogue: Catalogue;
  /** Keeps the characters of a value together: in a right-to-left sentence a path or a name would be reordered with it. */
  readonly isolates: boolean;
}): Translator {
  // The browser reads its own data for them: that is not done before somebody needs it.
  let rules: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  const form = (count: number): Intl.LDMLPluralRule => (rules ??= new Intl.PluralRules(locale)).select(count);
  const written = (value: string | number): string => {
    if (typeof value === "number") return (numbers ??= new Intl.NumberFormat(locale)).format(value);
    return isolates && value !== "" ? `${FIRST_STRONG_ISOLATE}${value}${POP_ISOLATE}` : value;
  };
  const fill = (text: string, values: Values): string =>
    text.replace(PLACES, (place, name: string) => {
      const value = values[name];
      return value === undefined ? place : written(value);
    });
  const translated = (text: string): string => {
    const found = catalogue[text];
    return typeof found === "string" ? found : text;
  };
  return {
    t: (text, values) => (values === undefined ? translated(text) : fill(translated(text), values)),
    plural: (forms, values) => {
      const found = catalogue[forms.other];
      const own = typeof found === "object" ? found : forms;
      return fill(own[form(values.count)] ?? own.other, values);
    },
    pieces: (text) => translated(text).split(PLACE),
  };
}
