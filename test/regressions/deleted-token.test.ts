import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { PROTOCOL_VERSION } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const open = async (path: string, token: string): Promise<WebSocket> => {
  const socket = new WebSocket(app.serving.url.replace("http", "ws") + path, [`sallyport.token.${token}`]);
  await once(socket, "open");
  return socket;
};

describe("what a deleted token had open", () => {
  it.each(["/api/ws", "/ws", "/api/terminal/ws/agent", "/bridge"])("ends: the WebSocket %s", async (path) => {
    const eve = await app.as("operator", "Eve");
    const socket = await open(path, eve.token);
    const closed = once(socket, "close");
    await app.client.deleteToken((await eve.me()).id);
    const [code, reason] = (await closed) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1008, "the token was deleted or has expired"]);
  });

  it("ends: a stream of events", async () => {
    const eve = await app.as("operator", "Eve");
    const { id } = await eve.createSession({});
    const stream = await fetch(`${app.serving.url}/api/sessions/${id}/events`, {
      headers: { authorization: `Bearer ${eve.token}`, accept: "text/event-stream" },
    });
    const read = stream.text().then(
      () => "ended",
      () => "broken off",
    );
    await app.client.deleteToken((await eve.me()).id);
    expect(await read).toBe("broken off");
    expect((await app.client.session(id)).status).toBe("ready");
  });

  it("takes no command any more, also where the client does not let go of the socket", async () => {
    const eve = await app.as("operator", "Eve");
    const { id } = await app.client.createSession({});
    const socket = await open("/api/ws", eve.token);
    const heard: { readonly type?: string }[] = [];
    socket.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString()) as { readonly type?: string }));
    socket.send(JSON.stringify({ type: "hello", protocol: PROTOCOL_VERSION }));
    socket.send(JSON.stringify({ type: "feed" }));
    while (heard.at(-1)?.type !== "feeding") await once(socket, "message");
    const before = heard.length;
    // A client that never answers the server's closing handshake: nothing that comes in is read until it has sent its own.
    socket.pause();
    await app.client.deleteToken((await eve.me()).id);
    socket.send(JSON.stringify({ type: "prompt", command_id: "c", session_id: id, prompt: { text: "Do it." } }));
    await app.client.control(id, "pause");
    const closed = once(socket, "close");
    socket.resume();
    await closed;
    expect(heard.slice(before)).toEqual([]);
    expect((await app.client.session(id)).turns).toBe(0);
    const { entries } = await app.client.audit({ action: "session.prompt" });
    expect(entries).toEqual([]);
  });

  it("does not cut off a caller that deletes its own token, nor others", async () => {
    const [anna, eve] = [await app.as("admin", "Anna"), await app.as("viewer", "Eve")];
    const socket = await open("/api/ws", eve.token);
    await anna.deleteToken((await anna.me()).id);
    socket.ping();
    await once(socket, "pong");
    socket.terminate();
    await expect(anna.me()).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
