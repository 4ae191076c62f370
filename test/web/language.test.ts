import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { TOOL_FACTS } from "../../src/protocol/index.ts";
import { LANGUAGES } from "../../src/web/ui/language/languages.ts";
import { createTranslator, type Catalogue } from "../../src/web/ui/language/translate.ts";
import { textsOf } from "../support/texts.ts";

const root = resolve(import.meta.dirname, "../..");
const PAGES = {
  console: { sources: ["src/web/console", "src/web/ui"], catalogues: "src/web/ui/language/catalogues" },
  panel: { sources: ["src/web/panel"], catalogues: "src/web/panel/catalogues" },
} as const;

const places = (text: string): readonly string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([place]) => place).sort();

describe.each(Object.entries(PAGES))("%s", (_, { sources, catalogues }) => {
  const { keys, bare } = textsOf(sources);

  test("shows no text that could not be translated", () => expect(bare).toEqual([]));

  test("has a catalogue for each language but English", () =>
    expect(readdirSync(join(root, catalogues)).sort()).toEqual(
      Object.keys(LANGUAGES)
        .filter((code) => code !== "en")
        .map((code) => `${code}.json`)
        .sort(),
    ));

  test.each(readdirSync(join(root, catalogues)))("%s is complete, and its places are those of the text", (file) => {
    const catalogue = JSON.parse(readFileSync(join(root, catalogues, file), "utf8")) as Catalogue;
    expect(Object.keys(catalogue).sort()).toEqual([...keys.keys()].sort());
    const categories = new Intl.PluralRules(file.slice(0, 2)).resolvedOptions().pluralCategories;
    const wrong = Object.entries(catalogue).filter(([key, value]) => {
      if (typeof value === "string")
        return keys.get(key) === true || value === "" || places(value).join() !== places(key).join();
      const forms = Object.entries(value);
      // A form may spell its number out: "one file". It may not name what is not there.
      return (
        keys.get(key) !== true ||
        [...categories].sort().join() !== Object.keys(value).sort().join() ||
        places(value.other).join() !== places(key).join() ||
        forms.some(([, text]) => text === "" || places(text).some((place) => !key.includes(place)))
      );
    });
    expect(wrong).toEqual([]);
  });
});

test("the page's first script knows each language and its direction", () => {
  const html = readFileSync(join(root, "src/web/console/index.html"), "utf8");
  const known = /directions = \{([^}]*)\}/.exec(html)?.[1] ?? "";
  expect(Object.fromEntries([...known.matchAll(/(\w+): "(\w+)"/g)].map(([, code, way]) => [code, way]))).toEqual(
    Object.fromEntries(Object.entries(LANGUAGES).map(([code, { direction }]) => [code, direction])),
  );
});

test("each label of a tool's field has a translation", () => {
  const labels = Object.values(TOOL_FACTS).flatMap((facts) => ("fields" in facts ? facts.fields : []));
  const { keys } = textsOf(["src/web/console/approval"]);
  expect(labels.map(({ label }) => label).filter((label) => label !== "JavaScript" && !keys.has(label))).toEqual([]);
});

test("numbers, plurals and values are those of the language; a value keeps its direction", () => {
  const german = createTranslator({
    locale: "de",
    catalogue: { "{count} files": { one: "{count} Datei", other: "{count} Dateien" }, "Stop {name}": "{name} stoppen" },
    isolates: false,
  });
  const arabic = createTranslator({
    locale: "ar-u-nu-latn",
    catalogue: {
      "{count} files": { two: "ملفان", few: "{count} ملفات", other: "{count} ملف" },
      "Stop {name}": "إيقاف {name}",
    },
    isolates: true,
  });
  const forms = { one: "{count} file", other: "{count} files" };
  expect([
    german.plural(forms, { count: 1 }),
    german.plural(forms, { count: 12_345 }),
    german.t("Stop {name}", { name: "a{b}" }),
    german.t("Not in the catalogue: {name}", { name: "x" }),
    german.pieces("Stop {name}"),
    arabic.plural(forms, { count: 2 }),
    arabic.plural(forms, { count: 7 }),
    arabic.plural(forms, { count: 100 }),
    arabic.t("Stop {name}", { name: "rm -rf ." }),
  ]).toEqual([
    "1 Datei",
    "12.345 Dateien",
    "a{b} stoppen",
    "Not in the catalogue: x",
    ["", "name", " stoppen"],
    "ملفان",
    "7 ملفات",
    "100 ملف",
    "إيقاف \u2068rm -rf .\u2069",
  ]);
});
