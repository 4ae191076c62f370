import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openFile } from "../../src/connections/sqlite/file.ts";
import { SqliteFile } from "../../src/connections/sqlite/database.ts";
import { isIdle, refusalOf } from "../../src/connections/sqlite/rules.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { SQLITE_ATTACKS, SQLITE_HONEST } from "./attacks-sqlite.ts";
import { after, asking, makeSqlite, type SqlitePlace } from "./place.ts";

let place: SqlitePlace;
let file: SqliteFile;

const open = (path: string, statementMs = 20_000): SqliteFile =>
  new SqliteFile({ path, statementMs, hidden: [], after });
const ask = (sql: string, maxRows = 1_000, from = file) => from.query(asking, { sql, maxRows });
const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    (value) => `not refused: ${JSON.stringify(value).slice(0, 200)}`,
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );
const told = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => "not refused",
    ({ code, message, details }: { code: unknown; message: unknown; details: unknown }) => ({ code, message, details }),
  );

beforeAll(() => {
  place = makeSqlite();
  file = open(place.path);
});
afterAll(async () => {
  await file.close();
  place.remove();
});

/** Readers that this process has begun and that are still there. */
function readers(): number {
  const out = execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)], { encoding: "utf8" });
  return out.split("\n").filter((line) => line.includes("connections/sqlite/child.js")).length;
}

describe("SQLite: what would write", () => {
  const attacks = SQLITE_ATTACKS.map((sql) => sql.replaceAll("$out", "/tmp/sallyport-stolen.db"));

  it("is refused, each statement, and changes not one byte", async () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
    const before = place.fingerprint();
    const passed: string[] = [];
    for (const sql of attacks) {
      const code = await codeOf(ask(sql));
      // What SQLite does not know at all is no SQL; everything else is told as what it is.
      if (code !== "forbidden" && code !== "invalid_request") passed.push(`${sql}: ${String(code)}`);
      const does = await file.classify(asking, sql).then(
        (verdict) => verdict.does,
        () => "no SQL",
      );
      if (does === "reads") passed.push(`${sql}: said to read`);
    }
    expect(passed).toEqual([]);
    expect(place.fingerprint()).toEqual(before);
  });

  it("is refused by the file alone, without the parser", () => {
    const before = place.fingerprint();
    const database = openFile(place.path);
    try {
      for (const sql of attacks) {
        try {
          database.exec(sql);
        } catch {
          // Refused. What passes (a PRAGMA, a BEGIN) must have changed nothing.
        }
      }
    } finally {
      database.close();
    }
    expect(place.fingerprint()).toEqual(before);
  });

  it("is refused by the parser alone, in a file that can be written", () => {
    const writable = makeSqlite();
    const before = writable.fingerprint();
    const database = new DatabaseSync(writable.path);
    const passed: string[] = [];
    try {
      database.setAuthorizer((action, first, second) =>
        refusalOf(action, first, second) === undefined ? constants.SQLITE_OK : constants.SQLITE_DENY,
      );
      for (const sql of attacks) {
        try {
          database.exec(sql);
          // A second statement is not the authorizer's business; that it only reads is.
          if (!/^SELECT 1; SELECT 2$|\0/.test(sql)) passed.push(sql);
        } catch {
          // Refused.
        }
      }
    } finally {
      database.close();
    }
    expect(passed).toEqual([]);
    expect(writable.fingerprint()).toEqual(before);
    writable.remove();
  });

  it("is told with its reason", async () => {
    expect(await told(ask("WITH a AS (SELECT 1) DELETE FROM ledger"))).toEqual({
      code: "forbidden",
      message: "only reading is allowed here: it would do more than read: DELETE on ledger",
      details: { does: "writes", reason: "it would do more than read: DELETE on ledger" },
    });
    expect(await file.classify(asking, "SELECT 1; DROP TABLE ledger")).toEqual({
      does: "writes",
      reason: "it holds more than one statement; send one at a time",
    });
    expect(await file.classify(asking, "PRAGMA journal_mode = WAL")).toMatchObject({
      reason: "it would do more than read: PRAGMA journal_mode with a value",
    });
  });

  it("is not found where words only look like it", async () => {
    for (const sql of SQLITE_HONEST) {
      expect({ sql, ...(await file.classify(asking, sql)) }).toEqual({ sql, does: "reads" });
      expect((await ask(sql)).columns.length).toBeGreaterThan(0);
    }
  });

  it("ends with comments and blanks, by a scanner that reads them as SQLite does", () => {
    const cases: readonly (readonly [string, boolean])[] = [
      ["", true],
      [" ;\n\t;; ", true],
      ["-- x", true],
      ["-- x\n;", true],
      ["/* x */ ;", true],
      ["/* x", true],
      ["/**/", true],
      ["/*/ x", true],
      ["-- x\ny", false],
      ["/* */ y", false],
      ["-x", false],
      ["/", false],
    ];
    for (const [text, idle] of cases) expect({ text, idle: isIdle(text) }).toEqual({ text, idle });
  });
});

