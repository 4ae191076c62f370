import { join } from "node:path";
import { expect, it } from "vitest";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { examineDatabase } from "../../src/store/sqlite/examine.ts";
import { openTestApp, runScript, script } from "../support/app.ts";

const ask = { prompt: { text: script({ tool: "Bash", input: { command: "echo hi" } }, { say: "Done." }) } };

it("hurt only themselves: lists, journals and the start go on, and doctor's look finds them", async () => {
  await using app = await openTestApp();
  const { session: whole } = await runScript(app.client, { prompt: { text: script({ say: "I am whole." }) } });
  const { session: damaged } = await runScript(app.client, { prompt: { text: script({ say: "I am not." }) } });
  const asking = await app.client.createSession(ask);
  const other = await app.client.createSession(ask);
  for (const { id } of [asking, other])
    for await (const frame of app.client.watch(id)) if (frame.type === "approval.requested") break;
  const approvals = (await app.client.approvals({ status: "pending" })).approvals;
  const lost = approvals.find(({ session_id }) => session_id === asking.id)?.id ?? "";
  await app.stop();
  const path = join(app.place.home, "sallyport.db");
  const database = (await loadSqlite())(path);
  const spoil = (sql: string, ...values: string[]): void => void database.prepare(sql).run(...values);
  spoil("UPDATE sessions SET state = '{\"id\":' WHERE id = ?", damaged.id);
  spoil("UPDATE sessions SET state = 'xxxx' WHERE id = ?", asking.id);
  spoil("UPDATE approvals SET body = substr(body, 1, 40) WHERE id = ?", lost);
  spoil("UPDATE events SET body = '{\"type' WHERE session_id = ? AND seq = 3", whole.id);
  spoil("UPDATE audit SET details = '{' WHERE target = ?", whole.id);
  database.close();
  await app.restart();
  const { client } = app;
  const { sessions } = await client.sessions();
  expect(Object.fromEntries(sessions.map(({ id, title }) => [id, title === "(damaged)"]))).toEqual({
    [whole.id]: false,
    [damaged.id]: true,
    [asking.id]: true,
    [other.id]: false,
  });
  expect(sessions.find(({ id }) => id === damaged.id)).toMatchObject({
    status: "failed",
    error: { code: "store_failed", message: expect.stringContaining("is damaged in the database") as unknown },
  });
  await expect(client.session(damaged.id)).rejects.toMatchObject({ code: "store_failed" });
  const { events } = await client.events(whole.id, {});
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events[2]).toMatchObject({
    type: "error",
    message: "This event is damaged in the database and cannot be shown.",
  });
  const pending = (await client.approvals({ status: "pending" })).approvals;
  expect(Object.fromEntries(pending.map(({ id, tool }) => [id === lost ? "lost" : "other", tool]))).toEqual({
    lost: "(damaged)",
    other: "Bash",
  });
  await expect(client.decide(lost, { decision: "approve", input_hash: "" })).rejects.toMatchObject({
    code: "store_failed",
  });
  expect((await client.audit({})).entries.length).toBeGreaterThan(0);
  expect(await examineDatabase(path)).toEqual({
    problems: [],
    sessions: 4,
    damaged: [
      ...[damaged.id, asking.id].toSorted().map((id) => `session ${id}`),
      `approval ${lost}`,
      `event ${whole.id}/3`,
    ],
  });
  await client.deleteSession(damaged.id);
  expect((await client.sessions()).sessions.length).toBe(3);
});
