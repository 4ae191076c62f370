import { describe, expect, test } from "vitest";
import { columnOfDecimals } from "../../../../src/web/workbench/data/decimal.ts";
import { textAt } from "../../../../src/web/workbench/data/format.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { appendTables, joinTables } from "../../../../src/web/workbench/data/reshape/combine.ts";
import { groupTable, unpivotTable, withoutDuplicates } from "../../../../src/web/workbench/data/reshape/reshape.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import { pivotAsTable } from "../../../../src/web/workbench/viewers/pivot-table/as-table.ts";

const people = (): Table =>
  newTable("people", [
    columnOf("id", [1, 2, 3, null, 2]),
    columnOf("name", ["Ann", "Bob", "Cid", "Dee", "Bob"]),
    columnOf("age", [31, 42, null, 20, 42]),
  ]);

const pays = (): Table =>
  newTable("pays", [
    columnOf("person", ["2", "1", "2", "9", null], "string"),
    columnOf("name", ["May", "May", "June", "May", "May"]),
    columnOfDecimals("paid", ["12345678901234567890.01", "5", null, "7", "8"]),
  ]);

/** Names with types, then the rows. */
const seen = ({ name, columns, rowCount }: Table): unknown => [
  name,
  columns.map((column) => `${column.name}:${column.type}`).join(" "),
  ...Array.from({ length: rowCount }, (_, row) => columns.map((column) => textAt(column, row)).join("|")),
];

const KEYS = [{ left: "id", right: "person" }];

describe("joins", () => {
  test("keep all rows, each with its partners; missing keys match nothing", () => {
    expect(seen(joinTables({ left: people(), right: pays(), keys: KEYS, kind: "all" }))).toEqual([
      "people with pays",
      "id:int name:string age:int name (pays):string paid:double",
      "1|Ann|31|May|5",
      "2|Bob|42|May|12345678901234567890.01",
      "2|Bob|42|June|",
      "3|Cid|||",
      "|Dee|20||",
      "2|Bob|42|May|12345678901234567890.01",
      "2|Bob|42|June|",
    ]);
  });

  test("keep those that match, or those that do not, of the rows that are shown", () => {
    const left = people();
    left.setFilter("f", { kind: "range", column: "id", max: 2, missing: true });
    const rows = (kind: "matching" | "without"): number =>
      joinTables({ left, right: pays(), keys: KEYS, kind }).rowCount;
    expect([rows("matching"), rows("without")]).toEqual([5, 1]);
    expect(() => joinTables({ left, right: pays(), keys: [], kind: "all" })).toThrow("at least one pair");
    expect(() => joinTables({ left, right: pays(), keys: [{ left: "no", right: "person" }], kind: "all" })).toThrow(
      "no column no",
    );
  });
});

test("appended rows share columns by name, in a type that holds both", () => {
  expect(seen(appendTables(people(), newTable("more", [columnOf("age", [1.5]), columnOf("id", ["x"])])))).toEqual([
    "people and more",
    "id:string name:string age:double",
    "1|Ann|31",
    "2|Bob|42",
    "3|Cid|",
    "|Dee|20",
    "2|Bob|42",
    "x||1.5",
  ]);
});

test("groups have a row each, with figures of it", () => {
  const table = people();
  const measures = [
    { column: "age", kind: "avg" },
    { column: "name", kind: "first" },
    { column: "name", kind: "unique" },
  ] as const;
  expect(seen(groupTable(table, ["age"], measures))).toEqual([
    "people by age",
    "age:int count:int avg(age):double first(name):string unique(name):int",
    "31|1|31|Ann|1",
    "42|2|42|Bob|1",
    "|1||Cid|1",
    "20|1|20|Dee|1",
  ]);
});

test("duplicates go, the first stays", () => {
  const table = people();
  expect(withoutDuplicates(table, []).rowCount).toBe(4);
  expect(seen(withoutDuplicates(table, ["name"]))).toEqual([
    "people without duplicates",
    "id:int name:string age:int",
    "1|Ann|31",
    "2|Bob|42",
    "3|Cid|",
    "|Dee|20",
  ]);
});

test("columns become rows", () => {
  const table = people();
  table.setFilter("f", { kind: "range", column: "id", max: 2 });
  expect(seen(unpivotTable(table, ["age", "id"]))).toEqual([
    "people unpivoted",
    "name:string variable:string value:int",
    "Ann|age|31",
    "Ann|id|1",
    "Bob|age|42",
    "Bob|id|2",
    "Bob|age|42",
    "Bob|id|2",
  ]);
  expect(() => unpivotTable(table, ["age"])).toThrow("at least two");
});

test("a pivot table's answer is a table", () => {
  const look = {
    groupByColumnNames: ["name"],
    pivotColumnNames: [],
    aggregateColumnNames: ["age"],
    aggregateAggTypes: ["max"],
  };
  expect(seen(pivotAsTable(people(), look))).toEqual([
    "people pivot",
    "name:string max(age):double",
    "Ann|31",
    "Bob|42",
    "Cid|",
    "Dee|20",
  ]);
});
