import { copyFile, cp, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { backUp } from "../../src/store/sqlite/backup.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { codes, eventRow, seqs } from "../conformance/store-rows.ts";
import { until } from "../support/until.ts";

const COMMITS = 50;

describe("a database that was lost", () => {
  let folder: string;
  /** What killed servers left, made once: each test has its own copy. */
  let left: string;
  beforeAll(async () => {
    left = await mkdtemp(join(tmpdir(), "sallyport-left-"));
    for (const name of ["home", "other"]) await leave(join(left, name));
  });
  afterAll(() => rm(left, { recursive: true, force: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-lost-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (path: string, acceptLoss = false): Promise<Store> =>
    openSqliteStore({
      path,
      acceptLoss,
      tuning: { tendMs: 1_000_000, reserveBytes: 0 },
      onFatal: (error) => {
        throw error;
      },
    });

  /** A home as a killed server leaves it: everything is in the log, and the record knows of it. */
  async function leave(home: string): Promise<void> {
    const path = join(home, "sallyport.db");
    const live = join(`${home}-live`, "sallyport.db");
    const store = await open(live);
    for (let seq = 1; seq <= COMMITS; seq += 1) await store.commit({ events: [eventRow("ses_1", seq)] });
    await mkdir(dirname(path));
    for (const end of ["", "-wal"]) await copyFile(live + end, path + end);
    await store.close();
    await copyFile(`${live}.record`, `${path}.record`);
  }

  async function leftByKill(name: "home" | "other"): Promise<string> {
    await cp(join(left, name), join(folder, name), { recursive: true });
    return join(folder, name, "sallyport.db");
  }

  const LOSSES: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    "whose file is missing": async (path) => {
      await rm(path);
      await rm(`${path}-wal`);
    },
    "whose file is empty": async (path) => {
      await truncate(path);
      await rm(`${path}-wal`);
    },
    "whose log is missing": (path) => rm(`${path}-wal`),
    "whose log was cut": async (path) => truncate(`${path}-wal`, Math.floor((await stat(`${path}-wal`)).size / 2)),
    "whose log is empty": (path) => truncate(`${path}-wal`),
    "that is another one": async (path) => {
      const other = await leftByKill("other");
      for (const end of ["", "-wal"]) await copyFile(other + end, path + end);
    },
  };

  for (const [what, lose] of Object.entries(LOSSES)) {
    it(`${what} is refused with words, and taken only when somebody says so`, async () => {
      const path = await leftByKill("home");
      await lose(path);
      const files = async () => ({
        database: (await readFile(path).catch(() => Buffer.alloc(0))).toString("base64"),
        log: (await readFile(`${path}-wal`).catch(() => Buffer.alloc(0))).toString("base64"),
      });
      const before = await files();
      await expect(open(path)).rejects.toMatchObject({
        name: "Failure",
        code: "store_failed",
        message: expect.stringMatching(
          /^The database of this home .*sallyport restore.*--accept-data-loss/s,
        ) as unknown,
      });
      // Nothing was touched, so that the files can still be put back.
      expect(await files()).toEqual(before);
      const store = await open(path, true);
      expect(await codes([store.commit({ documents: [] })])).toEqual(["ok"]);
      await store.close();
      const again = await open(path);
      await again.close();
    });
  }

  for (const what of ["whose log is missing", "whose log was cut", "that is another one"]) {
    it(`${what} is not backed up as if it were whole`, async () => {
      const path = await leftByKill("home");
      await LOSSES[what]?.(path);
      const target = join(folder, "a.backup");
      await expect(backUp({ path, target, files: [], now: 0 })).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringMatching(/^The database of this home .*sallyport backup --accept-data-loss/s) as unknown,
      });
      await expect(stat(target)).rejects.toThrow("ENOENT");
      await expect(stat(`${target}.partial`)).rejects.toThrow("ENOENT");
      const accepted = backUp({ path, target, files: [], now: 0, acceptLoss: true });
      // Everything was in the log: nothing is left that could be copied.
      if (what === "whose log is missing") return expect(accepted).rejects.toMatchObject({ code: "store_failed" });
      return expect(accepted).resolves.toEqual({
        sessions: 0,
        made_at: "1970-01-01T00:00:00.000Z",
        files: [],
        lost: expect.stringMatching(/^The database of this home /) as unknown,
      });
    });
  }

  it("is backed up without a word when a killed server's log is there", async () => {
    const path = await leftByKill("home");
    const report = await backUp({ path, target: join(folder, "a.backup"), files: [], now: 0 });
    expect(report).toEqual({ sessions: 0, made_at: "1970-01-01T00:00:00.000Z", files: [] });
  });

  it("is whole when a killed server's log is there, and nothing is said", async () => {
    const store = await open(await leftByKill("home"));
    expect((await seqs(store, "ses_1")).length).toBe(COMMITS);
    await store.close();
  });

  it("is not missed where the record cannot be read", async () => {
    const path = await leftByKill("home");
    await writeFile(`${path}.record`, "{");
    const store = await open(path);
    expect((await seqs(store, "ses_1")).length).toBe(COMMITS);
    await store.close();
  });
});

describe("the write-ahead log", () => {
  it("is folded into the database soon after the last commit", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sallyport-log-"));
    const path = join(folder, "sallyport.db");
    const store = await openSqliteStore({ path, tuning: { tendMs: 5, reserveBytes: 0 }, onFatal: () => undefined });
    try {
      await store.commit({ events: [eventRow("ses_1", 1)] });
      await until(async () => (await stat(`${path}-wal`)).size === 0);
      await until(() => store.health().disk?.walBytes === 0);
      await until(async () => (await readFile(`${path}.record`, "utf8")).includes('"commits":1'));
    } finally {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
