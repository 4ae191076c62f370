import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CellValue } from "../../../../src/web/workbench/data/column.ts";
import { valueAt } from "../../../../src/web/workbench/data/column.ts";
import { compileFormula, FORMULA_FUNCTIONS, FormulaError } from "../../../../src/web/workbench/data/formula.ts";
import { FORMULA_BOUNDS } from "../../../../src/web/workbench/data/formula/error.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";

const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

const table = newTable("people", [
  columnOf("Age", [30, 41, null, 18]),
  columnOf("Height", [1.8, 1.65, 1.7, null]),
  columnOf("Name", ["Ann Lee", "bob", null, ""]),
  columnOf("Sex", ["F", "M", "F", "M"]),
  columnOf("Well", [true, false, null, true]),
  columnOf("Born", [day("1990-01-31"), day("2000-02-29"), null, day("1970-12-01")]),
  columnOf("odd } name]", [1, 2, 3, 4]),
  columnOf("Id", [12345678901234567890n, 1n, null, 12345678901234567891n]),
]);

function valuesOf(expression: string): readonly CellValue[] {
  const column = compileFormula(expression, table).column("result");
  return Array.from({ length: table.rowCount }, (_, row) => valueAt(column, row));
}

const NONE = [null, null, null, null];
const all = (value: CellValue): CellValue[] => [value, value, value, value];

