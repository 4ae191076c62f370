import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { Page } from "playwright-core";

/** What came in at the servers of this process and is still open. */
const connections = new Set<Socket>();
subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  connections.add(socket);
  socket.once("close", () => connections.delete(socket));
});

/** Takes the network from a page. A WebSocket that stayed open would keep a whole core busy: Chromium waits for it in a loop. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  const port = Number(new URL(page.url()).port);
  for (const socket of connections) if (socket.localPort === port) socket.destroy();
}
