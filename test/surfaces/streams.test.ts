import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LIMITS, PROTOCOL_VERSION, type JournalEvent, type StreamFrame } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

/** The raw bytes of an event stream, event by event. */
async function* rawEvents(
  id: string,
  headers: Record<string, string> = {},
): AsyncGenerator<{ id?: string; event?: string; data?: string }> {
  const controller = new AbortController();
  const response = await fetch(`${app.serving.url}/api/sessions/${id}/events`, {
    headers: { authorization: `Bearer ${app.serving.token}`, accept: "text/event-stream", ...headers },
    signal: controller.signal,
  });
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  try {
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
        yield Object.fromEntries(
          rest
            .slice(0, end)
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
        );
        rest = rest.slice(end + 2);
      }
    }
  } finally {
    controller.abort();
  }
}

class Talker {
  readonly said: Record<string, unknown>[] = [];
  readonly socket: WebSocket;
  #changed: () => void = () => undefined;

  constructor(token: string) {
    this.socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws`, [
      `sallyport.token.${token}`,
      "sallyport",
    ]);
    this.socket.on("message", (data: Buffer) => {
      this.said.push(JSON.parse(data.toString()) as Record<string, unknown>);
      this.#changed();
    });
    this.socket.on("open", () => this.say({ type: "hello", protocol: PROTOCOL_VERSION }));
  }

  say(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  async until(found: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const message = this.said.find(found);
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

describe("the event stream", () => {
  it("gives ids only to what is journaled, and resumes from Last-Event-ID", async () => {
    const { session, events } = await runScript(app.client, { prompt: { text: script({ say: "a b c" }) } });
    const seen: (string | undefined)[] = [];
    for await (const event of rawEvents(session.id, { "last-event-id": "3" })) {
      seen.push(event.id);
      if (event.event === "turn.completed") break;
    }
    expect(seen).toEqual(events.slice(3).map(({ seq }) => String(seq)));
  });

  it("refuses a cursor past the end or of another kind by name", async () => {
    const { session } = await runScript(app.client, { prompt: { text: script({ say: "x" }) } });
    for (const cursor of ["999", "abc", "-1", "1.5"]) {
      await expect(rawEvents(session.id, { "last-event-id": cursor }).next()).rejects.toThrow("cursor_invalid");
    }
  });

  it("shows who comes late what is open, with its text so far", async () => {
    const session = await app.client.createSession({
      prompt: { text: script({ stream: { tokens: 100_000, per_second: 2_000 } }) },
    });
    const frames: StreamFrame[] = [];
    let deltas = 0;
    for await (const frame of app.client.watch(session.id)) {
      if (frame.type === "item.delta") deltas += 1;
      if (deltas > 20) break;
    }
    const { seq } = await app.client.session(session.id);
    for await (const frame of app.client.watch(session.id, { after: seq })) {
      frames.push(frame);
      if (frames.length === 2) break;
    }
    expect(frames[0]).toMatchObject({
      type: "item.updated",
      item: { type: "agent_message", status: "in_progress", text: expect.stringMatching(/\w{3,}/) },
    });
    expect(frames[0]).not.toHaveProperty("seq");
    expect(frames[1]?.type).toBe("item.delta");
    await app.client.control(session.id, "close");
  });

  it("loses and doubles nothing for watchers that come, go and come back at any moment", async () => {
    const steps = Array.from({ length: 40 }, (_, index) => ({
      tool: "TodoWrite",
      input: { todos: [{ content: `step ${index}`, status: "pending", activeForm: "x" }] },
    }));
    const session = await app.client.createSession({
      max_turns: 100,
      prompt: { text: script(...steps, { say: "end" }) },
    });
    const watcher = async (cutEvery: number): Promise<readonly JournalEvent[]> => {
      const events: JournalEvent[] = [];
      while (events.at(-1)?.type !== "turn.completed") {
        let got = 0;
        for await (const frame of app.client.watch(session.id, { after: events.at(-1)?.seq ?? 0 })) {
          if (!("seq" in frame)) continue;
          events.push(frame);
          got += 1;
          if (got === cutEvery || frame.type === "turn.completed") break;
        }
      }
      return events;
    };
    const all = await Promise.all([1, 2, 3, 5, 8, 1_000].map(watcher));
    const { events: journal } = await app.client.events(session.id, { limit: 1_000 });
    for (const events of all) expect(events).toEqual(journal.slice(0, events.length));
    expect(journal.slice(0, all[0]?.length ?? 0).at(-1)?.type).toBe("turn.completed");
  });

  it("reads on from the store for a watcher that falls out of the ring", async () => {
    const session = await app.client.createSession({});
    const reader = app.client.watch(session.id)[Symbol.asyncIterator]();
    const first = await reader.next();
    expect(first.value).toMatchObject({ seq: 1 });
    // More than the ring holds, while this watcher does not read.
    const rounds = Math.ceil(LIMITS.ringFrames / 400) + 1;
    for (let round = 0; round < rounds; round += 1) {
      const after = (await app.client.session(session.id)).seq;
      await app.client.prompt(session.id, { text: script({ stream: { tokens: 500, per_second: 0 } }) });
      await untilTurnEnds(app.client, session.id, { after });
    }
    const { seq } = await app.client.session(session.id);
    const seqs = [1];
    while (seqs.at(-1) !== seq) {
      const next = await reader.next();
      if (next.done === true) break;
      if ("seq" in next.value) seqs.push(next.value.seq);
    }
    expect(seqs).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    await reader.return?.(undefined);
  });

  it("ends when the session has ended", async () => {
    const session = await app.client.createSession({});
    const events: JournalEvent[] = [];
    const reading = (async () => {
      for await (const frame of app.client.watch(session.id)) if ("seq" in frame) events.push(frame);
    })();
    await app.client.control(session.id, "close");
    await reading;
    expect(events.at(-1)).toMatchObject({ type: "session.updated", status: "complete" });
    const again: unknown[] = [];
    for await (const frame of app.client.watch(session.id, { after: 1 })) again.push(frame);
    expect(again).toEqual(events.slice(1));
  });
});

describe("the socket of many sessions", () => {
  it("subscribes from a seq, runs commands and gives receipts", async () => {
    const talker = new Talker(app.serving.token);
    await talker.until(({ type }) => type === "welcome");
    talker.say({ type: "create", command_id: "c1", session: {} });
    const created = await talker.until(({ command_id }) => command_id === "c1");
    const session_id = (created["result"] as { id: string }).id;
    talker.say({ type: "subscribe", session_id, after: 0 });
    talker.say({
      type: "prompt",
      command_id: "c2",
      session_id,
      prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "ok" }) },
    });
    const asked = (await talker.until(({ type }) => type === "approval.requested"))["approval"] as {
      id: string;
      input_hash: string;
    };
    talker.say({
      type: "decide",
      command_id: "c3",
      approval_id: asked.id,
      decision: { decision: "approve", input_hash: asked.input_hash },
    });
    await talker.until(({ type }) => type === "turn.completed");
    expect(await talker.until(({ command_id }) => command_id === "c3")).toMatchObject({
      type: "receipt",
      result: { status: "approved" },
    });
    const seqs = talker.said.flatMap(({ seq }) => (typeof seq === "number" ? [seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    // The same command again: the first answer, no second turn.
    talker.said.length = 0;
    talker.say({
      type: "prompt",
      command_id: "c2",
      session_id,
      prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "ok" }) },
    });
    await talker.until(({ command_id }) => command_id === "c2");
    expect((await app.client.session(session_id)).turns).toBe(1);
    talker.say({ type: "unsubscribe", session_id });
    await talker.until(({ type }) => type === "unsubscribed");
    talker.socket.close();
  });

  it("says what a refusal is about, when a session has ended, and opens one feed however often it is asked", async () => {
    const talker = new Talker(app.serving.token);
    await talker.until(({ type }) => type === "welcome");
    talker.say({ type: "subscribe", session_id: "ses_none" });
    expect(await talker.until(({ type }) => type === "refused")).toMatchObject({
      session_id: "ses_none",
      error: { code: "not_found" },
    });
    const session = await app.client.createSession({});
    await app.client.control(session.id, "close");
    talker.say({ type: "subscribe", session_id: session.id });
    expect(await talker.until(({ type }) => type === "unsubscribed")).toEqual({
      type: "unsubscribed",
      session_id: session.id,
      ended: true,
    });
    for (const message of [{ type: "feed" }, { type: "feed" }, { type: "ping" }]) talker.say(message);
    await talker.until(({ type }) => type === "pong");
    expect(talker.said.filter(({ type }) => type === "feeding").length).toBe(2);
    const { id } = await app.client.createSession({});
    const told = await talker.until(
      (message) => (message["session"] as { readonly id?: string } | undefined)?.id === id,
    );
    expect(told).toMatchObject({ type: "session.changed" });
    talker.say({ type: "ping" });
    await talker.until(() => talker.said.filter(({ type }) => type === "pong").length === 2);
    const first = talker.said.filter((message) => JSON.stringify(message) === JSON.stringify(told));
    expect(first.length).toBe(1);
    talker.socket.close();
  });

  it("refuses what it does not understand and stays up", async () => {
    const talker = new Talker(app.serving.token);
    await talker.until(({ type }) => type === "welcome");
    for (const nonsense of [
      "{",
      "[]",
      "null",
      '{"type":"fly"}',
      '{"type":"subscribe"}',
      "[".repeat(5_000),
      '{"type":"prompt","command_id":"","session_id":"x","prompt":{"text":"x"}}',
    ]) {
      talker.said.length = 0;
      talker.say(nonsense);
      expect(await talker.until(({ type }) => type === "refused")).toMatchObject({
        error: { code: "invalid_request" },
      });
    }
    talker.say({ type: "ping" });
    await talker.until(({ type }) => type === "pong");
    talker.socket.close();
  });

  it("wants a greeting in its own protocol first", async () => {
    const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws?token=${app.serving.token}`);
    const answers: unknown[] = [];
    await new Promise<void>((resolve) => {
      socket.on("open", () => {
        socket.send('{"type":"ping"}');
        socket.send('{"type":"hello","protocol":"9.0"}');
      });
      socket.on("message", (data: Buffer) => {
        answers.push(JSON.parse(data.toString()));
        if (answers.length === 2) resolve();
      });
    });
    expect(answers).toMatchObject([{ error: { code: "protocol_mismatch" } }, { error: { code: "protocol_mismatch" } }]);
    socket.close();
  });
});
