import { describe, expect, it } from "vitest";
import { NO_TOKENS, type TokenCount, USAGE_GROUPS, type UsageGroup } from "../../src/protocol/index.ts";
import type { Store, Write } from "../../src/store/index.ts";
import type { OpenedStore } from "./store.ts";
import { at, codes, eventRow, reservationRow, sessionRow, usageRow } from "./store-rows.ts";

const MOST = Number.MAX_SAFE_INTEGER;

/** Reservations, accounts and usage: only ever added to, never past what a double holds exactly. */
export function storeMoney(opened: () => OpenedStore): void {
  const store = () => opened().store;
  describe("money", () => {
    reservationTests(store);
    accountTests(store);
    usageTests(store);
    atomicityTests(opened);
    refusalTests(store);

    it("counts the sessions of a principal that have not ended", async () => {
      const statuses = ["idle", "working", "complete", "failed", "paused", "pending_approval"] as const;
      const rows = statuses.map((status, index) => sessionRow({ id: `ses_${index}`, status }));
      await store().commit({ sessions: [...rows, sessionRow({ id: "ses_other", created_by: "tok_bob" })] });
      const ask = () => Promise.all(["tok_alice", "tok_bob", "tok_none"].map((id) => store().read.activeSessions(id)));
      expect(await ask()).toEqual([4, 1, 0]);
      await store().commit({ sessions: [sessionRow({ id: "ses_0", status: "complete" })] });
      expect(await ask()).toEqual([3, 1, 0]);
    });
  });
}

function reservationTests(store: () => Store): void {
  it("keeps reservations until they end, oldest first", async () => {
    const rows = [
      reservationRow({ id: "req_b", at: at(1) }),
      reservationRow({ id: "req_a", at: at(1), accounts: [], amount: 0 }),
      reservationRow({ id: "req_c", at: at(0), amount: MOST }),
    ] as const;
    const { turn_id: _, ...between } = reservationRow({ id: "req_d", at: at(2) });
    const ofKey = { ...between, id: "req_e", session_id: "", key_id: "key_1" };
    await store().commit({ reservations: [...rows, between, ofKey] });
    expect(await store().read.reservations()).toStrictEqual([rows[2], rows[1], rows[0], between, ofKey]);
    await store().commit({ endedReservations: ["req_a", "req_c", "req_none"] });
    expect(await store().read.reservations()).toEqual([rows[0], between, ofKey]);
  });

  it("never replaces a reservation, but takes its id again once it ended", async () => {
    const [first, second] = [reservationRow({ id: "req_1" }), reservationRow({ id: "req_1", amount: 9 })] as const;
    await store().commit({ reservations: [first] });
    expect(await codes([store().commit({ reservations: [second] })])).toEqual(["conflict"]);
    expect(await store().read.reservations()).toEqual([first]);
    await store().commit({ endedReservations: ["req_1"], reservations: [second] });
    expect(await store().read.reservations()).toEqual([second]);
  });
}

function accountTests(store: () => Store): void {
  it("adds to accounts, also twice in one write", async () => {
    const add = (account: string, amount: number) => ({ account, amount });
    await store().commit({ spending: [add("a", 3), add("b", 0), add("a", 4)] });
    await store().commit({ spending: [add("a", 10), add("full", MOST - 1)] });
    await store().commit({ spending: [add("full", 5)] });
    const spent = ["a", "b", "full", "none", "'; DROP TABLE accounts; --"].map((key) => store().read.spent(key));
    expect(await Promise.all(spent)).toEqual([17, 0, MOST, 0, 0]);
  });

  it("adds up exactly under many writes at once", async () => {
    const amounts = Array.from({ length: 500 }, (_, index) => index);
    await Promise.all(amounts.map((amount) => store().commit({ spending: [{ account: "a", amount }] })));
    expect(await store().read.spent("a")).toBe(124_750);
  });
}

/** Each kind another figure, so that none can stand for another. */
function tokens(times: number): TokenCount {
  return {
    input: times,
    output: 2 * times,
    cache_read: 3 * times,
    cache_write: 4 * times,
    cache_write_1h: 5 * times,
    reasoning: 6 * times,
    web_searches: 7 * times,
  };
}

