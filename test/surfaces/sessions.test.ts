import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS, type JournalEvent } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const types = (events: readonly JournalEvent[]): readonly string[] => events.map(({ type }) => type);

describe("a session over HTTP", () => {
  it("answers a prompt, token by token, in one terminal event", async () => {
    let text = "";
    const session = await app.client.createSession({ prompt: { text: script({ say: "hello there, friend" }) } });
    const events = await untilTurnEnds(app.client, session.id, {
      onFrame: (frame) => {
        if (frame.type === "item.delta") text += frame.delta;
      },
    });
    expect(types(events)).toEqual([
      "thread.started",
      "session.updated",
      "turn.started",
      "session.updated",
      "item.started",
      "item.completed",
      "usage.updated",
      "turn.completed",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events.find((event) => event.type === "item.completed")).toMatchObject({
      item: { type: "agent_message", text: "hello there, friend", status: "completed" },
    });
    expect("hello there, friend".endsWith(text)).toBe(true);
    const view = await app.client.session(session.id);
    expect(view).toMatchObject({
      status: "idle",
      turns: 1,
      queue: [],
      pending_approvals: [],
      usage: { model_calls: 1 },
    });
  });

  it("reads without asking and asks before it writes, with the exact diff", async () => {
    await writeFile(join(app.place.workspace, "a.txt"), "old\n");
    const file_path = join(app.place.workspace, "a.txt");
    const { events } = await runScript(
      app.client,
      {
        prompt: {
          text: script(
            { tool: "Read", input: { file_path } },
            { tool: "Edit", input: { file_path, old_string: "old", new_string: "new" } },
            { say: "done" },
          ),
        },
      },
      approveWith(app.client),
    );
    const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event.approval] : []));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      tool: "Edit",
      tier: "write",
      preview: {
        type: "diff",
        file: { diff: `--- a/${file_path}\n+++ b/${file_path}\n@@ -1 +1 @@\n-old\n+new`, added: 1, removed: 1 },
      },
      session_rule: "Edit(a.txt)",
    });
    expect(await readFile(file_path, "utf8")).toBe("new\n");
    expect(events.at(-1)).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
  });

  it("keeps a second prompt until the first has ended, and what waits when it is closed ends too", async () => {
    const session = await app.client.createSession({
      prompt: { text: script({ tool: "Bash", input: { command: "true" } }) },
    });
    const second = await app.client.prompt(session.id, { text: script({ say: "second" }) });
    const third = await app.client.prompt(session.id, { text: "third" });
    expect([second.queued, third.queued]).toEqual([true, true]);
    expect((await app.client.session(session.id)).queue.map(({ turn_id }) => turn_id)).toEqual([
      second.turn_id,
      third.turn_id,
    ]);
    const watching = (async () => {
      const events: JournalEvent[] = [];
      for await (const frame of app.client.watch(session.id)) {
        if (!("seq" in frame)) continue;
        events.push(frame);
        if (frame.type === "approval.requested") await approveWith(app.client)(frame.approval);
        if (frame.type === "turn.started" && frame.turn_id === third.turn_id)
          await app.client.control(session.id, "close");
      }
      return events;
    })();
    const events = await watching;
    const ends = events.filter((event) => event.type === "turn.completed" || event.type === "turn.failed");
    expect(ends.map(({ type, turn_id }) => [type, turn_id])).toEqual([
      ["turn.completed", session.turn_id],
      ["turn.completed", second.turn_id],
      ["turn.failed", third.turn_id],
    ]);
    expect(events.at(-1)).toMatchObject({ type: "session.updated", status: "complete" });
    await expect(app.client.prompt(session.id, { text: "more" })).rejects.toMatchObject({ code: "session_closed" });
  });

  it("interrupts mid-text and goes on with the next prompt", async () => {
    const session = await app.client.createSession({
      prompt: { text: script({ stream: { tokens: 100_000, per_second: 1_000 } }) },
    });
    const events = await untilTurnEnds(app.client, session.id, {
      onFrame: (frame) => {
        if (frame.type === "item.started") void app.client.control(session.id, "interrupt");
      },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    expect(events.findLast((event) => event.type === "item.completed")).toMatchObject({
      item: { status: "interrupted" },
    });
    const last = events.at(-1)?.seq ?? 0;
    await app.client.prompt(session.id, { text: script({ say: "again" }) });
    expect((await untilTurnEnds(app.client, session.id, { after: last })).at(-1)).toMatchObject({
      type: "turn.completed",
    });
  });

  it("interrupts a running command and leaves no process", async () => {
    const session = await app.client.createSession({
      autonomy: "full",
      prompt: { text: script({ tool: "Bash", input: { command: "echo started; sleep 1000" } }) },
    });
    const events = await untilTurnEnds(app.client, session.id, {
      onFrame: (frame) => {
        if (frame.type === "item.delta" && frame.field === "output") void app.client.control(session.id, "interrupt");
      },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    const { leftBehind } = await import("../support/server.ts");
    expect(await leftBehind(app.place)).toEqual([]);
  });

  it("pauses: the queue waits, and goes on after resume", async () => {
    const session = await app.client.createSession({});
    expect((await app.client.control(session.id, "pause")).status).toBe("paused");
    const { queued } = await app.client.prompt(session.id, { text: script({ say: "at last" }) });
    expect(queued).toBe(true);
    expect((await app.client.session(session.id)).turn_id).toBeUndefined();
    await app.client.control(session.id, "resume");
    expect((await untilTurnEnds(app.client, session.id)).at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("forks at a turn's end: the child has the parent's journal up to there and its own afterwards", async () => {
    const { session, events } = await runScript(app.client, { prompt: { text: script({ say: "one" }) } });
    await app.client.prompt(session.id, { text: script({ say: "two" }) });
    await untilTurnEnds(app.client, session.id, { after: events.at(-1)?.seq ?? 0 });
    const child = await app.client.fork(session.id, { after_turn: session.turn_id ?? "" });
    expect(child.forked_from).toEqual({ session_id: session.id, seq: 8 });
    await app.client.prompt(child.id, { text: script({ say: "other two" }) });
    const own = await untilTurnEnds(app.client, child.id, { after: 8 });
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => 9 + index));
    const { events: all } = await app.client.events(child.id);
    expect(all.every(({ session_id }) => session_id === child.id)).toBe(true);
    const said = all.flatMap((event) =>
      event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
    );
    expect(said).toEqual(["one", "other two"]);
    const grandchild = await app.client.fork(child.id);
    expect((await app.client.events(grandchild.id)).events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: grandchild.seq }, (_, index) => index + 1),
    );
    await expect(app.client.fork(session.id, { after_turn: "turn_unknown" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("answers a retried command with its first answer", async () => {
    const [left, right] = await Promise.all([
      app.client.createSession({}, { key: "k1" }),
      app.client.createSession({}, { key: "k1" }),
    ]);
    expect(right).toEqual(left);
    expect(await app.client.createSession({}, { key: "k1" })).toEqual(left);
    await expect(app.client.createSession({ model: "other" }, { key: "k1" })).rejects.toMatchObject({
      code: "idempotency_mismatch",
    });
    const other = await app.as("operator");
    expect((await other.createSession({}, { key: "k1" })).id).not.toBe(left.id);
    const first = await app.client.prompt(left.id, { text: script({ say: "x" }) }, { key: "p" });
    expect(await app.client.prompt(left.id, { text: script({ say: "x" }) }, { key: "p" })).toEqual(first);
    await app.client.createToken({ role: "viewer", name: "once" }, { key: "t" });
    await expect(app.client.createToken({ role: "viewer", name: "once" }, { key: "t" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await app.client.tokens()).tokens.filter(({ name }) => name === "once")).toHaveLength(1);
    await app.restart();
    expect(await app.client.createSession({}, { key: "k1" })).toEqual(left);
  });

  it("refuses bad input by name and changes nothing", async () => {
    const before = (await app.client.sessions({ limit: 1_000 })).sessions.length;
    for (const [request, code] of [
      [{ workspace: "/nowhere/at/all" }, "workspace_missing"],
      [{ engine: "warp" }, "unsupported"],
      [{ provider: "nobody" }, "invalid_request"],
      [{ profile: "nope" }, "invalid_request"],
      [{ sandbox: "moon" }, "invalid_request"],
      [{ prompt: { text: "   " } }, "invalid_request"],
      [{ unknown: 1 }, "invalid_request"],
      [{ max_turns: 0 }, "invalid_request"],
      [{ provider: "cloud" }, "model_unauthenticated"],
    ] as const) {
      await expect(app.client.createSession(request as object)).rejects.toMatchObject({ code });
    }
    expect((await app.client.sessions({ limit: 1_000 })).sessions).toHaveLength(before);
    await expect(app.client.session("ses_unknown")).rejects.toMatchObject({ code: "not_found" });
    await expect(app.client.events("ses_unknown")).rejects.toMatchObject({ code: "not_found" });
    await expect(app.client.sessions({ cursor: "%%%" })).rejects.toMatchObject({ code: "cursor_invalid" });
  });

  it("lists with a cursor, newest first, each session once", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.client.sessions({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.sessions.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort().toReversed());
  });

  it("refuses bodies that are too big, too deep or not JSON", async () => {
    const post = (body: string | ReadableStream, type = "application/json"): Promise<number> =>
      fetch(`${app.serving.url}/api/sessions`, {
        method: "POST",
        headers: { authorization: `Bearer ${app.serving.token}`, "content-type": type },
        body,
        duplex: "half",
      } as RequestInit).then(async (response) => {
        expect(await response.json()).toMatchObject({
          error: { code: expect.any(String), message: expect.any(String) },
        });
        return response.status;
      });
    expect(await post("{")).toBe(400);
    expect(await post("[".repeat(100_000))).toBe(400);
    expect(await post("{}", "text/plain")).toBe(400);
    expect(await post(`{"prompt":"${"x".repeat(LIMITS.bodyBytes)}"}`)).toBe(413);
    expect(await post("")).toBe(400);
    // Of a length that is not told ahead.
    expect(await post(new Blob(["{}"]).stream(), "text/plain")).toBe(400);
    expect(await post(new Blob([" ".repeat(LIMITS.bodyBytes), "{}"]).stream())).toBe(413);
  });

  it("answers an unknown path and method in JSON", async () => {
    const headers = { authorization: `Bearer ${app.serving.token}` };
    for (const [method, path] of [
      ["GET", "/nowhere"],
      ["DELETE", "/api/sessions"],
    ] as const) {
      const response = await fetch(`${app.serving.url}${path}`, { method, headers });
      expect([response.status, await response.json()]).toEqual([
        404,
        {
          error: { code: "not_found", message: `there is no ${method} ${path}` },
          request_id: response.headers.get("x-request-id"),
        },
      ]);
    }
  });
});

describe("the server's own folder inside the workspace", () => {
  it("does not exist for tools", async () => {
    await using inside = await openTestApp({}, "home inside workspace");
    const { workspace, home } = inside.place;
    await writeFile(join(workspace, "visible.txt"), "instance\n");
    const { events } = await runScript(inside.client, {
      autonomy: "full",
      prompt: {
        text: script(
          { tool: "Glob", input: { pattern: "**/*" } },
          { tool: "Grep", input: { pattern: ".", output_mode: "files_with_matches" } },
          { tool: "Read", input: { file_path: join(home, "instance") } },
          { tool: "Write", input: { file_path: join(home, "policy.yaml"), content: "x" } },
          { say: "done" },
        ),
      },
    });
    const outputs = events.flatMap((event) =>
      event.type === "item.completed" && "tool_use_id" in event.item ? [JSON.stringify(event.item.output)] : [],
    );
    expect(outputs).toHaveLength(4);
    expect(outputs[0]).toContain("visible.txt");
    expect(outputs[0]).not.toContain(".sallyport");
    expect(outputs[1]).toContain("visible.txt");
    expect(outputs[1]).not.toContain(".sallyport");
    expect(outputs[2]).toContain("belongs to Sallyport itself");
    expect(outputs[3]).toContain("belongs to Sallyport itself");
  });
});
