import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS, type ConnectionConfig } from "../../src/protocol/index.ts";
import { makeSqlite, type SqlitePlace } from "../connections/place.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { hasPostgres, startPostgres, type Cluster } from "../support/postgres.ts";

const PASSWORD = "correct-horse-battery-staple";

let app: TestApp;
let place: SqlitePlace;

const refused = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    (value) => `not refused: ${JSON.stringify(value)}`,
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );
const sqlite = (extra: Partial<ConnectionConfig> = {}): ConnectionConfig =>
  ({ kind: "sqlite", path: place.path, ...extra }) as ConnectionConfig;

beforeAll(async () => {
  place = makeSqlite();
  app = await openTestApp({
    SALLYPORT_CONNECTIONS: `fixed=sqlite:${place.path}`,
    SALLYPORT_CONNECTION_PASSWORD: PASSWORD,
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  place.remove();
});

describe("connections", () => {
  it("are set, told, changed and deleted by an admin, and kept over a restart", async () => {
    const { client } = app;
    const record = await client.putConnection("books", sqlite({ name: "The books" }));
    expect(record).toMatchObject({ id: "books", source: "store", config: { kind: "sqlite", name: "The books" } });
    expect(await client.connections()).toEqual({
      connections: [
        { id: "fixed", name: "fixed", kind: "sqlite", default_catalog: "main" },
        { id: "books", name: "The books", kind: "sqlite", default_catalog: "main" },
      ],
    });
    await app.restart();
    expect(await app.client.connection("books")).toEqual(record);
    await app.client.putConnection("books", sqlite({ max_rows: 1 }));
    expect(await app.client.querySql("books", { sql: "SELECT id FROM ledger ORDER BY 1", max_rows: 50 })).toMatchObject(
      {
        rows: [[1]],
        truncated: true,
      },
    );
    await app.client.removeConnection("books");
    expect(await refused(app.client.connection("books"))).toBe("not_found");
    expect(await refused(app.client.removeConnection("books"))).toBe("not_found");
  });

  it("that were named at the start are changed there", async () => {
    const { client } = app;
    expect(await client.connection("fixed")).toMatchObject({ source: "start", updated_by: { role: "system" } });
    expect(await refused(client.putConnection("fixed", sqlite()))).toBe("conflict");
    expect(await refused(client.removeConnection("fixed"))).toBe("conflict");
  });

  it("are asked for rows, catalogs and what a statement does", async () => {
    const { client } = app;
    const answer = await client.querySql("fixed", { sql: "SELECT id, note FROM ledger WHERE id < 3 ORDER BY id" });
    expect(answer).toEqual({
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "note", type: "TEXT" },
      ],
      rows: [
        [1, "one"],
        [2, "two"],
      ],
      row_count: 2,
      truncated: false,
      elapsed_ms: expect.any(Number) as unknown,
    });
    expect(await client.catalogs("fixed")).toEqual({ catalogs: ["main"] });
    expect((await client.catalog("fixed", "main")).schemas[0]?.tables.map(({ name }) => name)).toContain("ledger");
    expect(await client.classifySql("fixed", "SELECT 1")).toEqual({ does: "reads" });
    expect(await client.classifySql("fixed", "DROP TABLE ledger")).toMatchObject({ does: "writes" });
    expect(await client.testConnection("fixed")).toMatchObject({
      id: "fixed",
      status: "ok",
      server_version: expect.any(String) as unknown,
    });
  });

  it("refuse with a code: writes, bad SQL, unknown names, bad settings", async () => {
    const { client } = app;
    expect(await refused(client.querySql("fixed", { sql: "DELETE FROM ledger" }))).toBe("forbidden");
    expect(await refused(client.querySql("fixed", { sql: "SELEC" }))).toBe("invalid_request");
    expect(await refused(client.querySql("fixed", { sql: "" }))).toBe("invalid_request");
    expect(await refused(client.querySql("none", { sql: "SELECT 1" }))).toBe("not_found");
    expect(await client.catalog("fixed", "other").catch((error: Error) => error.message)).toBe(
      "Catalog 'other' not found. Available catalogs: main",
    );
    const bad: readonly object[] = [
      { kind: "sqlite", path: "relative.db" },
      { kind: "sqlite", path: place.path, url: "postgres://u@h/d" },
      { kind: "sqlite", path: place.path, roles: [] },
      { kind: "postgres", url: "postgres://reader:secret@db/d" },
      { kind: "postgres", url: "postgres://db/d" },
      { kind: "postgres", url: "postgres://u@db/d?options=-crole=x" },
      { kind: "postgres", url: "mysql://u@db/d" },
      { kind: "postgres", url: "postgres://u@db/d", credential_env: "ANTHROPIC_API_KEY" },
      { kind: "postgres", url: "postgres://u@db/d", credential_file: "../token" },
      { kind: "postgres", url: "postgres://u@db/d", credential_env: "PGPASSWORD", credential_file: "x" },
      { kind: "postgres", url: "postgres://u@db/d", password: "x" },
    ];
    for (const config of bad) {
      const failure = await client.putConnection("bad", config as ConnectionConfig).catch((error: unknown) => error);
      expect({ config, failure }).toMatchObject({ failure: { code: "invalid_request" } });
      expect(JSON.stringify(failure)).not.toContain("secret");
    }
    expect(await refused(client.putConnection("no spaces", sqlite()))).toBe("invalid_request");
  });

  it("never give the server's own files", async () => {
    const { client, place: own } = app;
    await client.putConnection("own", sqlite({ path: join(own.home, "sallyport.db") }));
    expect(await refused(client.querySql("own", { sql: "SELECT * FROM sqlite_schema" }))).toBe("forbidden");
    expect(await client.testConnection("own")).toMatchObject({ status: "failed" });
    await client.removeConnection("own");
  });
});