const line = (times: number, group: Partial<Record<UsageGroup, string>>) => ({
  ...group,
  requests: times,
  tokens: tokens(times),
  cost_microusd: 100 * times,
  bound_microusd: 10 * times,
});

/** Counts `times` as a row that says so everywhere. */
const used = (times: number, row: Partial<Record<UsageGroup, string>>) => usageRow({ ...line(times, {}), ...row });

const USED = [
  used(1, { day: "2026-01-01", session: "ses_1", turn: "turn_1", agent: "tok_alice", model: "claude" }),
  used(2, { day: "2026-01-02", session: "ses_1", turn: "turn_2", agent: "tok_alice", model: "gpt" }),
  used(4, { day: "2026-01-02", session: "ses_2", turn: "", agent: "tok_bob", model: "gpt", provider: "openai" }),
  used(8, { day: "2026-01-03", session: "ses_2", turn: "turn_3", agent: "tok_bob", model: "claude", engine: "codex" }),
];

const QUESTIONS: readonly { readonly asked: Parameters<Store["read"]["usage"]>[0]; readonly lines: unknown }[] = [
  {
    asked: { by: ["day"], limit: 10 },
    lines: [line(1, { day: "2026-01-01" }), line(6, { day: "2026-01-02" }), line(8, { day: "2026-01-03" })],
  },
  {
    asked: { by: ["model", "day"], limit: 10 },
    lines: [
      line(1, { model: "claude", day: "2026-01-01" }),
      line(8, { model: "claude", day: "2026-01-03" }),
      line(6, { model: "gpt", day: "2026-01-02" }),
    ],
  },
  { asked: { by: ["agent"], limit: 1 }, lines: [line(3, { agent: "tok_alice" })] },
  {
    asked: { by: ["session"], from: "2026-01-02", limit: 9 },
    lines: [line(2, { session: "ses_1" }), line(12, { session: "ses_2" })],
  },
  {
    asked: { by: ["provider"], to: "2026-01-02", limit: 9 },
    lines: [line(3, { provider: "cloud" }), line(4, { provider: "openai" })],
  },
  {
    asked: { by: ["engine"], from: "2026-01-02", to: "2026-01-02", limit: 9 },
    lines: [line(6, { engine: "loop" })],
  },
  {
    asked: { by: ["turn"], session: "ses_2", limit: 9 },
    lines: [line(4, { turn: "" }), line(8, { turn: "turn_3" })],
  },
  { asked: { by: ["turn"], session: "ses_2", agent: "tok_alice", limit: 9 }, lines: [] },
  { asked: { by: ["model"], agent: "tok_bob' OR 1 = 1 --", limit: 9 }, lines: [] },
];

function usageTests(store: () => Store): void {
  it("answers usage by whatever it is grouped by", async () => {
    await store().commit({ usage: USED });
    for (const { asked, lines } of QUESTIONS) {
      expect({ asked, lines: await store().read.usage(asked) }).toStrictEqual({ asked, lines });
    }
    const rows = await store().read.usage({ by: USAGE_GROUPS, limit: 100 });
    expect(rows).toEqual(USED);
  });

  it("keeps the usage of API keys apart, and answers for one of them", async () => {
    const ofKey = (times: number, key: string) => used(times, { session: "", turn: "", key });
    await store().commit({ usage: [ofKey(1, "key_1"), ofKey(2, "key_2"), ofKey(4, "key_1"), used(8, {})] });
    expect(await store().read.usage({ by: ["key"], limit: 9 })).toEqual([
      line(8, { key: "" }),
      line(5, { key: "key_1" }),
      line(2, { key: "key_2" }),
    ]);
    expect(await store().read.usage({ by: ["engine"], key: "key_1", limit: 9 })).toEqual([line(5, { engine: "loop" })]);
  });

  it("adds to the row that is there", async () => {
    const row = USED[0];
    if (row === undefined) throw new Error("no row");
    await store().commit({ usage: [row, row] });
    await store().commit({ usage: [row, { ...row, turn: "turn_9" }] });
    expect(await store().read.usage({ by: ["turn"], limit: 9 })).toEqual([
      line(3, { turn: "turn_1" }),
      line(1, { turn: "turn_9" }),
    ]);
  });

  it("stops sums where they would no longer be exact", async () => {
    const full = usageRow({ cost_microusd: MOST, tokens: { ...NO_TOKENS, input: MOST - 1 } });
    const others = Array.from({ length: 1_100 }, (_, index) => ({ ...full, turn: `turn_${index}` }));
    await store().commit({ usage: [full, full, ...others] });
    const [sum] = await store().read.usage({ by: ["session"], limit: 1 });
    expect([sum?.requests, sum?.cost_microusd, sum?.tokens.input]).toEqual([1_102, MOST, MOST]);
  });

  it("refuses what it cannot group by or count", async () => {
    const ask = (by: readonly string[], limit = 9) => store().read.usage({ by: by as readonly UsageGroup[], limit });
    const asked = [
      ask([]),
      ask(["day", "day"]),
      ask(["cost_microusd"]),
      ask(["day; DROP TABLE usage"]),
      ask(["toString"]),
      ask(["day"], 0),
      ask(["day"], -1),
      ask(["day"], 1.5),
    ];
    expect(await codes(asked)).toEqual(asked.map(() => "invalid_request"));
  });
}

