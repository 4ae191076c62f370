import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import { LIMITS, type Approval } from "../../../src/protocol/index.ts";
import type { Clock } from "../../../src/sessions/index.ts";
import { loadSqlite } from "../../../src/store/sqlite/binding.ts";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { faultsOf, journalOf, NO_FAULTS } from "../../support/journals.ts";
import { CALL, openMoneyApp, SMALL } from "../../support/money/app.ts";
import { until } from "../../support/until.ts";

const QUICK = { busyMs: 20, retryMs: 5, closeMs: 50 };
const bash = (word: string): object => ({ tool: "Bash", input: { command: `echo ${word} >> effects.txt` } });

/** Another program that has the database for itself. */
async function lockDatabase(app: TestApp): Promise<{ release(): void }> {
  const database = (await loadSqlite())(join(app.place.home, "sallyport.db"));
  database.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
  return {
    release: () => {
      database.exec("COMMIT");
      database.close();
    },
  };
}

async function untilStore(client: SallyportClient, state: "ok" | "stalled"): Promise<void> {
  await until(async () => (await client.health()).store === state);
}

async function effectsOf({ place }: TestApp): Promise<readonly string[]> {
  const text = await readFile(join(place.workspace, "effects.txt"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Asks until the question of a session is there. */
async function questionOf(client: SallyportClient, session_id: string): Promise<Approval> {
  for await (const frame of client.watch(session_id)) {
    if (frame.type === "approval.requested") return frame.approval;
  }
  throw new Error("no question came");
}

describe("a database that another program has locked", () => {
  it("refuses new requests with 503, keeps what runs waiting, and goes on without a hole", async () => {
    await using app = await openTestApp({}, { store: { tuning: QUICK } });
    const { client, serving } = app;
    const asking = await client.createSession({ prompt: { text: script(bash("one"), { say: "Done." }) } });
    const question = await questionOf(client, asking.id);
    // It talks on until the request below has found out.
    const talking = await client.createSession({
      prompt: { text: script({ stream: { tokens: 200, per_second: 100 } }, bash("two"), { say: "Said." }) },
    });
    const idle = await client.createSession({});
    const lock = await lockDatabase(app);
    // Somebody's request finds out.
    const first = client.prompt(idle.id, { text: script({ say: "Late." }) }, { key: "first" });
    await untilStore(client, "stalled");
    const ready = await fetch(`${serving.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: "not_ready", reasons: [{ code: "store_failed", message: "The database cannot be written." }] },
    ]);
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${serving.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const refused = await Promise.all([
      post("/api/sessions", {}),
      post(`/api/sessions/${idle.id}/prompts`, { text: "again" }),
      post(`/api/sessions/${idle.id}/fork`, {}),
      post(`/api/sessions/${idle.id}/pause`, {}),
      post(`/api/approvals/${question.id}`, { decision: "approve", input_hash: question.input_hash }),
      post("/api/tokens", { role: "viewer", name: "nobody" }),
    ]);
    const told = await Promise.all(
      refused.map(async (response) => ({
        status: response.status,
        retry: response.headers.get("retry-after"),
        body: (await response.json()) as unknown,
      })),
    );
    expect(told).toEqual(
      told.map(() => ({
        status: 503,
        retry: String(LIMITS.storeRetryAfterS),
        body: {
          error: {
            code: "store_failed",
            message:
              "The store cannot write at the moment: another program has locked its database. " +
              "Nothing of this request was stored: send it again in a few seconds.",
            details: { retry_after_s: LIMITS.storeRetryAfterS },
          },
          request_id: expect.any(String) as unknown,
        },
      })),
    );
    // What is read is what is on the disk.
    expect(await client.session(idle.id)).toMatchObject({ status: "ready", turns: 0 });
    expect(await client.approval(question.id)).toMatchObject({ status: "pending" });
    expect(await effectsOf(app)).toEqual([]);
    lock.release();
    await untilStore(client, "ok");
    await first;
    const answer = approveWith(client);
    await answer(question);
    for (const { id } of [asking, talking, idle])
      await untilTurnEnds(client, id, { answer: (approval) => answer(approval).catch(() => undefined) });
    const journals = await Promise.all([asking, talking, idle].map(({ id }) => journalOf(client, id)));
    expect(journals.map(faultsOf)).toEqual([NO_FAULTS, NO_FAULTS, NO_FAULTS]);
    expect(journals.map((journal) => journal.filter(({ type }) => type === "turn.completed").length)).toEqual([
      1, 1, 1,
    ]);
    expect((await effectsOf(app)).toSorted()).toEqual(["one", "two"]);
    expect((await client.approvals({})).approvals.map(({ status }) => status)).toEqual(["approved", "approved"]);
    const { principals } = (await client.tokens()) as { principals?: readonly { name: string }[] };
    expect((principals ?? []).some(({ name }) => name === "nobody")).toBe(false);
  });

  it("stops a session whose writes it cannot keep, and takes it up from the disk", async () => {
    await using app = await openTestApp({}, { store: { tuning: { ...QUICK, queueChars: 0 } } });
    const { client, serving } = app;
    const session = await client.createSession({
      prompt: { text: script({ stream: { tokens: 4_000, per_second: 1_000 } }, bash("once"), { say: "Done." }) },
    });
    const stream = await fetch(`${serving.url}/api/sessions/${session.id}/events`, {
      headers: { authorization: `Bearer ${serving.token}`, accept: "text/event-stream" },
    });
    for await (const frame of client.watch(session.id)) if (frame.type === "item.delta") break;
    const lock = await lockDatabase(app);
    const other = client.createToken({ role: "viewer", name: "finds out" }).catch(() => undefined);
    await untilStore(client, "stalled");
    await other;
    // It ends when the session has stopped.
    await stream.text();
    lock.release();
    await untilStore(client, "ok");
    await untilTurnEnds(client, session.id, { answer: approveWith(client) });
    const journal = await journalOf(client, session.id);
    expect(faultsOf(journal)).toEqual(NO_FAULTS);
    expect(journal.filter(({ type }) => type === "turn.resumed").length).toBe(1);
    expect(await effectsOf(app)).toEqual(["once"]);
  });

  it("does not keep a server from stopping; the next start goes on", async () => {
    await using app = await openTestApp({}, { store: { tuning: QUICK } });
    const session = await app.client.createSession({ prompt: { text: script(bash("one"), { say: "Done." }) } });
    const question = await questionOf(app.client, session.id);
    const lock = await lockDatabase(app);
    await app.client.createToken({ role: "viewer", name: "finds out" }).catch(() => undefined);
    await untilStore(app.client, "stalled");
    await app.stop();
    lock.release();
    await app.restart();
    await approveWith(app.client)(question);
    await untilTurnEnds(app.client, session.id);
    expect(faultsOf(await journalOf(app.client, session.id))).toEqual(NO_FAULTS);
    expect(await effectsOf(app)).toEqual(["one"]);
  });

  for (const hurry of [false, true]) {
    it(`does not keep a server from stopping where a turn runs${hurry ? " and somebody is in a hurry" : ""}`, async () => {
      const closeMs = hurry ? 1_000_000 : QUICK.closeMs;
      await using app = await openTestApp({}, { store: { tuning: { ...QUICK, closeMs } } });
      const session = await app.client.createSession({
        prompt: { text: script({ stream: { tokens: 300, per_second: 100 } }, { say: "Done." }) },
      });
      for await (const frame of app.client.watch(session.id)) if (frame.type === "item.delta") break;
      const lock = await lockDatabase(app);
      await app.client.createToken({ role: "viewer", name: "finds out" }).catch(() => undefined);
      await untilStore(app.client, "stalled");
      await app.stop(hurry ? AbortSignal.abort() : undefined);
      lock.release();
      await app.restart();
      await untilTurnEnds(app.client, session.id);
      expect(faultsOf(await journalOf(app.client, session.id))).toEqual(NO_FAULTS);
    });
  }

  it("answers an interrupt and a report of usage soon, without the long wait of other requests", async () => {
    const clock: Clock = {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      // Whoever waits so long waits for ever.
      after: (ms, callback) => {
        if (ms >= LIMITS.storeWaitMs) return () => undefined;
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    };
    await using app = await openMoneyApp({ clock, store: { tuning: QUICK } });
    const { client } = app;
    const session = await client.createSession({
      ...SMALL,
      prompt: { text: script(CALL, { stream: { tokens: 1_000, per_second: 100 } }) },
    });
    for await (const frame of client.watch(session.id)) if (frame.type === "item.delta") break;
    const lock = await lockDatabase(app);
    await client.createToken({ role: "viewer", name: "finds out" }).catch(() => undefined);
    await untilStore(client, "stalled");
    const words = { code: "store_failed", details: { stored_later: true } };
    await expect(client.control(session.id, "interrupt")).rejects.toMatchObject(words);
    // The request that was interrupted is settled, and that cannot be stored.
    await expect(client.usage({ by: ["day"] })).rejects.toMatchObject(words);
    await expect(client.sessionUsage(session.id)).rejects.toMatchObject(words);
    lock.release();
    await untilStore(client, "ok");
    const events = await untilTurnEnds(client, session.id);
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect((await client.usage({ by: ["day"] })).total.requests).toBe(1);
  });
});