describe("who may use a connection", () => {
  it("is said by its roles: admins and operators, agents only where they are named", async () => {
    const { client } = app;
    const [operator, agent, viewer] = [await app.as("operator"), await app.as("agent"), await app.as("viewer")];
    await client.putConnection("plain", sqlite());
    await client.putConnection("agents", sqlite({ roles: ["agent"] }));
    const ids = async (who: typeof client): Promise<readonly string[]> =>
      (await who.connections()).connections.map(({ id }) => id);
    expect([await ids(client), await ids(operator), await ids(agent), await ids(viewer)]).toEqual([
      ["fixed", "plain"],
      ["fixed", "plain"],
      ["agents"],
      [],
    ]);
    const sql = "SELECT 1";
    expect((await agent.querySql("agents", { sql })).rows).toEqual([[1]]);
    for (const [who, id, code] of [
      [agent, "plain", "not_found"],
      [viewer, "plain", "not_found"],
      [operator, "agents", "not_found"],
      [client, "agents", "forbidden"],
    ] as const) {
      expect(await refused(who.querySql(id, { sql }))).toBe(code);
      expect(await refused(who.classifySql(id, sql))).toBe(code);
      expect(await refused(who.catalogs(id))).toBe(code);
      expect(await refused(who.catalog(id, "main"))).toBe(code);
    }
    for (const who of [operator, agent, viewer]) {
      expect(await refused(who.putConnection("mine", sqlite()))).toBe("forbidden");
      expect(await refused(who.removeConnection("plain"))).toBe("forbidden");
      expect(await refused(who.connection("plain"))).toBe("forbidden");
      expect(await refused(who.testConnection("plain"))).toBe("forbidden");
    }
  });

  it("is said by its principals too", async () => {
    const { client } = app;
    const [anna, bert] = [await app.as("operator", "anna"), await app.as("operator", "bert")];
    await client.putConnection("hers", sqlite({ principals: [(await anna.me()).id] }));
    expect((await anna.querySql("hers", { sql: "SELECT 1" })).rows).toEqual([[1]]);
    expect(await refused(bert.querySql("hers", { sql: "SELECT 1" }))).toBe("not_found");
    await client.removeConnection("hers");
  });
});

