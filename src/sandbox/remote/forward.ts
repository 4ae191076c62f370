import { connect, createServer } from "node:net";
import type { Forward } from "../driver.ts";

/** Leads a port of the loopback here to a socket. Resolves when it listens. */
export function openPort({ port, socket }: Forward): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const upstream = connect({ path: socket, allowHalfOpen: true });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.pipe(to);
        from.on("error", () => to.destroy());
        from.once("close", () => to.destroy());
      }
    });
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, resolve);
  });
}