describe("SQLite: what is read", () => {
  it("comes as JSON: nulls, numbers that are too large, bytes, unicode", async () => {
    const sql = `SELECT NULL AS none, 1 AS one, 9007199254740993 AS large, -9007199254740991 AS low, 1.5 AS half, 9e999 AS endless,
      x'00ff' AS bytes, '日本 🙂 é' AS text, '' AS empty, date('2026-11-15') AS day, json('{"a":[1]}') AS doc`;
    expect(await ask(sql)).toEqual({
      columns: [
        ["none", "TEXT"],
        ["one", "INTEGER"],
        ["large", "TEXT"],
        ["low", "INTEGER"],
        ["half", "REAL"],
        ["endless", "TEXT"],
        ["bytes", "TEXT"],
        ["text", "TEXT"],
        ["empty", "TEXT"],
        ["day", "TEXT"],
        ["doc", "TEXT"],
      ].map(([name, type]) => ({ name, type })),
      rows: [
        [
          null,
          1,
          "9007199254740993",
          -9007199254740991,
          1.5,
          "Infinity",
          "\\x00ff",
          "日本 🙂 é",
          "",
          "2026-11-15",
          '{"a":[1]}',
        ],
      ],
      row_count: 1,
      truncated: false,
    });
    expect(await ask("SELECT id, note FROM ledger ORDER BY id")).toEqual({
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "note", type: "TEXT" },
      ],
      rows: [
        [1, "one"],
        [2, "two"],
        [3, null],
      ],
      row_count: 3,
      truncated: false,
    });
  });

  it("may have two columns of one name, and no row", async () => {
    expect((await ask("SELECT 1 AS a, 2 AS a")).rows).toEqual([[1, 2]]);
    expect(await ask("SELECT id FROM ledger WHERE 0")).toMatchObject({ rows: [], row_count: 0, truncated: false });
  });

  it("is cut at the rows that are wanted, and says so", async () => {
    const count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    expect(await ask(count, 3)).toMatchObject({ rows: [[1], [2], [3]], row_count: 3, truncated: true });
    expect(await ask(`${count} LIMIT 3`, 3)).toMatchObject({ row_count: 3, truncated: false });
  });

  it("is cut at the bytes that an answer may have; one row that is larger is refused", async () => {
    const sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(zeroblob(1000000)) AS x FROM n";
    const answer = await ask(sql);
    expect(answer.truncated).toBe(true);
    expect(answer.row_count).toBe(8);
    expect(await codeOf(ask(`SELECT hex(zeroblob(${LIMITS.connectionResultBytes}))`))).toBe("payload_too_large");
  });

  it("never fills the memory", async () => {
    const sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i, randomblob(1000000) AS b FROM n ORDER BY b";
    expect(await codeOf(ask(sql))).toBe("payload_too_large");
    expect((await ask("SELECT 1")).rows).toEqual([[1]]);
  });

  it("is refused with SQLite's own words and the place, where it is no SQL", async () => {
    expect(await told(ask("SELEC 1"))).toEqual({
      code: "invalid_request",
      message: 'near "SELEC": syntax error',
      details: { sqlite_code: expect.any(String) as unknown, position: 1 },
    });
    expect(await told(ask("SELECT * FROM nowhere"))).toMatchObject({
      code: "invalid_request",
      message: "no such table: nowhere",
    });
    expect(await codeOf(ask("SELECT ?"))).toBe("invalid_request");
    expect(await codeOf(ask("SELECT :name"))).toBe("invalid_request");
    expect(await codeOf(ask("   -- nothing"))).toBe("invalid_request");
    expect(await codeOf(ask("SELECT \uD800"))).toBe("forbidden");
    expect(await codeOf(ask(`SELECT ${"(".repeat(40_000)}1${")".repeat(40_000)}`))).toBe("invalid_request");
  });
});

