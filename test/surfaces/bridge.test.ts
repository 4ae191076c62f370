import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { approveNext, BridgeClient, byThread, mapped, threadOf, type Row } from "./bridge-client.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let clients: BridgeClient[];
beforeEach(async () => {
  app = await openTestApp();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  await app[Symbol.asyncDispose]();
});

function connect(query?: string): BridgeClient {
  const client = new BridgeClient(app, query === undefined ? {} : { query });
  clients.push(client);
  return client;
}

const todo = (index: number): object => ({
  tool: "TodoWrite",
  input: { todos: [{ content: `step ${index}`, status: "pending", activeForm: "x" }] },
});

describe("every client of the bridge", () => {
  it("sees the rows of a run that another one started", async () => {
    const [first, second] = [connect(), connect()];
    await second.status();
    await first.submit(script({ say: "hello" }, todo(1), { say: "bye" }));
    const rows = await first.turn();
    expect(rows.length).toBe(7);
    expect(await second.turn()).toEqual(rows);
  });

  it("can tell the rows of runs apart that go on at the same time", async () => {
    const watcher = connect();
    await watcher.status();
    const runs = 6;
    const prompt = (run: number): string =>
      script(...Array.from({ length: 10 }, (_, step) => [{ say: `${run}.${step}` }, todo(step)]).flat(), {
        say: "end",
      });
    await Promise.all(Array.from({ length: runs }, (_, run) => connect().submit(prompt(run))));
    for (let ended = 0; ended < runs; ended += 1) await watcher.turn();
    const threads = byThread(watcher.rows.filter(({ type }) => type !== "bridge.status"));
    expect(threads.size).toBe(runs);
    for (const [id, rows] of threads) expect(rows).toEqual(await mapped(app, id));
  });

  it("follows so many threads and no more, those at work before those that rest", async () => {
    const client = connect();
    await client.submit(script({ say: "rests" }));
    const resting = threadOf(await client.turn());
    const begin = async (): Promise<string> => {
      await client.submit(script({ tool: "Bash", input: { command: "true" } }));
      return threadOf(await client.until("item.started"));
    };
    const first = await begin();
    for (let run = 1; run < LIMITS.bridgeThreads; run += 1) await begin();
    expect(await watchers()).toBe(String(LIMITS.bridgeThreads));
    // The one that rests was let go; it comes back with its next run, at the cost of the oldest.
    await client.submit(script({ say: "back" }), { resumeId: resting });
    const rows = await client.turn();
    expect(byThread(rows).get(first)).toEqual([
      { type: "error", message: "more than 100 runs are open; the rest of this one is not shown here" },
    ]);
    expect(byThread(rows).get(resting)?.length).toBe(3);
    expect(await watchers()).toBe(String(LIMITS.bridgeThreads));
    client.close();
    await until(async () => (await watchers()) === "0");
  });
});

async function watchers(): Promise<string | undefined> {
  const response = await fetch(`${app.serving.url}/metrics`, {
    headers: { authorization: `Bearer ${app.serving.token}` },
  });
  return /^sallyport_watchers (\d+)/m.exec(await response.text())?.[1];
}

