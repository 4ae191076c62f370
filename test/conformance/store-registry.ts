import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import type { Store } from "../../src/store/index.ts";
import { at, codes, documentRow, keyRow, principal, receipt, sessionRow } from "./store-rows.ts";

/** Rows with a key of their own: a later one replaces the earlier. */
export function storeRegistry(store: () => Store): void {
  it("replaces a session's row whole", async () => {
    const fork = sessionRow({ id: "ses_1", parent_id: "ses_0", parent_seq: 7, unsettled: true, state: '{"a":1}' });
    await store().commit({ sessions: [fork, sessionRow({ id: "ses_2" })] });
    expect(await store().read.session("ses_1")).toEqual(fork);
    const next = sessionRow({ id: "ses_1", status: "failed", seq: 3, created_at: at(1), created_by: "tok_bob" });
    await store().commit({ sessions: [next] });
    expect(await store().read.session("ses_1")).toStrictEqual(next);
    expect([await store().read.session("ses_2"), await store().read.session("ses_none")]).toEqual([
      sessionRow({ id: "ses_2" }),
      undefined,
    ]);
  });

  it("knows which sessions a restart must look at", async () => {
    const open = [2, 1].map((n) => sessionRow({ id: `ses_${n}`, created_at: at(n), unsettled: true }));
    await store().commit({ sessions: [...open, sessionRow({ id: "ses_3" })] });
    expect(await store().read.unsettled()).toEqual([open[1], open[0]]);
    await store().commit({ sessions: [sessionRow({ id: "ses_1" })] });
    expect(await store().read.unsettled()).toEqual([open[0]]);
  });

  describe("receipts", () => {
    it("belong to one principal and end with their time", async () => {
      const rows = [receipt(), receipt({ principal_id: "tok_bob", answer: '"bob"' }), receipt({ key: "key-2" })];
      await store().commit({ receipts: rows });
      const ask = (principal_id: string, key: string, now: number) => store().read.receipt({ principal_id, key, now });
      expect([
        await ask("tok_alice", "key-1", 0),
        await ask("tok_alice", "key-1", 999),
        await ask("tok_alice", "key-1", 1_000),
        await ask("tok_bob", "key-1", 0),
        await ask("tok_bob", "key-2", 0),
      ]).toEqual([rows[0], rows[0], undefined, rows[1], undefined]);
    });

    it("are replaced by a later one under the same key", async () => {
      await store().commit({ receipts: [receipt()] });
      const later = receipt({ request_hash: "b".repeat(64), answer: "2", expires_at: Date.UTC(2026, 5) });
      await store().commit({ receipts: [later] });
      expect(await store().read.receipt({ principal_id: "tok_alice", key: "key-1", now: 5_000 })).toEqual(later);
    });

    it("are swept when they are past their time, however many there are", async () => {
      const count = LIMITS.storeSweepRows * 2 + 1;
      const receipts = Array.from({ length: count + 10 }, (_, index) =>
        receipt({ key: `key-${index}`, expires_at: index < count ? 1_000 : 2_000 }),
      );
      await store().commit({ receipts });
      expect(await store().sweep(999)).toBe(0);
      expect(await store().sweep(1_000)).toBe(count);
      expect(await store().read.receipt({ principal_id: "tok_alice", key: "key-0", now: 0 })).toBeUndefined();
      expect(await store().sweep(1_000)).toBe(0);
      expect(await store().sweep(Number.MAX_SAFE_INTEGER)).toBe(10);
    });

    it("are not found under a key that only starts like theirs", async () => {
      await store().commit({ receipts: [receipt({ key: "a" })] });
      const asked = store().read.receipt({ principal_id: "tok_alice", key: "a\0b", now: 0 });
      await expect(asked).rejects.toMatchObject({ code: "invalid_request" });
    });
  });

  it("keeps principals, finds them by their token's hash, and forgets them", async () => {
    const [alice, bob, eve] = [
      principal({ id: "tok_alice" }),
      principal({ id: "tok_bob", name: "Bob", role: "agent", created_at: at(1) }),
      principal({ id: "tok_eve", token_hash: "hash of tok_bob" }),
    ] as const;
    await store().commit({ principals: [bob, alice] });
    expect(await store().read.principals({ limit: 9 })).toEqual({ rows: [bob, alice] });
    expect(await store().read.principalByHash("hash of tok_bob")).toEqual(bob);
    expect(await codes([store().commit({ principals: [eve] })])).toEqual(["conflict"]);
    const renamed = { ...alice, name: "Alicia", token_hash: "another" };
    await store().commit({ principals: [renamed, eve], deletedPrincipals: ["tok_bob", "tok_none"] });
    expect(await store().read.principals({ limit: 9 })).toEqual({ rows: [eve, renamed] });
    expect(await store().read.principalByHash("hash of tok_alice")).toBeUndefined();
  });

  describe("API keys", () => {
    it("are kept whole, listed by token, newest first, and forgotten", async () => {
      const [old, young, other] = [
        keyRow({ id: "key_1" }),
        keyRow({ id: "key_2", created_at: at(2), expires_at: 9_000, last_used_at: 7 }),
        keyRow({ id: "key_3", created_at: at(1), token_id: "tok_bob", bounds: { provider: "sim" } }),
      ] as const;
      await store().commit({ keys: [old, young, other] });
      expect(await store().read.keys({ limit: 9 })).toEqual({ rows: [young, other, old] });
      expect(await store().read.keys({ limit: 9, token_ids: ["tok_alice", "tok_none"] })).toEqual({
        rows: [young, old],
      });
      expect(await store().read.keys({ limit: 9, token_ids: [] })).toEqual({ rows: [] });
      const first = await store().read.keys({ limit: 2 });
      expect(await store().read.keys({ limit: 2, cursor: first.next ?? "" })).toEqual({ rows: [old] });
      await store().commit({ usedKeys: [{ id: "key_1", at: 5 }], deletedKeys: ["key_3", "key_none"] });
      expect(await store().read.key("key_1")).toEqual({ ...old, last_used_at: 5 });
      expect(await store().read.key("key_3")).toBeUndefined();
    });

    it("have a hash of their own, and text that can be stored", async () => {
      await store().commit({ keys: [keyRow({ id: "key_1" })] });
      const writes = [keyRow({ id: "key_2", key_hash: "hash of key_1" }), keyRow({ id: "key_3", name: "a\0b" })];
      const refused = writes.map(async (row) => store().commit({ keys: [row] }));
      expect(await codes(refused)).toEqual(["conflict", "invalid_request"]);
      expect((await store().read.keys({ limit: 9 })).rows.map(({ id }) => id)).toEqual(["key_1"]);
    });

    it("are swept a while after they expired", async () => {
      const rows = [keyRow({ id: "key_1", expires_at: 1_000 }), keyRow({ id: "key_2" })];
      await store().commit({ keys: rows });
      expect(await store().sweep(1_000 + LIMITS.expiredTokenKeptMs - 1)).toBe(0);
      expect(await store().sweep(1_000 + LIMITS.expiredTokenKeptMs)).toBe(1);
      expect((await store().read.keys({ limit: 9 })).rows.map(({ id }) => id)).toEqual(["key_2"]);
    });
  });

  it("keeps every version of a document", async () => {
    const versions = [1, 2, 3].map((n) => documentRow({ at: at(0), body: `version: ${n}` }));
    for (const version of versions) await store().commit({ documents: [version] });
    await store().commit({ documents: [documentRow({ name: "other" })] });
    expect(await store().read.documents({ name: "policy", limit: 2 })).toEqual([versions[2], versions[1]]);
    expect(await store().read.documents({ name: "policy", limit: 9 })).toEqual(versions.toReversed());
    expect(await store().read.documents({ name: "none", limit: 9 })).toEqual([]);
  });

  it("keeps as many versions of a document as it says, and none of a deleted one", async () => {
    const [first, second, third] = [1, 2, 3].map((n) => documentRow({ at: at(0), body: `version: ${n}` }));
    if (first === undefined || second === undefined || third === undefined) throw new Error("three versions");
    await store().commit({ documents: [documentRow({ name: "other" })] });
    for (const version of [first, second]) await store().commit({ documents: [{ ...version, keep: 2 }] });
    expect(await store().read.documents({ name: "policy", limit: 9 })).toEqual([second, first]);
    await store().commit({ documents: [{ ...third, keep: 2 }] });
    expect(await store().read.documents({ name: "policy", limit: 9 })).toEqual([third, second]);
    await store().commit({ documents: [{ ...first, keep: 1 }] });
    expect(await store().read.documents({ name: "policy", limit: 9 })).toEqual([first]);
    await store().commit({ deletedDocuments: ["policy", "none"] });
    expect(await store().read.documents({ name: "policy", limit: 9 })).toEqual([]);
    expect(await store().read.documents({ name: "other", limit: 9 })).toHaveLength(1);
  });
}
