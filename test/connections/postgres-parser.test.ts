import { afterAll, describe, expect, it } from "vitest";
import { addressOf } from "../../src/connections/postgres/address.ts";
import { PostgresParser } from "../../src/connections/postgres/parser.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { POSTGRES_ATTACKS, POSTGRES_HONEST } from "./attacks-postgres.ts";
import { after } from "./place.ts";
import { codeOf, refusal } from "./postgres-world.ts";

const parser = new PostgresParser({ after });
afterAll(() => parser.close());

describe("PostgreSQL's parser", () => {
  it("calls each attack a write", async () => {
    expect(POSTGRES_ATTACKS.length).toBeGreaterThanOrEqual(60);
    const passed: string[] = [];
    for (const sql of POSTGRES_ATTACKS) {
      const { does } = await parser.classify(sql, "tok_anna").catch(() => ({ does: "no SQL" }));
      if (does === "reads") passed.push(sql);
    }
    expect(passed).toEqual([]);
  });

  it("calls no reading a write, whatever words it holds", async () => {
    for (const sql of POSTGRES_HONEST)
      expect({ sql, ...(await parser.classify(sql, "tok_anna")) }).toEqual({ sql, does: "reads" });
  });

  it("says why", async () => {
    const cases: readonly (readonly [string, string])[] = [
      ["WITH d AS (DELETE FROM t RETURNING 1) SELECT 1", "it would do more than read: DELETE"],
      ["SELECT * INTO x FROM t", "it would do more than read: SELECT INTO makes a table"],
      ["SELECT 1 FOR UPDATE", "it would do more than read: FOR UPDATE and FOR SHARE lock rows"],
      ["SELECT pg_catalog.nextval('s')", "it would do more than read: the function nextval"],
      ["SELECT 1; SELECT 2", "it holds more than one statement; send one at a time"],
      ["EXPLAIN ANALYZE SELECT 1", "EXPLAIN with ANALYZE is not run; EXPLAIN alone is"],
      ["EXPLAIN DELETE FROM t", "EXPLAIN of DELETE"],
      ["CREATE EXTENSION x", "it would do more than read: CreateExtension"],
    ];
    for (const [sql, reason] of cases)
      expect({ sql, ...(await parser.classify(sql, "tok_anna")) }).toEqual({ sql, does: "writes", reason });
  });

  it("tells where a statement is wrong, in characters", async () => {
    expect(await refusal(parser.classify("SELECT 'ü🙂', FROM x", "tok_anna"))).toEqual({
      code: "invalid_request",
      message: 'syntax error at or near "FROM"',
      details: { sqlstate: "42601", position: 14 },
    });
    expect(await codeOf(parser.classify("-- nothing", "tok_anna"))).toBe("invalid_request");
    expect(await parser.classify("SELECT 1\0; DELETE FROM t", "tok_anna")).toMatchObject({ does: "writes" });
  });

  it("survives what nests too deep, again and again", async () => {
    const deep = [
      `SELECT ${"1+".repeat(49_000)}1`,
      "SELECT (".repeat(8_000) + "SELECT 1" + ")".repeat(8_000),
      `SELECT ${"(".repeat(45_000)}1${")".repeat(45_000)}`,
    ];
    for (const sql of [...deep, ...deep]) {
      const [broken, honest] = await Promise.all([
        codeOf(parser.classify(sql, "tok_anna")),
        parser.classify("SELECT 1", "tok_anna"),
      ]);
      expect(["invalid_request", 'not refused: {"does":"reads"}']).toContain(broken);
      expect(honest).toEqual({ does: "reads" });
      expect(await parser.classify("SELECT a FROM t WHERE b IN (SELECT c FROM d)", "tok_anna")).toEqual({
        does: "reads",
      });
    }
  });
});

describe("many at once", () => {
  it("have each their own time, and no more wait than may", async () => {
    const slow = `SELECT ${"a, ".repeat(20_000)}1`;
    let running = 0;
    let most = 0;
    const counted = new PostgresParser({
      after: (ms, callback) => {
        running += 1;
        most = Math.max(most, running);
        const stop = after(ms, callback);
        return () => {
          running -= 1;
          stop();
        };
      },
    });
    const asked = Array.from({ length: LIMITS.connectionQueue + 1 }, (_, index) =>
      codeOf(counted.classify(index < 3 ? slow : "SELECT 1", `tok_${index % 3}`)),
    );
    const codes = await Promise.all(asked);
    expect({ refused: codes.filter((code) => code === "queue_full").length, most, running }).toEqual({
      refused: 1,
      most: 1,
      running: 0,
    });
    await counted.close();
    expect(await codeOf(counted.classify("SELECT 1", "tok_0"))).toBe("invalid_request");
  });
});

describe("PostgreSQL addresses", () => {
  it("are encrypted and checked unless they stay on this machine, or it is said otherwise", () => {
    const cases: readonly (readonly [string, object])[] = [
      ["postgres://u@db.example.org/d", { host: "db.example.org", port: 5432, ssl: { rejectUnauthorized: true } }],
      ["postgresql://u@db:6000/d?sslmode=require", { host: "db", port: 6000, ssl: { rejectUnauthorized: false } }],
      ["postgres://u@db/d?sslmode=disable", { host: "db", port: 5432, ssl: false }],
      ["postgres://u@127.0.0.1/d", { host: "127.0.0.1", port: 5432, ssl: false }],
      [
        "postgres://u@localhost/d?sslmode=verify-full",
        { host: "localhost", port: 5432, ssl: { rejectUnauthorized: true } },
      ],
      ["postgres://u@[::1]/d", { host: "::1", port: 5432, ssl: false }],
      ["postgres://u@localhost/d?host=/run/postgresql", { host: "/run/postgresql", port: 5432, ssl: false }],
    ];
    for (const [url, expected] of cases) expect(addressOf(url)).toEqual({ user: "u", database: "d", ...expected });
    expect(addressOf("postgres://a%40b@h/my%20db")).toMatchObject({ user: "a@b", database: "my db" });
  });
});