describe("what a formula gives", () => {
  test.each<[string, readonly CellValue[]]>([
    // arithmetic, precedence
    ["1 + 2 * 3", all(7)],
    ["(1 + 2) * 3", all(9)],
    ["2 ^ 3 ^ 2", all(512)],
    ["-2 ^ 2", all(-4)],
    ["2 ^ -1", all(0.5)],
    ["10 - 4 - 3", all(3)],
    ["7 % 4", all(3)],
    [".5 + 1e2", all(100.5)],
    ["Age + 1", [31, 42, null, 19]],
    ["${Age} / [Height]", [30 / 1.8, 41 / 1.65, null, null]],
    ["age * 2", [60, 82, null, 36]],
    ["1 / 0", NONE],
    ["[odd } name\\]] + ${odd \\} name]}", [2, 4, 6, 8]],
    // comparison and logic
    ["Age > 30", [false, true, null, false]],
    ["Age >= 30 and Sex = 'F'", [true, false, null, false]],
    ["Age >= 30 && Sex == 'M' || Well", [true, true, null, true]],
    ["not Well", [false, true, null, false]],
    ["!Well", [false, true, null, false]],
    ["Age < 0 or Well != true", [false, true, null, false]],
    ["Age > 100 and Well", [false, false, null, false]],
    ["false and null = null", all(false)],
    ["Age = null", [false, false, true, false]],
    ["null <> Age", [true, true, false, true]],
    ["Sex in ('F', 'X')", [true, false, true, false]],
    ["Sex not in ['F']", [false, true, false, true]],
    ["Age in (18, 30)", [true, false, null, true]],
    ["Age in (18, null)", [false, false, true, true]],
    ["Name < 'a'", [true, false, null, true]],
    // choice
    ["If(Age > 30, 'old', 'young')", ["young", "old", null, "young"]],
    ["Sex = 'F' ? 1 : Sex = 'M' ? 2 : 3", [1, 2, 1, 2]],
    ["If(Sex = 'F', Age)", [30, null, null, null]],
    ["Coalesce(Age, 0)", [30, 41, 0, 18]],
    ["Coalesce(Name, 'nobody')", ["Ann Lee", "bob", "nobody", ""]],
    ["IsNull(Age)", [false, false, true, false]],
    ["IsEmpty(Name)", [false, false, true, true]],
    ["Row()", [1, 2, 3, 4]],
    // numbers
    ["Round(1.005, 2)", all(1.01)],
    ["Round(-2.5)", all(-3)],
    ["Round(1234, -2)", all(1200)],
    ["ROUND(Height)", [2, 2, 2, null]],
    ["Abs(-3) + Ceil(1.2) + Floor(-1.2) + Sign(-9)", all(2)],
    ["Sqrt(16) + Pow(2, 3) + Exp(0) + Ln(1) + Log10(1000) + Log(8, 2) + Log2(4)", all(21)],
    ["Sqrt(-1)", NONE],
    ["Min(Age, 35)", [30, 35, null, 18]],
    ["Max(1, 5, 3)", all(5)],
    ["Avg(1, 2, 6)", all(3)],
    ["Sum(1, 2, 6)", all(9)],
    ["Mod(-7, 3)", all(2)],
    ["Bin(Age, 10)", [30, 40, null, 10]],
    ["Sin(0) + Cos(0) + Tan(0) + Atan2(0, 1)", all(1)],
    // texts
    ["Length(Name)", [7, 3, null, 0]],
    ["Upper(Name) + '!'", ["ANN LEE!", "BOB!", null, "!"]],
    ["Lower('ÄB') + Trim('  x ')", all("äbx")],
    ["Substring(Name, 0, 3)", ["Ann", "bob", null, ""]],
    ["Left(Name, 2) + Right(Name, 2)", ["Anee", "boob", null, ""]],
    ["Contains(Name, 'n')", [true, false, null, false]],
    ["StartsWith(Name, 'b') or EndsWith(Name, 'Lee')", [true, true, null, false]],
    ["IndexOf(Name, 'o')", [-1, 1, null, -1]],
    ["Replace(Name, 'b', 'B')", ["Ann Lee", "BoB", null, ""]],
    ["Concat(Sex, '-', Age)", ["F-30", "M-41", null, "M-18"]],
    ["SplitPart(Name, ' ', 2)", ["Lee", null, null, null]],
    ["SplitPart('a/b/c', '/', -1)", all("c")],
    ["Text(Well) + Text(1.50)", ["true1.5", "false1.5", null, "true1.5"]],
    ["Number('12.5') + Number('x')", NONE],
    ["'it''s' + \"\\t\"", all("it's\t")],
    ["Id = '12345678901234567890'", [true, false, null, false]],
    // dates
    ["Year(Born)", [1990, 2000, null, 1970]],
    ["Month(Born) * 100 + Day(Born)", [131, 229, null, 1201]],
    ["DayOfWeek(Date('2026-11-15'))", all(7)],
    ["Hour(Date('2024-05-17 13:45')) + Minute(Date('2024-05-17 13:45'))", all(58)],
    ["Quarter(Born)", [1, 1, null, 4]],
    ["Born > '1980-06-01'", [true, true, null, false]],
    ["Born in ('1990-01-31')", [true, false, null, false]],
    ["DateAdd(Born, 1, 'month')", [day("1990-02-28"), day("2000-03-29"), null, day("1971-01-01")]],
    ["DateAdd(Born, 1, 'years')", [day("1991-01-31"), day("2001-02-28"), null, day("1971-12-01")]],
    ["Born + 1", [day("1990-02-01"), day("2000-03-01"), null, day("1970-12-02")]],
    ["DateDiff(Date(1990, 1, 30), Born)", [1, 3682, null, -7000]],
    ["DateDiff(Born, Date('2020-02-28'), 'year')", [30, 19, null, 49]],
    ["Date(2024, 2, 30)", NONE],
    ["Date('2020-01-02') - Date('2020-01-01')", all(1)],
    // whole columns
    ["Age - ColMin(Age)", [12, 23, null, 0]],
    ["ColSum(Age) + ColCount(Age) + ColMissing(Age) + ColUnique(Sex)", all(95)],
    ["Round(ColAvg(${Age}), 3)", all(29.667)],
    ["ColMedian(Age) + Round(ColStdev(Age), 4)", all(41.5036)],
    ["ColMax(Born)", all(day("2000-02-29"))],
  ])("%s", (expression, expected) => {
    expect(valuesOf(expression)).toEqual(expected);
  });

  test.each<[string, string]>([
    ["Age + 1", "int"],
    ["Age / 1", "double"],
    ["Age > 1", "bool"],
    ["Born", "datetime"],
    ["Sex", "string"],
  ])("%s is of type %s", (expression, type) => {
    const formula = compileFormula(expression, table);
    expect([formula.type, formula.column("x").type, formula.column("x").formula]).toEqual([type, type, expression]);
  });

  test("whole numbers past 2^53 become doubles", () => {
    expect(compileFormula("9007199254740991 * 2", table).column("x").type).toBe("double");
  });

  test("rows", () => {
    expect([...compileFormula("Age > 20", table).rows().rows()]).toEqual([0, 1]);
    expect(() => compileFormula("Age", table).rows()).toThrow("A condition must give true or false");
  });
});

