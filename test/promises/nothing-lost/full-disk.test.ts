import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { faultsOf, journalOf, NO_FAULTS } from "../../support/journals.ts";
import type { Place } from "../../support/server.ts";
import { until } from "../../support/until.ts";

const RESERVE = 1_048_576;
const TUNING = { tendMs: 10, retryMs: 5, reserveBytes: RESERVE, minFreeBytes: 2 * RESERVE, closeMs: 50 };
const isRoot = process.getuid?.() === 0;

/** A home on a disk of its own. */
function diskOf(options: string): ({ home }: Place) => Promise<() => Promise<unknown>> {
  return async ({ home }) => {
    await mkdir(home, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `${options},mode=700`, "tmpfs", home]);
    return async () => execFileSync("umount", ["-l", home]);
  };
}

const smallDisk = diskOf("size=24m");

function canMount(): boolean {
  if (!isRoot) return false;
  try {
    execFileSync("mkdir", ["-p", "/tmp/sallyport-mount-probe"]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp/sallyport-mount-probe"], { stdio: "ignore" });
    execFileSync("umount", ["/tmp/sallyport-mount-probe"]);
    return true;
  } catch {
    return false;
  }
}

/** Writes until nothing more fits. */
function fill({ home }: Place): void {
  const file = openSync(join(home, "filler"), "a");
  try {
    for (let size = RESERVE; size >= 1; size = Math.floor(size / 2)) {
      const chunk = Buffer.alloc(size);
      try {
        for (;;) writeSync(file, chunk);
      } catch {
        // The next smaller piece may still fit.
      }
    }
  } finally {
    closeSync(file);
  }
}

async function untilStore({ client }: TestApp, state: string): Promise<void> {
  await until(async () => (await client.health()).store === state);
}

/** Makes files until there is no inode left. */
function fillInodes({ home }: Place): void {
  mkdirSync(join(home, "many"));
  try {
    for (let made = 0; ; made += 1) closeSync(openSync(join(home, "many", String(made)), "w"));
  } catch {
    // Nothing more can be made.
  }
}

const bash = { tool: "Bash", input: { command: "echo done >> effects.txt" } };

describe.skipIf(!canMount())("a disk that is full (needs the right to mount)", () => {
  it("of files: takes no new work while there are bytes but no inodes, and goes on when there are some", async () => {
    await using app = await openTestApp({}, { prepare: diskOf("size=64m,nr_inodes=400"), store: { tuning: TUNING } });
    const { client, place } = app;
    expect((await client.health()).store).toBe("ok");
    fillInodes(place);
    await untilStore(app, "low_space");
    const ready = await fetch(`${app.serving.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: "not_ready",
        reasons: [
          { code: "store_full", message: "The disk of the home folder has hardly room for more files (inodes)." },
        ],
      },
    ]);
    await expect(client.createSession({})).rejects.toMatchObject({
      code: "store_full",
      message:
        "The disk of the server's home folder has room for 0 more files (inodes), and new sessions and prompts need 100. " +
        "Delete files on that disk, or delete old sessions with `sallyport prune`.",
    });
    await rm(join(place.home, "many"), { recursive: true });
    await untilStore(app, "ok");
    const { id } = await client.createSession({ prompt: { text: script({ say: "Done." }) } });
    await untilTurnEnds(client, id);
  });

  it("takes no new work, lets running turns end, stops without loss, and goes on when there is space", async () => {
    await using app = await openTestApp({}, { prepare: smallDisk, store: { tuning: TUNING } });
    const { client, place } = app;
    const session = await client.createSession({ prompt: { text: script(bash, { say: "Done." }) } });
    const reserve = join(place.home, "sallyport.db.reserve");
    await until(async () => (await stat(reserve).catch(() => ({ size: 0 }))).size === RESERVE);
    fill(place);
    await untilStore(app, "low_space");
    const ready = await fetch(`${app.serving.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: "not_ready",
        reasons: [{ code: "store_full", message: "The disk of the home folder is nearly full." }],
      },
    ]);
    await expect(client.createSession({})).rejects.toMatchObject({
      code: "store_full",
      message: expect.stringContaining("Free some space there") as unknown,
      details: { retry_after_s: 60 },
    });
    await expect(client.prompt(session.id, { text: "more" })).rejects.toMatchObject({ code: "store_full" });
    // The reserve goes, and with it the turn comes to its end.
    await untilTurnEnds(client, session.id, { answer: approveWith(client) });
    expect(faultsOf(await journalOf(client, session.id))).toEqual(NO_FAULTS);
    // Without a reserve nothing can be written any more, until there is space.
    let refused: unknown;
    while (refused === undefined) {
      fill(place);
      refused = await client.createToken({ role: "viewer", name: "nobody" }).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    expect(refused).toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("its disk is full") as unknown,
    });
    await rm(join(place.home, "filler"));
    await untilStore(app, "ok");
    const { seq } = await client.session(session.id);
    await client.prompt(session.id, { text: script({ say: "Again." }) });
    await untilTurnEnds(client, session.id, { after: seq });
    expect(faultsOf(await journalOf(client, session.id))).toEqual(NO_FAULTS);
    await until(async () => (await stat(reserve).catch(() => ({ size: 0 }))).size === RESERVE);
  });
});
