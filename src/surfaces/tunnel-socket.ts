import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { Failure, LIMITS, TUNNEL_PATH } from "../protocol/index.ts";
import type { Gateway } from "../sessions/index.ts";
import type { Guard } from "./guard.ts";

/** Whether somebody connects as the other side of a tunnel. */
export function isTunnelRequest({ url = "" }: IncomingMessage): boolean {
  const path = url.split("?", 1)[0] ?? "";
  return path === TUNNEL_PATH || path.startsWith(`${TUNNEL_PATH}/`);
}

/** Accepts the other sides of tunnels. They prove who they are in the handshake, so they have no token. */
export class TunnelSockets {
  readonly #gateway: Gateway;
  readonly #upgrader = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.tunnelMessageBytes,
    perMessageDeflate: false,
  });

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  get size(): number {
    return this.#upgrader.clients.size;
  }

  /** Undefined: it is accepted. Pages are refused. */
  accept(guard: Guard, [request, stream, head]: readonly [IncomingMessage, Duplex, Buffer]): Failure | undefined {
    if (request.headers.origin !== undefined)
      return new Failure("forbidden", "requests of web pages are not taken: this address is for machines");
    if (this.#gateway.isDraining) return new Failure("shutting_down", "the server is stopping");
    try {
      guard.connections.checkRoom(request);
    } catch (error) {
      return error instanceof Failure ? error : new Failure("internal", "something went wrong here");
    }
    this.#upgrader.handleUpgrade(request, stream, head, (socket) => {
      void this.#gateway.acceptor.accept(socket, { address: addressOf(request), tunnel_id: nameOf(request) });
    });
    return undefined;
  }

  close(): void {
    for (const socket of this.#upgrader.clients) socket.close(1001, "the server is stopping");
    this.#upgrader.close();
  }
}

/** A connection through a proxy on this machine comes from elsewhere. */
const FORWARDED = ["x-forwarded-for", "forwarded", "cf-connecting-ip", "x-real-ip"];

function addressOf({ headers, socket }: IncomingMessage): string {
  return FORWARDED.some((name) => headers[name] !== undefined) ? "elsewhere" : (socket.remoteAddress ?? "elsewhere");
}

function nameOf({ url = "" }: IncomingMessage): string | undefined {
  const name = (url.split("?", 1)[0] ?? "").slice(TUNNEL_PATH.length + 1);
  return name === "" ? undefined : name;
}
