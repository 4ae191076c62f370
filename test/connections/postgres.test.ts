import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf } from "../../src/connections/postgres/address.ts";
import { PostgresDatabase } from "../../src/connections/postgres/database.ts";
import { PostgresParser } from "../../src/connections/postgres/parser.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { hasPostgres, startPostgres, type Cluster } from "../support/postgres.ts";
import { POSTGRES_ATTACKS } from "./attacks-postgres.ts";
import { after, asking } from "./place.ts";
import { codeOf, refusal, SCHEMA, STATE } from "./postgres-world.ts";

let cluster: Cluster;
const parser = new PostgresParser({ after });
const opened: PostgresDatabase[] = [];

interface DatabaseOptions {
  readonly user?: string;
  readonly allowWritable?: boolean;
  readonly statementMs?: number;
  readonly role?: string;
  readonly url?: string;
}

function open({
  user = "reader",
  allowWritable = false,
  statementMs = 20_000,
  role,
  url,
}: DatabaseOptions = {}): PostgresDatabase {
  const database = new PostgresDatabase({
    address: addressOf(url ?? cluster.url(user)),
    password: () => undefined,
    allowWritable,
    roleOf: () => role,
    statementMs,
    parser,
    after,
  });
  opened.push(database);
  return database;
}

const ask = (from: PostgresDatabase, sql: string, maxRows = 1_000) => from.query(asking, { sql, maxRows });

afterAll(() => parser.close());

