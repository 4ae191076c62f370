import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection, SallyportClient } from "../../src/client/index.ts";
import { openTestApp, script, untilTurnEnds } from "../support/app.ts";

it("a token that comes from a function is got once, and anew when the server does not take it any more", async () => {
  await using app = await openTestApp();
  const made: string[] = [];
  // What a product's own server does for each of its visitors.
  const token = async (): Promise<string> => {
    const { id, token: shown } = await app.client.createToken({ role: "visitor", name: "ann", subject: "ann" });
    made.push(id);
    return shown;
  };
  const server = { url: app.serving.url, token };
  const client = new SallyportClient(server);
  await using _closed = {
    live: new LiveConnection({ ...server, WebSocket }),
    [Symbol.asyncDispose]: async () => _closed.live.close(),
  };
  const { live } = _closed;
  const { id } = await client.createSession({});
  const calls: unknown[] = [];
  const cart = { name: "cart", description: "The cart.", handler: () => void calls.push("called") };
  await live.offer(id, { page: "shop", tools: [cart] }).ready();
  expect(made).toHaveLength(1);

  const isOpenAgain = new Promise<void>((resolve) => {
    let isLost = false;
    live.onStatus(({ state }) => {
      isLost ||= state !== "open";
      if (isLost && state === "open") resolve();
    });
  });
  await app.client.deleteToken(made[0] ?? "");
  await isOpenAgain;
  // The conversation goes on: the same session, and the page's tool in it.
  await client.prompt(id, { text: script({ tool: "mcp__shop__cart", input: {} }, { say: "done" }) });
  const events = await untilTurnEnds(client, id);
  expect([events.at(-1)?.type, calls, made.length]).toEqual(["turn.completed", ["called"], 2]);
});

it("one that cannot be got is an error of the call, not the end", async () => {
  await using app = await openTestApp();
  let isDown = true;
  const token = async (): Promise<string> => {
    if (isDown) throw new Error("the shop is down");
    return app.serving.token;
  };
  const client = new SallyportClient({ url: app.serving.url, token });
  await expect(client.me()).rejects.toThrow("the shop is down");
  isDown = false;
  expect(await client.me()).toMatchObject({ role: "admin" });
});
