import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection, type LiveStatus } from "../../src/client/index.ts";
import type { Approval, FeedFrame, JournalEvent, StreamFrame } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

/** A live connection whose wire can be cut, and which finds the server again when it has moved to another port. */
function connect(token: string): {
  readonly live: LiveConnection;
  readonly cut: () => void;
  readonly wires: WebSocket[];
} {
  const wires: WebSocket[] = [];
  class Wire extends WebSocket {
    constructor(_url: string, protocols: string[]) {
      super(`${app.serving.url.replace("http", "ws")}/api/ws`, protocols);
      wires.push(this);
    }
  }
  const live = new LiveConnection({ url: app.serving.url, token, WebSocket: Wire });
  return { live, wires, cut: () => wires.at(-1)?.terminate() };
}

const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const admin = (): string => app.serving.token;
const journaled = (frames: readonly StreamFrame[]): readonly JournalEvent[] =>
  frames.flatMap((frame) => ("seq" in frame ? [frame] : []));

async function seqsOf(id: string): Promise<readonly number[]> {
  return (await app.client.events(id, { limit: 1_000 })).events.map(({ seq }) => seq);
}

/** The seqs up to the end of the first turn. */
async function turnOf(id: string): Promise<readonly number[]> {
  return (await untilTurnEnds(app.client, id)).map(({ seq }) => seq);
}

/** The first of what comes that fits. */
async function until<Value, Found extends Value>(
  values: AsyncIterator<Value>,
  fits: (value: Value) => value is Found,
): Promise<Found> {
  for (;;) {
    const { value, done } = await values.next();
    if (done === true) throw new Error("it ended before that");
    if (fits(value)) return value;
  }
}

function statusUntil(live: LiveConnection, state: LiveStatus["state"]): Promise<readonly LiveStatus[]> {
  const seen: LiveStatus[] = [];
  return new Promise((resolve) => {
    const stop = live.onStatus((status) => {
      seen.push(status);
      if (status.state !== state) return;
      stop();
      resolve(seen);
    });
  });
}

describe("a watch", () => {
  it("gives a session from its beginning to its end, and ends with it", async () => {
    const { live } = connect(admin());
    const { session } = await runScript(app.client, { prompt: { text: script({ say: "one two three" }) } });
    await app.client.control(session.id, "close");
    const frames: StreamFrame[] = [];
    for await (const frame of live.watch(session.id)) frames.push(frame);
    expect(journaled(frames).map(({ seq }) => seq)).toEqual(await seqsOf(session.id));
    // Of what is known already nothing comes, and the end comes all the same.
    for await (const frame of live.watch(session.id, { after: frames.length })) throw new Error(frame.type);
    live.close();
  });

  it("comes back by itself and brings every journaled event exactly once, live, however often it is cut", async () => {
    const { live, cut, wires } = connect(admin());
    const steps = Array.from({ length: 6 }, (_, index) => [{ say: `step ${index}` }, bash(`echo ${index}`)]).flat();
    const session = await app.client.createSession({ prompt: { text: script(...steps, { say: "end" }) } });
    const frames: StreamFrame[] = [];
    for await (const frame of live.watch(session.id)) {
      frames.push(frame);
      if (frame.type === "item.completed") cut();
      // The turn waits for those who come back.
      if (frame.type === "approval.requested") await approveWith(app.client)(frame.approval);
      if (frame.type === "turn.completed") break;
    }
    expect(journaled(frames).map(({ seq }) => seq)).toEqual(await turnOf(session.id));
    expect(wires.length).toBeGreaterThan(3);
    live.close();
  });

  it("survives a restart of the server", async () => {
    const { live } = connect(admin());
    const session = await app.client.createSession({ prompt: { text: script(bash("echo a"), { say: "b" }) } });
    const watch = live.watch(session.id);
    const frames: StreamFrame[] = [];
    const asked = await until(watch, (frame): frame is Extract<StreamFrame, { type: "approval.requested" }> => {
      frames.push(frame);
      return frame.type === "approval.requested";
    });
    const statuses = statusUntil(live, "open");
    await app.restart();
    expect((await statuses).map(({ state }) => state)).toEqual(
      expect.arrayContaining(["waiting", "connecting", "open"]),
    );
    await approveWith(app.client)(asked.approval);
    await until(watch, (frame): frame is StreamFrame => {
      frames.push(frame);
      return frame.type === "turn.completed";
    });
    await watch.return(undefined);
    expect(journaled(frames).map(({ seq }) => seq)).toEqual(await turnOf(session.id));
    live.close();
  });

  it("serves several readers of one session, each from its own place", async () => {
    const { live, wires } = connect(admin());
    const { session } = await runScript(app.client, { prompt: { text: script({ say: "one two three" }) } });
    await app.client.control(session.id, "close");
    const all = await seqsOf(session.id);
    const read = async (after: number): Promise<readonly number[]> => {
      const frames: StreamFrame[] = [];
      for await (const frame of live.watch(session.id, { after })) frames.push(frame);
      return journaled(frames).map(({ seq }) => seq);
    };
    expect(await Promise.all([read(0), read(3), read(0), read(2)])).toEqual([all, all.slice(3), all, all.slice(2)]);
    expect(wires.length).toBe(1);
    live.close();
  });

  it("throws what the server refuses, and only in the watch that it is about", async () => {
    const { live } = connect(admin());
    const session = await app.client.createSession({});
    const good = live.watch(session.id);
    expect((await good.next()).value).toMatchObject({ seq: 1 });
    await expect(live.watch("ses_none").next()).rejects.toMatchObject({ code: "not_found" });
    const other = await app.client.createSession({});
    await expect(live.watch(other.id, { after: 1_000 }).next()).rejects.toMatchObject({ code: "cursor_invalid" });
    await app.client.control(session.id, "close");
    const rest: StreamFrame[] = [];
    for await (const frame of good) rest.push(frame);
    expect(rest.at(-1)).toMatchObject({ type: "session.updated", status: "complete" });
    live.close();
  });

  it("says that the token is wrong", async () => {
    const { live } = connect("wrong");
    await expect(live.watch("ses_none").next()).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(live.feed().next()).rejects.toMatchObject({ code: "unauthenticated" });
    expect(live.status).toEqual({ state: "closed", attempt: 0 });
  });

  it("ends at once when its signal is aborted or the connection is closed, and can be taken up again", async () => {
    const { live } = connect(admin());
    const session = await app.client.createSession({});
    const first = await seqsOf(session.id);
    for (let round = 0; round < 5; round += 1) {
      const controller = new AbortController();
      const watch = live.watch(session.id, { signal: controller.signal });
      expect((await watch.next()).value).toMatchObject({ seq: 1 });
      controller.abort();
      expect(await watch.next()).toEqual({ done: true, value: undefined });
    }
    const watch = live.watch(session.id, { after: first.length });
    const next = watch.next();
    live.close();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await live.watch(session.id).next()).toEqual({ done: true, value: undefined });
  });

  it("closes its connection when nobody listens any more", async () => {
    const { live } = connect(admin());
    const session = await app.client.createSession({});
    const watch = live.watch(session.id);
    await watch.next();
    const closed = statusUntil(live, "closed");
    await watch.return(undefined);
    expect(await closed).toEqual([{ state: "closed", attempt: 0 }]);
  });
});

