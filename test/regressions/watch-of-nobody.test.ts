import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openTestApp, script, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const watchers = async (): Promise<string | undefined> => {
  const answer = await fetch(`${app.serving.url}/metrics`, {
    headers: { authorization: `Bearer ${app.serving.token}` },
  });
  return /^sallyport_watchers(?:\{[^}]*\})? (\d+)$/m.exec(await answer.text())?.[1];
};

it("nobody watches a session for a client of document 001 that left while it was made", async () => {
  const url = `${app.serving.url.replace("http", "ws")}/api/terminal/ws/agent?token=${app.serving.token}`;
  const sockets = Array.from({ length: 5 }, () => new WebSocket(url));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  const prompt = script({ tool: "Bash", input: { command: "true" } });
  for (const socket of sockets) {
    socket.send(JSON.stringify({ command: "run", prompt }), () => socket.terminate());
  }
  const asked = async (): Promise<number> => (await app.client.approvals({ status: "pending" })).approvals.length;
  await expect.poll(asked).toBe(sockets.length);
  await expect.poll(watchers).toBe("0");
});
