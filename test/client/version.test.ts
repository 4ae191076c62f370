import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { LiveConnection, MountClient, PROTOCOL_VERSION, SallyportClient } from "../../src/client/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const ask = (path: string, protocol?: string): Promise<Response> =>
  fetch(`${app.serving.url}${path}`, {
    headers: {
      authorization: `Bearer ${app.serving.token}`,
      ...(protocol === undefined ? {} : { "sallyport-protocol": protocol }),
    },
  });

const mismatch = (message: string) => expect.objectContaining({ code: "protocol_mismatch", message });

describe("a client of another major version", () => {
  it.each(["/api/me", "/health", "/claude/policy", "/nowhere"])(
    "is refused at %s, and told both versions",
    async (path) => {
      const response = await ask(path, "2.0");
      expect([response.status, response.headers.get("sallyport-protocol")]).toEqual([400, PROTOCOL_VERSION]);
      expect(await response.json()).toMatchObject({
        error: {
          code: "protocol_mismatch",
          message: `this server speaks protocol ${PROTOCOL_VERSION}, the client 2.0: use the same version of both`,
        },
      });
    },
  );

  it.each([undefined, PROTOCOL_VERSION, "1.99"])("is not one that says %s", async (protocol) => {
    expect((await ask("/api/me", protocol)).status).toBe(200);
  });

  it("learns it over the socket, too", async () => {
    const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws?token=${app.serving.token}`);
    socket.on("open", () => socket.send('{"type":"hello","protocol":"2.0"}'));
    const said = await new Promise((resolve) =>
      socket.once("message", (data: Buffer) => resolve(JSON.parse(String(data)))),
    );
    socket.close();
    expect(said).toMatchObject({ type: "refused", error: { code: "protocol_mismatch" } });
  });
});

describe("a server of another major version", () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "sallyport-protocol": "2.3" }).end("{}");
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) =>
    socket.once("message", () => {
      const error = { code: "protocol_mismatch", message: "this server speaks protocol 2.3, not 1.0" };
      socket.send(JSON.stringify({ type: "refused", error }));
    }),
  );
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    sockets.close();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });

  const words = `the server speaks protocol 2.3, this client ${PROTOCOL_VERSION}: use the same version of both`;

  it("is refused by the typed client, for requests, streams and files", async () => {
    const client = new SallyportClient({ url, token: "t" });
    await expect(client.me()).rejects.toEqual(mismatch(words));
    await expect(client.watch("ses_1")[Symbol.asyncIterator]().next()).rejects.toEqual(mismatch(words));
    await expect(new MountClient({ url, token: "t" }).read("/claude/policy")).rejects.toEqual(mismatch(words));
  });

  it("is refused by the live connection of panel and console, once and for all", async () => {
    const live = new LiveConnection({ url, token: "t", WebSocket });
    const feed = live.feed({})[Symbol.asyncIterator]();
    await expect(feed.next()).rejects.toEqual(mismatch("this server speaks protocol 2.3, not 1.0"));
    live.close();
  });
});
