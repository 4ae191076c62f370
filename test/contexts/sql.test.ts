import { describe, expect, test } from "vitest";
import { Database, sqlContext } from "./page.ts";

const ADVICE = "\n\nThis query failed to execute. Please revise the SQL based on the schema information.";

describe("what a database has", () => {
  test("catalogs and schemas", async () => {
    const sql = sqlContext();
    expect(sql.listCatalogs()).toEqual(["shop", "archive"]);
    expect(await sql.listAllSchemas("shop")).toEqual(["public", "empty"]);
    expect(await sql.listAllSchemas()).toEqual(["public", "empty"]);
    expect(await sql.listAllSchemas("archive")).toEqual(["public"]);
    await expect(sql.listAllSchemas("x")).rejects.toThrow(
      new Error("Catalog 'x' not found. Available catalogs: shop, archive"),
    );
  });

  test("tables of a schema", async () => {
    const sql = sqlContext();
    expect(await sql.listTables(false, "public", "shop")).toEqual({
      description: "Tables in public:\n\norders\n  Columns: 3, Rows: 1200\nparts.old\n  Columns: 1, Rows: unknown",
      tableCount: 2,
    });
    expect(await sql.listTables(true, "public")).toEqual({
      description:
        "Tables in public:\n\norders\n  Columns: 3, Rows: 1200\n  LLM Comment: One row is one order\nparts.old\n  Columns: 1, Rows: unknown",
      tableCount: 2,
    });
    expect(await sql.listTables(false, "x", "archive")).toEqual({
      description: "Schema x not found in catalog archive.",
      tableCount: 0,
    });
    await expect(sql.listTables(false, "public", "x")).rejects.toThrow("Catalog 'x' not found.");
  });

  test("tables in detail, by all forms of their names", async () => {
    const orders = [
      "TABLE: orders (1200 rows)\nComment: All orders\nLLM Comment: One row is one order\nColumns:\n",
      "  id (int) [UNIQUE] - key Range: 1 to 1200\n",
      "  state (text) - where it stands Values: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, ... ",
      "Unique Values Count: 16\n  note (text) Values: a, b",
    ].join("");
    const sql = sqlContext();
    expect(await sql.describeTables(["public.orders"])).toBe(orders);
    expect(
      await sql.describeTables(["shop.public.orders", "archive.public.orders", "shop.public.parts.old", "public.x"]),
    ).toBe(
      [
        orders,
        "TABLE: orders (0 rows)\nColumns:",
        "TABLE: parts.old (unknown number of rows)\nColumns:\n  id (int)",
        "Table x not found in public",
      ].join("\n\n---\n\n"),
    );
    expect(await sql.describeTables(["orders", "x.orders", "y.public.orders"])).toBe(
      [
        "Schema  not found in catalog shop",
        "Schema x not found in catalog shop",
        "Schema public not found in catalog y",
      ].join("\n\n---\n\n"),
    );
  });

  test("joins", async () => {
    const sql = sqlContext();
    expect(await sql.listJoins(["public.orders", "x.y"])).toBe(
      [
        "Foreign key relationships involving public.orders, x.y:\n\n",
        "public.orders(customer, region) -> crm.customers(id, region) [many-to-one] ",
        "[LEGACY - prefer other paths if available] - who ordered\n",
        "public.lines(order_id) -> public.orders(id)",
      ].join(""),
    );
    expect(await sql.listJoins(["x.y", "archive.public.orders"])).toBe(
      "No foreign key relationships found for tables: x.y, archive.public.orders",
    );
  });

  test("similar queries, four of them", async () => {
    const sql = sqlContext();
    expect(await sql.findSimilarQueries("orders")).toBe(
      [
        "Found 4 similar queries:\n\n**q0**\nDescription: The first\n```sql\nselect 0\n```\n\n",
        ...[1, 2, 3].map((index) => `**q${index}**\n\`\`\`sql\nselect ${index}\n\`\`\`\n\n`),
      ].join(""),
    );
    expect(await sql.findSimilarQueries("nothing")).toBe("No similar queries found for this connection");
  });
});

