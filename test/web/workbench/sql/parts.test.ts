import { describe, expect, it } from "vitest";
import { tableFromIPC } from "apache-arrow";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { valueAt } from "../../../../src/web/workbench/data/column.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import { tableOfAnswer } from "../../../../src/web/workbench/sql/from-answer.ts";
import { tableFrom } from "../../../../src/web/workbench/sql/from-arrow.ts";
import { QueryHistory } from "../../../../src/web/workbench/sql/history.ts";
import {
  distinctNames,
  identifierOf,
  identifiersOf,
  quoted,
  writtenName,
} from "../../../../src/web/workbench/sql/names.ts";
import { duckDbWords, errorPlace, errorWords } from "../../../../src/web/workbench/sql/sql-error.ts";
import { arrowStreams } from "../../../../src/web/workbench/sql/to-arrow.ts";

const valuesOf = (table: Table): readonly (readonly [string, string, readonly unknown[]])[] =>
  table.columns.map((column) => [
    column.name,
    column.type,
    Array.from({ length: table.rowCount }, (_, row) => valueAt(column, row)),
  ]);

describe("names", () => {
  it.each([
    ["demog", "demog"],
    ["Demog 2024.csv", "demog_2024_csv"],
    ["Ärger & Ñandú", "arger_nandu"],
    ["2024", "t_2024"],
    ["Order", "t_order"],
    ["日本", "table_1"],
    ["__x__", "x"],
  ])("%s becomes %s", (name, identifier) => {
    expect(identifierOf(name)).toBe(identifier);
  });
  it("are each other's only once", () => {
    expect(identifiersOf(["a.b", "a b", "A_B", "c"])).toEqual(["a_b", "a_b_2", "a_b_3", "c"]);
    expect(distinctNames(["a", "b", "a", "a"])).toEqual(["a", "b", "a (2)", "a (3)"]);
  });
  it("are quoted where they must be", () => {
    expect([writtenName("age"), writtenName("Age"), writtenName("order"), writtenName('a"b'), quoted("x")]).toEqual([
      "age",
      '"Age"',
      '"order"',
      '"a""b"',
      '"x"',
    ]);
  });
});

describe("errors", () => {
  const sql = "select a,\n nosuch\nfrom t";
  it("have a place where the database marks one", () => {
    const message = 'Binder Error: Referenced column "nosuch" not found\n\nLINE 2:  nosuch\n         ^';
    expect(errorPlace(message, sql)).toEqual({ offset: 11, line: 2, column: 2 });
    expect(errorWords(message)).toBe('Binder Error: Referenced column "nosuch" not found');
    expect(errorPlace("Something else", sql)).toBeUndefined();
    expect(errorPlace("x\nLINE 9: gone\n        ^", sql)).toBeUndefined();
  });
  it("have it also in the middle of a line that is too long", () => {
    const long = `select ${"column_name, ".repeat(20)}nosuch, more from t`;
    const at = long.indexOf("nosuch");
    const excerpt = `...${long.slice(at - 10, at + 10)}...`;
    const message = `Binder Error: no\n\nLINE 1: ${excerpt}\n${" ".repeat("LINE 1: ".length + 13)}^`;
    expect(errorPlace(message, long)).toEqual({ offset: at, line: 1, column: at + 1 });
  });
  it("are DuckDB's words, also out of its JSON", () => {
    expect(duckDbWords('{"exception_type":"Parser","exception_message":"syntax error","position":"0"}')).toBe(
      "Parser Error: syntax error",
    );
    expect(duckDbWords("{broken")).toBe("{broken");
    expect(
      duckDbWords(
        "Catalog Error: in the json extension.\n\nPlease try installing and loading the json extension by running:\nINSTALL json;",
      ),
    ).toBe("Catalog Error: in the json extension.\n\nExtensions cannot be loaded in the page.");
  });
});

