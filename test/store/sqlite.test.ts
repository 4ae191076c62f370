import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS, USAGE_GROUPS } from "../../src/protocol/index.ts";
import { type SqliteDatabase, loadSqlite } from "../../src/store/sqlite/binding.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { fromRow } from "../../src/sessions/core/state.ts";
import {
  documentRow,
  codes,
  eventRow,
  principal,
  reservationRow,
  seqs,
  sessionRow,
  usageRow,
} from "../conformance/store-rows.ts";

/** Takes the step of the schema back that brought limits of tokens. */
const UNDO_TOKENS = `
  DROP INDEX principals_by_time; DROP INDEX principals_by_maker; DROP INDEX principals_by_expiry;
  DROP INDEX sessions_active_by_token;
  ALTER TABLE sessions DROP COLUMN token_parents; ALTER TABLE principals DROP COLUMN principal_id;
  ALTER TABLE principals DROP COLUMN bounds; ALTER TABLE principals DROP COLUMN expires_at;
  ALTER TABLE principals DROP COLUMN last_used_at; ALTER TABLE principals DROP COLUMN made_with;
`;

/** The same for the step that brought API keys. */
const UNDO_KEYS = `
  DROP TABLE keys; ALTER TABLE reservations DROP COLUMN key_id;
  CREATE TABLE usage_before AS SELECT day, session, turn, agent, engine, provider, model, requests, input, output,
    cache_read, cache_write, cache_write_1h, reasoning, web_searches, cost_microusd, bound_microusd FROM usage;
  DROP TABLE usage; ALTER TABLE usage_before RENAME TO usage;
`;

