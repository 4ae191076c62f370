import { array, assert, asyncProperty, integer, nat, record } from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import type { EventRow, Store, Write } from "../../src/store/index.ts";
import { storeLists } from "./store-lists.ts";
import { storeMoney } from "./store-money.ts";
import { storeRegistry } from "./store-registry.ts";
import { storeStall } from "./store-stall.ts";
import {
  approval,
  auditRow,
  codes,
  documentRow,
  eventRow,
  eventRows,
  keyRow,
  principal,
  receipt,
  seqs,
  sessionRow,
  turnEvent,
} from "./store-rows.ts";

export interface OpenedStore {
  /** Empty. */
  readonly store: Store;
  /** Opens the same data once more; the test closes the first one before, or means not to. */
  readonly reopen: () => Promise<Store>;
  /** Keeps the store from writing until the answer is called. */
  readonly hold: () => Promise<() => Promise<void>>;
  /** Closes whatever is open and deletes the data. */
  readonly cleanup: () => Promise<void>;
}

/** What every store must do. A second implementation only has to be named. */
export function storeConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} store`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.cleanup());

    journalTests(() => store);
    commitTests(() => store);
    storeRegistry(() => store);
    lifeTests(() => opened);
    storeLists(() => store);
    storeMoney(() => opened);
    storeStall(() => opened);
  });
}

const RANGES = [
  { asked: { after: 0, limit: 100 }, expected: [1, 2, 3, 4, 5] },
  { asked: { after: 2, limit: 100 }, expected: [3, 4, 5] },
  { asked: { after: 2, upto: 4, limit: 100 }, expected: [3, 4] },
  { asked: { after: 2, upto: 4, limit: 1 }, expected: [3] },
  { asked: { after: 0, upto: 99, limit: 2 }, expected: [1, 2] },
  { asked: { after: 3, upto: 3, limit: 100 }, expected: [] },
  { asked: { after: 5, limit: 100 }, expected: [] },
  { asked: { after: 99, limit: 100 }, expected: [] },
];

function journalTests(store: () => Store): void {
  describe("journal", () => {
    it("reads ranges in order", async () => {
      await store().commit({ events: [...eventRows("ses_0", 1, 9), ...eventRows("ses_1", 1, 5)] });
      await store().commit({ events: eventRows("ses_2", 1, 9) });
      for (const { asked, expected } of RANGES) {
        const events = await store().read.events({ session_id: "ses_1", ...asked });
        expect({ asked, events }).toEqual({ asked, events: expected.map((seq) => eventRow("ses_1", seq)) });
      }
    });

    it("reads no events of a session that it does not know", async () => {
      expect(await store().read.events({ session_id: "ses_none", after: 0, limit: 10 })).toEqual([]);
    });

    it("starts a fork's own events behind its parent's", async () => {
      await store().commit({ events: eventRows("ses_fork", 1_000_001, 1_000_003) });
      expect(await seqs(store(), "ses_fork")).toEqual([1_000_001, 1_000_002, 1_000_003]);
    });

    it("finds the end of a turn", async () => {
      const events = [
        turnEvent("ses_1", 1, "turn.started", "turn_a"),
        turnEvent("ses_1", 2, "turn.completed", "turn_a"),
        turnEvent("ses_1", 3, "turn.started", "turn_b"),
        turnEvent("ses_1", 4, "turn.failed", "turn_b"),
        turnEvent("ses_1", 5, "turn.started", "turn_open"),
        turnEvent("ses_2", 1, "turn.completed", "turn_other"),
      ];
      await store().commit({ events });
      const ends = ["turn_a", "turn_b", "turn_open", "turn_other", "turn_none"].map((turn_id) =>
        store().read.turnEnd({ session_id: "ses_1", turn_id }),
      );
      expect(await Promise.all(ends)).toEqual([2, 4, undefined, undefined, undefined]);
    });

    it("keeps bodies exactly, whatever their size and letters", async () => {
      const events = BODIES.map((body, index) => eventRow("ses_1", index + 1, { body }));
      await store().commit({ events, documents: BODIES.map((body) => documentRow({ body })) });
      const found = await store().read.events({ session_id: "ses_1", after: 0, limit: 100 });
      const documents = await store().read.documents({ name: "policy", limit: 100 });
      // Compared one by one: a difference of megabytes is no message.
      expect(found.map(({ body }, index) => body === BODIES[index])).toEqual(BODIES.map(() => true));
      expect(documents.toReversed().map(({ body }, index) => body === BODIES[index])).toEqual(BODIES.map(() => true));
    });
  });
}

const BODIES = [
  JSON.stringify({ text: "x".repeat(5_000_000) }),
  JSON.stringify({ text: "漢".repeat(1_700_000) }),
  JSON.stringify({ text: "Ünïcödé, 漢字, עברית, 👩‍👩‍👧‍👦, e\u0301, \u2028, \uFEFF" }),
  JSON.stringify({ text: "\0 \ud800 \x1b[31m" }),
  `{"text":"'; DROP TABLE events; -- \\" ? ?1 :a @b $c"}`,
  "{}",
];

