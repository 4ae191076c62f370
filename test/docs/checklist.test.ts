import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** How many requirements each document has; `S0-F` are its future improvements. */
const EXPECTED = { "S0-": 257, "S0-F": 11, "S1-": 124, "S2-": 78, "S3-": 273, "S4-": 84, "X-": 14 } as const;
const TOTAL = 841;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly sources: readonly string[];
  readonly tests: readonly { readonly file: string; readonly title: string }[];
  readonly note: string;
  /** What of the test column is not in its form. */
  readonly rest: string;
}

const paper = readFileSync(join(root, "docs/internals/checklist.md"), "utf8");
const CITED = /`([^`]+)` "([^"]+)"(?:; |$)/g;

function rowOf(line: string): Row {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));
  const [, id = "", , state = "", sources = "", tests = "", note = "", end, ...more] = cells;
  if (end !== "" || more.length > 0) throw new Error(`not six columns: ${line}`);
  return {
    id,
    state,
    note,
    sources: [...sources.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    tests: [...tests.matchAll(CITED)].map(([, file = "", title = ""]) => ({ file, title })),
    rest: tests.replaceAll(CITED, ""),
  };
}

const rows = paper
  .split("\n")
  .filter((line) => /^\| (?:S\d|X)-/.test(line))
  .map(rowOf);

const placeOf = (below: string, path: string): string | undefined =>
  [join(root, below, path), join(root, path)].find((place) => existsSync(place));

const LITERAL = String.raw`("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\x60(?:\\.|[^\x60\\])*\x60)`;
/** Files that `npm test` runs, or that those run for several engines, stores or on the platform's stand-in. */
const RUN = /\.test\.tsx?$|^conformance\/|^integrations\/datagrok\/src\/tests\//;
/** A title follows the name of a block or, where it is repeated for many rows, the rows. */
const TITLE = new RegExp(String.raw`(?:\b(?:describe\w*|it|test|category)|\))\(\s*${LITERAL}`, "g");
/** The first word of a row, or the name of a scenario. */
const NAMED = new RegExp(String.raw`(?:\[\s*|\bname: )${LITERAL}`, "g");

const unquoted = (literal: string): string => literal.slice(1, -1).replaceAll(/\\(["'`\\])/g, "$1");
const found = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, literal = ""]) => unquoted(literal));

const known = new Map<string, { readonly titles: readonly string[]; readonly names: ReadonlySet<string> }>();
function isTitle(place: string, title: string): boolean {
  let file = known.get(place);
  if (file === undefined) {
    const text = readFileSync(place, "utf8");
    file = { titles: found(text, TITLE), names: new Set(found(text, NAMED)) };
    known.set(place, file);
  }
  return file.names.has(title) || file.titles.some((one) => one.includes(title));
}

describe("docs/internals/checklist.md", () => {
  it("has every id exactly once", () => {
    const expected = Object.entries(EXPECTED).flatMap(([prefix, count]) =>
      Array.from(
        { length: count },
        (_, index) => prefix + String(index + 1).padStart(prefix.endsWith("F") ? 2 : 3, "0"),
      ),
    );
    expect(expected).toHaveLength(TOTAL);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });

  it("says done only with a source and a test, and otherwise what is missing", () => {
    const wrong = rows.filter(({ state, sources, tests, note, rest }) => {
      if (rest !== "") return true;
      if (state === "done") return sources.length === 0 || tests.length === 0;
      if (state === "partly") return sources.length === 0 || tests.length === 0 || note === "";
      return state !== "open" || note === "";
    });
    expect(wrong).toEqual([]);
  });

  it("names sources that are there", () => {
    const missing = rows.flatMap(({ id, sources }) =>
      sources.filter((path) => placeOf("src", path) === undefined).map((path) => `${id}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it("cites tests that are there", () => {
    const missing = rows.flatMap(({ id, tests }) =>
      tests
        .filter(({ file, title }) => {
          const place = placeOf("test", file);
          return !RUN.test(file) || place === undefined || !statSync(place).isFile() || !isTitle(place, title);
        })
        .map(({ file, title }) => `${id}: ${file} "${title}"`),
    );
    expect(missing).toEqual([]);
  });

  it("counts right", () => {
    const count = (state: string): number => rows.filter((row) => row.state === state).length;
    expect(paper).toContain(`| all | ${count("done")} | ${count("partly")} | ${count("open")} |\n`);
  });
});
