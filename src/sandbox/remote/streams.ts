import { randomBytes } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { LIMITS } from "../../protocol/index.ts";

const NAME_CHARS = 43;

/** Where the streams of a sandbox's programs arrive. A connection says in its first line which stream it is; each name counts once. */
export class StreamServer {
  readonly #server: Server;
  readonly #expected = new Map<string, (socket: Socket) => void>();
  readonly #open = new Set<Socket>();
  /** Those that have not said who they are, oldest first. */
  readonly #unnamed = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(path: string): Promise<StreamServer> {
    const server = createServer({ allowHalfOpen: true });
    const streams = new StreamServer(server);
    server.on("connection", (socket) => streams.#arrive(socket));
    server.maxConnections = LIMITS.sandboxStreams + LIMITS.sandboxUnnamedStreams;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => {
        server.off("error", reject);
        server.on("error", () => undefined);
        resolve();
      });
    });
    return streams;
  }

  /** A name that nobody can guess, and its connection once it is there. */
  expect(): { readonly name: string; readonly socket: Promise<Socket>; forget(): void } {
    const name = randomBytes(32).toString("base64url");
    const socket = new Promise<Socket>((resolve) => this.#expected.set(name, resolve));
    return { name, socket, forget: () => void this.#expected.delete(name) };
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #arrive(socket: Socket): void {
    this.#open.add(socket);
    this.#unnamed.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#unnamed.delete(socket);
    });
    // Any program inside can connect and say nothing. It must not take the place of those that we started.
    const [oldest] = this.#unnamed;
    if (this.#unnamed.size > LIMITS.sandboxUnnamedStreams) oldest?.destroy();
    let head = Buffer.alloc(0);
    const take = (): void => {
      const chunk: unknown = socket.read();
      if (!(chunk instanceof Buffer)) return;
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\n");
      if (end === -1 && head.length <= NAME_CHARS) return;
      // Whoever gets the connection reads it as if nothing had been read before.
      socket.off("readable", take);
      this.#unnamed.delete(socket);
      const name = head.toString("latin1", 0, Math.max(end, 0));
      const expected = this.#expected.get(name);
      this.#expected.delete(name);
      if (expected === undefined) {
        socket.destroy();
        return;
      }
      if (head.length > end + 1) socket.unshift(head.subarray(end + 1));
      expected(socket);
    };
    socket.on("readable", take);
  }
}