describe("what is wrong with a formula", () => {
  test.each<[string, number, string]>([
    ["", 0, "The formula is empty"],
    ["Agee + 1", 0, 'There is no column "Agee". Did you mean Age?'],
    ["1 + [Nothing like it]", 4, "Known columns: Age, Height, Name, Sex"],
    ["Ruond(1)", 0, 'There is no function "Ruond". Did you mean Round?'],
    ["constructor(1)", 0, 'There is no function "constructor".'],
    ["__proto__(1)", 0, 'There is no function "__proto__".'],
    ["1 +", 3, "The formula ends where a value should follow"],
    ["(1 + 2", 6, 'expected ")", not the end'],
    ["1 2", 2, "an operator may be missing"],
    ["'abc", 0, "has no end"],
    ["${Age", 0, "close it with }"],
    ["1 # 2", 2, '"#" is not understood'],
    ["Age + Well", 6, '"+" needs a number, not true or false'],
    ["Sex * 2", 0, '"*" needs a number, not a text'],
    ["Sex = 1", 6, "has a text and a number"],
    ["Born > 'soon'", 7, '"soon" is not a date'],
    ["Born * 2", 7, "cannot be done with a date"],
    ["Round()", 0, "Round takes 1 to 2 argument(s), not 0: Round(x, digits?)"],
    ["ColAvg(1)", 0, "ColAvg needs one column"],
    ["ColAvg(Sex)", 7, 'needs a column of numbers, "Sex" has texts'],
    ["If(Age, 1, 2)", 3, "If needs true or false, not a number"],
    ["If(Well, 1, 'x')", 12, "has a number and a text"],
    ["DateAdd(Born, 1, 'eons')", 17, 'DateAdd needs a unit: "second"'],
    ["Age in 3", 7, "`in` needs a list"],
    ["true ? 1", 8, 'expected ":"'],
    ["null", 0, "gives nothing at any row"],
    ["* 3", 0, 'A value should stand before "*"'],
    ["(".repeat(200), 100, "nested deeper than 100"],
    [`1${"+1".repeat(3_000)}`, 1999, "more than 2000 parts"],
    ["1".repeat(10_001), 0, "longer than 10000 characters"],
  ])("%s", (expression, position, words) => {
    const error = caught(() => compileFormula(expression, table));
    expect(error).toBeInstanceOf(FormulaError);
    expect(error).toMatchObject({ position, message: expect.stringContaining(words) as string });
  });

  test("a text that grows without end", () => {
    const grown = Array.from({ length: 12 }).reduce<string>((text) => `Replace(${text}, 'a', 'aaaaaaaa')`, "'a'");
    expect(() => compileFormula(grown, table).column("x")).toThrow("more than 100000 characters");
  });

  test("a name in two spellings", () => {
    const two = newTable("two", [columnOf("a", [1]), columnOf("A", [2])]);
    expect(caught(() => compileFormula("[A] + [a]", two))).toBeUndefined();
    const three = newTable("two", [columnOf("ab", [1]), columnOf("aB", [2])]);
    expect(() => compileFormula("AB", three)).toThrow('"AB" may be ab or aB');
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

interface Sum {
  readonly text: string;
  readonly value: (row: number) => number;
}

const SIGNS: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => (Number.isFinite(left / right) ? left / right : Number.NaN),
  "%": (left, right) => left % right,
};

const values = { a: [3, -7, Number.NaN, 0], b: [0.5, 12, 4, Number.NaN] } as const;
const numbers = newTable("numbers", [columnOf("a", values.a), columnOf("b", values.b)]);

const sums = fc.letrec<{ sum: Sum }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 6 },
    fc.integer({ min: 0, max: 99 }).map((value) => ({ text: String(value), value: () => value })),
    fc.constantFrom("a" as const, "b" as const).map((name) => ({
      text: `[${name}]`,
      value: (row: number) => values[name][row] ?? Number.NaN,
    })),
    fc.tuple(tie("sum"), fc.constantFrom(...Object.keys(SIGNS)), tie("sum")).map(([left, sign, right]) => ({
      text: `(${left.text} ${sign} ${right.text})`,
      value: (row: number) => SIGNS[sign]?.(left.value(row), right.value(row)) ?? Number.NaN,
    })),
    tie("sum").map((inner) => ({ text: `(-${inner.text})`, value: (row: number) => -inner.value(row) })),
    fc.tuple(tie("sum"), tie("sum"), tie("sum")).map(([test, yes, no]) => ({
      text: `If(${test.text} > 1, ${yes.text}, ${no.text})`,
      value: (row: number) => {
        const is = test.value(row);
        if (Number.isNaN(is)) return is;
        return is > 1 ? yes.value(row) : no.value(row);
      },
    })),
  ),
})).sum;