describe("a client that comes late", () => {
  it("is told of what was, then of what comes", async () => {
    const early = connect();
    await early.submit(script({ say: "one" }, todo(1), { say: "two" }));
    const past = await early.turn();
    const late = connect("");
    expect(await late.turn()).toEqual(past);
    await early.submit(script({ say: "three" }), { resumeId: threadOf(past) });
    const next = await early.turn();
    expect(next.map(({ type }) => type)).toEqual(["turn.started", "item.completed", "turn.completed"]);
    expect(await late.turn()).toEqual(next);
  });

  it("in the middle of a turn gets the turn's rows so far and the rest", async () => {
    const early = connect();
    await early.submit(script({ say: "look" }, { tool: "Bash", input: { command: "echo later" } }, { say: "end" }));
    const begun = await early.until("item.started");
    const [late, rich] = [connect(""), connect("mapping=rich")];
    expect(await late.until("item.started")).toEqual(begun);
    expect((await rich.until("approval.requested")).map(({ type }) => type)).toEqual([
      "thread.started",
      "turn.started",
      "item.completed",
      "item.started",
      "approval.requested",
    ]);
    await approveNext(app, threadOf(begun));
    const rest = await early.turn();
    expect(await late.turn()).toEqual(rest);
    expect((await rich.turn()).at(-1)?.type).toBe("turn.completed");
  });

  it("sees the text of an open message so far", async () => {
    const early = connect("replay=off&mapping=rich");
    await early.submit(script({ stream: { tokens: 100_000, per_second: 2_000 } }));
    const [told] = (await early.until("item.updated")).slice(-1) as unknown as [{ item: { text: string } }];
    const late = connect("mapping=rich");
    const [, , first] = await late.until("item.started");
    const { item } = first as unknown as { item: { id: string; text: string } };
    expect(item.id).toBe("item_0");
    expect(item.text.length).toBeGreaterThanOrEqual(told.item.text.length);
    await late.say({ control: "run.abort" });
    expect((await early.turn()).at(-1)).toMatchObject({ type: "turn.failed", error: { message: "aborted" } });
  });

  it("is told of the newest threads only, from the beginning of a turn each", async () => {
    const early = connect();
    const ids: string[] = [];
    for (let run = 0; run < LIMITS.bridgeReplayThreads + 2; run += 1) {
      await early.submit(script({ say: `run ${run}` }));
      ids.push(threadOf(await early.turn()));
    }
    const last = ids.at(-1) as string;
    // More events than are told, then one short turn.
    const steps = Array.from({ length: 14 }, (_, step) => ({ tools: [1, 2, 3, 4, 5, 6, 7].map(() => todo(step)) }));
    await early.submit(script(...steps, { say: "long" }), { resumeId: last });
    await early.turn();
    const middle = connect("");
    const ends = (row: Row): boolean => row.type === "turn.completed";
    const seen: Row[] = [];
    for (let run = 1; run < LIMITS.bridgeReplayThreads; run += 1) seen.push(...(await middle.until(ends)));
    expect(seen.flatMap(({ thread_id }) => (thread_id === undefined ? [] : [thread_id]))).toEqual(ids.slice(2, -1));
    const cut = await middle.until(ends);
    // The turn is longer than what is told of it: its newest rows, after its thread.
    expect(cut[0]).toEqual({ type: "thread.started", thread_id: last });
    expect(cut[1]?.type).toMatch(/^item\./);
    expect(cut.length).toBeGreaterThan(30);
    expect(cut.length).toBeLessThan(LIMITS.bridgeReplayEvents);
    await early.submit(script({ say: "short" }), { resumeId: last });
    const short = await early.turn();
    const late = connect("");
    for (let run = 1; run < LIMITS.bridgeReplayThreads; run += 1) await late.until(ends);
    expect(await late.until(ends)).toEqual([{ type: "thread.started", thread_id: last }, ...short.slice(-3)]);
  });

  it("after a restart of the server sees what was open and how it goes on", async () => {
    const early = connect();
    await early.submit(script({ say: "asking" }, { tool: "Bash", input: { command: "echo once" } }, { say: "end" }));
    const begun = await early.until("item.started");
    await app.restart();
    const late = connect("");
    expect(await late.until("item.started")).toEqual(begun);
    await approveNext(app, threadOf(begun));
    expect((await late.turn()).map(({ type }) => type)).toEqual([
      "approval.requested",
      "approval.resolved",
      "item.completed",
      "item.completed",
      "turn.completed",
    ]);
    expect(byThread(late.rows).get(threadOf(begun))).toEqual(await mapped(app, threadOf(begun)));
  });

  it("is not told of sessions that are none of the bridge's, until one is taken up there", async () => {
    const { session } = await runScript(app.client, { prompt: { text: script({ say: "elsewhere" }) } });
    const early = connect("");
    await early.submit(script({ say: "here" }), { resumeId: session.id });
    const rows = await early.turn();
    expect(rows[2]).toEqual({
      type: "item.completed",
      item: { id: "item_0", type: "agent_message", text: "here" },
    });
    expect(threadOf(rows)).toBe(session.id);
    const late = connect("");
    expect([...(await late.turn()), ...(await late.turn())]).toEqual(await mapped(app, session.id));
  });
});

describe("a thread of the bridge", () => {
  it("is shown when somebody else prompts it, too", async () => {
    const client = connect();
    await client.submit(script({ say: "one" }));
    const id = threadOf(await client.turn());
    const { seq } = await app.client.session(id);
    await app.client.prompt(id, { text: script({ say: "from elsewhere" }) });
    await untilTurnEnds(app.client, id, { after: seq });
    const rows = await client.turn();
    expect(rows[1]).toEqual({
      type: "item.completed",
      item: { id: "item_0", type: "agent_message", text: "from elsewhere" },
    });
  });

  it("tells prompts that wait in turn", async () => {
    const client = connect();
    await client.submit(script({ tool: "Bash", input: { command: "true" } }, { say: "first" }));
    const id = threadOf(await client.until("item.started"));
    await client.submit(script({ say: "second" }), { resumeId: id });
    await client.status();
    expect((await app.client.session(id)).queue.length).toBe(1);
    await approveNext(app, id);
    await client.turn();
    const rows = await client.turn();
    expect(rows.map(({ type }) => type)).toEqual(["turn.started", "item.completed", "turn.completed"]);
    expect(client.thread).toBe(id);
  });
});
