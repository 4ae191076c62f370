import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JournalEvent, SessionView } from "../../src/protocol/index.ts";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const SLOW = { stream: { tokens: 100_000, per_second: 100 } };

interface Damage {
  repair(): void;
}

/** Spoils the event that holds a queued prompt, on the disk, until it is repaired. */
async function damagePrompt({ place }: TestApp, session_id: string, turn_id: string): Promise<Damage> {
  const database = (await loadSqlite())(join(place.home, "sallyport.db"));
  // The server writes too.
  database.exec("PRAGMA busy_timeout = 60000");
  const where = "WHERE session_id = ? AND type = 'turn.queued' AND instr(body, ?) > 0";
  const [row] = database.prepare(`SELECT seq, body FROM events ${where}`).all(session_id, turn_id) as {
    readonly seq: number;
    readonly body: string;
  }[];
  const write = (body: string): void =>
    void database
      .prepare("UPDATE events SET body = ? WHERE session_id = ? AND seq = ?")
      .run(body, session_id, row?.seq ?? 0);
  write("{");
  return {
    repair: () => {
      write(row?.body ?? "");
      database.close();
    },
  };
}

const UNREAD =
  "The next prompt could not be read from the store, so the queue is held. Resume it to try again, or remove that prompt.";

/** A person stops a turn while other prompts wait behind it. */
describe("a stop holds the queue", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  /** A slow turn, and prompts that wait behind it. */
  async function busy(...waiting: readonly string[]): Promise<{ id: string; turns: readonly string[] }> {
    const session = await app.client.createSession({ prompt: { text: script(SLOW) } });
    const turns: string[] = [];
    for (const say of waiting) turns.push((await app.client.prompt(session.id, { text: script({ say }) })).turn_id);
    return { id: session.id, turns };
  }
  const begun = (events: readonly JournalEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === "turn.started" ? [event.turn_id] : []));
  const events = async (id: string): Promise<readonly JournalEvent[]> =>
    (await app.client.events(id, { limit: 1_000 })).events;
  const queued = ({ status, queue }: SessionView): unknown => ({
    status,
    queue: queue.map(({ turn_id, held }) => [turn_id, held]),
  });

  it("until somebody resumes; then they begin in their order", async () => {
    const { id, turns } = await busy("second", "third");
    const ended = untilTurnEnds(app.client, id);
    const stopped = await app.client.interrupt(id, { hold_queue: true });
    expect(queued(stopped)).toEqual({ status: "idle", queue: turns.map((turn) => [turn, true]) });
    const before = await ended;
    expect(before.find((event) => event.type === "turn.failed")).toMatchObject({
      error: { code: "aborted" },
      by: { role: "admin" },
    });
    await app.client.control(id, "resume");
    let after = before.at(-1)?.seq ?? 0;
    for (const turn of turns) {
      const rest = await untilTurnEnds(app.client, id, { after });
      expect(begun(rest)).toEqual([turn]);
      after = rest.at(-1)?.seq ?? 0;
    }
    expect(await app.client.session(id)).toMatchObject({ status: "idle", queue: [] });
  });

  it("and keeps holding it after a restart", async () => {
    const { id, turns } = await busy("later");
    await app.client.interrupt(id, { hold_queue: true });
    const { seq } = await app.client.session(id);
    await app.restart();
    expect(queued(await app.client.session(id))).toEqual({ status: "idle", queue: [[turns[0], true]] });
    expect((await app.client.session(id)).seq).toBe(seq);
  });

  it("while a prompt that is sent after the stop begins at once", async () => {
    const { id, turns } = await busy("held");
    await app.client.interrupt(id, { hold_queue: true });
    const { seq } = await app.client.session(id);
    const { turn_id, queued: waits } = await app.client.prompt(id, { text: script({ say: "now" }) });
    expect(waits).toBe(false);
    expect(begun(await untilTurnEnds(app.client, id, { after: seq }))).toEqual([turn_id]);
    expect(queued(await app.client.session(id))).toEqual({ status: "idle", queue: [[turns[0], true]] });
  });

  it("and what waits can be taken out, once", async () => {
    const { id, turns } = await busy("not needed", "needed");
    const [first = "", second = ""] = turns;
    await app.client.interrupt(id, { hold_queue: true });
    expect(queued(await app.client.removePrompt(id, first))).toEqual({ status: "idle", queue: [[second, true]] });
    await expect(app.client.removePrompt(id, first)).rejects.toMatchObject({ code: "not_found" });
    expect((await events(id)).findLast((event) => event.type === "turn.failed")).toMatchObject({
      turn_id: first,
      error: { code: "aborted", message: "removed from the queue before it began" },
      by: { role: "admin" },
    });
    const viewer = await app.as("viewer");
    await expect(viewer.removePrompt(id, second)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("also when a question was rejected and the turn stopped", async () => {
    const write = { tool: "Write", input: { file_path: "no.txt", content: "no\n" } };
    const session = await app.client.createSession({ prompt: { text: script(write, { say: "On." }) } });
    const { turn_id } = await app.client.prompt(session.id, { text: script({ say: "next" }) });
    await untilTurnEnds(app.client, session.id, {
      answer: ({ id, input_hash }) =>
        app.client.decide(id, { decision: "reject", input_hash, interrupt: true, hold_queue: true }),
    });
    expect(queued(await app.client.session(session.id))).toEqual({ status: "idle", queue: [[turn_id, true]] });
  });

  it("but only where it is asked for: by default the next prompt begins", async () => {
    const { id, turns } = await busy("goes on");
    const stopped = untilTurnEnds(app.client, id);
    await app.client.control(id, "interrupt");
    const after = (await stopped).at(-1)?.seq ?? 0;
    expect(begun(await untilTurnEnds(app.client, id, { after }))).toEqual(turns);
  });

  it("an approval takes no hold_queue", async () => {
    const write = { tool: "Write", input: { file_path: "yes.txt", content: "yes\n" } };
    const { id } = await app.client.createSession({ prompt: { text: script(write) } });
    await untilTurnEnds(app.client, id, {
      answer: async ({ id: asked, input_hash }) => {
        for (const wrong of [{ decision: "approve" }, { decision: "reject" }] as const)
          await expect(app.client.decide(asked, { ...wrong, input_hash, hold_queue: true })).rejects.toMatchObject({
            code: "invalid_request",
          });
        await app.client.decide(asked, { decision: "reject", input_hash });
      },
    });
  });

  /** Ends the open turn, so that the next prompt should begin. What was journaled until the queue was held. */
  async function endAndWaitForHold(id: string): Promise<readonly JournalEvent[]> {
    const { seq } = await app.client.session(id);
    await app.client.interrupt(id);
    return untilHeld(id, seq);
  }
  async function untilHeld(id: string, after: number): Promise<readonly JournalEvent[]> {
    const seen: JournalEvent[] = [];
    for await (const frame of app.client.watch(id, { after })) {
      if ("seq" in frame) seen.push(frame);
      if (frame.type === "session.updated" && (frame.held ?? []).length > 0) break;
    }
    return seen;
  }

  it("and so does a prompt that the store does not give back: the conversation says so, and it can be tried again", async () => {
    const { id, turns } = await busy("unread", "behind it");
    const damage = await damagePrompt(app, id, turns[0] ?? "");
    const told = await endAndWaitForHold(id);
    expect(told.slice(-2)).toMatchObject([
      { type: "error", message: UNREAD },
      { type: "session.updated", status: "idle", held: turns },
    ]);
    expect(begun(told)).toEqual([]);
    const held = { status: "idle", queue: turns.map((turn) => [turn, true]) };
    expect(queued(await app.client.session(id))).toEqual(held);
    // Tried again in vain: it is said again.
    let { seq } = await app.client.session(id);
    await app.client.control(id, "resume");
    expect((await untilHeld(id, seq)).map(({ type }) => type)).toEqual(["session.updated", "error", "session.updated"]);
    expect(queued(await app.client.session(id))).toEqual(held);
    ({ seq } = await app.client.session(id));
    await app.restart();
    expect(await app.client.session(id)).toMatchObject({ status: "idle", seq });
    damage.repair();
    await app.client.control(id, "resume");
    for (const turn of turns) {
      const rest = await untilTurnEnds(app.client, id, { after: seq });
      expect(begun(rest)).toEqual([turn]);
      seq = rest.at(-1)?.seq ?? 0;
    }
    expect(await app.client.session(id)).toMatchObject({ status: "idle", queue: [] });
  });

  it("also after a restart, and what cannot be read can be taken out: the next one then begins", async () => {
    const { id, turns } = await busy("unread", "behind it");
    const [first = "", second = ""] = turns;
    await app.stop();
    const damage = await damagePrompt(app, id, first);
    await app.restart();
    expect((await endAndWaitForHold(id)).at(-1)).toMatchObject({ status: "idle", held: turns });
    expect(queued(await app.client.removePrompt(id, first))).toEqual({ status: "idle", queue: [[second, true]] });
    const { seq } = await app.client.session(id);
    await app.client.control(id, "resume");
    expect(begun(await untilTurnEnds(app.client, id, { after: seq }))).toEqual([second]);
    damage.repair();
  });

  it("also in a session that has had no turn yet", async () => {
    const { id } = await app.client.createSession({});
    await app.client.control(id, "pause");
    const { turn_id } = await app.client.prompt(id, { text: script({ say: "first" }) });
    const damage = await damagePrompt(app, id, turn_id);
    const { seq } = await app.client.session(id);
    await app.client.control(id, "resume");
    expect((await untilHeld(id, seq)).at(-1)).toMatchObject({ status: "idle", held: [turn_id] });
    expect(queued(await app.client.session(id))).toEqual({ status: "idle", queue: [[turn_id, true]] });
    damage.repair();
  });

  it("and a session that an earlier version left queued behind a hold is idle after a restart", async () => {
    const { id, turns } = await busy("held");
    await app.client.interrupt(id, { hold_queue: true });
    await app.stop();
    const database = (await loadSqlite())(join(app.place.home, "sallyport.db"));
    const sql = `UPDATE sessions SET status = 'queued', state = json_set(state, '$.status', 'queued') WHERE id = ?`;
    database.prepare(sql).run(id);
    database.close();
    await app.restart();
    expect(queued(await app.client.session(id))).toEqual({ status: "idle", queue: [[turns[0], true]] });
  });
});