describe("SQLite: time", () => {
  const forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

  it("ends a statement that takes too long, with its process", async () => {
    const short = open(place.path, 300);
    expect(await told(ask(forever, 10, short))).toEqual({
      code: "timed_out",
      message: "the statement took longer than 300 ms; select less, or ask the admin for more time",
      details: undefined,
    });
    expect((await ask("SELECT 1", 10, short)).rows).toEqual([[1]]);
    await short.close();
  });

  it("ends one whose caller went away, and those that wait behind it", async () => {
    const one = open(place.path);
    const controller = new AbortController();
    const running = Array.from({ length: LIMITS.connectionConcurrent + 2 }, () =>
      codeOf(one.query({ principal: "x", signal: controller.signal }, { sql: forever, maxRows: 1 })),
    );
    // When this is answered, one that is behind all of them would have had no turn.
    setTimeout(() => controller.abort(), 300);
    expect(await Promise.all(running)).toEqual(running.map(() => "aborted"));
    expect(
      await codeOf(one.query({ principal: "x", signal: controller.signal }, { sql: "SELECT 1", maxRows: 1 })),
    ).toBe("aborted");
    expect((await ask("SELECT 1", 1, one)).rows).toEqual([[1]]);
    await one.close();
  });

  it("never holds up the server", async () => {
    const one = open(place.path, 1_000);
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 10);
    await codeOf(ask(forever, 1, one));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(20);
    await one.close();
  });

  it("leaves no process when it is closed, also while one runs; what comes then is refused", async () => {
    const base = readers();
    const one = open(place.path);
    const running = codeOf(ask(forever, 1, one));
    await ask("SELECT 1", 1, one);
    expect(readers()).toBeGreaterThan(base);
    await one.close();
    expect(await running).toBe("shutting_down");
    expect(readers()).toBe(base);
    expect(await codeOf(ask("SELECT 1", 1, one))).toBe("shutting_down");
  });

  it("answers others while one asks as much as he may", async () => {
    const one = open(place.path);
    const all = Array.from({ length: LIMITS.connectionConcurrent + LIMITS.connectionQueue }, () =>
      codeOf(ask(forever, 1, one)),
    );
    expect(await all.at(-1)).toBe("queue_full");
    const other = { principal: "tok_ben", signal: asking.signal };
    expect((await one.query(other, { sql: "SELECT 1", maxRows: 1 })).rows).toEqual([[1]]);
    await one.close();
    await Promise.all(all);
  });

  it("refuses who would have to wait behind too many", async () => {
    const one = open(place.path);
    const all = Array.from({ length: LIMITS.connectionConcurrent + LIMITS.connectionQueue + 1 }, () =>
      codeOf(ask(forever, 1, one)),
    );
    expect(await all.at(-1)).toBe("queue_full");
    await one.close();
    expect(new Set(await Promise.all(all))).toEqual(new Set(["shutting_down", "queue_full"]));
  });
});

