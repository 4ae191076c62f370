import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createSimModel } from "../../../src/sim/index.ts";

/** The scripted model as a provider that keeps all it gets: a session sends what its tools said, and that must hold no secret. */
export class EchoModel {
  readonly url: string;
  readonly #server: Server;
  readonly #bodies: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const model = createSimModel();
    server.on("request", (request, response) => {
      request.on("data", (chunk: Buffer) => this.#bodies.push(chunk.toString("latin1")));
      void model.handle(request, response);
    });
  }

  static async open(): Promise<EchoModel> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new EchoModel(server);
  }

  /** Everything that sessions sent. */
  get heard(): string {
    return this.#bodies.join("");
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
