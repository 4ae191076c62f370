import { expect, test } from "vitest";
import { Highlighter } from "../../src/web/console/code/highlighter.ts";
import { languageNamed, languageOfFile, LANGUAGES } from "../../src/web/console/code/languages.ts";

const highlighter = new Highlighter();

test("every language of the list has a grammar of its name", async () => {
  const missing: string[] = [];
  for (const [names] of LANGUAGES) {
    const language = languageNamed(names.split(" ")[0] ?? "");
    const grammars = (await language?.load())?.default ?? [];
    const own = grammars.some(({ name, aliases }) => [name, ...(aliases ?? [])].includes(language?.id ?? ""));
    if (!own) missing.push(names);
  }
  expect(missing).toEqual([]);
});

test("no name stands for two languages", () => {
  const names = LANGUAGES.flatMap(([all]) => all.split(" "));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each([
  ["src/a.ts", "typescript"],
  ["Dockerfile", "dockerfile"],
  ["sub/CMakeLists.txt", "cmake"],
  ["a.test.PY", "python"],
  ["notes.txt", undefined],
  ["LICENSE", undefined],
])("%s is %s", (path, id) => {
  expect(languageOfFile(path)?.id).toBe(id);
});

test("a piece has its colours in both themes", async () => {
  const language = languageNamed("ts");
  const colour = language === undefined ? undefined : await highlighter.load(language);
  expect(colour?.("const a;")).toEqual([
    [
      { text: "const", light: "#A0111F", dark: "#FF9492" },
      { text: " ", light: "#0E1116", dark: "#F0F3F6" },
      { text: "a", light: "#023B95", dark: "#91CBFF" },
      { text: ";", light: "#0E1116", dark: "#F0F3F6" },
    ],
  ]);
});
