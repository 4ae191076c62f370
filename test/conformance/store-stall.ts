import { describe, expect, it } from "vitest";
import type { Store } from "../../src/store/index.ts";
import { codes, eventRow, seqs } from "./store-rows.ts";
import type { OpenedStore } from "./store.ts";
import { until } from "../support/until.ts";

/** Asks until writing has stalled. */
async function untilStalled(store: Store): Promise<void> {
  await until(() => store.health().stall !== undefined);
}

/** A disk that is away: what was promised to be kept is stored later, in order; all else is refused. */
export function storeStall(opened: () => OpenedStore): void {
  describe("while nothing can be written", () => {
    it("keeps in order what must be stored, refuses the rest, and says so", async () => {
      const { store, hold } = opened();
      await store.commit({ events: [eventRow("ses_1", 1)] });
      const release = await hold();
      const caught = store.commit({ events: [eventRow("ses_2", 1)] });
      const kept = [2, 3, 4].map((seq) => store.commit({ events: [eventRow("ses_1", seq)] }, { untilStored: true }));
      expect(await codes([caught])).toEqual(["store_failed"]);
      await untilStalled(store);
      kept.push(store.commit({ events: [eventRow("ses_1", 5)] }, { untilStored: true, patient: true }));
      const refused = store.commit({ events: [eventRow("ses_2", 1)] });
      expect(await codes([refused, store.sweep(0)])).toEqual(["store_failed", "store_failed"]);
      expect(store.health()).toMatchObject({ stall: { cause: "locked" } });
      expect(store.health().waitingChars).toBeGreaterThan(0);
      // What is read is what is stored.
      expect([await seqs(store, "ses_1"), await seqs(store, "ses_2")]).toEqual([[1], []]);
      await release();
      expect(await codes(kept)).toEqual(["ok", "ok", "ok", "ok"]);
      expect(store.health()).toMatchObject({ stall: undefined, waitingChars: 0 });
      expect([await seqs(store, "ses_1"), await seqs(store, "ses_2")]).toEqual([[1, 2, 3, 4, 5], []]);
      expect(await codes([store.commit({ events: [eventRow("ses_2", 1)] })])).toEqual(["ok"]);
    });

    it("goes on by itself when nothing waits", async () => {
      const { store, hold } = opened();
      const release = await hold();
      expect(await codes([store.commit({ events: [eventRow("ses_1", 1)] })])).toEqual(["store_failed"]);
      await release();
      await until(() => store.health().stall === undefined);
      expect(await codes([store.commit({ events: [eventRow("ses_1", 1)] })])).toEqual(["ok"]);
    });

    it("closes without what it kept, which is gone whole", async () => {
      const { store, hold, reopen } = opened();
      const release = await hold();
      const kept = store.commit({ events: [eventRow("ses_1", 1)] }, { untilStored: true });
      await untilStalled(store);
      const closed = store.close();
      expect(await codes([kept, closed])).toEqual(["store_failed", "ok"]);
      await release();
      expect(await seqs(await reopen(), "ses_1")).toEqual([]);
    });
  });

  describe("a chain of writes", () => {
    it("ends with the first that is refused; other chains go on", async () => {
      const { store } = opened();
      await store.commit({ events: [eventRow("ses_1", 2)] });
      const write = (id: string, seq: number, chain?: string): Promise<void> =>
        store.commit({ events: [eventRow(id, seq)] }, { chain, untilStored: true });
      const answers = await codes([
        write("ses_1", 1, "one"),
        write("ses_1", 2, "one"),
        write("ses_1", 3, "one"),
        write("ses_2", 1, "two"),
        write("ses_3", 1),
      ]);
      expect(answers).toEqual(["ok", "conflict", "store_failed", "ok", "ok"]);
      expect(await codes([write("ses_1", 3, "one"), write("ses_1", 3, "another"), write("ses_2", 2, "two")])).toEqual([
        "store_failed",
        "ok",
        "ok",
      ]);
      expect(await seqs(store, "ses_1")).toEqual([1, 2, 3]);
    });
  });
}
