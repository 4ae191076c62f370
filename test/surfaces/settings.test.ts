import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { ConfigureSession, JournalEvent } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const changes = (events: readonly JournalEvent[]): readonly object[] =>
  events.flatMap((event) => {
    if (event.type !== "session.updated") return [];
    const { seq: _seq, session_id: _session, at: _at, type: _type, status: _status, ...change } = event;
    return Object.keys(change).length === 0 ? [] : [change];
  });

describe("a session's settings", () => {
  it("are changed for the turns after it, journaled, audited, and kept across a restart", async () => {
    const { session } = await runScript(app.client, { prompt: { text: script({ say: "First." }) } });
    const { id } = session;
    const after = await app.client.configure(id, { model: "other", permission_mode: "plan" });
    expect(after.settings).toEqual({ ...session.settings, model: "other", permission_mode: "plan" });
    // The same again is no news.
    await app.client.configure(id, { model: "other", permission_mode: "plan" });
    const { events } = await app.client.events(id);
    expect(changes(events)).toEqual([{ model: "other", autonomy: "supervised", permission_mode: "plan" }]);
    await app.restart();
    expect((await app.client.session(id)).settings).toEqual(after.settings);
    await app.client.prompt(id, { text: script({ tool: "Bash", input: { command: "true" } }, { say: "Done." }) });
    const told = await untilTurnEnds(app.client, id, { after: after.seq });
    expect(told.find((event) => event.type === "item.completed")).toMatchObject({
      item: { tool: "Bash", status: "declined" },
    });
    const { lines } = await app.client.usage({ by: ["model"], session: id });
    expect(new Set(lines.map(({ model }) => model))).toEqual(new Set(["other", "sim"]));
    const audited = await fetch(`${app.serving.url}/api/audit?action=session.configure`, {
      headers: { authorization: `Bearer ${app.serving.token}` },
    });
    expect(await audited.json()).toMatchObject({
      entries: [
        { target: id, details: { model: "other" } },
        { target: id, details: { model: "other" } },
      ],
    });
  });

  it("change what may run in the turn that is open, but not who answers in it", async () => {
    const call = { tool: "Bash", input: { command: "true" } };
    let changed: Promise<unknown> = Promise.resolve();
    const created = await app.client.createSession({ prompt: { text: script(call, call, { say: "Done." }) } });
    const events = await untilTurnEnds(app.client, created.id, {
      answer: async ({ id, input_hash }) => {
        changed = app.client.configure(created.id, { model: "other", autonomy: "full" });
        await changed;
        await app.client.decide(id, { decision: "approve", input_hash });
      },
    });
    await changed;
    expect(events.filter(({ type }) => type === "approval.requested")).toHaveLength(1);
    expect(events.filter((event) => event.type === "item.completed" && "exit_code" in event.item)).toHaveLength(2);
    const { lines } = await app.client.usage({ by: ["model"], session: created.id });
    expect(lines.map(({ model }) => model)).toEqual(["sim"]);
  });

  it("go back: a mode that is left takes nothing with it", async () => {
    const { id, settings } = await app.client.createSession({ tools: ["Read", "Bash"] });
    await app.client.configure(id, { permission_mode: "plan" });
    await app.client.configure(id, { permission_mode: "bypassPermissions" });
    const { settings: bypassed } = await app.client.configure(id, { autonomy: "full" });
    expect(bypassed).toEqual({ ...settings, autonomy: "full" });
    expect((await app.client.configure(id, { autonomy: "supervised" })).settings).toEqual(settings);
  });

  it("answer a retry with what was answered first", async () => {
    const { id } = await app.client.createSession({});
    const first = await app.client.configure(id, { model: "one" }, { key: "settings-1" });
    await app.client.configure(id, { model: "two" });
    expect(await app.client.configure(id, { model: "one" }, { key: "settings-1" })).toEqual(first);
    expect((await app.client.session(id)).settings.model).toBe("two");
    await expect(app.client.configure(id, { model: "three" }, { key: "settings-1" })).rejects.toMatchObject({
      code: "idempotency_mismatch",
    });
  });

  it("can be changed over the socket", async () => {
    const { id } = await app.client.createSession({});
    const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws?token=${app.serving.token}`);
    const answer = new Promise<unknown>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => {
        socket.send(JSON.stringify({ type: "hello", protocol: "1.0" }));
        socket.send(
          JSON.stringify({ type: "configure", command_id: "c1", session_id: id, settings: { model: "socket" } }),
        );
      });
      socket.on("message", (data: Buffer) => {
        const message = JSON.parse(data.toString()) as { readonly type: string };
        if (message.type !== "welcome") resolve(message);
      });
    });
    expect(await answer).toMatchObject({
      type: "receipt",
      command_id: "c1",
      result: { id, settings: { model: "socket" } },
    });
    socket.close();
  });

  it.each<[string, unknown, string]>([
    ["nothing", {}, "invalid_request"],
    ["a setting that cannot be changed", { workspace: "/" }, "invalid_request"],
    ["a mode that there is not", { permission_mode: "yolo" }, "invalid_request"],
    ["an agent that asks for more than its profile gives", { autonomy: "full" }, "forbidden"],
    ["an agent's mode that would be more", { permission_mode: "bypassPermissions" }, "forbidden"],
  ])("refuse %s, and nothing changes", async (_, change, code) => {
    const agent = await app.as("agent", `agent ${code} ${JSON.stringify(change)}`);
    const before = await agent.createSession({});
    await expect(agent.configure(before.id, change as ConfigureSession)).rejects.toMatchObject({ code });
    expect(await agent.session(before.id)).toEqual(before);
  });

  it("refuse a model that policy blocks, and a session that has ended", async () => {
    const policy = await app.client.policy();
    const { id } = await app.client.createSession({});
    await app.client.setPolicy({
      ...policy,
      profiles: { ...policy.profiles, full: { blocked_models: ["bad*"], max_autonomy: "supervised" } },
    });
    await expect(app.client.configure(id, { model: "bad-1" })).rejects.toMatchObject({ code: "model_not_allowed" });
    await expect(app.client.configure(id, { autonomy: "full" })).rejects.toMatchObject({ code: "forbidden" });
    await app.client.setPolicy(policy);
    await app.client.control(id, "close");
    await expect(app.client.configure(id, { model: "good" })).rejects.toMatchObject({ code: "session_closed" });
  });
});
