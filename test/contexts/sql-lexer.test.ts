import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifySql, withoutLeadingComments } from "../../src/contexts/index.ts";
import { lexSql, significant } from "../../src/contexts/sql-lexer.ts";
import { testedSql } from "../../src/contexts/sql-limit.ts";

const SEED = { seed: 6, numRuns: 2_000 };

/** Pieces that say LIMIT without being one, and other pieces that a query can hold between its words. */
const HIDDEN = [
  "'limit 5'",
  "'it''s limit 5'",
  "E'\\' limit 5'",
  '"LIMIT"',
  '"a"" limit 5"',
  "`limit`",
  "-- limit 5\n",
  "/* limit 5 */",
  "/* /* */ limit 5 */",
  "$$ limit 5 $$",
  "$q$ $$ limit 5 $q$",
  "(select 1 limit 5)",
  "rate_limit",
  "limit_2",
  "t.limit",
  "x AS limit",
  "limits",
  "LIMITÉ",
];

describe("the pieces of SQL", () => {
  test("joined they are the text, whatever it is", () => {
    const mark = fc.constantFrom(...`'"\`$();-/*\\eE[]1.a_ \n\r\té`.split(""), "limit", "--", "/*", "*/", "$$", "$a$");
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 60 }), (marks) => {
        const sql = marks.join("");
        const tokens = lexSql(sql);
        expect(tokens.map(({ text }) => text).join("")).toBe(sql);
        expect(tokens.every(({ text, depth }) => text !== "" && depth >= 0)).toBe(true);
        // Only the last piece can be open.
        expect(tokens.slice(0, -1).every(({ closed }) => closed)).toBe(true);
      }),
      SEED,
    );
  });

  test.for([
    ["select E'a\\'b' x", ["select", "E'a\\'b'", "x"]],
    ["'a''b'", ["'a''b'"]],
    ["$tag$ a $$ b $tag$ c", ["$tag$ a $$ b $tag$", "c"]],
    ["$1+a", ["$", "1", "+", "a"]],
    ["/* a /* b */ c */ d", ["d"]],
    ["a -- b\r\nc", ["a", "c"]],
    ["1.5e-3 .5 0xFF a1", ["1.5e-3", ".5", "0xFF", "a1"]],
    ["nameE'x'", ["nameE", "'x'"]],
  ] as const)("%s", ([sql, pieces]) => {
    expect(significant(lexSql(sql)).map(({ text }) => text)).toEqual(pieces);
  });
});

describe("a limit", () => {
  test("is added whatever strings, names, comments and subqueries say", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HIDDEN), { maxLength: 8 }), (pieces) => {
        const sql = `select ${pieces.join(" , ")} from t where x = 1`;
        expect(testedSql(sql).sql).toBe(`${sql} LIMIT 11`);
        expect(testedSql(`${sql} ; -- limit 3`).sql).toBe(`${sql} LIMIT 11`);
      }),
      SEED,
    );
  });

  test("of its own stays, whatever stands around it", () => {
    const limit = fc.constantFrom("limit 5", "LIMIT 5 OFFSET 2", "Limit all", "limit (2+3)", "limit $1", "limit ?");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HIDDEN), { maxLength: 6 }), limit, (pieces, own) => {
        const sql = `select ${pieces.join(" , ")} from t ${own}`;
        expect(testedSql(sql).sql).toBe(sql);
        expect(testedSql(`${sql};`).sql).toBe(sql);
      }),
      SEED,
    );
  });

  test.for([
    ["select 1;", "select 1 LIMIT 11"],
    ["  select 1 ;  ", "select 1 LIMIT 11"],
    ["select 1;;", "select 1; LIMIT 11"],
    ["select 1 -- all of it", "select 1 LIMIT 11"],
    ["select a from t fetch first 5 rows only", "select a from t fetch first 5 rows only"],
    ["select top 5 a from t", "select top 5 a from t"],
    ["select top from t", "select top from t LIMIT 11"],
    ["select a from t limit 1; select b from u", "select a from t limit 1; select b from u LIMIT 11"],
    ["with a as (select 1 limit 1) select * from a", "with a as (select 1 limit 1) select * from a LIMIT 11"],
    ["with a as (select 1) delete from b", "with a as (select 1) delete from b"],
    ["(select 1 limit 2)", "(select 1 limit 2) LIMIT 11"],
    ["explain select 1", "explain select 1"],
    ["pragma table_info(t)", "pragma table_info(t)"],
    ["select 'open", "select 'open LIMIT 11"],
    ["", ""],
    [" ; ", ""],
  ] as const)("%s", ([sql, tested]) => {
    expect(testedSql(sql).sql).toBe(tested);
  });
});

describe("what SQL of an unknown database does", () => {
  test.for([
    "select * from a where b = 'drop table x; delete'",
    'select "delete", t.update from t -- drop it\n',
    "with a as (select 1) select * from a;",
    "(select 1) union (select 2)",
    "select created_at, last_update, /* insert */ deleted from t",
    "show tables",
    "explain select 1",
    "select a[1] from t; select 2",
    "select a #> b from #t\nwhere c = 'd'",
    "select 1 -- a\r\n, 2",
  ])("reads: %s", (sql) => expect(classifySql(sql)).toBe("reads"));

  test.for([
    "",
    "drop table a",
    "select 1; drop table a",
    "select 1 drop table a",
    "select * into b from a",
    "with gone as (delete from a returning *) select * from gone",
    "explain analyze delete from a",
    "DeLeTe\nfrom a",
    "select/**/1;/**/truncate/**/a",
    "exec sp_who",
    "sp_who",
    "call p()",
    "select * from a for update",
    // Dialects differ on where these end.
    "select 'a\\'; drop table x; -- '",
    'select "a\\"; drop table x; -- "',
    "select 1 /*! ; drop table x */",
    "select 1 --1; drop table x",
    "select /* /* */ 1; drop table x -- */",
    "select $$ a $$",
    "select [a'b]; drop table x -- '",
    "select 1 # '\n; drop table x -- '",
    "select 1 # '\n into outfile \"/tmp/x\" # '",
    "select 1 #/*\n; drop table x -- */",
    "select 1 -- a\r'\n; drop table x -- '",
    "select q'[ ' ]'; drop table x -- '",
    "select 'open",
  ])("asks: %s", (sql) => expect(classifySql(sql)).toBe("writes"));

  test("a statement that writes is seen between any pieces", () => {
    const around = fc.array(fc.constantFrom(...HIDDEN.slice(0, 6), "1", "a", ",", "(", ")"), { maxLength: 8 });
    const verb = fc.constantFrom("DELETE FROM x", "drop table x", "Update x set a = 1", "insert into x values (1)");
    fc.assert(
      fc.property(around, verb, around, (before, write, after) => {
        expect(classifySql(`select ${before.join(" ")} ; ${write} ; ${after.join(" ")}`)).toBe("writes");
      }),
      SEED,
    );
  });
});

describe("comments at the top of a statement", () => {
  test.each([
    ["select 1", "select 1"],
    ["  \n-- input: string x\n--name: other\r\n/* a */ select 1 -- end", "select 1 -- end"],
    ["--connection: Other\rselect 1", "select 1"],
    ["/*! delete from t */ select 1", "/*! delete from t */ select 1"],
    ["-- a\n/* /* */ select 1", "/* /* */ select 1"],
    ["-- a\n/* /* */ */ select 1", "/* /* */ */ select 1"],
    ["'-- a'", "'-- a'"],
    ["-- only", ""],
  ])("%j is run as %j", (sql, run) => {
    expect(withoutLeadingComments(sql)).toBe(run);
  });
});