describe("a query is tried", () => {
  test("its answer is told with its rows", async () => {
    const database = new Database();
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const values: readonly (readonly [unknown, string])[] = [
      [1, "'1'"],
      [null, "NULL"],
      [undefined, "NULL"],
      ["", "''"],
      ["x".repeat(50), `'${"x".repeat(50)}'`],
      ["y".repeat(51), `'${"y".repeat(47)}...'`],
      [12n, "'12'"],
      [false, "'false'"],
      [new Date(0), "'1970-01-01T00:00:00.000Z'"],
      [{ a: [1] }, `'{"a":[1]}'`],
      [new Uint8Array(3), "'3 bytes'"],
      [circular, "NON-STRINGIFIABLE-VALUE"],
      [Symbol("s"), "NON-STRINGIFIABLE-VALUE"],
      [new Date(Number.NaN), "NON-STRINGIFIABLE-VALUE"],
    ];
    database.answer = () => ({
      columns: values.map((_, index) => ({ name: `c${index}`, type: "t" })),
      rows: [values.map(([value]) => value), []],
    });
    expect(await sqlContext(database).trySql("select *", "all")).toBe(
      [
        "Query executed successfully!",
        "Row count: 2",
        `Columns (14): ${values.map((_, index) => `c${index} (t)`).join(", ")}`,
        "Sample rows (first 2):",
        `1. ${values.map(([, words], index) => `c${index}=${words}`).join(", ")}`,
        `2. ${values.map((_, index) => `c${index}=NULL`).join(", ")}`,
      ].join("\n"),
    );
  });

  test.for([
    [1, undefined, "Row count: 1", ["Sample row: a='0'"]],
    [10, undefined, "Row count: 10", 10],
    [11, undefined, "Row count: more than 10. The test reads only the first 10 rows: use count(*) to count all.", 10],
    [5, 5, "Row count: 5", 5],
    [1_000, 2_000, "Row count: more than 1000. Use count(*) to count all.", 10],
  ] as const)("%d rows, with a limit of its own of %s", async ([found, own, count, sample]) => {
    const database = new Database();
    database.answer = () => ({
      columns: [{ name: "a", type: "int" }],
      rows: Array.from({ length: found }, (_, row) => [row]),
      truncated: found === 1_000,
    });
    const sql = own === undefined ? "select a from b" : `select a from b limit ${own}`;
    const [, countLine, , ...lines] = (await sqlContext(database).trySql(sql, "")).split("\n");
    const rows = Array.from({ length: Number(sample) || 0 }, (_, row) => `${row + 1}. a='${row}'`);
    expect([countLine, lines]).toEqual([
      count,
      typeof sample === "number" ? [`Sample rows (first ${sample}):`, ...rows] : sample,
    ]);
  });

  test("long rows are told as far as there is room, the first always", async () => {
    const database = new Database();
    database.answer = () => ({
      columns: Array.from({ length: 100 }, (_, index) => ({ name: `column ${index}`, type: "text" })),
      rows: Array.from({ length: 3 }, () => Array.from({ length: 100 }, () => "x".repeat(50))),
    });
    expect(await sqlContext(database).trySql("select *", "")).toContain("Sample rows (first 1):\n1. column 0='xxx");
  });

  test("one that writes, where nobody can agree to it", async () => {
    const database = new Database();
    database.kind = "writes";
    const readOnly = Object.assign(Object.create(database) as Database, { confirmWrite: undefined });
    expect(await sqlContext(readOnly).trySql("delete from a", "")).toBe(
      "SQL was not executed: this connection only reads, and the statement would change data. Please revise the query so that it only reads.",
    );
    expect(database.ran).toEqual([]);
  });

  test("no rows: no sample", async () => {
    const database = new Database();
    database.answer = () => ({ columns: [{ name: "a", type: "int" }], rows: [] });
    expect(await sqlContext(database).trySql("select a from b", "")).toBe(
      "Query executed successfully!\nRow count: 0\nColumns (1): a (int)",
    );
  });

  test("it fails", async () => {
    const database = new Database();
    database.answer = () => {
      throw new Error('relation "b" does not exist');
    };
    expect(await sqlContext(database).trySql("select a from b", "")).toBe(
      `SQL Error: relation "b" does not exist${ADVICE}`,
    );
    database.classify = () => {
      throw new Error("no parser");
    };
    expect(await sqlContext(database).trySql("select a from b", "")).toBe(`SQL Error: no parser${ADVICE}`);
    expect(database.ran).toEqual(["select a from b LIMIT 11"]);
  });

  test.for([
    ["writes", false, []],
    ["writes", true, ["delete from a"]],
    ["unknown", false, ["delete from a"]],
  ] as const)("one that %s, agreed to: %s", async ([kind, agrees, ran]) => {
    const database = new Database();
    database.kind = kind;
    database.agrees = agrees;
    const text = await sqlContext(database).trySql("delete from a;", "");
    expect(text.split("\n")[0]).toBe(
      ran.length > 0
        ? "Query executed successfully!"
        : "SQL Execution Not allowed by User: Destructive commands are not allowed. Please revise the query.",
    );
    expect({ ran: database.ran, asked: database.asked }).toEqual({
      ran,
      asked: kind === "writes" ? ["delete from a;"] : [],
    });
  });

  test("it can be cancelled", () => {
    const database = new Database();
    sqlContext(database).cancel();
    expect(database.cancelled).toBe(1);
  });
});
