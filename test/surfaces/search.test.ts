import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import { loadSqlite } from "../../src/store/sqlite/binding.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds } from "../support/app.ts";

const found = async (client: SallyportClient, q: string, session?: string): Promise<readonly string[]> => {
  const page = await client.searchText({ q, ...(session === undefined ? {} : { session }) });
  expect(page.complete).toBe(true);
  return page.hits.map(({ session_id, kind, tool = "", snippet }) => `${session_id} ${kind} ${tool}: ${snippet}`);
};

it("finds prompts, answers, calls and results, in one conversation and in all that the caller may read", async () => {
  await using app = await openTestApp();
  const agent = await app.as("agent");
  const steps = [
    { say: "Let me look at the xylophone." },
    { tool: "Bash", input: { command: "echo mari''mba && echo sk-ant-api03-abcdefghijklm''nopqrstuvwxyz0123456789" } },
    { say: "Done." },
  ];
  const mine = { prompt: { text: `Mend the glockenspiel\n${script(...steps)}` } };
  const { session, events } = await runScript(app.client, mine, approveWith(app.client));
  const { session: other } = await runScript(agent, { prompt: { text: script({ say: "No xylophone here." }) } });
  const { id } = session;
  expect(await found(app.client, "xylo")).toEqual([
    expect.stringMatching(`^${other.id} message : No xylophone here.`),
    expect.stringMatching(`^${other.id} prompt : `),
    `${id} message : Let me look at the xylophone.`,
    expect.stringMatching(`^${id} prompt : `),
  ]);
  expect(await found(agent, "xylophone")).toHaveLength(2);
  expect((await found(app.client, '"glockenspiel"', id))[0]).toMatch(`${id} prompt : Mend the glockenspiel`);
  // Of the call, what came out: the command has other words.
  expect(await found(app.client, "bash marimba", id)).toEqual([expect.stringMatching(`^${id} call Bash: Bash echo `)]);
  // What the journal does not have is not found either.
  expect(await found(app.client, "abcdefghijklmnopqrstuvwxyz0123456789")).toEqual([]);
  // The address leads to the event.
  const [hit] = (await app.client.searchText({ q: "look at the xylophone", session: id })).hits;
  expect(hit).toMatchObject({ title: "Mend the glockenspiel", kind: "message" });
  expect(events.find(({ seq }) => seq === hit?.seq)).toMatchObject({
    type: "item.completed",
    item: { text: "Let me look at the xylophone." },
  });
});

it("a fork has what it began with, an archived session stays found, a deleted one does not, also after a restart", async () => {
  await using app = await openTestApp();
  const { session } = await runScript(app.client, { prompt: { text: script({ say: "Before the bassoon." }) } });
  const fork = await app.client.fork(session.id, {});
  await app.client.prompt(session.id, { text: script({ say: "After the bassoon." }) });
  await untilTurnEnds(app.client, session.id, { after: session.seq + 4 });
  const texts = async (id?: string): Promise<readonly string[]> =>
    (await found(app.client, '"the bassoon"', id))
      .filter((text) => text.includes(" message "))
      .map((text) => text.slice(0, 60));
  const one = (id: string, text: string): string => `${id} message : ${text} the bassoon.`.slice(0, 60);
  expect(await texts(fork.id)).toEqual([one(fork.id, "Before")]);
  await app.client.inbox.label(session.id, { archived: true });
  await app.restart();
  expect(await texts()).toEqual([one(session.id, "After"), one(session.id, "Before")]);
  await app.client.deleteSession(session.id);
  expect(await texts()).toEqual([]);
  expect(await texts(fork.id)).toEqual([one(fork.id, "Before")]);
});

it("a damaged row, or a clock that ran far ahead, hurts no other conversation", async () => {
  await using app = await openTestApp();
  const run = async (say: string): Promise<string> =>
    (await runScript(app.client, { prompt: { text: script({ say }) } })).session.id;
  const [whole, damaged, late] = [await run("The oboe."), await run("The bad oboe."), await run("The late oboe.")];
  await app.stop();
  const home = app.place.home;
  const database = (await loadSqlite())(join(home, "sallyport.db"));
  const change = (sql: string, session: string): unknown =>
    database.prepare(`UPDATE events SET ${sql} WHERE session_id = ? AND type = 'item.completed'`).run(session);
  change("body = substr(body, 1, 40)", damaged);
  change("at = '9999-12-31T00:00:00.000Z'", late);
  database.close();
  for (const end of ["", "-wal", "-shm"]) await rm(join(home, `search.db${end}`), { force: true });
  await app.restart();
  const hits = (await found(app.client, "oboe")).filter((text) => text.includes(" message "));
  expect(hits).toEqual([`${late} message : The late oboe.`, `${whole} message : The oboe.`]);
});

it("refuses what cannot be searched, and changes nothing", async () => {
  await using app = await openTestApp();
  const { id } = await app.client.createSession({});
  const agent = await app.as("agent");
  const refused = (query: Parameters<SallyportClient["searchText"]>[0], client: SallyportClient = app.client) =>
    client.searchText(query).then(
      () => "answered",
      (error: unknown) => (error as { readonly code: string }).code,
    );
  expect([
    await refused({ q: "" }),
    await refused({ q: "!!" }),
    await refused({ q: "x".repeat(201) }),
    await refused({ q: "one", limit: 0 }),
    await refused({ q: "one", cursor: "nonsense" }),
    await refused({ q: "one", session: "ses_none" }),
    await refused({ q: "one", session: id }, agent),
    await refused({ q: "one", session: id }),
  ]).toEqual([
    "invalid_request",
    "invalid_request",
    "invalid_request",
    "invalid_request",
    "cursor_invalid",
    "not_found",
    "not_found",
    "answered",
  ]);
});
