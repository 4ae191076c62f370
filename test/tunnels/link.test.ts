import { createHash, randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { AnswerTunnelRequest } from "../../src/tunnels/index.ts";
import { openTunnelWorld, QUICK, type TunnelWorld } from "./world.ts";

let world: TunnelWorld;
afterEach(() => world.close());

const BLOCK = randomBytes(65_536);

/** `/echo` sends the body back; `/bytes/<blocks>` sends so many blocks, waiting for the reader. */
const answer: AnswerTunnelRequest = (request, response) => {
  const path = request.url ?? "/";
  if (path === "/echo") {
    const pieces: Buffer[] = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(Buffer.concat(pieces));
    });
    return;
  }
  let left = Number(path.split("/")[2]);
  response.writeHead(200, ["content-type", "application/octet-stream", "x-blocks", String(left)]);
  const more = (): void => {
    while (left > 0) {
      left -= 1;
      if (!response.write(BLOCK)) {
        response.once("drain", more);
        return;
      }
    }
    response.end();
  };
  more();
};

function digest(blocks: number): string {
  const hash = createHash("sha256");
  for (let count = 0; count < blocks; count += 1) hash.update(BLOCK);
  return hash.digest("hex");
}

test("requests and answers go over one WebSocket, many at a time", async () => {
  world = await openTunnelWorld({ answer });
  const texts = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const { statusCode, body } = await world.get("/echo", { method: "POST", body: `number ${index}` });
      return `${statusCode} ${await body.text()}`;
    }),
  );
  expect(texts).toEqual(Array.from({ length: 200 }, (_, index) => `200 number ${index}`));
  expect(world.network.connections).toBe(1);
  expect(world.dispatcher.openRequests).toBe(0);
});

test("a stream goes on where it was after its connection is cut again and again", async () => {
  world = await openTunnelWorld({ answer });
  const blocks = 400;
  const { body } = await world.get(`/bytes/${blocks}`);
  const hash = createHash("sha256");
  let bytes = 0;
  let nextCut = 2_000_000;
  for await (const piece of body as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
    if (bytes >= nextCut) {
      nextCut += 3_000_000;
      world.network.cut();
    }
  }
  expect(bytes).toBe(blocks * BLOCK.length);
  expect(hash.digest("hex")).toBe(digest(blocks));
  expect(world.network.connections).toBeGreaterThan(3);
  expect(world.links).toHaveLength(1);
});

test("messages come once and in order, whatever happens to the connection", async () => {
  world = await openTunnelWorld({ answer });
  await (await world.get("/bytes/1")).body.dump();
  const [home] = world.links;
  for (let count = 0; count < 50; count += 1) {
    world.link().send({ type: "prompt", session_id: "one", content: String(count) });
    if (count % 10 === 5) {
      const before = world.network.connections;
      world.network.cut();
      await expect.poll(() => world.network.connections).toBe(before + 1);
    }
  }
  await expect.poll(() => world.messages.length).toBe(50);
  expect(world.messages.map((text) => (JSON.parse(text) as { content: string }).content)).toEqual(
    Array.from({ length: 50 }, (_, index) => String(index)),
  );
  expect(home?.isClosed).toBe(false);
});

test("a connection that says nothing any more is noticed and replaced", async () => {
  world = await openTunnelWorld({ answer, bounds: QUICK });
  await (await world.get("/bytes/1")).body.dump();
  world.network.freeze();
  const asked = world.get("/echo", { method: "POST", body: "still here" });
  await expect.poll(() => world.states.includes("interrupted")).toBe(true);
  world.network.thaw();
  expect(await (await asked).body.text()).toBe("still here");
  expect(world.links).toHaveLength(1);
});

test("a link that is not resumed in time ends, and its requests with it", async () => {
  world = await openTunnelWorld({ answer, bounds: { ...QUICK, resumeMs: 300 } });
  const { body } = await world.get("/bytes/1000");
  body.on("error", () => undefined);
  world.network.freeze();
  await expect(body.arrayBuffer()).rejects.toThrow();
  await expect.poll(() => world.links[0]?.isClosed).toBe(true);
  expect(world.dispatcher.openRequests).toBe(0);
  world.network.thaw();
  expect(await (await world.get("/echo", { method: "POST", body: "again" })).body.text()).toBe("again");
});

test("somebody who has proved nothing cannot fill memory, nor stay", async () => {
  world = await openTunnelWorld({ answer });
  const socket = new WebSocket(`ws://127.0.0.1:${world.network.port}/tunnel`);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  socket.once("open", () => {
    for (let count = 0; count < 100; count += 1) socket.send(BLOCK);
  });
  await closed;
  expect(await (await world.get("/echo", { method: "POST", body: "others go on" })).body.text()).toBe("others go on");
});

test.each([
  [
    "an unknown tunnel",
    { type: "hello", version: 1, role: "gateway", tunnel_id: "nowhere" },
    "unknown tunnel: nowhere",
  ],
  ["another version", { type: "hello", version: 2, role: "gateway", tunnel_id: "home" }, "unknown tunnel"],
  ["the other role", { type: "hello", version: 1, role: "home", tunnel_id: "home" }, "unknown tunnel: home"],
])("a handshake with %s is refused in words", async (_name, hello, words) => {
  world = await openTunnelWorld({ answer });
  const socket = new WebSocket(`ws://127.0.0.1:${world.network.port}/tunnel`);
  const said: string[] = [];
  socket.on("message", (data: Buffer) => said.push(data.toString()));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.once("open", () => socket.send(JSON.stringify(hello)));
  expect(await closed).toBe(4401);
  expect(said.map((text) => JSON.parse(text) as unknown)).toEqual([
    { type: "error", session_id: "", error: expect.stringContaining(words) },
  ]);
});

test("a reader that does not read slows the sender down instead of filling memory", async () => {
  world = await openTunnelWorld({ answer });
  const { body } = await world.get("/bytes/2000");
  await (await world.get("/bytes/1")).body.dump();
  const before = world.network.bytes;
  // Others go on meanwhile, and the network has seen no more than the windows allow.
  for (let count = 0; count < 20; count += 1) await (await world.get("/bytes/1")).body.dump();
  expect(world.network.bytes - before).toBeLessThan(20_000_000);
  body.on("error", () => undefined);
  body.destroy();
});
