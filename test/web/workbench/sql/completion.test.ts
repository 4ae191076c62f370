import { describe, expect, it } from "vitest";
import { suggestSql } from "../../../../src/web/workbench/sql/completion.ts";
import { SQL_LIMITS } from "../../../../src/web/workbench/sql/limits.ts";

const column = (name: string, written = name): { name: string; written: string; type: string } => ({
  name,
  written,
  type: "int",
});
const TABLES = [
  { name: "orders", written: "orders", rows: 3, columns: [column("id"), column("Total", '"Total"')] },
  { name: "crm.People", written: 'crm."People"', columns: [column("id"), column("city")] },
];

/** `|` is where somebody writes. */
function at(marked: string, isAsked = false): readonly string[] | undefined {
  const place = marked.indexOf("|");
  const sql = marked.replace("|", "");
  const found = suggestSql(sql, place, { tables: TABLES, isPage: true, isAsked });
  if (found === undefined) return undefined;
  const word = sql.slice(found.from, place).replaceAll('"', "").toLowerCase();
  return found.options
    .filter(({ label }) => label.toLowerCase().startsWith(word))
    .map(({ type, apply }) => `${type} ${apply}`);
}

describe("what is proposed in a query", () => {
  it.each<[string, readonly string[]]>([
    ["SELECT tot| FROM orders", ['column "Total"']],
    ['SELECT "To| FROM orders', ['column "Total"']],
    ["SELECT * FROM |", ["table orders", 'table crm."People"']],
    ["SELECT * FROM o|", ["table orders"]],
    ["SELECT orders.|", ["column id", 'column "Total"']],
    ['SELECT p.c| FROM crm."People" AS p', ["column city"]],
    ['SELECT p.| FROM orders, crm."People" p', ["column id", "column city"]],
    ["SELECT median| FROM orders", ["function median("]],
    ["QUALI|", ["keyword QUALIFY"]],
    // Columns of a table that the query does not name are not proposed.
    ["SELECT ci| FROM orders", []],
    ["SELECT ci|", ["column city"]],
  ])("%s", (sql, proposed) => {
    expect(at(sql)).toEqual(proposed);
  });
  it("nothing where nothing is written, unless somebody asks", () => {
    expect(at("SELECT |")).toBeUndefined();
    expect(at("SELECT |", true)).toContain("column id");
    expect(at("SELECT nobody.|")).toBeUndefined();
  });
  it("words of DuckDB only where it answers", () => {
    const found = suggestSql("QUALI", 5, { tables: [], isPage: false, isAsked: false });
    expect(found?.options.some(({ label }) => label === "QUALIFY")).toBe(false);
  });
  it("no more columns than the limit", () => {
    const wide = [
      { name: "w", written: "w", columns: Array.from({ length: 5_000 }, (_, index) => column(`c${index}`)) },
    ];
    const found = suggestSql("SELECT w.", 9, { tables: wide, isPage: true, isAsked: false });
    expect(found?.options).toHaveLength(SQL_LIMITS.suggestedColumns);
  });
});
