import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS, outOfFilesFailure } from "../protocol/index.ts";

/** Counts the connections of a server. Those above the limit get an error; far above it, they are closed. */
export class OpenConnections {
  readonly #most: number;
  readonly #surplus = new WeakSet<Socket>();
  #open = 0;

  constructor(most: number) {
    this.#most = most;
  }

  count(server: Server): void {
    server.maxConnections = this.#most + LIMITS.surplusConnections;
    // A surplus connection is not kept for another request.
    server.prependListener("request", ({ socket }: IncomingMessage, answer: ServerResponse) => {
      if (this.#surplus.has(socket)) answer.shouldKeepAlive = false;
    });
    server.on("connection", (socket: Socket) => {
      this.#open += 1;
      if (this.#open > this.#most) this.#surplus.add(socket);
      socket.once("close", () => {
        this.#open -= 1;
      });
    });
  }

  /** Refuses requests on a surplus connection. */
  checkRoom({ socket }: IncomingMessage): void {
    if (this.#surplus.has(socket)) throw outOfFilesFailure();
  }
}
