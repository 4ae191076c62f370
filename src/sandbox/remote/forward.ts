import { connect, createServer, type AddressInfo, type Server } from "node:net";
import type { Forward } from "../driver.ts";

interface OpenPort {
  /** The one that was asked for; where that was 0, a free one. */
  readonly port: number;
  readonly server: Server;
}

/** Leads a port of the loopback here to a socket. Resolves when it listens. */
export function openPort({ port, socket }: Forward): Promise<OpenPort> {
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
    server.listen({ host: "127.0.0.1", port }, () => resolve({ port: (server.address() as AddressInfo).port, server }));
  });
}