describe("tables to Arrow and back", () => {
  const table = newTable("t", [
    columnOf("text", ["a", "ä𝒳", null, "", "a"]),
    columnOf("int", [1, -2, null, 4, 2 ** 31 - 1]),
    columnOf("long", [2 ** 40, -(2 ** 41) - 1, null, -1, 0]),
    columnOf("double", [1.5, Number.NaN, -0.25, 1e300, 3]),
    columnOf("time", [new Date(0), new Date("1969-12-31T23:59:59.999Z"), null, new Date("2400-01-01"), new Date(1)]),
    columnOf("bool", [true, false, null, true, false]),
    columnOf("big", [9_007_199_254_740_993n, -9_007_199_254_740_993n, null, 1n, 0n], "bigint"),
    columnOf("huge", [2n ** 100n, 1n, null, 2n, 3n], "bigint"),
  ]);
  it("lose nothing", async () => {
    const streams: Uint8Array[] = [];
    for await (const stream of arrowStreams(table)) streams.push(stream);
    expect(streams).toHaveLength(1);
    const read = tableFromIPC(streams[0]);
    const back = await tableFrom(read.schema, read.batches, { name: "t", rows: 5 });
    // More than 64 bits stay texts.
    expect(valuesOf(back)).toEqual(
      valuesOf(table).map(([name, type, values]) => [name, name === "huge" ? "string" : type, values]),
    );
  });
  it("go in portions, and many different texts row by row", async () => {
    const rows = 40_000;
    const codes = Int32Array.from({ length: rows }, (_, row) => (row % 3 === 0 ? -1 : row));
    const large = newTable("large", [
      { name: "own", type: "string", codes, categories: Array.from({ length: rows }, (_, row) => `text ${row}`) },
    ]);
    const parts: Table[] = [];
    for await (const stream of arrowStreams(large)) {
      const read = tableFromIPC(stream);
      parts.push(await tableFrom(read.schema, read.batches, { name: "part", rows: read.numRows }));
    }
    expect(parts.map(({ rowCount }) => rowCount)).toEqual([32_768, 7_232]);
    const [, second] = parts;
    const own = second?.columns[0];
    expect(own && [0, 1, 2, 7_231].map((row) => valueAt(own, row))).toEqual(["text 32768", null, "text 32770", null]);
  });
  it("take a table without rows", async () => {
    const empty = newTable("empty", [columnOf("a", []), columnOf("b", [], "double")]);
    for await (const stream of arrowStreams(empty)) {
      const read = tableFromIPC(stream);
      expect(valuesOf(await tableFrom(read.schema, read.batches, { name: "e", rows: 0 }))).toEqual([
        ["a", "string", []],
        ["b", "double", []],
      ]);
    }
  });
});

describe("a server's answer", () => {
  it("becomes a table by what the database says of its columns", () => {
    const answer = {
      columns: [
        { name: "id", type: "int8" },
        { name: "id", type: "int4" },
        { name: "at", type: "timestamp with time zone" },
        { name: "day", type: "date" },
        { name: "sum", type: "numeric" },
        { name: "note", type: "text" },
        { name: "data", type: "jsonb" },
      ],
      rows: [
        ["9007199254740993", 1, "2024-05-31T10:00:00.000Z", "2024-05-31", "12345678901234567.5", "2024", { a: [1] }],
        [2, null, null, null, 1.5, null, null],
      ],
    };
    expect(valuesOf(tableOfAnswer("q", answer))).toEqual([
      ["id", "bigint", ["9007199254740993", "2"]],
      ["id (2)", "int", [1, null]],
      ["at", "datetime", [new Date("2024-05-31T10:00:00Z"), null]],
      ["day", "datetime", [new Date("2024-05-31T00:00:00Z"), null]],
      ["sum", "double", [12_345_678_901_234_568, 1.5]],
      ["note", "string", ["2024", null]],
      ["data", "string", ['{"a":[1]}', null]],
    ]);
  });
});

describe("earlier queries", () => {
  const shelf = (): Storage & { text: string | null } => {
    const kept = {
      text: null as string | null,
      getItem: () => kept.text,
      setItem: (_: string, text: string) => void (kept.text = text),
    };
    return kept as never;
  };
  it("are kept by source, the newest first, each once, so many and no more", () => {
    const place = shelf();
    const history = new QueryHistory(place);
    for (let number = 0; number < 60; number += 1)
      history.add("page", { sql: `select ${number}`, at: number, rows: 1 });
    history.add("page", { sql: "select 30 ", at: 99, rows: 2 });
    history.add("sales", { sql: "select 1", at: 100 });
    history.add("sales", { sql: "  ", at: 101 });
    const again = new QueryHistory(place);
    expect([again.of("page").length, again.of("page")[0], again.of("sales"), again.of("other")]).toEqual([
      50,
      { sql: "select 30", at: 99, rows: 2 },
      [{ sql: "select 1", at: 100 }],
      [],
    ]);
    again.clear("page");
    expect([again.of("page"), new QueryHistory(place).of("sales")]).toEqual([[], [{ sql: "select 1", at: 100 }]]);
  });
  it("are found by the words of a prompt; those that failed are no examples", () => {
    const history = new QueryHistory(undefined);
    history.add("db", { sql: "select * from customers", at: 1, rows: 3 });
    history.add("db", { sql: "select country, sum(total) from orders group by country", at: 2, rows: 9 });
    history.add("db", { sql: "select bad orders country", at: 3 });
    expect(history.similar("db", "Show me the orders of each country")).toEqual([
      {
        name: "select country, sum(total) from orders group by country",
        description: "Run by a person; 9 rows",
        sql: "select country, sum(total) from orders group by country",
      },
    ]);
    expect(history.similar("db", "what is the weather")).toEqual([]);
  });
  it("begin anew where what was kept cannot be read", () => {
    for (const text of ["{", "null", "[]", '{"page":{"no":1}}', '{"page":[{"sql":5}]}']) {
      const place = shelf();
      place.text = text;
      expect(new QueryHistory(place).of("page")).toEqual([]);
    }
    const full = {
      getItem: () => {
        throw new Error("forbidden");
      },
      setItem: () => {
        throw new Error("full");
      },
    };
    const history = new QueryHistory(full);
    history.add("page", { sql: "select 1", at: 1, rows: 1 });
    expect(history.of("page")).toHaveLength(1);
  });
});