describe("SQLite store", () => {
  let folder: string;
  let path: string;
  const opened: Store[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-sqlite-"));
    path = join(folder, "a", "home", "sallyport.db");
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });

  async function open(options: Partial<Parameters<typeof openSqliteStore>[0]> = {}): Promise<Store> {
    const onFatal = (error: Error) => {
      throw error;
    };
    const store = await openSqliteStore({ path, onFatal, ...options });
    opened.push(store);
    return store;
  }

  /** A connection beside the store's. */
  async function plain<Answer>(use: (database: SqliteDatabase) => Answer | Promise<Answer>): Promise<Answer> {
    const database = (await loadSqlite())(path);
    try {
      return await use(database);
    } finally {
      database.close();
    }
  }

  const numberOf = (database: SqliteDatabase, pragma: string) =>
    Object.values(database.prepare(`PRAGMA ${pragma}`).get() as Record<string, number>)[0];

  describe("files", () => {
    it("are their owner's alone, also when they were not before", async () => {
      await (await open()).close();
      await chmod(path, 0o644);
      await (await open()).commit({ events: [eventRow("ses_1", 1)] });
      const files = ["", "-wal", "-shm", ".lock", ".pid"].map((end) => path + end);
      const modes = await Promise.all([dirname(path), ...files].map(async (file) => (await stat(file)).mode & 0o777));
      expect(modes).toEqual([0o700, ...files.map(() => 0o600)]);
    });

    it("are one store by whatever name", async () => {
      await open();
      const link = join(folder, "link.db");
      await symlink(path, link);
      expect(await codes([openSqliteStore({ path: link, onFatal: () => {} })])).toEqual(["conflict"]);
    });

    it("are whole in the database when the store is closed", async () => {
      const store = await open();
      await store.commit({ events: [eventRow("ses_1", 1)] });
      await store.close();
      const log = await stat(`${path}-wal`).catch(() => ({ size: 0 }));
      expect(log.size).toBe(0);
      await expect(stat(`${path}.pid`)).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("that cannot be made are told by name", async () => {
      await writeFile(join(folder, "file"), "");
      const asked = openSqliteStore({ path: join(folder, "file", "sallyport.db"), onFatal: () => {} });
      await expect(asked).rejects.toMatchObject({ name: "Failure", code: "store_failed" });
    });

    it("that are no database are refused and left alone", async () => {
      path = join(folder, "notes.txt");
      const notes = "These are my notes. ".repeat(100);
      await writeFile(path, notes);
      await expect(open()).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining(path) as unknown,
      });
      expect(await readFile(path, "utf8")).toBe(notes);
    });
  });

  describe("migrations", () => {
    beforeEach(() => {
      path = join(folder, "sallyport.db");
    });

    it("take a database of version 0 to the tables of this one", async () => {
      await plain((database) => database.exec("PRAGMA user_version = 0; VACUUM"));
      const store = await open();
      await store.commit({ events: [eventRow("ses_1", 1)] });
      expect(await seqs(store, "ses_1")).toEqual([1]);
      await store.close();
      expect(await plain((database) => numberOf(database, "user_version"))).toBeGreaterThan(0);
    });

    it("take a database of version 1 along, with all that is in it", async () => {
      const first = await open();
      await first.commit({ events: [eventRow("ses_1", 1)] });
      await first.close();
      await plain((database) =>
        database.exec(`
          DROP TABLE reservations; DROP TABLE accounts; DROP TABLE usage; DROP TABLE keys; DROP INDEX sessions_active;
          ${UNDO_TOKENS}
          DROP INDEX audit_by_principal; DROP TABLE store_state; DROP TABLE deleted_sessions; DROP INDEX sessions_forks;
          ALTER TABLE sessions DROP COLUMN engine; ALTER TABLE sessions DROP COLUMN search;
          PRAGMA user_version = 1;
        `),
      );
      await rm(`${path}.record`);
      const store = await open();
      await store.commit({ spending: [{ account: "total", amount: 1 }] });
      expect([await seqs(store, "ses_1"), await store.read.spent("total")]).toEqual([[1], 1]);
      // Before that, a copy was made.
      expect((await stat(`${path}.before-version-8`)).mode & 0o777).toBe(0o600);
    });

    it("keep the tokens and sessions of a database of version 5, without limits", async () => {
      const first = await open();
      const [token, row] = [principal({ id: "tok_old" }), sessionRow({ id: "ses_1", state: '{"id":"ses_1"}' })];
      await first.commit({ principals: [token], sessions: [row] });
      await first.close();
      await plain((database) => database.exec(`${UNDO_KEYS} ${UNDO_TOKENS} PRAGMA user_version = 5`));
      const store = await open();
      expect(await store.read.principalByHash(token.token_hash)).toEqual(token);
      expect(fromRow((await store.read.session("ses_1")) ?? row)).toEqual({
        id: "ses_1",
        ancestors: [],
        token: { bounds: {}, parents: [] },
      });
    });

    it("name micro-USD in what version 6 stored, and leave objects of callers as they are", async () => {
      const first = await open();
      const schema = { properties: { max_cost_usd: { type: "number" } } };
      const limits = (name: string): object => ({ [name]: 5, note: 'says "max_cost_usd":', output_schema: schema });
      const events = [
        eventRow("ses_1", 1, { type: "turn.started", body: JSON.stringify({ prompt: limits("max_cost_usd") }) }),
        eventRow("ses_1", 2, { type: "item.started", body: JSON.stringify({ prompt: limits("max_cost_usd") }) }),
        eventRow("ses_1", 3, { type: "turn.queued", body: "damaged" }),
      ];
      const state = { settings: limits("max_cost_usd"), turn: limits("max_cost_usd") };
      const row = sessionRow({ id: "ses_1", state: JSON.stringify(state) });
      const documents = [
        [
          "policy",
          { profiles: { a: { max_cost_usd: 1, max_cost_usd_per_day: 2 } }, budget: { per_day_usd: 3, total_usd: 4 } },
        ],
        [
          "templates",
          [
            { id: "t", session: limits("max_cost_usd") },
            { id: "u", session: {} },
          ],
        ],
      ].map(([name, body]) => documentRow({ name: name as string, body: JSON.stringify(body) }));
      await first.commit({ events, sessions: [row], documents });
      await first.close();
      await plain((database) => database.exec(`${UNDO_KEYS} PRAGMA user_version = 6`));
      const store = await open();
      const found = (await store.read.session("ses_1"))?.state ?? "{}";
      expect(JSON.parse(found)).toEqual({ settings: limits("max_cost_microusd"), turn: limits("max_cost_microusd") });
      const rows = await store.read.events({ session_id: "ses_1", after: 0, limit: 5 });
      expect(rows.map(({ body }) => body)).toEqual([
        JSON.stringify({ prompt: { note: 'says "max_cost_usd":', output_schema: schema, max_cost_microusd: 5 } }),
        events[1]?.body,
        expect.stringContaining("damaged in the database"),
      ]);
      const bodyOf = async (name: string): Promise<unknown> =>
        JSON.parse((await store.read.documents({ name, limit: 1 }))[0]?.body ?? "null");
      expect(await bodyOf("policy")).toEqual({
        profiles: { a: { max_cost_microusd: 1, max_cost_microusd_per_day: 2 } },
        budget: { per_day_microusd: 3, total_microusd: 4 },
      });
      expect(await bodyOf("templates")).toEqual([
        { id: "t", session: limits("max_cost_microusd") },
        { id: "u", session: {} },
      ]);
    });

    it("keep the usage and reservations of version 7, which no API key made", async () => {
      const first = await open();
      const reservation = reservationRow({ id: "req_1" });
      const usage = [usageRow({ requests: 3, cost_microusd: 7 }), usageRow({ turn: "", requests: 2 })];
      await first.commit({ reservations: [reservation], usage });
      await first.close();
      await plain((database) => database.exec(`${UNDO_KEYS} PRAGMA user_version = 7`));
      const store = await open();
      expect(await store.read.usage({ by: USAGE_GROUPS, limit: 9 })).toEqual([usage[1], usage[0]]);
      expect(await store.read.reservations()).toEqual([reservation]);
      expect(await store.read.keys({ limit: 9 })).toEqual({ rows: [] });
    });

    it("find the sessions of a database of version 2", async () => {
      const first = await open();
      const state = {
        title: "Mend the Gate",
        settings: { engine: "loop", workspace: "/Srv/a" },
        created_by: { name: "Zoe" },
      };
      const row = sessionRow({ id: "ses_1", state: JSON.stringify(state) });
      await first.commit({ sessions: [row] });
      await first.close();
      await plain((database) =>
        database.exec(`
          ${UNDO_KEYS} ${UNDO_TOKENS}
          DROP INDEX audit_by_principal; DROP TABLE store_state; DROP TABLE deleted_sessions; DROP INDEX sessions_forks;
          ALTER TABLE sessions DROP COLUMN engine; ALTER TABLE sessions DROP COLUMN search;
          PRAGMA user_version = 2;
        `),
      );
      await rm(`${path}.record`);
      const store = await open();
      const { rows } = await store.read.sessions({ engine: "loop", words: ["mend", "/srv", "zoe", "ses_1"], limit: 5 });
      expect(rows).toEqual([{ ...row, engine: "loop", search: "ses_1\nmend the gate\n/srv/a\nzoe" }]);
    });

    it("refuse a newer database and leave it as it is", async () => {
      await plain((database) => database.exec("CREATE TABLE tomorrow (a); PRAGMA user_version = 999"));
      const before = await readFile(path);
      await expect(open()).rejects.toMatchObject({
        name: "Failure",
        code: "unsupported",
        message: expect.stringContaining("newer Sallyport (database version 999") as unknown,
      });
      expect((await readFile(path)).equals(before)).toBe(true);
      expect(await plain((database) => numberOf(database, "user_version"))).toBe(999);
    });

    it("happen whole or not at all", async () => {
      await plain((database) => database.exec("CREATE TABLE documents (a)"));
      expect(await codes([open()])).toEqual(["store_failed"]);
      const tables = await plain((database) =>
        database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all(),
      );
      expect(tables).toEqual([expect.objectContaining({ name: "documents" })]);
      await plain((database) => database.exec("DROP TABLE documents"));
      expect(await codes([open()])).toEqual(["ok"]);
    });
  });

  describe("group commit", () => {
    it("shares one transaction among the writes of a turn of the event loop, up to its limit", async () => {
      const commits: number[] = [];
      const store = await open({ onCommit: ({ writes }) => commits.push(writes) });
      const ask = (session: string, count: number) =>
        Array.from({ length: count }, (_, index) => store.commit({ events: [eventRow(session, index + 1)] }));
      await Promise.all(ask("ses_1", 500));
      await Promise.all(ask("ses_2", LIMITS.storeBatchWrites * 2 + 500));
      expect(commits).toEqual([500, LIMITS.storeBatchWrites, LIMITS.storeBatchWrites, 500]);
    });

    it("answers no write before its transaction is on the disk", async () => {
      const store = await open();
      const seen: number[] = [];
      await plain(async (other) => {
        const count = other.prepare("SELECT count(*) AS n FROM events");
        const asked = [1, 2, 3].map(async (seq) => {
          await store.commit({ events: [eventRow("ses_1", seq)] });
          seen.push((count.get() as { readonly n: number }).n);
        });
        await Promise.all(asked);
      });
      expect(seen).toEqual([3, 3, 3]);
    });

    it("waits while another program writes", async () => {
      const store = await open();
      const asked = await plain(async (other) => {
        other.exec("BEGIN IMMEDIATE");
        const answer = store.commit({ events: [eventRow("ses_1", 1)] });
        expect(await store.read.events({ session_id: "ses_1", after: 0, limit: 1 })).toEqual([]);
        other.exec("COMMIT");
        return { answer };
      });
      await asked.answer;
      expect(await seqs(store, "ses_1")).toEqual([1]);
    });
  });

  it("gives the space of deleted sessions back to the disk, a little at a time", async () => {
    const store = await open({ tuning: { tendMs: 5, reserveBytes: 0 } });
    const body = JSON.stringify("x".repeat(100_000));
    for (let seq = 1; seq <= 40; seq += 1) await store.commit({ events: [eventRow("ses_1", seq, { body })] });
    const used = await store.read.usedBytes();
    await store.commit({ deletedSessions: ["ses_1"] });
    expect(await store.sweep(0)).toBe(40);
    expect(await store.read.usedBytes()).toBeLessThan(used / 10);
    while ((store.health().disk?.databaseBytes ?? Infinity) > used / 4)
      await new Promise((resolve) => setImmediate(resolve));
  });

  it("refuses everything, once and for all, when its writing thread dies", async () => {
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    try {
      const fatal: string[] = [];
      const store = await open({ onFatal: (error) => fatal.push(error.message) });
      await store.commit({ events: [eventRow("ses_1", 1)] });
      const worker = posted.mock.contexts[0] as Worker;
      const asked = [2, 3].map((seq) => store.commit({ events: [eventRow("ses_1", seq)] }));
      const gone = worker.terminate();
      expect(await codes(asked)).toEqual(["store_failed", "store_failed"]);
      await gone;
      expect(await codes([store.commit({ events: [eventRow("ses_1", 4)] }), store.sweep(0)])).toEqual([
        "store_failed",
        "store_failed",
      ]);
      expect(fatal).toEqual(["The store cannot write any more: its writing thread ended with code 1"]);
      expect((await seqs(store, "ses_1"))[0]).toBe(1);
      expect(await codes([store.close()])).toEqual(["ok"]);
    } finally {
      posted.mockRestore();
    }
    const again = await open();
    await again.commit({ events: [eventRow("ses_2", 1)] });
    expect(await seqs(again, "ses_2")).toEqual([1]);
  });
});