describe("what is written down", () => {
  it("is who asked what and what came of it, shortened and without secrets", async () => {
    const anna = await app.as("operator", "Anna");
    await anna.querySql("fixed", { sql: "SELECT 42 AS answer" });
    await refused(anna.querySql("fixed", { sql: "DELETE FROM ledger" }));
    await anna.querySql("fixed", { sql: `SELECT '${app.serving.token}' -- ${"x".repeat(5_000)}` });
    const { entries } = await app.client.audit({ action: "connection.query", limit: 3 });
    const details = entries.map((entry) => entry.details as { readonly sql: string; readonly [fact: string]: unknown });
    expect(entries.map(({ by, target }) => [by.name, target])).toEqual(
      Array.from({ length: 3 }, () => ["Anna", "fixed"]),
    );
    expect(details[2]).toEqual({
      sql: "SELECT 42 AS answer",
      outcome: "ok",
      rows: 1,
      truncated: false,
      elapsed_ms: expect.any(Number) as unknown,
    });
    expect(details[1]).toMatchObject({ sql: "DELETE FROM ledger", outcome: "forbidden" });
    expect(details[0]?.sql.length).toBe(2_000);
    expect(details[0]?.sql).toContain("SELECT '[redacted]'");
    expect(details[0]?.sql).not.toContain(app.serving.token);
  });

  it("is each change of a connection", async () => {
    await app.client.putConnection("noted", sqlite());
    await app.client.removeConnection("noted");
    const { entries } = await app.client.audit({ limit: 2 });
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ["connection.delete", "noted"],
      ["connection.set", "noted"],
    ]);
  });
});

