import { copyFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSqlite } from "../../../src/store/sqlite/binding.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import { codes, eventRow } from "../../conformance/store-rows.ts";
import { openTestApp, runScript, script, type TestApp } from "../../support/app.ts";
import { makePlace } from "../../support/server.ts";
import { until } from "../../support/until.ts";

const said = { prompt: { text: script({ say: "Stored." }) } };

interface Loss {
  readonly lose: (database: string, older: string) => Promise<unknown>;
  /** What stands in the path is another file, so that the very next write finds out. */
  readonly isAnotherFile: boolean;
}

const LOSSES: Readonly<Record<string, Loss>> = {
  "the database and its log are removed": {
    lose: (database) => Promise.all(["", "-wal", "-shm"].map((end) => rm(database + end))),
    isAnotherFile: true,
  },
  "only the log is removed": { lose: (database) => rm(`${database}-wal`), isAnotherFile: true },
  "the home folder is moved away": {
    lose: (database) => rename(join(database, ".."), `${join(database, "..")}-moved`),
    isAnotherFile: true,
  },
  "the home folder is removed": {
    lose: (database) => removeHome(join(database, "..")),
    isAnotherFile: true,
  },
  "an older copy is moved over it": { lose: (database, older) => rename(older, database), isAnotherFile: true },
  "the lock is replaced, as by another server in a new folder": {
    lose: async (database) => {
      await rm(`${database}.lock`);
      await writeFile(`${database}.lock`, "");
    },
    isAnotherFile: true,
  },
  "it is cut to nothing in place": { lose: (database) => truncate(database), isAnotherFile: false },
  "its content is overwritten in place": {
    lose: (database) => writeFile(database, Buffer.alloc(65_536, 7)),
    isAnotherFile: false,
  },
};

/** At one stroke: a folder in which the server writes meanwhile cannot be emptied name by name. */
async function removeHome(home: string): Promise<void> {
  await rename(home, `${home}-removed`);
  await rm(`${home}-removed`, { recursive: true });
}

async function open(tendMs: number): Promise<TestApp> {
  return openTestApp({}, { store: { tuning: { tendMs, reserveBytes: 0, closeMs: 10 } } });
}

async function ready({ serving }: TestApp): Promise<unknown> {
  const response = await fetch(`${serving.url}/ready`);
  return { status: response.status, body: await response.json() };
}

const NOT_READY = {
  status: 503,
  body: {
    status: "not_ready",
    reasons: [
      {
        code: "store_failed",
        message:
          "The database was removed, replaced or overwritten on the disk: put it back, and start the server again.",
      },
    ],
  },
};

describe("a database that is lost under a running server", () => {
  for (const [what, { lose, isAnotherFile }] of Object.entries(LOSSES)) {
    it(`stops it from taking work when ${what}`, async () => {
      await using app = await open(10);
      const { client, place } = app;
      await runScript(client, said);
      const database = join(place.home, "sallyport.db");
      const older = join(place.workspace, "older.db");
      await copyFile(database, older);
      await runScript(client, said);
      // Folded in: what is in the file itself is what counts.
      await until(async () => (await readFile(`${database}-wal`)).length === 0);
      await lose(database, older);
      await until(async () => (await client.health()).store === "stalled");
      expect(await ready(app)).toEqual(NOT_READY);
      await expect(client.createSession(said)).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining("its database was removed, replaced or overwritten on the disk") as unknown,
      });
    });

    if (!isAnotherFile) continue;
    it(`acknowledges no write after ${what}`, async () => {
      const place = await makePlace();
      const path = join(place.home, "sallyport.db");
      const tuning = { tendMs: 1_000_000, reserveBytes: 0, closeMs: 10 };
      const store = await openSqliteStore({ path, tuning, onFatal: () => undefined });
      const older = join(place.workspace, "older.db");
      await copyFile(path, older);
      expect(await codes([store.commit({ events: [eventRow("ses_1", 1)] })])).toEqual(["ok"]);
      await lose(path, older);
      expect(await codes([store.commit({ events: [eventRow("ses_1", 2)] })])).toEqual(["store_failed"]);
      expect(store.health().stall?.cause).toBe("replaced");
      await store.close();
      await place.remove();
    });
  }

  it("writes nothing into a home that stands in its place meanwhile", async () => {
    await using app = await open(10);
    const { client, place } = app;
    await runScript(client, said);
    await removeHome(place.home);
    await mkdir(place.home, { mode: 0o700 });
    const files = [
      "sallyport.db",
      "sallyport.db-wal",
      "sallyport.db.record",
      "sallyport.db.pid",
      "server.json",
      "seen-time",
    ];
    for (const name of files) await writeFile(join(place.home, name), "another's", { mode: 0o600 });
    await until(async () => (await client.health()).store === "stalled");
    await app.stop();
    const found = await Promise.all(files.map((name) => readFile(join(place.home, name), "utf8").catch(() => "gone")));
    expect(found).toEqual(files.map(() => "another's"));
    expect((await readdir(place.home)).toSorted()).toEqual(files.toSorted());
  });

  it("keeps everything where only the log was removed: it is folded in at the end", async () => {
    await using app = await open(1_000_000);
    const { session } = await runScript(app.client, said);
    await rm(join(app.place.home, "sallyport.db-wal"));
    await app.stop();
    const copy = join(app.place.workspace, "copy.db");
    await copyFile(join(app.place.home, "sallyport.db"), copy);
    const database = (await loadSqlite())(copy);
    expect(database.prepare("SELECT id FROM sessions").all()).toEqual([{ id: session.id }]);
    database.close();
  });

  it("is left alone while another program only reads or folds the log", async () => {
    await using app = await open(10);
    await runScript(app.client, said);
    const other = (await loadSqlite())(join(app.place.home, "sallyport.db"));
    other.exec("PRAGMA busy_timeout = 5000; PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    await runScript(app.client, said);
    expect((await app.client.health()).store).toBe("ok");
  });
});