async function everything({ read }: Store): Promise<unknown> {
  return {
    reservations: await read.reservations(),
    spent: await Promise.all(["total", "session/ses_1"].map((account) => read.spent(account))),
    usage: await read.usage({ by: USAGE_GROUPS, limit: 100 }),
    active: await read.activeSessions("tok_alice"),
  };
}

function atomicityTests(opened: () => OpenedStore): void {
  const full: Write = {
    sessions: [sessionRow({ id: "ses_1" })],
    reservations: [reservationRow({ id: "req_2" })],
    endedReservations: ["req_1"],
    spending: [
      { account: "total", amount: 5 },
      { account: "session/ses_1", amount: 7 },
    ],
    usage: USED,
  };

  it("is the same again when it is opened again, and goes on from there", async () => {
    const { store, reopen } = opened();
    await store.commit({ reservations: [reservationRow({ id: "req_1" })] });
    await store.commit(full);
    const before = await everything(store);
    await store.close();
    const again = await reopen();
    expect(await everything(again)).toEqual(before);
    await again.commit({ spending: [{ account: "total", amount: 5 }] });
    expect(await again.read.spent("total")).toBe(10);
  });

  it("leaves nothing of a write that another row of it spoils", async () => {
    const { store } = opened();
    await store.commit({ events: [eventRow("ses_1", 1)], reservations: [reservationRow({ id: "req_1" })] });
    const before = await everything(store);
    const taken = { ...full, reservations: [reservationRow({ id: "req_2" }), reservationRow({ id: "req_2" })] };
    const spoilt = [{ ...full, events: [eventRow("ses_1", 1)] }, taken].map((write) => store.commit(write));
    expect(await codes([...spoilt, store.commit({ spending: [] })])).toEqual(["conflict", "conflict", "ok"]);
    expect(await everything(store)).toEqual(before);
  });
}

function refusalTests(store: () => Store): void {
  it("refuses amounts that are no whole number from 0", async () => {
    const bad = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, MOST + 1];
    const writes = bad.flatMap((amount): Write[] => [
      { reservations: [reservationRow({ id: "req_1", amount })] },
      { spending: [{ account: "total", amount }] },
      { usage: [usageRow({ cost_microusd: amount })] },
      { usage: [usageRow({ tokens: { ...NO_TOKENS, cache_write_1h: amount } })] },
    ]);
    const before = await everything(store());
    expect(await codes(writes.map((write) => store().commit(write)))).toEqual(writes.map(() => "invalid_request"));
    expect(await everything(store())).toEqual(before);
  });

  it("refuses text that would be cut", async () => {
    const asked = [
      store().commit({ spending: [{ account: "a\0b", amount: 1 }] }),
      store().commit({ reservations: [reservationRow({ id: "req_1", accounts: ["a\0b"] })] }),
      store().commit({ usage: [usageRow({ model: "a\0b" })] }),
      store().read.spent("a\0b"),
    ];
    expect(await codes(asked)).toEqual(asked.map(() => "invalid_request"));
  });
}
