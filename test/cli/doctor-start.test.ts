import { cp, mkdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judgeSpace } from "../../src/cli/doctor/start.ts";
import { openTestApp, runScript, script } from "../support/app.ts";
import { sample } from "../support/sample.ts";
import { makePlace, type Place as Homes } from "../support/server.ts";
import { until } from "../support/until.ts";
import { Place } from "./place.ts";

interface Report {
  readonly checks: readonly { name: string; state: string; found: string; advice?: string }[];
}

async function failures(home: string): Promise<{ readonly code: number | string; readonly failed: readonly string[] }> {
  await using place = new Place();
  const { code, stdout } = await place.run(["--home", home, "doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as Report;
  return { code, failed: checks.filter(({ state }) => state === "fail").map(({ name, found }) => `${name}: ${found}`) };
}

const said = { prompt: { text: script({ say: "Stored." }) } };

/** What happens to a home as a killed server leaves it: everything is in the log, and the record knows of it. */
const HURT: Readonly<Record<string, (home: string) => Promise<unknown>>> = {
  "the log is cut": async (home) => {
    const log = join(home, "sallyport.db-wal");
    await truncate(log, Math.floor((await stat(log)).size / 2));
  },
  "a byte of the log is flipped": async (home) => {
    const log = join(home, "sallyport.db-wal");
    const bytes = await readFile(log);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
    await writeFile(log, bytes);
  },
  "the database is removed": (home) =>
    Promise.all(["", "-wal"].map((end) => rm(join(home, `sallyport.db${end}`), { force: true }))),
  "the database is a link to nothing": async (home) => {
    await rm(join(home, "sallyport.db"));
    await symlink("/nonexistent/x.db", join(home, "sallyport.db"));
  },
  "the database is a folder": (home) => replace(join(home, "sallyport.db"), "folder"),
  "the record is of another database": (home) =>
    writeFile(join(home, "sallyport.db.record"), JSON.stringify({ instance: "another", commits: 1 })),
  "the lock is garbage": (home) => writeFile(join(home, "sallyport.db.lock"), "garbage".repeat(1_000)),
  "the lock is a folder": (home) => replace(join(home, "sallyport.db.lock"), "folder"),
  "instance is a folder": (home) => replace(join(home, "instance"), "folder"),
  "server.json is a folder": (home) => replace(join(home, "server.json"), "folder"),
  "webhook.key is a folder": (home) => replace(join(home, "webhook.key"), "folder"),
  "push.key is a folder": (home) => replace(join(home, "push.key"), "folder"),
  "model.sock is a file": (home) => replace(join(home, "model.sock"), "file"),
  "model.sock is a folder": (home) => replace(join(home, "model.sock"), "folder"),
  "policy.yaml is cut": (home) =>
    writeFile(join(home, "policy.yaml"), "default_profile: team\nprofiles:\n  team: {aut", { mode: 0o600 }),
};

async function replace(path: string, kind: "file" | "folder"): Promise<void> {
  await rm(path, { recursive: true, force: true });
  if (kind === "file") await writeFile(path, "x", { mode: 0o600 });
  else await mkdir(join(path, "inner"), { recursive: true, mode: 0o700 });
}

describe("doctor fails where a server does not start", () => {
  let whole: Homes;
  beforeAll(async () => {
    whole = await makePlace();
    await using app = await openTestApp({}, { store: { tuning: { tendMs: 1_000_000, reserveBytes: 0 } } });
    for (let turn = 0; turn < 3; turn += 1) await runScript(app.client, said);
    await mkdir(whole.home, { mode: 0o700 });
    const copy = (name: string) => cp(join(app.place.home, name), join(whole.home, name), { recursive: true });
    for (const name of ["sallyport.db", "sallyport.db-wal", "sallyport.db.lock", "instance"]) await copy(name);
    await app.stop();
    await copy("sallyport.db.record");
  });
  afterAll(() => whole.remove());

  test("but not of a home that a killed server left whole", async () => {
    expect(await failures(whole.home)).toEqual({ code: 0, failed: [] });
  });

  test("or starts and cannot keep long output", async () => {
    await using place = new Place();
    const home = join(place.folder, "copy");
    await cp(whole.home, home, { recursive: true });
    await replace(join(home, "output"), "file");
    expect(await failures(home)).toEqual({ code: 1, failed: [`start: ${join(home, "output")} is no folder`] });
  });

  test.each(["search.db", "search.db-wal"])("or starts and cannot search, because %s is a folder", async (name) => {
    await using place = new Place();
    const home = join(place.folder, "copy");
    await cp(whole.home, home, { recursive: true });
    await replace(join(home, name), "folder");
    expect(await failures(home)).toEqual({ code: 1, failed: [`start: ${join(home, name)} is no file`] });
  });

  test.each(sample(Object.entries(HURT), 3))("%s", async (_what, hurt) => {
    let home = "";
    let found: Awaited<ReturnType<typeof failures>> | undefined;
    const opening = openTestApp(
      {},
      {
        prepare: async (place) => {
          home = place.home;
          await cp(whole.home, home, { recursive: true });
          await hurt(home);
          found = await failures(home);
          return async () => undefined;
        },
      },
    );
    // The start after it is refused, too: doctor has changed nothing.
    const refused = await opening.then(
      async (app) => app[Symbol.asyncDispose]().then(() => "started"),
      (error: unknown) => (error instanceof Error ? "refused" : "?"),
    );
    await rm(join(home, ".."), { recursive: true, force: true });
    expect([refused, found?.code, found?.failed.length]).toEqual(["refused", 1, 1]);
  });
});

test("doctor fails where a running server takes no work, in the server's words", async () => {
  await using app = await openTestApp({}, { store: { tuning: { tendMs: 10, reserveBytes: 0, closeMs: 10 } } });
  await runScript(app.client, said);
  const { home } = app.place;
  expect((await failures(home)).failed).toEqual([]);
  await rm(join(home, "sallyport.db"));
  await until(async () => (await app.client.health()).store === "stalled");
  const { code, failed } = await failures(home);
  expect([code, failed.find((line) => line.startsWith("server"))]).toEqual([
    1,
    expect.stringContaining("takes no new work: The database was removed, replaced or overwritten on the disk"),
  ]);
});

test.each([
  [{ bavail: 1_000_000, bsize: 4_096, files: 100_000, ffree: 50_000 }, []],
  [{ bavail: 1_000, bsize: 4_096, files: 100_000, ffree: 50_000 }, ["fail"]],
  [{ bavail: 1_000_000, bsize: 4_096, files: 100_000, ffree: 0 }, ["fail"]],
  [{ bavail: 1_000_000, bsize: 4_096, files: 100_000, ffree: 999 }, ["warn"]],
  // A file system that counts no files.
  [{ bavail: 1_000_000, bsize: 4_096, files: 0, ffree: 0 }, []],
])("what the disk has left: %j", (space, states) => {
  expect(judgeSpace(space).map(({ state }) => state)).toEqual(states);
});