describe("a caller who goes away", () => {
  const forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  const readers = (): number =>
    execFileSync("ps", ["-o", "time=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes("connections/sqlite/child.js")).length;

  it("ends his statement, and the end of the server ends all", async () => {
    const { client } = app;
    const controller = new AbortController();
    const running = refused(client.querySql("fixed", { sql: forever }, controller.signal));
    // Behind it in the same process of the server: it runs by now.
    await client.querySql("fixed", { sql: "SELECT 1" });
    controller.abort();
    await running;
    await expect
      .poll(async () =>
        (await client.audit({ action: "connection.query", limit: 2 })).entries.map(
          ({ details }) => (details as { outcome: string }).outcome,
        ),
      )
      .toContain("aborted");
    const late = refused(client.querySql("fixed", { sql: forever }));
    await client.querySql("fixed", { sql: "SELECT 1" });
    await app.restart();
    await late;
    await expect.poll(readers).toBe(0);
  });
});

describe.skipIf(!hasPostgres)("with a real PostgreSQL", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startPostgres();
    await cluster.admin(`
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      CREATE TABLE sales (id int, amount numeric); INSERT INTO sales VALUES (1, 9.5);
      CREATE ROLE gateway LOGIN NOINHERIT PASSWORD '${PASSWORD}'; CREATE ROLE anna; CREATE ROLE bert; GRANT anna, bert TO gateway;
      GRANT SELECT ON sales TO anna;`);
    // From here on passwords are asked for.
    const file = join(cluster.folder, "data", "pg_hba.conf");
    writeFileSync(
      file,
      `local all postgres trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n`,
    );
    await cluster.admin("SELECT pg_reload_conf()");
  });

  afterAll(() => cluster[Symbol.asyncDispose]());

  it("gives each caller the rights of his database role, and nobody else any", async () => {
    const { client } = app;
    const [anna, bert, carl] = [
      await app.as("operator", "anna"),
      await app.as("operator", "bert"),
      await app.as("operator", "carl"),
    ];
    const db_roles = { [(await anna.me()).id]: "anna", [(await bert.me()).id]: "bert" };
    await client.putConnection("pg", {
      kind: "postgres",
      url: cluster.url("gateway"),
      credential_env: "SALLYPORT_CONNECTION_PASSWORD",
      db_roles,
    });
    expect(await client.testConnection("pg")).toMatchObject({ status: "ok" });
    const sql = "SELECT amount, current_user::text FROM sales";
    expect((await anna.querySql("pg", { sql })).rows).toEqual([[9.5, "anna"]]);
    expect(await refused(bert.querySql("pg", { sql }))).toBe("forbidden");
    expect(await refused(carl.querySql("pg", { sql: "SELECT 1" }))).toBe("forbidden");
    expect((await anna.catalog("pg", "postgres")).schemas).toMatchObject([
      { name: "public", tables: [{ name: "sales" }] },
    ]);
    expect((await bert.catalog("pg", "postgres")).schemas).toEqual([{ name: "public", tables: [] }]);
    expect(
      await refused(anna.querySql("pg", { sql: "WITH d AS (DELETE FROM sales RETURNING 1) SELECT * FROM d" })),
    ).toBe("forbidden");
    expect(await cluster.admin("SELECT count(*)::int AS n FROM sales")).toEqual([{ n: 1 }]);
    // A function that runs a text as SQL, written like a column: it would become anna, and read as her.
    const stolen = `SELECT a.ts_stat, b.ts_stat FROM lower('select to_tsvector(set_config(''role'', ''anna'', true))') AS a,
      lower('select to_tsvector(amount::text) from sales') AS b`;
    expect(await refused(bert.querySql("pg", { sql: stolen }))).toBe("forbidden");
  });

  it("keeps no more of the database's words than a person reads, and answers values of any depth", async () => {
    const { client } = app;
    const credential_env = "SALLYPORT_CONNECTION_PASSWORD";
    await client.putConnection("pg", {
      kind: "postgres",
      url: cluster.url("gateway"),
      credential_env,
      db_role: "anna",
    });
    const message = await client.querySql("pg", { sql: "SELECT repeat('x', 3000000)::int" }).then(
      () => "not refused",
      (error: Error) => error.message,
    );
    expect(message).toMatch(/^invalid input syntax for type integer: "x+$/);
    const { entries } = await client.audit({ action: "connection.query", limit: 1 });
    expect([message.length, JSON.stringify(entries).length < 10_000]).toEqual([LIMITS.connectionMessageChars, true]);
    const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    const sql = `SELECT '${deep(2)}'::json, (repeat('[', 6000) || repeat(']', 6000))::json`;
    expect((await client.querySql("pg", { sql })).rows).toEqual([[[[]], deep(6_000)]]);
  });

  it("takes the password from a file that only the server can read", async () => {
    const { client, place: own } = app;
    const folder = join(own.home, "connections");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "gateway");
    writeFileSync(file, `${PASSWORD}\n`, { mode: 0o644 });
    const config = {
      kind: "postgres",
      url: cluster.url("gateway"),
      credential_file: "gateway",
      db_role: "anna",
    } as const;
    await client.putConnection("pg", config);
    expect((await client.testConnection("pg")).message).toContain("chmod 600 gateway");
    chmodSync(file, 0o600);
    expect(await client.testConnection("pg")).toMatchObject({ status: "ok" });
    expect((await client.querySql("pg", { sql: "SELECT count(*) FROM sales" })).rows).toEqual([[1]]);
    await client.putConnection("pg", { ...config, credential_file: "none" });
    expect((await client.testConnection("pg")).message).toContain("does not exist");
    writeFileSync(file, "a wrong password\n", { mode: 0o600 });
    await client.putConnection("pg", config);
    expect(await client.testConnection("pg")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("password authentication failed") as unknown,
    });
    await client.putConnection("pg", { kind: "postgres", url: cluster.url("gateway") });
    expect((await client.testConnection("pg")).message).toContain("it wants a password");
  });

  it("writes no password down anywhere", async () => {
    const { client, place: own } = app;
    await client.putConnection("pg", {
      kind: "postgres",
      url: cluster.url("gateway"),
      credential_env: "SALLYPORT_CONNECTION_PASSWORD",
      db_role: "anna",
    });
    const anna = await app.as("operator", "anna");
    const answers = [
      await client.connections(),
      await client.connection("pg"),
      await client.testConnection("pg"),
      await client.querySql("pg", { sql: "SELECT 1" }),
      await anna.querySql("pg", { sql: `SELECT '${PASSWORD}' FROM nowhere` }).catch((error: unknown) => error),
      await client.audit({ limit: 100 }),
    ];
    expect(JSON.stringify(answers)).not.toContain(PASSWORD);
    await app.restart();
    for (const name of ["sallyport.db", "sallyport.db-wal"]) {
      try {
        expect(readFileSync(join(own.home, name)).includes(PASSWORD)).toBe(false);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
    }
  });
});