describe.skipIf(!hasPostgres)("a real PostgreSQL", () => {
  beforeAll(async () => {
    cluster = await startPostgres();
    await cluster.admin(SCHEMA);
  });

  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await cluster[Symbol.asyncDispose]();
  });

  describe("what would write", () => {
    it("is refused, each statement, and changes nothing", async () => {
      const database = open();
      const before = await cluster.admin(STATE);
      const passed: string[] = [];
      for (const sql of POSTGRES_ATTACKS) {
        const code = await codeOf(ask(database, sql));
        if (code !== "forbidden" && code !== "invalid_request") passed.push(`${sql}: ${String(code)}`);
      }
      expect(passed).toEqual([]);
      expect(await cluster.admin(STATE)).toEqual(before);
    });

    it("is refused by the database alone, without the parser", async () => {
      const database = open();
      const before = await cluster.admin(STATE);
      for (const sql of POSTGRES_ATTACKS) await codeOf(database.run(asking, { sql, maxRows: 10 }));
      expect(await cluster.admin(STATE)).toEqual(before);
    });

    it("is refused by the read-only transaction alone, for a role that may write, also without the parser", async () => {
      const database = open({ user: "writer", allowWritable: true });
      const before = await cluster.admin(STATE);
      for (const sql of POSTGRES_ATTACKS) await codeOf(database.run(asking, { sql, maxRows: 10 }));
      expect(await refusal(database.run(asking, { sql: "DELETE FROM ledger", maxRows: 1 }))).toMatchObject({
        code: "forbidden",
        message: "cannot execute DELETE in a read-only transaction",
      });
      expect(await cluster.admin(STATE)).toEqual(before);
    });

    it("is refused by the parser for the superuser himself", async () => {
      const database = open({ user: "postgres", allowWritable: true });
      const before = await cluster.admin(STATE);
      const passed: string[] = [];
      for (const sql of POSTGRES_ATTACKS) {
        const code = await codeOf(ask(database, sql));
        if (code !== "forbidden" && code !== "invalid_request") passed.push(`${sql}: ${String(code)}`);
      }
      expect(passed).toEqual([]);
      expect(await cluster.admin(STATE)).toEqual(before);
    });

    it("cannot hide in a function, also one with its owner's rights", async () => {
      const database = open();
      const before = await cluster.admin(STATE);
      expect(await codeOf(ask(database, "SELECT poke()"))).toBe("forbidden");
      expect(await refusal(ask(database, "SELECT poke_owner()"))).toMatchObject({
        code: "forbidden",
        details: { sqlstate: "25006" },
      });
      expect(await cluster.admin(STATE)).toEqual(before);
    });

    it("reads texts as the parser does, whatever the role's own setting", async () => {
      // With backslashes as escapes this would end the text at \' and call the function.
      const sql = "SELECT '\\'' , pg_catalog.pg_advisory_lock(7) --'";
      const database = open({ user: "backslash" });
      expect(await parser.classify(sql, "tok_anna")).toEqual({ does: "reads" });
      expect((await ask(database, sql)).rows).toEqual([["\\' , pg_catalog.pg_advisory_lock(7) --"]]);
      expect(await cluster.admin("SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'")).toEqual([
        { n: 0 },
      ]);
    });

    it("leaves nothing of one caller for the next", async () => {
      const database = open();
      // Without the parser, what a session could keep.
      await codeOf(database.run(asking, { sql: "SELECT pg_advisory_lock(5)", maxRows: 1 }));
      await codeOf(database.run(asking, { sql: "SELECT set_config('application_name', 'mine', false)", maxRows: 1 }));
      await codeOf(database.run(asking, { sql: "PREPARE p AS SELECT 1", maxRows: 1 }));
      expect((await ask(database, "SHOW application_name")).rows).toEqual([["sallyport"]]);
      expect((await ask(database, "SELECT count(*) FROM pg_prepared_statements WHERE name = 'p'")).rows).toEqual([[0]]);
      expect((await ask(database, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).rows).toEqual([[0]]);
    });
  });

  describe("the role of the connection", () => {
    const refused: readonly (readonly [user: string, remedy: string])[] = [
      ["postgres", 'ALTER ROLE "postgres" NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION;'],
      ["writer", 'REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA "public" FROM "writer", PUBLIC;'],
      ["counter", 'REVOKE USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA "public" FROM "counter", PUBLIC;'],
      [
        "columnist",
        'REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA "public" FROM "columnist", PUBLIC;',
      ],
      ["maker", 'REVOKE CREATE ON SCHEMA "hr" FROM "maker", PUBLIC;'],
      ["founder", 'REVOKE CREATE ON DATABASE "postgres" FROM "founder", PUBLIC;'],
      ["thief", 'REVOKE "pg_read_server_files" FROM "thief";'],
      ["deep", 'REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA "public" FROM "writer", PUBLIC;'],
      ["creator", 'ALTER ROLE "creator" NOCREATEROLE;'],
    ];
    it.each(refused)("is refused where it may write: %s", async (user, remedy) => {
      const { code, message, details } = await refusal(open({ user }).test(asking.signal));
      expect({ code, says: message.includes(remedy) }).toEqual({ code: "connection_failed", says: true });
      expect((details as { remedies: readonly string[] }).remedies).toContain(remedy);
      expect(message).toContain("GRANT SELECT ON ALL TABLES IN SCHEMA public TO sallyport_reader;");
      expect(await codeOf(ask(open({ user }), "SELECT 1"))).toBe("connection_failed");
    });

    it("is taken where it cannot, and where the admin takes it all the same", async () => {
      expect(await open().test(asking.signal)).toMatch(/^\d+/);
      expect(await open({ user: "gateway" }).test(asking.signal)).toMatch(/^\d+/);
      expect(await open({ user: "writer", allowWritable: true }).test(asking.signal)).toMatch(/^\d+/);
    });

    it("gives each his own rights", async () => {
      const anna = open({ user: "gateway", role: "anna" });
      const bert = open({ user: "gateway", role: "bert" });
      expect((await ask(anna, "SELECT count(*), current_user::text FROM ledger")).rows).toEqual([[3, "anna"]]);
      expect(await refusal(ask(bert, "SELECT count(*) FROM ledger"))).toMatchObject({
        code: "forbidden",
        message: "permission denied for table ledger",
        details: { sqlstate: "42501" },
      });
      expect(await codeOf(ask(open({ user: "gateway", role: "postgres" }), "SELECT 1"))).toBe("forbidden");
      const names = (await anna.describe(asking)).schemas.map(({ name, tables }) => [
        name,
        tables.map((table) => table.name),
      ]);
      expect(names).toEqual([["public", ["ledger"]]]);
      expect((await bert.describe(asking)).schemas).toEqual([{ name: "public", tables: [] }]);
    });
  });

  describe("what is read", () => {
    it("comes as JSON, of each type", async () => {
      const values: readonly (readonly [sql: string, type: string, value: unknown])[] = [
        ["NULL::int", "integer", null],
        ["1::int2", "smallint", 1],
        ["9007199254740991::int8", "bigint", 9007199254740991],
        ["9007199254740993::int8", "bigint", "9007199254740993"],
        ["1.50::numeric", "numeric", 1.5],
        ["0.000123456789012345::numeric", "numeric", 0.000123456789012345],
        ["12345678901234567.89::numeric", "numeric", "12345678901234567.89"],
        ["'NaN'::numeric", "numeric", "NaN"],
        ["0.1::float8", "double precision", 0.1],
        ["'Infinity'::float8", "double precision", "Infinity"],
        ["true", "boolean", true],
        ["'日本 🙂'::text", "text", "日本 🙂"],
        ["'x'::varchar(5)", "character varying", "x"],
        ["'\\x00ff'::bytea", "bytea", "\\x00ff"],
        ["date '2026-11-15'", "date", "2026-11-15"],
        ["timestamp '2026-11-15 12:30:00.5'", "timestamp without time zone", "2026-11-15T12:30:00.5"],
        ["timestamptz '2026-11-15 12:30:00+02'", "timestamp with time zone", "2026-11-15T10:30:00Z"],
        ["timestamptz 'infinity'", "timestamp with time zone", "infinity"],
        ["interval '1 day 2 hours'", "interval", "P1DT2H"],
        [`'{"a": [1, null]}'::jsonb`, "jsonb", { a: [1, null] }],
        ["'3'::json", "json", 3],
        ["ARRAY[1, NULL, 3]", "integer[]", [1, null, 3]],
        [`ARRAY['a,"b', NULL]`, "text[]", ['a,"b', null]],
        ["ARRAY[[true],[false]]", "boolean[]", [[true], [false]]],
        ["'00000000-0000-0000-0000-000000000001'::uuid", "uuid", "00000000-0000-0000-0000-000000000001"],
        ["int4range(1, 5)", "int4range", "[1,5)"],
        ["ROW(1, 'x')", "record", "(1,x)"],
      ];
      const { columns, rows } = await ask(open(), `SELECT ${values.map(([sql], at) => `${sql} AS c${at}`).join(", ")}`);
      expect(columns.map(({ type }, at) => [values[at]?.[0], type, rows[0]?.[at]])).toEqual(values);
    });

    it("may be SHOW, EXPLAIN, VALUES, TABLE, have no column, two of one name, or no row", async () => {
      const database = open();
      expect((await ask(database, "VALUES (1, 'a'), (2, NULL)")).rows).toEqual([
        [1, "a"],
        [2, null],
      ]);
      expect((await ask(database, "SHOW transaction_read_only")).rows).toEqual([["on"]]);
      expect((await ask(database, "EXPLAIN (COSTS OFF) SELECT 1")).rows).toEqual([["Result"]]);
      expect(await ask(database, "SELECT")).toMatchObject({ columns: [], rows: [[]], row_count: 1 });
      expect((await ask(database, "SELECT 1 AS a, 2 AS a")).rows).toEqual([[1, 2]]);
      expect(await ask(database, "SELECT 1 WHERE false;")).toMatchObject({ rows: [], row_count: 0, truncated: false });
    });

    it("is cut at the rows that are wanted, without reading on", async () => {
      const database = open({ statementMs: 5_000 });
      const sql = "SELECT i, repeat('x', 100) FROM (SELECT generate_series(1, 1000000000) AS i) t";
      const answer = await ask(database, sql, 1_200);
      expect({ ...answer, rows: answer.rows.length }).toMatchObject({ rows: 1_200, row_count: 1_200, truncated: true });
      expect(answer.rows.at(-1)?.[0]).toBe(1_200);
      expect(await ask(database, "SELECT generate_series(1, 500)", 500)).toMatchObject({
        row_count: 500,
        truncated: false,
      });
    });

    it("is cut at the bytes that an answer may have; one row that is larger is refused", async () => {
      const database = open();
      const answer = await ask(database, "SELECT repeat('x', 1000000) FROM generate_series(1, 1000)");
      expect(answer.truncated).toBe(true);
      expect(answer.row_count).toBe(Math.floor(LIMITS.connectionResultBytes / 1_000_005));
      expect(await codeOf(ask(database, "SELECT repeat('x', 200000000)"))).toBe("payload_too_large");
      expect((await ask(database, "SELECT 1")).rows).toEqual([[1]]);
    });

    it("is refused in PostgreSQL's own words, with the place", async () => {
      const database = open();
      expect(await refusal(ask(database, "SELECT 'é', nowhere FROM ledger"))).toEqual({
        code: "invalid_request",
        message: 'column "nowhere" does not exist',
        details: { sqlstate: "42703", position: 13 },
      });
      expect(await refusal(ask(database, "SELECT 1/0"))).toMatchObject({ message: "division by zero" });
      expect(await codeOf(ask(database, "SELECT $1"))).toBe("invalid_request");
      expect((await ask(database, "SELECT 1")).rows).toEqual([[1]]);
    });

    it("is described: tables, comments, statistics, foreign keys, and only what the role may read", async () => {
      const { catalog, schemas, joins, truncated } = await open().describe(asking);
      expect({ catalog, truncated, names: schemas.map(({ name }) => name) }).toEqual({
        catalog: "postgres",
        truncated: false,
        names: ["hr", "public"],
      });
      expect(schemas[0]?.tables).toEqual([
        {
          name: "entries",
          row_count: 0,
          columns: [
            { name: "ledger", type: "integer" },
            { name: "person", type: "text", is_unique: true },
          ],
        },
        {
          name: "people",
          comment: "who works here",
          row_count: 500,
          columns: [
            { name: "code", type: "text", is_unique: true, unique_count: 500 },
            {
              name: "born",
              type: "date",
              comment: "day of birth",
              min: "1950-01-02",
              max: "1951-05-16",
              unique_count: 500,
            },
            { name: "salary", type: "numeric(10,2)", min: 10.5, max: 5250, unique_count: 500 },
            { name: "dept", type: "text", values: ["lab", "sales"], unique_count: 2 },
          ],
        },
      ]);
      expect(schemas[1]?.tables.map(({ name, columns }) => [name, columns.map((column) => column.name)])).toEqual([
        ["ledger", ["id", "note"]],
        ["sums", ["total"]],
      ]);
      const from = { from_schema: "hr", from_table: "entries" };
      expect(joins).toEqual([
        {
          ...from,
          from_columns: ["ledger"],
          to_schema: "public",
          to_table: "ledger",
          to_columns: ["id"],
          cardinality: "many-to-one",
        },
        {
          ...from,
          from_columns: ["person"],
          to_schema: "hr",
          to_table: "people",
          to_columns: ["code"],
          cardinality: "one-to-one",
          comment: "one each",
        },
      ]);
    });
  });

  describe("time", () => {
    const backends = async (): Promise<unknown> =>
      (
        await cluster.admin(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(30%' AND state = 'active'",
        )
      )[0]?.["n"];
    const until = async (look: () => Promise<unknown>, wanted: unknown): Promise<void> => {
      for (let tries = 0; (await look()) !== wanted; tries += 1) {
        if (tries > 200) throw new Error(`never ${String(wanted)}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    };

    it("ends a statement that takes too long", async () => {
      const database = open({ statementMs: 200 });
      expect(await refusal(ask(database, "SELECT pg_sleep(30)"))).toMatchObject({
        code: "timed_out",
        message: "canceling statement due to statement timeout; select less, or ask the admin for more time",
      });
      expect((await ask(database, "SELECT 1")).rows).toEqual([[1]]);
      await until(backends, 0);
    });

    it("ends one whose caller went away, in the database too", async () => {
      const database = open();
      const controller = new AbortController();
      const running = codeOf(
        database.query({ principal: "x", signal: controller.signal }, { sql: "SELECT pg_sleep(30)", maxRows: 1 }),
      );
      await until(backends, 1);
      controller.abort();
      expect(await running).toBe("aborted");
      await until(backends, 0);
      expect((await ask(database, "SELECT 1")).rows).toEqual([[1]]);
    });

    it("does not wait for ever for somebody else's lock", async () => {
      const database = open({ statementMs: 300 });
      const [{ pid }] = (await cluster.admin("SELECT pg_backend_pid() AS pid")) as [{ pid: number }];
      expect(pid).toBeGreaterThan(0);
      const holder = cluster.admin("BEGIN; LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1); ROLLBACK");
      await until(
        async () =>
          (
            await cluster.admin(
              "SELECT count(*)::int AS n FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'ledger'::regclass",
            )
          )[0]?.["n"],
        1,
      );
      expect(await codeOf(ask(database, "SELECT count(*) FROM ledger"))).toBe("timed_out");
      await holder;
    });

    it("leaves no connection when it is closed, also while one works", async () => {
      const database = open();
      const running = codeOf(ask(database, "SELECT pg_sleep(30.5)"));
      await until(backends, 1);
      await database.close();
      expect(await running).toBe("shutting_down");
      await until(backends, 0);
      expect(await codeOf(ask(database, "SELECT 1"))).toBe("shutting_down");
    });

    it("opens a new connection where the server ended the old one", async () => {
      const database = open();
      expect((await ask(database, "SELECT 1")).rows).toEqual([[1]]);
      await cluster.admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
      await until(
        () =>
          ask(database, "SELECT 1").then(
            ({ rows }) => rows[0]?.[0],
            () => "lost",
          ),
        1,
      );
    });
  });

  describe("the way there", () => {
    it("may be a socket", async () => {
      const named = `postgres://reader@localhost:${cluster.port}/postgres?host=${encodeURIComponent(cluster.folder)}`;
      expect((await ask(open({ url: named }), "SELECT 1")).rows).toEqual([[1]]);
    });

    it("is told about where it does not work", async () => {
      expect(await refusal(open({ url: "postgres://reader@127.0.0.1:1/postgres" }).test(asking.signal))).toMatchObject({
        code: "connection_failed",
        message: "the database cannot be reached: connect ECONNREFUSED 127.0.0.1:1",
      });
      expect(await refusal(open({ url: cluster.url("nobody_here") }).test(asking.signal))).toMatchObject({
        code: "connection_failed",
        message: 'the database says: role "nobody_here" does not exist',
      });
      expect(await refusal(open({ url: cluster.url("reader", "nowhere") }).test(asking.signal))).toMatchObject({
        message: 'the database says: database "nowhere" does not exist',
      });
    });
  });
});