describe("SQLite: the file", () => {
  it("must be a regular one that is a database, and none of the server's own", async () => {
    const { folder } = place;
    const extra = join(folder, "extra");
    mkdirSync(join(extra, "home"), { recursive: true });
    symlinkSync(place.path, join(extra, "link.db"));
    writeFileSync(join(extra, "text.db"), "no database at all, but some text that is long enough to be looked at");
    execFileSync("mkfifo", [join(extra, "pipe.db")]);
    execFileSync("cp", [place.path, join(extra, "home", "own.db")]);
    const cases: readonly (readonly [string, string])[] = [
      [join(extra, "none.db"), "the file does not exist"],
      [join(extra, "link.db"), "it must be a regular file, no link and no folder"],
      [extra, "it must be a regular file, no link and no folder"],
      [join(extra, "pipe.db"), "it must be a regular file, no link and no folder"],
      [join(extra, "text.db"), "file is not a database"],
      [join(extra, "home", "own.db"), "the files of the server itself are not read"],
    ];
    for (const [path, message] of cases) {
      const one = new SqliteFile({ path, statementMs: 5_000, hidden: [join(extra, "home")], after });
      const refused = (await told(one.test(asking.signal))) as { message: string };
      expect({ path, message: refused.message }).toEqual({ path, message });
      await one.close();
    }
    rmSync(extra, { recursive: true });
  });

  it("is found as it is now, also while another process writes it", async () => {
    const other = makeSqlite();
    const one = open(other.path);
    const writer = new DatabaseSync(other.path);
    writer.exec("PRAGMA journal_mode = WAL; INSERT INTO ledger VALUES (10, 'later')");
    expect((await ask("SELECT count(*) FROM ledger", 1, one)).rows).toEqual([[4]]);
    writer.exec("DELETE FROM entries; DELETE FROM ledger");
    expect((await ask("SELECT count(*) FROM ledger", 1, one)).rows).toEqual([[0]]);
    writer.close();
    await one.close();
    other.remove();
  });

  it("is described: tables, columns, values of small ones, foreign keys", async () => {
    const { catalog, schemas, joins, truncated } = await file.describe(asking);
    const tables = new Map(schemas[0]?.tables.map((table) => [table.name, table]));
    expect({ catalog, truncated, names: schemas.map(({ name }) => name) }).toEqual({
      catalog: "main",
      truncated: false,
      names: ["main"],
    });
    expect([...tables.keys()]).toEqual(["entries", "ledger", "notes", "people", "sums"]);
    expect(tables.get("ledger")).toEqual({
      name: "ledger",
      row_count: 3,
      columns: [
        { name: "id", type: "INTEGER", is_unique: true, unique_count: 3, min: 1, max: 3 },
        { name: "note", type: "TEXT", unique_count: 2, values: ["one", "two"] },
      ],
    });
    expect(tables.get("people")?.columns).toEqual([
      { name: "code", type: "TEXT", is_unique: true, unique_count: 2, values: ["a", "b"] },
      { name: "born", type: "REAL", unique_count: 2, min: 1950.5, max: 1999 },
      { name: "photo", type: "BLOB" },
    ]);
    expect(tables.get("sums")).toEqual({ name: "sums", columns: [{ name: "total", type: "" }] });
    const join = { from_schema: "main", from_table: "entries", to_schema: "main" };
    expect(joins).toEqual([
      { ...join, from_columns: ["person"], to_table: "people", to_columns: ["code"], cardinality: "one-to-one" },
      { ...join, from_columns: ["ledger"], to_table: "ledger", to_columns: ["id"], cardinality: "many-to-one" },
    ]);
  });

  it("is described with odd names, and cut where there is too much", async () => {
    const many = Array.from(
      { length: 30 },
      (_, index) => `CREATE TABLE t${index} (${Array.from({ length: 900 }, (__, at) => `c${at}`).join(",")});`,
    );
    const odd = makeSqlite(
      `CREATE TABLE "it's ""odd""" ("a b" TEXT, "select" INT); INSERT INTO "it's ""odd""" VALUES ('x', 1); ${many.join("")}`,
    );
    const one = open(odd.path);
    const { schemas, truncated } = await one.describe(asking);
    expect(truncated).toBe(true);
    expect(schemas[0]?.tables[0]).toEqual({
      name: 'it\'s "odd"',
      row_count: 1,
      columns: [
        { name: "a b", type: "TEXT", unique_count: 1, values: ["x"] },
        { name: "select", type: "INT", unique_count: 1, min: 1, max: 1 },
      ],
    });
    await one.close();
    odd.remove();
  });
});
