import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer, type WebSocket } from "ws";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import { TerminalSocket } from "./terminal-socket.ts";
import { createApp } from "./app.ts";
import { BridgeSocket } from "./bridge-socket.ts";
import { Bridge } from "./bridge/bridge.ts";
import { CanonicalSocket } from "./canonical-socket.ts";
import { SocketConnection } from "./connection.ts";
import { openSecureDoor, type SecureDoor } from "./console-door.ts";
import { Guard } from "./guard.ts";
import { answerModelRequest, isModelRequest } from "./model-requests.ts";
import { MinuteCounts } from "./minute-counts.ts";
import type { SocketPath } from "./openapi/other-paths.ts";
import { REQUEST_ID } from "./request-log.ts";
import { RuntimeConnection } from "./runtime-socket.ts";
import { RuntimeServer } from "./runtime/server.ts";
import { ShellSocket } from "./shell-socket.ts";
import { CHALLENGE, httpStatus } from "./status.ts";
import { isTunnelRequest, TunnelSockets } from "./tunnel-socket.ts";
import { SYSTEM_CLOCK, type SurfaceOptions } from "./surface.ts";

/** The WebSocket close code for "not allowed". */
const CLOSE_UNWELCOME = 1008;

export interface ListenOptions extends SurfaceOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** WebSockets that are open. */
  readonly sockets: number;
  /** The console for people who come through tunnels. */
  readonly secure: SecureDoor;
  close(): Promise<void>;
}

type Handler = (peer: {
  readonly caller: Caller;
  readonly connection: SocketConnection;
  readonly request: IncomingMessage;
}) => void;

/** Opens the HTTP and WebSocket surfaces on one port. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const guard = new Guard(options);
  const app = createApp(options, guard);
  const { readers } = options.gateway;
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
    // For a request without one: the guard refuses it.
    hostname: "unknown",
  });
  const bounds = {
    maxHeaderSize: LIMITS.httpHeaderBytes,
    requestTimeout: LIMITS.httpRequestMs,
    headersTimeout: LIMITS.httpHeadersMs,
    keepAliveTimeout: LIMITS.httpKeepAliveMs,
    // Refused here, with a message.
    requireHostHeader: false,
  };
  const server = createServer(bounds, (incoming, outgoing) => {
    guard.requests.begin(incoming, outgoing);
    const answer = (): void => void listener(incoming, outgoing);
    if (isModelRequest(incoming)) answerModelRequest(options, guard, [incoming, outgoing]);
    else if (opensStream(incoming)) void readers.next().then(answer);
    else answer();
  });
  // The model proxy asks for the body itself, when it wants it.
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!isModelRequest(incoming)) outgoing.writeContinue();
    server.emit("request", incoming, outgoing);
  });
  server.on("connection", () => readers.connected());
  answerUnreadable(server, guard);
  guard.connections.count(server);
  const sockets = openSockets(options, guard, server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  tellLostConnections(server, options);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${shown}:${port}`,
    port,
    get sockets() {
      return sockets.size;
    },
    secure: openSecureDoor(server),
    close: async () => {
      sockets.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Many may come at once, for example after a restart; everything else is answered before them. */
function opensStream({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.accept?.includes("text/event-stream") === true;
}

/** A connection that could not be taken, as a rule because too many files are open. That is told once a minute. */
function tellLostConnections(server: Server, { log, clock = SYSTEM_CLOCK }: SurfaceOptions): void {
  const told = new MinuteCounts(() => clock.elapsed());
  server.on("error", (error) => {
    if (told.take([{ key: "lost", limit: 1 }]) === undefined) log.error({ err: error }, "connections cannot be taken");
  });
}

/** Input that is not HTTP, or is too slow, gets an answer if possible. */
function answerUnreadable(server: Server, guard: Guard): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, answer: ServerResponse) => answering.set(socket, answer));
  server.on("clientError", (error: NodeJS.ErrnoException, stream: Socket) => {
    const under = answering.get(stream);
    const isFree = under === undefined || under.writableFinished || !under.headersSent;
    if (!stream.writable || !isFree || error.code === "ECONNRESET") {
      stream.destroy();
      return;
    }
    const [status, why] = UNREADABLE[error.code ?? ""] ?? [400, "this is not a readable HTTP request"];
    const request_id = guard.requests.unreadable(stream, status);
    endWith(stream, { status, failure: new Failure("invalid_request", why), request_id });
  });
}

const UNREADABLE: Readonly<Record<string, readonly [status: number, why: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    `the address and the headers of a request may have ${LIMITS.httpHeaderBytes} bytes together`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request did not come in time"],
};