test("random arithmetic gives what a plain evaluation gives", () => {
  fc.assert(
    fc.property(sums, ({ text, value }) => {
      const column = compileFormula(text, numbers).column("x");
      const got = Array.from({ length: 4 }, (_, row) => valueAt(column, row));
      const expected = Array.from({ length: 4 }, (_, row) => (Number.isFinite(value(row)) ? value(row) : null));
      expect(got).toEqual(expected);
    }),
    { seed: 6, numRuns: 500 },
  );
});

test("any text either works or is a FormulaError with a place in it", () => {
  const pieces = fc.constantFrom(
    "(",
    ")",
    "[a]",
    "b",
    "1",
    "+",
    "-",
    "^",
    "?",
    ":",
    "in",
    "not",
    ",",
    "'x'",
    "If(",
    "Min(",
    "=",
    "null",
    "$",
    "\\",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const text = parts.join(" ");
      const error = caught(() => compileFormula(text, numbers).column("x"));
      if (error === undefined) return;
      expect(error).toBeInstanceOf(FormulaError);
      const { position } = error as FormulaError;
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(text.length);
    }),
    { seed: 6, numRuns: 1_000 },
  );
});

test("each function has its name, form and words, once", () => {
  const names = FORMULA_FUNCTIONS.map(({ name }) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  for (const { name, form, about } of FORMULA_FUNCTIONS) {
    expect(form.startsWith(`${name}(`)).toBe(true);
    expect(about.length).toBeGreaterThan(3);
  }
});

test("the documentation names each function, and the bounds", async () => {
  const text = await readFile(new URL("../../../../docs/user/workbench-data.md", import.meta.url), "utf8");
  expect(FORMULA_FUNCTIONS.map(({ name }) => name).filter((name) => !text.includes(`\`${name}(`))).toEqual([]);
  const bounds = Object.values(FORMULA_BOUNDS).map((bound) => bound.toLocaleString("en"));
  expect(bounds.filter((bound) => !text.includes(`${bound} `))).toEqual([]);
});
