import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { faultsOf, journalOf, NO_FAULTS } from "../support/journals.ts";
import { until } from "../support/until.ts";

const say = (text: string): { readonly text: string } => ({ text: script({ say: text }) });

/** Rows that name a session, table by table. */
async function rowsOf({ place }: TestApp, id: string): Promise<Record<string, number>> {
  const database = (await loadSqlite())(join(place.home, "sallyport.db"), { readOnly: true });
  const count = (table: string, column: string): number =>
    (database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).get(id) as { readonly n: number }).n;
  try {
    return {
      sessions: count("sessions", "id"),
      events: count("events", "session_id"),
      approvals: count("approvals", "session_id"),
      usage: count("usage", "session"),
      deleted: count("deleted_sessions", "id"),
    };
  } finally {
    database.close();
  }
}

async function talk(client: SallyportClient, words: string, metadata: Record<string, unknown> = {}): Promise<string> {
  const { session } = await runScript(client, { metadata, prompt: say(words) });
  return session.id;
}

describe("deleting a session", () => {
  it("takes its journal, approvals, files and row; usage and an audit line stay", async () => {
    await using app = await openTestApp();
    const { client, place } = app;
    const { session } = await runScript(
      client,
      { prompt: { text: script({ tool: "Bash", input: { command: "echo hi" } }, { say: "Done." }) } },
      ({ id, input_hash }) => client.decide(id, { decision: "approve", input_hash }),
    );
    const other = await talk(client, "I stay.");
    await mkdir(join(place.home, "engines", session.id), { recursive: true });
    await writeFile(join(place.home, "engines", session.id, "record"), "x");
    const before = await client.usage({ by: ["session"] });
    await client.deleteSession(session.id);
    expect(await rowsOf(app, session.id)).toEqual({ sessions: 0, events: 0, approvals: 0, usage: 1, deleted: 1 });
    await expect(client.session(session.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(client.events(session.id, {})).rejects.toMatchObject({ code: "not_found" });
    await expect(client.deleteSession(session.id)).rejects.toMatchObject({ code: "not_found" });
    expect((await client.sessions()).sessions.map(({ id }) => id)).toEqual([other]);
    expect(await client.usage({ by: ["session"] })).toEqual(before);
    expect((await client.audit({ action: "session.delete" })).entries).toMatchObject([
      { action: "session.delete", target: session.id, by: { role: "admin" } },
    ]);
    const left = await Promise.all(
      ["engines", "output"].map((name) => readdir(join(place.home, name)).catch((): string[] => [])),
    );
    expect(left.flat().filter((name) => name.includes(session.id))).toEqual([]);
  });

  it("ends what runs first", async () => {
    await using app = await openTestApp();
    const { client } = app;
    const session = await client.createSession({
      prompt: { text: script({ stream: { tokens: 10_000, per_second: 50 } }) },
    });
    for await (const frame of client.watch(session.id)) if (frame.type === "item.delta") break;
    await client.deleteSession(session.id);
    expect(await rowsOf(app, session.id)).toMatchObject({ sessions: 0, events: 0 });
  });

  it("leaves forks what they begin with, until they go too", async () => {
    await using app = await openTestApp();
    const { client } = app;
    const root = await talk(client, "The first turn.");
    const child = await client.fork(root);
    await client.prompt(root, say("Only the root's."));
    await untilTurnEnds(client, root, { after: child.forked_from?.seq ?? 0 });
    await client.prompt(child.id, say("The child's turn."));
    await untilTurnEnds(client, child.id, { after: child.forked_from?.seq ?? 0 });
    const grandchild = await client.fork(child.id);
    const before = await Promise.all([child, grandchild].map(({ id }) => journalOf(client, id)));
    await client.deleteSession(root);
    expect(await rowsOf(app, root)).toMatchObject({ sessions: 0, events: child.forked_from?.seq, deleted: 1 });
    await client.deleteSession(child.id);
    await app.restart();
    const again = app.client;
    expect(await journalOf(again, grandchild.id)).toEqual(before[1]);
    const { seq } = await again.session(grandchild.id);
    await again.prompt(grandchild.id, say("I go on."));
    await untilTurnEnds(again, grandchild.id, { after: seq });
    expect(faultsOf(await journalOf(again, grandchild.id))).toEqual(NO_FAULTS);
    await again.deleteSession(grandchild.id);
    for (const id of [root, child.id, grandchild.id])
      expect(await rowsOf(app, id)).toMatchObject({ sessions: 0, events: 0 });
  });

  it("is for admins, and for operators with their own", async () => {
    await using app = await openTestApp();
    const mine = await talk(app.client, "An admin's.");
    const [operator, agent, viewer] = await Promise.all([app.as("operator"), app.as("agent"), app.as("viewer")]);
    const own = await talk(operator, "An operator's.");
    const agents = await talk(agent, "An agent's.");
    await expect(operator.deleteSession(mine)).rejects.toMatchObject({ code: "not_found" });
    await expect(agent.deleteSession(agents)).rejects.toMatchObject({ code: "forbidden" });
    await expect(viewer.deleteSession(mine)).rejects.toMatchObject({ code: "forbidden" });
    await expect(operator.prune({ max_age_days: 1 })).rejects.toMatchObject({ code: "forbidden" });
    await operator.deleteSession(own);
    await app.client.deleteSession(agents);
    expect((await app.client.sessions()).sessions.map(({ id }) => id)).toEqual([mine]);
  });
});

const DAY = 86_400_000;

/** Makes a session look as if it had rested for so long. */
async function age({ place }: TestApp, id: string, days: number): Promise<void> {
  const database = (await loadSqlite())(join(place.home, "sallyport.db"));
  database.exec("PRAGMA busy_timeout = 5000");
  const at = new Date(Date.now() - days * DAY).toISOString();
  database.prepare("UPDATE sessions SET updated_at = ? WHERE id = ?").run(at, id);
  database.close();
}

describe("pruning", () => {
  it("deletes what is old, keeps what has work or is marked, and says before what it would do", async () => {
    await using app = await openTestApp();
    const { client } = app;
    const old = await talk(client, "Old.");
    const closed = await talk(client, "Old and closed.");
    await client.control(closed, "close");
    const marked = await talk(client, "Old and marked.", { keep: true });
    const young = await talk(client, "Young.");
    const asking = await client.createSession({
      prompt: { text: script({ tool: "Bash", input: { command: "echo hi" } }) },
    });
    for await (const frame of client.watch(asking.id)) if (frame.type === "approval.requested") break;
    for (const [index, id] of [old, closed, marked, asking.id].entries()) await age(app, id, 100 - index);
    const ask = { max_age_days: 30 };
    expect(await client.prune({ ...ask, dry_run: true })).toMatchObject({ dry_run: true, sessions: [old, closed] });
    expect(await client.prune({ ...ask, keep_open: true, dry_run: true })).toMatchObject({ sessions: [closed] });
    expect((await client.sessions()).sessions.length).toBe(5);
    expect(await client.prune(ask)).toMatchObject({ dry_run: false, sessions: [old, closed], count: 2 });
    expect((await client.sessions()).sessions.map(({ id }) => id).toSorted()).toEqual(
      [marked, young, asking.id].toSorted(),
    );
    await expect(client.prune({})).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("deletes the oldest until the database is small enough", async () => {
    await using app = await openTestApp();
    const { client } = app;
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push(await talk(client, "x".repeat(200_000)));
    for (const [index, id] of ids.entries()) await age(app, id, 10 - index);
    const { used_bytes } = await client.prune({ max_bytes: 1_000_000_000 });
    const report = await client.prune({ max_bytes: used_bytes - 300_000 });
    expect(report.used_bytes).toBeLessThanOrEqual(used_bytes - 300_000);
    expect(report.sessions).toEqual(ids.slice(0, report.count));
    expect(report.count).toBeLessThan(ids.length);
    expect((await client.sessions()).sessions.map(({ id }) => id)).toEqual(ids.slice(report.count).toReversed());
  });
});

const LOOK = 600_000;

/** A server that deletes what is older than thirty days, with a clock that a test moves. */
async function openKeepingApp(): Promise<{ readonly app: TestApp; readonly clock: MovableClock }> {
  const clock = new MovableClock();
  const app = await openTestApp(
    {},
    {
      clock,
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), "retention: { max_age_days: 30 }\n", { mode: 0o600 });
        return () => Promise.resolve();
      },
    },
  );
  return { app, clock };
}

/** Sessions that are left when the looks so far have ended: pruning goes one after the other. */
async function leftIn({ client }: TestApp): Promise<readonly string[]> {
  await client.prune({ max_age_days: 36_000, dry_run: true });
  return (await client.sessions({ limit: 200 })).sessions.map(({ id }) => id);
}

describe("retention", () => {
  it.each(["jump", "pass"] as const)("deletes nothing by a clock that is far ahead at once (%s)", async (move) => {
    const { app, clock } = await openKeepingApp();
    await using _ = app;
    const [old, young] = [await talk(app.client, "Old."), await talk(app.client, "Young.")];
    await age(app, old, 100);
    const token = await app.client.createToken({ role: "viewer", name: "short", expires_in_s: 3_600 });
    // The wall clock alone, or the clock of durations with it.
    clock[move](400 * DAY);
    clock.pass(LOOK);
    expect((await leftIn(app)).toSorted()).toEqual([old, young].toSorted());
    // Somebody sets it right.
    clock.jump(-400 * DAY);
    clock.pass(LOOK);
    await until(async () => !(await leftIn(app)).includes(old));
    expect(await leftIn(app)).toEqual([young]);
    const { tokens } = await app.client.tokens();
    expect(tokens.map(({ id }) => id)).toContain(token.id);
  });

  it("deletes nothing at first where a server starts long after anything was stored", async () => {
    const { app, clock } = await openKeepingApp();
    await using _ = app;
    const id = await talk(app.client, "Old one day.");
    await app.stop();
    clock.jump(400 * DAY);
    await app.restart();
    clock.pass(LOOK);
    expect(await leftIn(app)).toEqual([id]);
    for (let passed = 0; passed <= LIMITS.clockStartHoldMs; passed += LOOK) clock.pass(LOOK);
    await until(async () => (await leftIn(app)).length === 0);
  });

  it("deletes a part at a time", async () => {
    const { app, clock } = await openKeepingApp();
    await using _ = app;
    const ids: string[] = [];
    for (let index = 0; index < LIMITS.retentionSessions + 2; index += 1)
      ids.push((await app.client.createSession({})).id);
    // The first look compares the clock with what is stored: nothing is old yet.
    clock.pass(LOOK);
    expect((await leftIn(app)).length).toBe(ids.length);
    await Promise.all(ids.map((id, index) => age(app, id, 100 - index)));
    clock.pass(LOOK);
    await until(async () => (await leftIn(app)).length <= 2);
    expect(await leftIn(app)).toEqual(ids.slice(-2).toReversed());
    clock.pass(LOOK);
    await until(async () => (await leftIn(app)).length === 0);
  });
});