function commitTests(store: () => Store): void {
  describe("commit", () => {
    it("refuses an event that is there, and keeps the one that was", async () => {
      await store().commit({ events: [eventRow("ses_1", 1)] });
      const again = store().commit({ events: [eventRow("ses_1", 1, { body: '"another"' })] });
      await expect(again).rejects.toMatchObject({ name: "Failure", code: "conflict" });
      expect(await store().read.events({ session_id: "ses_1", after: 0, limit: 10 })).toEqual([eventRow("ses_1", 1)]);
    });

    it("stores nothing of a bad write and all of its neighbours", async () => {
      await store().commit({ events: [eventRow("ses_1", 1)] });
      const bad: Write = {
        sessions: [sessionRow({ id: "ses_bad" })],
        events: [eventRow("ses_bad", 1), eventRow("ses_1", 1), eventRow("ses_bad", 2)],
        approvals: [approval({ id: "apr_bad" })],
        receipts: [receipt({ key: "bad" })],
        principals: [principal({ id: "tok_bad" })],
        audit: [auditRow({ id: "aud_bad" })],
        documents: [documentRow({ name: "bad" })],
      };
      const answers = await codes([
        store().commit({ events: [eventRow("ses_1", 2)] }),
        store().commit(bad),
        store().commit({ events: [eventRow("ses_1", 3)], sessions: [sessionRow({ id: "ses_1", seq: 3 })] }),
      ]);
      expect(answers).toEqual(["ok", "conflict", "ok"]);
      expect({
        events: [await seqs(store(), "ses_1"), await seqs(store(), "ses_bad")],
        sessions: await store().read.sessions({ limit: 10 }),
        approval: await store().read.approval("apr_bad"),
        receipt: await store().read.receipt({ principal_id: "tok_alice", key: "bad", now: 0 }),
        principals: (await store().read.principals({ limit: 9 })).rows,
        audit: await store().read.audit({ limit: 10 }),
        documents: await store().read.documents({ name: "bad", limit: 10 }),
      }).toEqual({
        events: [[1, 2, 3], []],
        sessions: { rows: [sessionRow({ id: "ses_1", seq: 3 })] },
        approval: undefined,
        receipt: undefined,
        principals: [],
        audit: { rows: [] },
        documents: [],
      });
    });

    it("refuses alone what cannot be stored", async () => {
      for (const [index, { write, code }] of REFUSED.entries()) {
        const neighbour = { events: [eventRow("ses_good", index + 1)] };
        const answers = await codes([store().commit(write), store().commit(neighbour)]);
        expect({ write: index, answers }).toEqual({ write: index, answers: [code, "ok"] });
      }
      expect({
        events: await seqs(store(), "ses_1"),
        principals: (await store().read.principals({ limit: 9 })).rows,
        audit: await store().read.audit({ limit: 10 }),
        good: (await seqs(store(), "ses_good")).length,
      }).toEqual({ events: [], principals: [], audit: { rows: [] }, good: REFUSED.length });
    });

    it("shows a write to whoever asks after its answer", async () => {
      for (let seq = 1; seq <= 30; seq += 1) {
        await store().commit({ events: [eventRow("ses_1", seq)], sessions: [sessionRow({ id: "ses_1", seq })] });
        const [session, events] = await Promise.all([
          store().read.session("ses_1"),
          store().read.events({ session_id: "ses_1", after: seq - 1, limit: 10 }),
        ]);
        expect([session?.seq, events]).toEqual([seq, [eventRow("ses_1", seq)]]);
      }
    });

    it("keeps the order in which writes were asked for, also across turns of the event loop", async () => {
      const answered: number[] = [];
      const asked: Promise<void>[] = [];
      for (let seq = 1; seq <= 300; seq += 1) {
        if (seq % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
        const write = { sessions: [sessionRow({ id: "ses_1", seq })], events: [eventRow("ses_1", seq)] };
        asked.push(
          store()
            .commit(write)
            .then(() => void answered.push(seq)),
        );
      }
      await Promise.all(asked);
      const expected = Array.from({ length: 300 }, (_, index) => index + 1);
      expect([answered, (await store().read.session("ses_1"))?.seq]).toEqual([expected, 300]);
      expect(await seqs(store(), "ses_1")).toEqual(expected);
    });

    it("takes more at once than one transaction holds", async () => {
      const count = LIMITS.storeBatchWrites * 2 + 500;
      const writes = Array.from({ length: count }, (_, index) => ({ events: [eventRow("ses_1", index + 1)] }));
      await Promise.all(writes.map((write) => store().commit(write)));
      expect((await seqs(store(), "ses_1")).length).toBe(count);
    });

    it("stores what was asked for, not what the caller made of it later", async () => {
      const row = { ...approval({ id: "apr_1" }), input: { command: "ls" } };
      const answer = store().commit({ approvals: [row] });
      row.input.command = "rm";
      await answer;
      expect((await store().read.approval("apr_1"))?.input).toEqual({ command: "ls" });
    });

    it("does as a plain map would, for any mix of good and bad writes", async () => {
      let run = 0;
      const write = array(record({ session: nat(2), seq: integer({ min: 1, max: 6 }) }), { maxLength: 4 });
      await assert(
        asyncProperty(array(write, { maxLength: 12 }), async (writes) => {
          run += 1;
          const rows = writes.map((events) => events.map(({ session, seq }) => eventRow(`ses_${run}_${session}`, seq)));
          const expected = new Set<string>();
          const outcomes = rows.map((events) => (addAll(expected, events) ? "ok" : "conflict"));
          expect(await codes(rows.map((events) => store().commit({ events })))).toEqual(outcomes);
          const found = await Promise.all(
            [0, 1, 2].map((session) =>
              store().read.events({ session_id: `ses_${run}_${session}`, after: 0, limit: 99 }),
            ),
          );
          expect(found.flat().map(keyOf)).toEqual([...expected].sort());
        }),
        { seed: 20_260_101, numRuns: 40 },
      );
    });
  });
}

const CYCLE: { self?: unknown } = {};
CYCLE.self = CYCLE;

const REFUSED: readonly { readonly write: Write; readonly code: string }[] = [
  { write: { events: [eventRow("ses_1", 0)] }, code: "store_failed" },
  { write: { events: [eventRow("ses_1", Number.NaN)] }, code: "store_failed" },
  { write: { events: [eventRow("ses_1", 1.5)] }, code: "store_failed" },
  { write: { events: [turnEnd("{")] }, code: "store_failed" },
  { write: { audit: [auditRow({ id: "aud_1", details: CYCLE })] }, code: "store_failed" },
  { write: { principals: [principal({ id: "tok_1", name: "a\0b" })] }, code: "invalid_request" },
  { write: { receipts: [receipt({ key: "a\0b" })] }, code: "invalid_request" },
];

function turnEnd(body: string): EventRow {
  return eventRow("ses_1", 1, { type: "turn.completed", body });
}

function keyOf({ session_id, seq }: EventRow): string {
  return `${session_id}/${seq}`;
}

/** All of them or, if one is there already or twice among them, none. */
function addAll(keys: Set<string>, events: readonly EventRow[]): boolean {
  const added = new Set(events.map(keyOf));
  if (added.size < events.length || [...added].some((key) => keys.has(key))) return false;
  for (const key of added) keys.add(key);
  return true;
}

async function everything({ read }: Store): Promise<unknown> {
  return {
    sessions: await read.sessions({ limit: 100 }),
    unsettled: await read.unsettled(),
    events: await read.events({ session_id: "ses_1", after: 0, limit: 100 }),
    turnEnd: await read.turnEnd({ session_id: "ses_1", turn_id: "turn_1" }),
    approvals: await read.approvals({ limit: 100 }),
    receipt: await read.receipt({ principal_id: "tok_alice", key: "key-1", now: 0 }),
    principals: await read.principals({ limit: 100 }),
    keys: await read.keys({ limit: 100 }),
    audit: await read.audit({ limit: 100 }),
    documents: await read.documents({ name: "policy", limit: 100 }),
  };
}

function lifeTests(opened: () => OpenedStore): void {
  const full: Write = {
    sessions: [sessionRow({ id: "ses_1", seq: 2, unsettled: true, parent_id: "ses_0", parent_seq: 1 })],
    events: [eventRow("ses_1", 1), turnEvent("ses_1", 2, "turn.completed", "turn_1")],
    approvals: [approval({ id: "apr_1" })],
    receipts: [receipt()],
    principals: [principal({ id: "tok_1" })],
    keys: [keyRow({ id: "key_1" })],
    audit: [auditRow({ id: "aud_1" })],
    documents: [documentRow()],
  };

  it("has everything again when it is opened again", async () => {
    const { store, reopen } = opened();
    await store.commit(full);
    const before = await everything(store);
    await store.close();
    expect(await everything(await reopen())).toEqual(before);
  });

  it("waits for what was asked before it closes, and takes nothing after", async () => {
    const { store, reopen } = opened();
    const asked = [1, 2, 3].map((seq) => store.commit({ events: [eventRow("ses_1", seq)] }));
    const closing = [store.close(), store.close()];
    const late = [store.commit({ events: [eventRow("ses_1", 4)] }), store.sweep(0)];
    expect(await codes([...asked, ...closing, ...late])).toEqual([
      ...Array.from({ length: 5 }, () => "ok"),
      "shutting_down",
      "shutting_down",
    ]);
    expect(await codes([store.read.session("ses_1")])).toEqual(["shutting_down"]);
    expect(await seqs(await reopen(), "ses_1")).toEqual([1, 2, 3]);
  });

  it("is open once at a time", async () => {
    const { store, reopen } = opened();
    await expect(reopen()).rejects.toMatchObject({ name: "Failure", code: "conflict" });
    await store.commit({ events: [eventRow("ses_1", 1)] });
    await store.close();
    const second = await reopen();
    await second.commit({ events: [eventRow("ses_1", 2)] });
    expect(await seqs(second, "ses_1")).toEqual([1, 2]);
  });
}
