import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP relay that can be cut, stopped in silence and slowed: what networks do to a tunnel. */
export interface BadNetwork {
  readonly port: number;
  /** Connections that were made through it so far. */
  readonly connections: number;
  /** Bytes that passed, in both directions. */
  readonly bytes: number;
  /** All that passes from now on, both directions in one. Call the answer for what passed so far. */
  capture(): () => Buffer;
  /** Ends all connections. */
  cut(): void;
  /** From now on nothing passes, and nobody is told; new connections are not answered. */
  freeze(): void;
  /** Passes again; what was frozen is lost with its connections. */
  thaw(): void;
  /** Delays each piece, milliseconds, in order. */
  slow(ms: number): void;
  /**
   * Ends all connections for who made them, and tells the other side only after so many milliseconds: what is still under way to it
   * comes after what is sent over the next connection.
   */
  strand(ms: number): void;
  close(): Promise<void>;
}

export async function openBadNetwork(target: () => number, host = "127.0.0.1"): Promise<BadNetwork> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isFrozen = false;
  let delay = 0;
  let connections = 0;
  let bytes = 0;
  let captured: Buffer[] | undefined;
  const pass = (from: Socket, to: Socket): void => {
    // A piece that is not delayed any more still waits for those before it.
    const queue: { readonly at: number; readonly piece: Buffer }[] = [];
    let isWaiting = false;
    const drain = (): void => {
      isWaiting = false;
      for (let [first] = queue; first !== undefined && first.at <= performance.now(); [first] = queue) {
        queue.shift();
        if (isFrozen || !to.writable || to.write(first.piece)) continue;
        from.pause();
        to.once("drain", () => from.resume());
      }
      const [next] = queue;
      if (next === undefined) return;
      isWaiting = true;
      setTimeout(drain, Math.max(1, next.at - performance.now()));
    };
    from.on("data", (piece: Buffer) => {
      if (isFrozen) return;
      bytes += piece.length;
      captured?.push(piece);
      queue.push({ at: performance.now() + delay, piece });
      if (!isWaiting) drain();
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
  const stranded = new Set<Socket>();
  const cut = (): void => {
    for (const socket of stranded) socket.destroy();
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
    capture: () => {
      const pieces: Buffer[] = [];
      captured = pieces;
      return () => Buffer.concat(pieces);
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
    strand: (ms) => {
      for (const pair of pairs) {
        const [left, right] = pair;
        pairs.delete(pair);
        left.removeAllListeners("close");
        left.destroy();
        const timer = setTimeout(() => right.destroy(), ms);
        right.once("close", () => clearTimeout(timer));
        stranded.add(right);
        right.once("close", () => stranded.delete(right));
      }
    },
    close: async () => {
      isFrozen = false;
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
