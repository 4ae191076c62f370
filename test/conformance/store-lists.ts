import { describe, expect, it } from "vitest";
import { LIMITS, type Approval } from "../../src/protocol/index.ts";
import type { RowPage, Store } from "../../src/store/index.ts";
import { approval, at, auditRow, codes, sessionRow } from "./store-rows.ts";

type ReadPage = (place: {
  readonly cursor?: string;
  readonly limit: number;
}) => Promise<RowPage<{ readonly id: string }>>;

interface ListCase {
  readonly list: string;
  readonly page: (store: Store) => ReadPage;
  /** Adds one row, `seconds` after the start. */
  readonly add: (store: Store, id: string, seconds: number) => Promise<void>;
}

const LISTS: readonly ListCase[] = [
  {
    list: "sessions",
    page: (store) => (place) => store.read.sessions(place),
    add: (store, id, seconds) => store.commit({ sessions: [sessionRow({ id, created_at: at(seconds) })] }),
  },
  {
    list: "sessions by status",
    page: (store) => (place) => store.read.sessions({ ...place, status: "idle" }),
    add: (store, id, seconds) =>
      store.commit({
        sessions: [
          sessionRow({ id, created_at: at(seconds) }),
          sessionRow({ id: `${id}-other`, created_at: at(seconds), status: "working" }),
        ],
      }),
  },
  {
    list: "sessions by words and engine",
    page: (store) => (place) => store.read.sessions({ ...place, words: ["ümläut", "row"], engine: "loop" }),
    add: (store, id, seconds) =>
      store.commit({
        sessions: [
          sessionRow({ id, created_at: at(seconds), search: `${id} über ümläut` }),
          sessionRow({ id: `${id}-1`, created_at: at(seconds), search: `${id} umlaut` }),
          sessionRow({ id: `${id}-2`, created_at: at(seconds), search: `${id} ümläut`, engine: "other" }),
        ],
      }),
  },
  {
    list: "approvals",
    page: (store) => (place) => store.read.approvals(place),
    add: (store, id, seconds) => store.commit({ approvals: [approval({ id, created_at: at(seconds) })] }),
  },
  {
    list: "approvals of one principal's sessions",
    page: (store) => (place) => store.read.approvals({ ...place, status: "pending", created_by: "tok_alice" }),
    add: (store, id, seconds) =>
      store.commit({
        sessions: [sessionRow({ id: "ses_1" }), sessionRow({ id: "ses_2", created_by: "tok_bob" })],
        approvals: [
          approval({ id, created_at: at(seconds) }),
          approval({ id: `${id}-other`, created_at: at(seconds), session_id: "ses_2" }),
        ],
      }),
  },
  {
    list: "audit",
    page: (store) => (place) => store.read.audit(place),
    add: (store, id, seconds) => store.commit({ audit: [auditRow({ id, at: at(seconds) })] }),
  },
  {
    list: "audit by action",
    page: (store) => (place) => store.read.audit({ ...place, action: "token.create" }),
    add: (store, id, seconds) =>
      store.commit({
        audit: [
          auditRow({ id, at: at(seconds) }),
          auditRow({ id: `${id}-other`, at: at(seconds), action: "policy.put" }),
        ],
      }),
  },
  {
    list: "audit by the beginning of an action and by a principal",
    page: (store) => (place) => store.read.audit({ ...place, action: "token.", by: "tok_operator" }),
    add: (store, id, seconds) =>
      store.commit({
        audit: [
          auditRow({ id, at: at(seconds), action: seconds % 2 === 0 ? "token.create" : "token.delete" }),
          auditRow({ id: `${id}-1`, at: at(seconds), action: "policy.put" }),
          auditRow({ id: `${id}-2`, at: at(seconds), by: { id: "tok_bob", name: "Bob", role: "admin" } }),
        ],
      }),
  },
];

const BAD_CURSORS = [
  "",
  "x",
  "!!",
  "%00",
  "a".repeat(9_999),
  ...[null, [1, 2, 3], ["sessions"], ["approvals", 1, "b"], ["audit", "a", "b", "c"], ["other", "a", "b"]].map(
    (value) => Buffer.from(JSON.stringify(value)).toString("base64url"),
  ),
];
const BAD_LIMITS = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER];

const name = (index: number) => `row_${String(index).padStart(3, "0")}`;

