import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { seqs } from "../conformance/store-rows.ts";
import { sample } from "../support/sample.ts";
import { startAppending } from "./children.ts";

const SESSIONS = ["ses_0", "ses_1", "ses_2", "ses_3"];

describe("a store that dies", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sallyport-crash-"));
    path = join(folder, "sallyport.db");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = () =>
    openSqliteStore({
      path,
      onFatal: (error) => {
        throw error;
      },
    });

  /** Every session's journal is 1, 2, 3 … without a gap, and agrees with its row. Answers the last seq of each. */
  async function lastSeqs(store: Store): Promise<Record<string, number>> {
    const last: Record<string, number> = {};
    for (const id of SESSIONS) {
      const found = await seqs(store, id);
      const session = await store.read.session(id);
      const receipt = await store.read.receipt({ principal_id: "tok_1", key: `${id}/${found.length}`, now: 0 });
      expect(found).toEqual(Array.from({ length: found.length }, (_, index) => index + 1));
      expect([session?.seq ?? 0, session?.state]).toEqual(
        found.length === 0 ? [0, undefined] : [found.length, JSON.stringify({ seq: found.length })],
      );
      expect(receipt === undefined).toBe(found.length === 0);
      last[id] = found.length;
    }
    return last;
  }

  it("keeps every event that it acknowledged, through all kills", async () => {
    const acknowledged: Record<string, number> = Object.fromEntries(SESSIONS.map((id) => [id, 0]));
    for (const answers of sample([1, 2, 3, 5, 8, 30, 55, 90, 200, 400], 4)) {
      const child = startAppending(path, { bytes: 400 });
      let heard = 0;
      for await (const said of child.says) {
        if (said.kind !== "stored") continue;
        acknowledged[said.id] = said.seq;
        heard += 1;
        // What it prints between this answer and its death is read too: the pipe outlives it.
        if (heard === answers) await child.kill();
      }
      expect(heard).toBeGreaterThanOrEqual(answers);
      const store = await open();
      const last = await lastSeqs(store);
      await store.close();
      for (const id of SESSIONS) expect(last[id]).toBeGreaterThanOrEqual(acknowledged[id] ?? 0);
    }
  });

  it("has one owner, whose lock goes with it", async () => {
    const child = startAppending(path, { bytes: 10 });
    for await (const said of child.says) {
      if (said.kind !== "open") continue;
      await expect(open()).rejects.toMatchObject({
        name: "Failure",
        code: "conflict",
        message: expect.stringContaining(`another home`) as unknown,
      });
      await expect(open()).rejects.toThrow(`Another Sallyport process (pid ${said.pid}) has this home open`);
      await child.kill();
    }
    const store = await open();
    await lastSeqs(store);
    await store.close();
  });

  it("says that it cannot write when the disk is full, and loses nothing that it acknowledged", async () => {
    const acknowledged: Record<string, number> = {};
    const ends: unknown[] = [];
    const child = startAppending(path, { bytes: 50_000, fileBlocks: 4_000 });
    for await (const said of child.says) {
      if (said.kind === "stored") acknowledged[said.id] = said.seq;
      if (said.kind === "ended") ends.push(said);
    }
    expect(ends).toEqual([
      {
        kind: "ended",
        codes: ["store_failed", "store_failed", "store_failed", "store_failed"],
        later: "store_failed",
        readable: "ses_0",
        cause: "io",
        fatal: 0,
      },
    ]);
    const store = await open();
    const last = await lastSeqs(store);
    await store.close();
    expect(last).toEqual(acknowledged);
  });
});
