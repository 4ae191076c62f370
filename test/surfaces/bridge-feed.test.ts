import { once } from "node:events";
import { createServer } from "node:http";
import { duplexPair, type Duplex } from "node:stream";
import { setImmediate as nextRound } from "node:timers/promises";
import { expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { ThreadRow } from "../../src/protocol/index.ts";
import { RowFeed } from "../../src/surfaces/bridge/feed.ts";
import { SocketConnection } from "../../src/surfaces/connection.ts";

/** Both ends of a WebSocket whose way holds next to nothing, unlike a kernel's. */
async function connected(): Promise<{
  readonly client: WebSocket;
  readonly served: WebSocket;
  readonly stream: Duplex;
}> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const [near, far] = duplexPair();
  const options: object = { createConnection: (): Duplex => far };
  const client = new WebSocket("ws://bridge", options);
  const both = Promise.all([once(sockets, "connection"), once(client, "open")]);
  server.emit("connection", near);
  const [[served]] = (await both) as [[WebSocket], unknown];
  return { client, served, stream: near };
}

const said = (id: number, text: string): ThreadRow => ({
  type: "item.completed",
  item: { id: `item_${id}`, type: "agent_message", text },
});

const MAPPINGS = ["compat", "rich"] as const;

it.each(MAPPINGS)(
  "waits for a client that does not read, keeps the order and names the thread where it changes: %s",
  async (mapping) => {
    const { client, served, stream } = await connected();
    const seen: unknown[] = [];
    client.on("message", (data: Buffer) => seen.push(JSON.parse(data.toString())));
    client.pause();
    const feed = new RowFeed(new SocketConnection(served, stream));
    const tell = (thread_id: string, rows: readonly ThreadRow[]): Promise<void> =>
      feed.tell({ thread_id, rows, mapping });
    const text = "x".repeat(262_144);
    let room = 0;
    const telling = Array.from({ length: 20 }, async (_, index) => {
      const first: readonly ThreadRow[] = index < 2 ? [{ type: "thread.started", thread_id: `t${index}` }] : [];
      await tell(`t${index % 2}`, [...first, said(index, text)]);
      room += 1;
    });
    // As many rounds as it could need to send everything, if it did not wait.
    for (let round = 0; round < 100; round += 1) await nextRound();
    expect(room).toBeLessThan(8);
    expect(served.bufferedAmount).toBeLessThan(2 * 262_144);
    client.resume();
    await Promise.all(telling);
    while (seen.length < 40) await once(client, "message");
    const names = (index: number): string => (mapping === "rich" || index < 2 ? "thread.started" : "thread.resumed");
    expect(seen).toEqual(
      Array.from({ length: 20 }, (_, index) => [
        { type: names(index), thread_id: `t${index % 2}` },
        said(index, text),
      ]).flat(),
    );
    // The same thread goes on without being named again, and nothing is nothing.
    await tell("t1", []);
    await tell("t1", [said(20, "")]);
    while (seen.length < 41) await once(client, "message");
    expect(seen.at(-1)).toEqual(said(20, ""));
    // Its next prompt names it again in `rich` alone.
    await tell("t1", [{ type: "thread.started", thread_id: "t1" }, said(21, "")]);
    const more = mapping === "rich" ? 2 : 1;
    while (seen.length < 41 + more) await once(client, "message");
    expect(seen.slice(41)).toEqual([{ type: "thread.started", thread_id: "t1" }, said(21, "")].slice(-more));
    client.terminate();
    served.terminate();
    // Who is gone is told nothing, and nobody waits for it.
    await tell("t1", [said(22, text)]);
  },
);
