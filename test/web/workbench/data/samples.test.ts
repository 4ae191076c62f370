import { describe, expect, test } from "vitest";
import { toCsv } from "../../../../src/web/workbench/data/csv.ts";
import { statsOf } from "../../../../src/web/workbench/data/stats.ts";
import { bigTable, SAMPLES } from "../../../../src/web/workbench/samples/index.ts";

const small = SAMPLES.filter(({ id }) => id !== "million");

describe("samples", () => {
  test.each(small.map((sample) => [sample.id, sample] as const))("%s is the same each time", (_, sample) => {
    expect(toCsv(sample.make())).toBe(toCsv(sample.make()));
  });

  test("what is in them", () => {
    const shapes = small.map(({ id, make }) => {
      const table = make();
      return [id, table.name, table.rowCount, table.columns.map(({ name, type }) => `${name} ${type}`).join(", ")];
    });
    expect(shapes).toEqual([
      [
        "demog",
        "demog",
        5_850,
        "USUBJID string, AGE int, SEX string, RACE string, DIS_POP string, HEIGHT double, WEIGHT double, DEMOG string, CONTROL bool, STARTED datetime, SEVERITY string",
      ],
      [
        "sales",
        "sales",
        expect.any(Number),
        "Date datetime, Region string, Product string, Seller string, Pieces int, Amount double, Returned bool",
      ],
      ["flights", "flights", 96, "From string, To string, Flights int"],
      ["words", "words", 64, "Word string, Group string, Count int"],
    ]);
  });

  test("people are of the ages and sizes that people have, some not measured", () => {
    const table = SAMPLES.find(({ id }) => id === "demog")?.make();
    const stats = (name: string) => {
      const column = table?.column(name);
      return column === undefined ? undefined : statsOf(column);
    };
    expect(stats("Age")).toMatchObject({ count: 5_850, missing: 0 });
    expect(stats("age")?.min).toBeGreaterThanOrEqual(18);
    expect(stats("age")?.max).toBeLessThan(90);
    expect(stats("usubjid")?.unique).toBe(5_850);
    expect(stats("height")?.missing).toBeGreaterThan(100);
    expect(stats("height")?.avg).toBeGreaterThan(160);
    expect(stats("height")?.avg).toBeLessThan(180);
  });

  test("a table as long as wanted", () => {
    expect([bigTable(1_000).rowCount, bigTable(1_000).columns.length]).toEqual([1_000, 10]);
  });
});
