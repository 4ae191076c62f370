import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP relay that can be cut, stopped in silence and slowed: what networks do to a tunnel. */
export interface BadNetwork {
  readonly port: number;
  /** Connections that were made through it so far. */
  readonly connections: number;
  /** Bytes that passed, in both directions. */
  readonly bytes: number;
  /** Ends all connections. */
  cut(): void;
  /** From now on nothing passes, and nobody is told; new connections are not answered. */
  freeze(): void;
  /** Passes again; what was frozen is lost with its connections. */
  thaw(): void;
  /** Delays each piece, milliseconds, in order. */
  slow(ms: number): void;
  close(): Promise<void>;
}

export async function openBadNetwork(target: () => number, host = "127.0.0.1"): Promise<BadNetwork> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isFrozen = false;
  let delay = 0;
  let connections = 0;
  let bytes = 0;
  const pass = (from: Socket, to: Socket): void => {
    from.on("data", (piece) => {
      if (isFrozen) return;
      bytes += piece.length;
      const write = (): void => {
        if (!isFrozen && to.writable && !to.write(piece)) {
          from.pause();
          to.once("drain", () => from.resume());
        }
      };
      if (delay === 0) write();
      else setTimeout(write, delay);
    });
  };
  const server = createServer((left) => {
    connections += 1;
    const right = connect(target(), host);
    const pair = [left, right] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      left.destroy();
      right.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", () => {
        if (!isFrozen) end();
      });
    }
    pass(left, right);
    pass(right, left);
  });
  const cut = (): void => {
    for (const [left, right] of pairs) {
      left.destroy();
      right.destroy();
    }
    pairs.clear();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    get bytes() {
      return bytes;
    },
    cut,
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
      cut();
    },
    slow: (ms) => {
      delay = ms;
    },
    close: async () => {
      isFrozen = false;
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
