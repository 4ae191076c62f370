import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openTestHouse, script, type TestHouse } from "../support/house.ts";

let house: TestHouse;
beforeAll(async () => {
  house = await openTestHouse();
});
afterAll(() => house[Symbol.asyncDispose]());

const watchers = async (): Promise<string | undefined> => {
  const answer = await fetch(`${house.serving.url}/metrics`, {
    headers: { authorization: `Bearer ${house.serving.token}` },
  });
  return /^sallyport_watchers(?:\{[^}]*\})? (\d+)$/m.exec(await answer.text())?.[1];
};

it("nobody watches a session for a client of document 001 that left while it was made", async () => {
  const url = `${house.serving.url.replace("http", "ws")}/api/terminal/ws/agent?token=${house.serving.token}`;
  const sockets = Array.from({ length: 5 }, () => new WebSocket(url));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  const prompt = script({ tool: "Bash", input: { command: "true" } });
  for (const socket of sockets) {
    socket.send(JSON.stringify({ command: "run", prompt }), () => socket.terminate());
  }
  const asked = async (): Promise<number> => (await house.client.approvals({ status: "pending" })).approvals.length;
  await expect.poll(asked).toBe(sockets.length);
  await expect.poll(watchers).toBe("0");
});
