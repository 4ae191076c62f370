import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer, type WebSocket } from "ws";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import { AgentSocket } from "./agent-socket.ts";
import { createApp } from "./app.ts";
import { BridgeSocket } from "./bridge-socket.ts";
import { Bridge } from "./bridge/bridge.ts";
import { CanonicalSocket } from "./canonical-socket.ts";
import { Connection } from "./connection.ts";
import { Guard } from "./guard.ts";
import type { SocketPath } from "./openapi/other-paths.ts";
import { RuntimeSocket } from "./runtime-socket.ts";
import { RuntimeHall } from "./runtime/hall.ts";
import { CHALLENGE, httpStatus } from "./status.ts";
import type { SurfaceOptions } from "./surface.ts";

const HEADER_BYTES = 32_768;
/** The WebSocket's word for "not allowed". */
const CLOSE_UNWELCOME = 1008;

export interface ListenOptions extends SurfaceOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

type Handler = (peer: {
  readonly caller: Caller;
  readonly connection: Connection;
  readonly request: IncomingMessage;
}) => void;

/** Opens the HTTP and WebSocket surfaces on one port. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const guard = new Guard(options);
  const app = createApp(options, guard);
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  const bounds = {
    maxHeaderSize: HEADER_BYTES,
    requestTimeout: 60_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 65_000,
  };
  const server = createServer(bounds, (incoming, outgoing) => void listener(incoming, outgoing));
  server.maxConnections = LIMITS.socketsOpen;
  const sockets = openSockets(options, guard, server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${shown}:${port}`,
    port,
    close: async () => {
      sockets.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function openSockets(options: SurfaceOptions, guard: Guard, server: Server): { close(): void } {
  const bridge = new Bridge();
  const hall = new RuntimeHall(options);
  const handlers: Readonly<Record<SocketPath, Handler>> = {
    "/ws": (peer) => void new RuntimeSocket({ hall, guard, log: options.log }, peer),
    "/api/ws": (peer) => void new CanonicalSocket(options, guard, peer),
    "/api/terminal/ws/agent": (peer) => void new AgentSocket(options, guard, peer),
    "/bridge": (peer) => void new BridgeSocket(options, { guard, bridge }, peer),
  };
  const upgrader = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.socketMessageBytes,
    perMessageDeflate: false,
    // The token may have come as a subprotocol; the first other one is what the client really wants to speak.
    handleProtocols: (protocols) =>
      [...protocols].find((protocol) => !protocol.startsWith("sallyport.token.")) ?? [...protocols][0] ?? false,
  });
  const alive = new WeakSet<WebSocket>();
  const heartbeat = setInterval(() => {
    for (const socket of upgrader.clients) {
      if (alive.has(socket)) {
        alive.delete(socket);
        socket.ping();
      } else socket.terminate();
    }
  }, LIMITS.heartbeatMs * 2);
  heartbeat.unref();
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", () => stream.destroy());
    admit(guard, request).then(
      (caller) => {
        const handler = (handlers as Readonly<Record<string, Handler>>)[pathOf(request)];
        if (handler === undefined) {
          refuseUpgrade(stream, new Failure("not_found", `there is no WebSocket at ${pathOf(request)}`));
          return;
        }
        upgrader.handleUpgrade(request, stream, head, (socket) => {
          alive.add(socket);
          socket.on("pong", () => alive.add(socket));
          const connection = new Connection(socket);
          handler({ caller, connection, request });
          socket.once(
            "close",
            options.gateway.tokens.whenGone(caller, () =>
              connection.end(CLOSE_UNWELCOME, "the token was deleted or has expired"),
            ),
          );
        });
      },
      (error: unknown) =>
        refuseUpgrade(stream, error instanceof Failure ? error : new Failure("internal", "something went wrong here")),
    );
  });
  return {
    close: () => {
      clearInterval(heartbeat);
      for (const socket of upgrader.clients) socket.close(1001, "the server is stopping");
      upgrader.close();
    },
  };
}

async function admit(guard: Guard, request: IncomingMessage): Promise<Caller> {
  guard.checkOrigin(request);
  const caller = await guard.authenticate(request);
  guard.checkPlace(caller, request);
  guard.meter(caller);
  return caller;
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split("?", 1)[0] ?? "/";
}

function refuseUpgrade(stream: Duplex, failure: Failure): void {
  const text = JSON.stringify(failure.toBody());
  const challenge = failure.code === "unauthenticated" ? `www-authenticate: ${CHALLENGE}\r\n` : "";
  stream.end(
    `HTTP/1.1 ${httpStatus(failure.code)} Refused\r\n${challenge}content-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