describe("the feed", () => {
  const isApproval = (frame: { readonly type: string }): frame is Extract<FeedFrame, { type: "approval.changed" }> =>
    frame.type === "approval.changed";

  it("tells of questions and of their answers, and of each session in its last state", async () => {
    const { live } = connect(admin());
    const feed = live.feed();
    expect((await feed.next()).value).toEqual({ type: "feed.opened" });
    const session = await app.client.createSession({ prompt: { text: script(bash("echo hi"), { say: "done" }) } });
    const asked = (await until(feed, isApproval)).approval;
    expect(asked).toEqual(await app.client.approval(asked.id));
    await approveWith(app.client)(asked);
    const answered: Approval = (await until(feed, isApproval)).approval;
    expect(answered).toEqual(await app.client.approval(asked.id));
    expect(answered).toMatchObject({ status: "approved", resolved_by: { role: "admin" } });
    await untilTurnEnds(app.client, session.id);
    const last = await app.client.session(session.id);
    const told = await until(
      feed,
      (frame): frame is Extract<FeedFrame, { type: "session.changed" }> =>
        frame.type === "session.changed" && frame.session.seq === last.seq,
    );
    expect(told.session).toEqual(last);
    live.close();
  });

  it("is opened anew after each reconnect, and for each reader", async () => {
    const { live, cut } = connect(admin());
    const feed = live.feed();
    expect((await feed.next()).value).toEqual({ type: "feed.opened" });
    const second = live.feed();
    expect((await second.next()).value).toEqual({ type: "feed.opened" });
    cut();
    expect((await feed.next()).value).toEqual({ type: "feed.opened" });
    expect((await second.next()).value).toEqual({ type: "feed.opened" });
    await feed.return(undefined);
    const session = await app.client.createSession({});
    await until(
      second,
      (frame): frame is FeedFrame => frame.type === "session.changed" && frame.session.id === session.id,
    );
    live.close();
  });

  it("shows an agent its own sessions only", async () => {
    const agent = await app.as("agent", "fed");
    const { live } = connect(agent.token);
    const feed = live.feed();
    expect((await feed.next()).value).toEqual({ type: "feed.opened" });
    await runScript(
      app.client,
      { prompt: { text: script(bash("echo mine"), { say: "done" }) } },
      approveWith(app.client),
    );
    const own = await agent.createSession({});
    expect((await feed.next()).value).toMatchObject({ type: "session.changed", session: { id: own.id } });
    live.close();
  });

  it("tells a busy session a few times a second at most", async () => {
    const { live } = connect(admin());
    const feed = live.feed();
    await feed.next();
    const steps = Array.from({ length: 20 }, (_, index) => bash(`echo ${index}`));
    const { session, events } = await runScript(app.client, {
      autonomy: "full",
      prompt: { text: script(...steps, { say: "end" }) },
    });
    let told = 0;
    await until(feed, (frame): frame is FeedFrame => {
      if (frame.type === "session.changed" && frame.session.id === session.id) told += 1;
      return frame.type === "session.changed" && frame.session.status === "idle" && frame.session.turns === 1;
    });
    const elapsed = Date.parse(events.at(-1)?.at ?? "") - Date.parse(events[0]?.at ?? "");
    expect(told).toBeLessThanOrEqual(3 + elapsed / 250);
    live.close();
  });
});