/** Pages of `limit`, with a row added at the head after each. */
async function walk(
  read: ReadPage,
  limit: number,
  between: (page: number) => Promise<void>,
): Promise<readonly string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { rows, next }: RowPage<{ readonly id: string }> = await read({
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    pages.push(rows.map(({ id }) => id));
    await between(pages.length);
    cursor = next;
  } while (cursor !== undefined);
  return pages;
}

/** The lists: newest first, in pages. */
export function storeLists(store: () => Store): void {
  describe.each(LISTS)("list of $list", ({ page, add }) => {
    it("gives every row once, whatever comes in meanwhile", async () => {
      // Three rows share each second, so that a page can end between rows of the same time.
      for (let index = 0; index < 10; index += 1) await add(store(), name(index), Math.floor(index / 3));
      const pages = await walk(page(store()), 4, (count) => add(store(), name(100 + count), 1_000 + count));
      expect(pages).toEqual([[9, 8, 7, 6].map(name), [5, 4, 3, 2].map(name), [1, 0].map(name)]);
    });

    it("ends without a cursor when the last page is full", async () => {
      for (let index = 0; index < 4; index += 1) await add(store(), name(index), index);
      expect(await walk(page(store()), 2, async () => {})).toEqual([[3, 2].map(name), [1, 0].map(name)]);
    });

    it("is one empty page when there is nothing", async () => {
      expect(await page(store())({ limit: 5 })).toEqual({ rows: [] });
    });

    it("refuses what is no cursor of its own, and limits that are none", async () => {
      const answers = await codes([
        ...BAD_CURSORS.map((cursor) => page(store())({ cursor, limit: 5 })),
        ...BAD_LIMITS.map((limit) => page(store())({ limit })),
      ]);
      expect(answers).toEqual([...BAD_CURSORS.map(() => "cursor_invalid"), ...BAD_LIMITS.map(() => "invalid_request")]);
    });
  });

  it("refuses the cursor of another list", async () => {
    await store().commit({ sessions: [sessionRow({ id: "ses_1" }), sessionRow({ id: "ses_2" })] });
    const { next } = await store().read.sessions({ limit: 1 });
    const cursor = String(next);
    const asked = [store().read.approvals({ cursor, limit: 1 }), store().read.audit({ cursor, limit: 1 })];
    expect(await codes(asked)).toEqual(["cursor_invalid", "cursor_invalid"]);
  });

  it("refuses events and documents without a sound limit", async () => {
    const { read } = store();
    const asked = [read.events({ session_id: "ses_1", after: 0, limit: -1 }), read.documents({ name: "a", limit: 0 })];
    expect(await codes(asked)).toEqual(["invalid_request", "invalid_request"]);
  });

  it("filters sessions by status and by who made them", async () => {
    const sessions = [
      sessionRow({ id: "ses_1", status: "idle", created_by: "tok_alice" }),
      sessionRow({ id: "ses_2", status: "working", created_by: "tok_alice" }),
      sessionRow({ id: "ses_3", status: "idle", created_by: "tok_bob" }),
    ] as const;
    await store().commit({ sessions });
    const [one, two, three] = sessions;
    const asked = [
      {},
      { status: "idle" },
      { created_by: "tok_alice" },
      { status: "idle", created_by: "tok_bob" },
    ] as const;
    const found = await Promise.all(asked.map((filter) => store().read.sessions({ ...filter, limit: 10 })));
    expect(found.map(({ rows }) => rows)).toEqual([[three, two, one], [three, one], [two, one], [three]]);
    expect((await store().read.sessions({ status: "failed", limit: 10 })).rows).toEqual([]);
  });

  it("looks at a bounded number of sessions for a page of a search, and goes on from there", async () => {
    const count = LIMITS.searchedSessions * 2 + 1;
    const sessions = Array.from({ length: count }, (_, index) =>
      sessionRow({ id: `ses_${index}`, created_at: at(index), search: index === 1 ? "needle" : "hay" }),
    );
    for (let start = 0; start < count; start += 1_000)
      await store().commit({ sessions: sessions.slice(start, start + 1_000) });
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page: RowPage<{ readonly id: string }> = await store().read.sessions({
        words: ["needle"],
        limit: 5,
        ...(cursor === undefined ? {} : { cursor }),
      });
      pages.push(page.rows.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(pages).toEqual([[], ["ses_1"], []]);
  });

  it("takes words as they are, not as patterns", async () => {
    await store().commit({ sessions: [sessionRow({ id: "ses_1", search: "100% of_all" })] });
    const found = await Promise.all(
      [["%"], ["0_"], ["0% of"], ["%%"], ["1_0"], ["a*"]].map((words) => store().read.sessions({ words, limit: 5 })),
    );
    expect(found.map(({ rows }) => rows.length)).toEqual([1, 0, 1, 0, 0, 0]);
  });

  it("finds audit lines by what their action begins with, and by who did it", async () => {
    const bob = { id: "tok_bob", name: "Bob", role: "admin" } as const;
    await store().commit({
      audit: [
        auditRow({ id: "aud_1", at: at(1), action: "session.create" }),
        auditRow({ id: "aud_2", at: at(2), action: "session.close", by: bob }),
        auditRow({ id: "aud_3", at: at(3), action: "sessions", by: bob }),
        auditRow({ id: "aud_4", at: at(4), action: "approval.decide", by: bob }),
      ],
    });
    const asked = [
      { filter: { action: "session." }, ids: ["aud_2", "aud_1"] },
      { filter: { action: "session" }, ids: ["aud_3", "aud_2", "aud_1"] },
      { filter: { action: "session.close" }, ids: ["aud_2"] },
      { filter: { action: "ession" }, ids: [] },
      { filter: { action: "z" }, ids: [] },
      { filter: { by: "tok_bob" }, ids: ["aud_4", "aud_3", "aud_2"] },
      { filter: { by: "tok_bob", action: "session." }, ids: ["aud_2"] },
      { filter: { by: "tok_none" }, ids: [] },
    ] as const;
    const found = await Promise.all(asked.map(({ filter }) => store().read.audit({ ...filter, limit: 10 })));
    expect(found.map(({ rows }) => rows.map(({ id }) => id))).toEqual(asked.map(({ ids }) => ids));
  });

  it("keeps an approval's last answer, and filters by status, session and who made the session", async () => {
    await store().commit({
      sessions: [sessionRow({ id: "ses_1" }), sessionRow({ id: "ses_2", created_by: "tok_bob" })],
      approvals: [
        approval({ id: "apr_1" }),
        approval({ id: "apr_2", session_id: "ses_2" }),
        approval({ id: "apr_3", session_id: "ses_unknown" }),
      ],
    });
    const answered: Approval = {
      ...approval({ id: "apr_1" }),
      status: "rejected",
      resolved_at: at(9),
      resolved_by: { id: "tok_bob", name: "Bob", role: "operator" },
      feedback: "nein, danke: „später“",
      updated_input: { command: "ls" },
    };
    await store().commit({ approvals: [answered] });
    expect([await store().read.approval("apr_1"), await store().read.approval("apr_none")]).toEqual([
      answered,
      undefined,
    ]);
    const asked = [
      { filter: {}, ids: ["apr_3", "apr_2", "apr_1"] },
      { filter: { status: "pending" }, ids: ["apr_3", "apr_2"] },
      { filter: { status: "rejected" }, ids: ["apr_1"] },
      { filter: { session_id: "ses_1" }, ids: ["apr_1"] },
      { filter: { session_id: "ses_1", status: "pending" }, ids: [] },
      { filter: { created_by: "tok_bob" }, ids: ["apr_2"] },
      { filter: { created_by: "tok_bob", status: "pending", session_id: "ses_2" }, ids: ["apr_2"] },
      { filter: { created_by: "tok_none" }, ids: [] },
    ] as const;
    const found = await Promise.all(asked.map(({ filter }) => store().read.approvals({ ...filter, limit: 10 })));
    expect(found.map(({ rows }) => rows.map(({ id }) => id))).toEqual(asked.map(({ ids }) => ids));
  });

  it("keeps audit lines exactly", async () => {
    const lines = [
      auditRow({ id: "aud_1", details: null }),
      auditRow({ id: "aud_2", details: { deep: [{ ключ: "✓" }] } }),
      auditRow({ id: "aud_3", details: undefined }),
    ];
    await store().commit({ audit: lines });
    expect(await store().read.audit({ limit: 10 })).toEqual({ rows: lines.toReversed() });
  });
}