function handlersFor(options: SurfaceOptions, guard: Guard): Readonly<Record<SocketPath, Handler>> {
  const bridge = new Bridge();
  const server = new RuntimeServer(options);
  return {
    "/ws": (peer) => void new RuntimeConnection({ server, guard, log: options.log }, peer),
    "/api/ws": (peer) => void new CanonicalSocket(options, guard, peer),
    "/api/terminal/ws/agent": (peer) => void new TerminalSocket(options, guard, peer),
    "/api/shell": (peer) => void new ShellSocket(options, peer),
    "/bridge": (peer) => void new BridgeSocket(options, { guard, bridge }, peer),
  };
}

function openSockets(options: SurfaceOptions, guard: Guard, server: Server): { readonly size: number; close(): void } {
  const handlers: Readonly<Record<string, Handler | undefined>> = handlersFor(options, guard);
  const upgrader = openUpgrader();
  upgrader.on("headers", (headers, request) => {
    headers.push(`${REQUEST_ID}: ${guard.requests.idOf(request)}`);
  });
  const tunnels = new TunnelSockets(options.gateway);
  const alive = new WeakSet<WebSocket>();
  const heartbeat = startHeartbeat(upgrader, alive);
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", () => stream.destroy());
    guard.requests.beginUpgrade(request);
    const refuse = (failure: Failure): void => {
      const status = httpStatus(failure.code);
      guard.requests.refusedUpgrade(request, status);
      endWith(stream, { status, failure, request_id: guard.requests.idOf(request) });
    };
    if (isTunnelRequest(request)) {
      const refusal = tunnels.accept(guard, [request, stream, head]);
      if (refusal !== undefined) refuse(refusal);
      return;
    }
    admit(options, guard, request).then(
      (caller) => {
        const handler = handlers[pathOf(request)];
        if (handler === undefined) {
          refuse(new Failure("not_found", `there is no WebSocket at ${pathOf(request)}`));
          return;
        }
        upgrader.handleUpgrade(request, stream, head, (socket) => {
          alive.add(socket);
          socket.on("pong", () => alive.add(socket));
          guard.requests.opened(request, socket);
          const connection = new SocketConnection(socket, stream);
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
        refuse(error instanceof Failure ? error : new Failure("internal", "something went wrong here")),
    );
  });
  return {
    get size() {
      return upgrader.clients.size + tunnels.size;
    },
    close: () => {
      clearInterval(heartbeat);
      for (const socket of upgrader.clients) socket.close(1001, "the server is stopping");
      upgrader.close();
      tunnels.close();
    },
  };
}

function openUpgrader(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.socketMessageBytes,
    perMessageDeflate: false,
    // The token may have come as a subprotocol; the first other one is what the client really wants to speak.
    handleProtocols: (protocols) =>
      [...protocols].find((protocol) => !protocol.startsWith("sallyport.token.")) ?? [...protocols][0] ?? false,
  });
}

/** Ends sockets whose client does not answer. */
function startHeartbeat(upgrader: WebSocketServer, alive: WeakSet<WebSocket>): NodeJS.Timeout {
  const heartbeat = setInterval(() => {
    for (const socket of upgrader.clients) {
      if (alive.has(socket)) {
        alive.delete(socket);
        socket.ping();
      } else socket.terminate();
    }
  }, LIMITS.heartbeatMs * 2);
  heartbeat.unref();
  return heartbeat;
}

async function admit({ gateway }: SurfaceOptions, guard: Guard, request: IncomingMessage): Promise<Caller> {
  await gateway.readers.next();
  guard.connections.checkRoom(request);
  guard.checkOrigin(request);
  const caller = await guard.authenticate(request);
  guard.checkPlace(caller, request);
  guard.meter(caller);
  return caller;
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split("?", 1)[0] ?? "/";
}

interface RawRefusal {
  readonly status: number;
  readonly failure: Failure;
  readonly request_id: string;
}

/** Answers without a response object, and closes the connection. */
function endWith(stream: Duplex, { status, failure, request_id }: RawRefusal): void {
  const text = JSON.stringify({ ...failure.toBody(), request_id });
  const head = [
    `HTTP/1.1 ${status} Refused`,
    ...(failure.code === "unauthenticated" ? [`www-authenticate: ${CHALLENGE}`] : []),
    `${REQUEST_ID}: ${request_id}`,
    "content-type: application/json",
    "connection: close",
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  stream.end(`${head.join("\r\n")}\r\n\r\n${text}`, () => stream.destroy());
}
