import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { TLSSocket, type SecureContext } from "node:tls";
import { LIMITS } from "../protocol/index.ts";

/** Ends TLS of connections that come through tunnels, and gives them to the server. */
export interface SecureDoor {
  /** `context`: the key and certificate that it shows. */
  take(stream: Duplex, context: SecureContext): void;
}

/** It listens nowhere: connections are handed to it. From there on they are like others of the server, with the same bounds. */
export function openSecureDoor(server: Server): SecureDoor {
  return {
    take: (stream, secureContext) => {
      const socket = new TLSSocket(stream, { isServer: true, secureContext });
      const late = setTimeout(() => socket.destroy(), LIMITS.tunnelHandshakeMs);
      socket.on("error", () => socket.destroy());
      socket.once("close", () => {
        clearTimeout(late);
        stream.destroy();
      });
      stream.once("close", () => socket.destroy());
      socket.once("secure", () => {
        clearTimeout(late);
        server.emit("connection", socket);
      });
    },
  };
}
