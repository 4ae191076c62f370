import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const say = (text: string) => ({ prompt: { text: script({ say: text }) } });
const TABLE_LEAF = 0x0d;

interface Spoiling {
  readonly sql: string;
  /** Blanks at the end of JSON: the rows grow, until pages hold nothing but a part of them. */
  readonly blanks: number;
  readonly isWanted: (page: Buffer, ids: { readonly hurt: string; readonly others: readonly string[] }) => boolean;
}

const SPOIL: Readonly<Record<"events" | "state", Spoiling>> = {
  events: {
    sql: "UPDATE events SET body = body || ? WHERE session_id = ?",
    blanks: 3_000,
    isWanted: (page, { hurt, others }) =>
      page[0] === TABLE_LEAF &&
      page.includes(" ".repeat(3_000)) &&
      page.includes(hurt) &&
      !others.some((id) => page.includes(id)),
  },
  state: {
    sql: "UPDATE sessions SET state = state || ? WHERE id = ?",
    blanks: 30_000,
    // A page in the middle of one long row: it begins with the number of the next one.
    isWanted: (page) => page.readUInt32BE(0) !== 0 && page.subarray(4).every((byte) => byte === 0x20),
  },
};

/** Damages a page on which only rows of one session lie. */
async function spoil({ place }: TestApp, what: keyof typeof SPOIL, ids: Parameters<Spoiling["isWanted"]>[1]) {
  const path = join(place.home, "sallyport.db");
  const { sql, blanks, isWanted } = SPOIL[what];
  const database = (await loadSqlite())(path);
  database.prepare(sql).run(" ".repeat(blanks), ids.hurt);
  const { page_size } = database.prepare("PRAGMA page_size").get() as { readonly page_size: number };
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const bytes = await readFile(path);
  const pages = Array.from({ length: bytes.length / page_size }, (_, at) =>
    bytes.subarray(at * page_size, (at + 1) * page_size),
  ).filter((page) => isWanted(page, ids));
  expect(pages.length).toBeGreaterThan(2);
  pages[pages.length >> 1]?.fill(0xff);
  await writeFile(path, bytes);
}

async function withDamage(what: "events" | "state"): Promise<{ app: TestApp; hurt: string; others: string[] }> {
  const app = await openTestApp();
  const first = await runScript(app.client, say("I am whole."));
  const { session } = await runScript(app.client, say("I am hurt."));
  const last = await runScript(app.client, say("I am whole, too."));
  await app.stop();
  const ids = { hurt: session.id, others: [first.session.id, last.session.id] };
  await spoil(app, what, ids);
  await app.restart();
  return { app, ...ids };
}

async function isWhole({ client }: TestApp, id: string): Promise<void> {
  const { seq } = await client.session(id);
  await client.prompt(id, say("Again.").prompt);
  expect((await untilTurnEnds(client, id, { after: seq })).at(-1)?.type).toBe("turn.completed");
}

describe.each(["events", "state"] as const)("a damaged page with the %s of a session", (what) => {
  it("hurts reads of that session only", async () => {
    const { app, hurt, others } = await withDamage(what);
    await using _ = app;
    const { client } = app;
    const { sessions } = await client.sessions();
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([hurt, ...others].toSorted());
    await expect(what === "events" ? client.events(hurt, {}) : client.session(hurt)).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("damaged") as unknown,
    });
    for (const id of others) await isWhole(app, id);
    expect((await client.health()).damaged_sessions).toBe(1);
    const metrics = await fetch(`${app.serving.url}/metrics`, {
      headers: { authorization: `Bearer ${app.serving.token}` },
    });
    expect(await metrics.text()).toContain("sallyport_store_damaged_sessions 1");
  });

  it("lets the server live when it is deleted by name", async () => {
    const { app, hurt, others } = await withDamage(what);
    await using _ = app;
    const { client } = app;
    const answer = await client.deleteSession(hurt).then(
      () => "deleted",
      (error: unknown) => (error as { readonly code: string }).code,
    );
    expect(answer).toBe(what === "events" ? "deleted" : "store_failed");
    for (const id of others) await isWhole(app, id);
    await client.deleteSession(others[0] ?? "");
    expect((await client.health()).damaged_sessions).toBe(1);
    expect((await client.sessions()).sessions.map(({ id }) => id)).toEqual(
      what === "events" ? [others[1]] : [others[1], hurt],
    );
  });

  it("lets pruning take the others", async () => {
    const { app, hurt, others } = await withDamage(what);
    await using _ = app;
    const { client } = app;
    const { sessions } = await client.prune({ max_age_days: 0.000_000_1 });
    expect(sessions.filter((id) => id !== hurt).toSorted()).toEqual(others.toSorted());
    expect((await client.prune({ max_bytes: 1 })).sessions.filter((id) => id !== hurt)).toEqual([]);
    const { session } = await runScript(client, say("New."));
    await isWhole(app, session.id);
    const database = (await loadSqlite())(join(app.place.home, "sallyport.db"), { readOnly: true });
    const count = database.prepare("SELECT count(*) AS n FROM events WHERE session_id = ?");
    // The events of the others went, though the damaged ones stand before some of them.
    expect(others.map((id) => count.get(id))).toEqual([{ n: 0 }, { n: 0 }]);
    database.close();
    expect((await client.health()).damaged_sessions).toBe(1);
  });
});
