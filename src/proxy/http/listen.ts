import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Door } from "./door.ts";
import { refusalOf } from "../refusals.ts";
import type { ModelSocket } from "../proxy.ts";
import { claimSocket } from "./socket-place.ts";

/** Limits for callers: time for a request's head and for all of it, and connections. */
export interface CallerBounds {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly connections: number;
}

export interface Listeners {
  readonly socketUrl: string;
  readonly tcpUrl: string;
  /** One more socket for one sandbox, with the same rules and fewer connections. */
  open(path: string): Promise<ModelSocket>;
  /** Closes all connections. */
  close(): Promise<void>;
}

interface ProxyListenOptions {
  readonly home: string;
  readonly tcpPort: number;
  readonly door: Door;
  readonly newId: () => string;
  readonly bounds: CallerBounds;
}

/** Opens the door on a unix socket and on the loopback, both with the same rules. */
export async function listen(options: ProxyListenOptions): Promise<Listeners> {
  const overSocket = openServer(options);
  const overTcp = openServer(options);
  const place = await claimSocket(options.home, (path) => start(overSocket, { path, backlog: LIMITS.proxyBacklog }));
  try {
    await start(overTcp, { host: "127.0.0.1", port: options.tcpPort, backlog: LIMITS.proxyBacklog });
  } catch (error) {
    await stop(overSocket);
    place.remove();
    throw error;
  }
  const others = new Set<Server>();
  return {
    socketUrl: `unix:${place.path}`,
    tcpUrl: `http://127.0.0.1:${(overTcp.address() as AddressInfo).port}`,
    open: async (path) => {
      const server = openServer(options);
      server.maxConnections = LIMITS.proxySandboxConnections;
      await start(server, { path, backlog: LIMITS.proxyBacklog });
      others.add(server);
      return {
        close: async () => {
          others.delete(server);
          await stop(server);
        },
      };
    },
    close: async () => {
      await Promise.all([overSocket, overTcp, ...others].map(stop));
      place.remove();
    },
  };
}

function openServer({ door, newId, bounds }: ProxyListenOptions): Server {
  const server = createServer(
    {
      maxHeaderSize: LIMITS.proxyHeaderBytes,
      headersTimeout: bounds.headersMs,
      requestTimeout: bounds.requestMs,
      keepAliveTimeout: LIMITS.proxyKeepAliveMs,
      connectionsCheckingInterval: Math.min(LIMITS.proxyCheckMs, bounds.headersMs),
      requireHostHeader: true,
      noDelay: true,
    },
    (request, response) => door.handle(request, response),
  );
  // Keep all headers so that they can be counted; Node would silently drop the rest.
  server.maxHeadersCount = 0;
  server.maxConnections = bounds.connections + LIMITS.proxySurplusConnections;
  server.on("checkContinue", (request, response) => door.handle(request, response));
  server.on("connection", (socket: Socket) => door.connect(socket));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) =>
    refuseUnread(error, { socket, door, newId }),
  );
  return server;
}

/** Answers what is not HTTP, or not in time. Nothing of it has been forwarded. */
function refuseUnread(
  error: NodeJS.ErrnoException,
  where: { readonly socket: Duplex; readonly door: Door; readonly newId: () => string },
): void {
  const { socket, door, newId } = where;
  if (!socket.writable || GONE.has(error.code ?? "")) {
    socket.destroy();
    return;
  }
  const { failure, status } = unreadFailure(error);
  const state = door.giveUp(socket, failure, status);
  if (state === "given up") return;
  // Nothing else may be written in the middle of an answer.
  if (state === "busy") {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(failure, { wire: undefined, id: newId(), status });
  const head = Object.entries({
    ...refusal.headers,
    "content-length": String(Buffer.byteLength(refusal.body)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${REASONS[status] ?? "Bad Request"}\r\n${head.join("")}\r\n${refusal.body}`, () =>
    socket.destroy(),
  );
}

/** The caller disconnected in the middle of a request. */
const GONE = new Set(["ECONNRESET", "EPIPE", "HPE_INVALID_EOF_STATE"]);

const REASONS: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
};

function unreadFailure({ code }: NodeJS.ErrnoException): { readonly failure: Failure; readonly status: number } {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        failure: new Failure("timed_out", "the request did not come in time: send it again, faster"),
        status: 408,
      };
    case "HPE_HEADER_OVERFLOW":
      return {
        failure: new Failure("invalid_request", `the head is longer than ${LIMITS.proxyHeaderBytes} bytes: send less`),
        status: 431,
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { failure: new Failure("payload_too_large", "the chunk extensions are too long"), status: 413 };
    default:
      return {
        failure: new Failure("invalid_request", "this is not HTTP as it is written down (RFC 9112)"),
        status: 400,
      };
  }
}

function start(
  server: Server,
  where: { readonly backlog: number; path?: string; host?: string; port?: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
