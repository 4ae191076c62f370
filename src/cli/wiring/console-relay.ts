import { createServer, type AddressInfo, type Socket } from "node:net";
import { pipeline, type Duplex } from "node:stream";
import { readClientHello } from "../../network/index.ts";
import { LIMITS, type Log, type TunnelListener } from "../../protocol/index.ts";

interface RelayOptions extends TunnelListener {
  /** A connection to the console at the other end of a tunnel. Rejects where there is none. */
  readonly open: (tunnel_id: string) => Promise<Duplex>;
  readonly log: Pick<Log, "info">;
}

export interface ConsoleRelay {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Passes TLS on to the machine at the other end of a tunnel, by the first label of the name that the client asks for: `home.example.org` is
 * the console behind the tunnel `home`. The bytes are passed as they are: their keys are at both ends.
 */
export async function openConsoleRelay({ host, port, open, log }: RelayOptions): Promise<ConsoleRelay> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    pass(socket, open).catch((error: unknown) => {
      log.info(
        { why: error instanceof Error ? error.message : String(error) },
        "a connection to a console was refused",
      );
      socket.destroy();
    });
  });
  server.maxConnections = LIMITS.consoleRelayConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function pass(socket: Socket, open: RelayOptions["open"]): Promise<void> {
  const { name, bytes } = await hello(socket);
  const [label = ""] = name.split(".");
  const stream = await open(label);
  if (socket.destroyed) {
    stream.destroy();
    return;
  }
  stream.write(bytes);
  const end = (): void => {
    socket.destroy();
    stream.destroy();
  };
  pipeline(socket, stream, end);
  pipeline(stream, socket, end);
}

/** The name that a client asks for, and what it sent so far. */
function hello(socket: Socket): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const fail = (why: string): void => {
      stop();
      reject(new Error(why));
    };
    const timer = setTimeout(() => fail("it did not say which console it means"), LIMITS.consoleRelayHelloMs);
    const gone = (): void => fail("it was closed");
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const read = readClientHello(bytes);
      if (read.state === "incomplete") return;
      if (read.state === "not TLS" || read.name === undefined) {
        fail("it is not TLS that names a host");
        return;
      }
      stop();
      resolve({ name: read.name, bytes });
    };
    const stop = (): void => {
      clearTimeout(timer);
      socket.pause();
      socket.off("data", take);
      socket.off("close", gone);
    };
    socket.on("data", take);
    socket.once("close", gone);
  });
}
