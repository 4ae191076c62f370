import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { BridgeClient, threadOf } from "./bridge-client.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

/** The status of an upgrade that is refused. */
function refused(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}${path}`, { headers });
  return new Promise((resolve) => {
    socket.on("error", () => undefined);
    socket.once("unexpected-response", (_, response) => {
      resolve(response.statusCode);
      response.destroy();
    });
  });
}

describe("the door of the bridge", () => {
  it("lets nobody in without a token, from another page, or under another name", async () => {
    const { token } = app.serving;
    expect(await refused("/bridge")).toBe(401);
    expect(await refused("/bridge?token=sp_wrong")).toBe(401);
    expect(await refused(`/bridge?token=${token}`, { origin: "http://evil.example" })).toBe(403);
    expect(await refused(`/bridge?token=${token}`, { host: "evil.example" })).toBe(403);
    expect(await refused(`/bridge/x?token=${token}`)).toBe(404);
  });

  it("takes the token as a header and as a subprotocol too", async () => {
    const url = `${app.serving.url.replace("http", "ws")}/bridge`;
    const { token } = app.serving;
    for (const socket of [
      new WebSocket(url, { headers: { authorization: `Bearer ${token}` } }),
      new WebSocket(url, [`sallyport.token.${token}`, "bridge"]),
    ]) {
      await new Promise((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", reject);
      });
      socket.terminate();
    }
  });
});

describe("who sees and does what at the bridge", () => {
  it("an agent sees its own runs and nobody else's, live and afterwards", async () => {
    const [mine, other] = [await app.as("agent", "mine"), await app.as("agent", "other")];
    const agent = new BridgeClient(app, { token: mine.token });
    const stranger = new BridgeClient(app, { token: other.token });
    const admin = new BridgeClient(app);
    await Promise.all([agent.status(), stranger.status(), admin.status()]);
    await stranger.submit(script({ say: "secret" }));
    const theirs = threadOf(await stranger.turn());
    await admin.turn();
    await agent.submit(script({ say: "own" }));
    const rows = await agent.turn();
    expect(rows.map(({ type }) => type)).toEqual([
      "thread.started",
      "turn.started",
      "item.completed",
      "turn.completed",
    ]);
    await admin.turn();
    expect(JSON.stringify(agent.rows)).not.toContain("secret");
    expect(JSON.stringify(stranger.rows)).not.toContain("own");
    // Everybody's, for who may see everybody's.
    expect(JSON.stringify(admin.rows)).toContain("secret");
    expect(JSON.stringify(admin.rows)).toContain("own");
    const late = new BridgeClient(app, { token: mine.token, query: "" });
    expect(await late.turn()).toEqual(rows);
    expect((await late.status())["running"]).toEqual([]);
    expect(JSON.stringify(late.rows)).not.toContain("secret");
    for (const control of [
      { control: "run.submit", text: "x", resumeId: theirs },
      { control: "run.abort", threadId: theirs },
      { control: "claude.session.resume", sessionId: theirs },
    ])
      expect(await agent.refusal(control)).toMatchObject({ code: "not_found" });
    // Nor is another's thread the newest of its own.
    await agent.submit(script({ say: "again" }), { resumeId: "last" });
    await agent.turn();
    expect(agent.thread).toBe(threadOf(rows));
    for (const client of [agent, stranger, admin, late]) client.close();
  });

  it("an agent cannot leave the server's folder", async () => {
    const { token } = await app.as("agent", "roaming");
    const agent = new BridgeClient(app, { token });
    expect(await agent.refusal({ control: "run.submit", text: "x", cwd: "/" })).toMatchObject({ code: "forbidden" });
    agent.close();
  });

  it("a viewer sees every run and changes none", async () => {
    const { token } = await app.as("viewer");
    const viewer = new BridgeClient(app, { token });
    const admin = new BridgeClient(app);
    await viewer.status();
    await admin.submit(script({ stream: { tokens: 100_000, per_second: 500 } }));
    const id = threadOf(await viewer.until("turn.started"));
    const before = await app.client.sessions({ limit: 1_000 });
    for (const control of [
      { control: "run.submit", text: "x" },
      { control: "run.submit", text: "x", resumeId: id },
      { control: "run.abort" },
      { control: "run.abort", threadId: id },
    ])
      expect(await viewer.refusal(control)).toMatchObject({ type: "error", code: "forbidden" });
    const after = await app.client.sessions({ limit: 1_000 });
    expect(after.sessions.map(({ turn_id, queue }) => [turn_id, queue])).toEqual(
      before.sessions.map(({ turn_id, queue }) => [turn_id, queue]),
    );
    await admin.say({ control: "run.abort" });
    expect((await viewer.turn()).at(-1)).toEqual({ type: "turn.failed", error: { message: "aborted" } });
    for (const client of [viewer, admin]) client.close();
  });

  it("a viewer and an agent see a question and cannot answer it, an operator can", async () => {
    const { token } = await app.as("agent", "asking");
    const agent = new BridgeClient(app, { token });
    const viewer = new BridgeClient(app, { token: (await app.as("viewer", "watching")).token });
    const operator = new BridgeClient(app, { token: (await app.as("operator", "answering")).token });
    await Promise.all([viewer.status(), operator.status()]);
    await agent.submit(script({ tool: "Bash", input: { command: "echo yes" } }, { say: "end" }));
    const { id, input_hash } = await agent.question();
    const answer = { control: "approval.answer", approvalId: id, inputHash: input_hash, decision: "approve" };
    for (const client of [agent, viewer]) {
      expect((await client.refusal(answer))["code"]).toBe("forbidden");
    }
    await operator.say(answer);
    expect((await viewer.turn()).at(-1)?.type).toBe("turn.completed");
    expect((await agent.turn()).map(({ type }) => type)).toEqual([
      "approval.resolved",
      "item.completed",
      "item.completed",
      "turn.completed",
    ]);
    for (const client of [agent, viewer, operator]) client.close();
  });
});
