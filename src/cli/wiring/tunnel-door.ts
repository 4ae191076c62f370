import { createServer, request as ask, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isLoopback } from "../../identity/index.ts";
import { LIMITS, TUNNEL_PATH } from "../../protocol/index.ts";

export interface TunnelDoor {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

interface TunnelDoorOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The server's own address. */
  readonly server: string;
}

/** The WebSocket's own headers: nothing else of a request goes on. */
const PASSED = ["sec-websocket-key", "sec-websocket-version"];

/**
 * Listens for the other sides of tunnels, and for nothing else: the server's API and pages cannot be reached here. So it can be given to
 * ngrok, Cloudflare Tunnel or a reverse proxy.
 */
export async function openTunnelDoor({ host, port, server: target }: TunnelDoorOptions): Promise<TunnelDoor> {
  const open = new Set<Duplex>();
  const server = createServer(
    { maxHeaderSize: LIMITS.httpHeaderBytes, headersTimeout: LIMITS.httpHeadersMs },
    (_request, response) => {
      response.writeHead(426, { "content-type": "text/plain", connection: "close" });
      response.end("This address takes WebSockets of Sallyport tunnels only.\n");
    },
  );
  server.maxConnections = LIMITS.tunnelHandshakes * LIMITS.tunnelLinks;
  server.on("upgrade", (incoming: IncomingMessage, left: Socket, head: Buffer) => {
    keep(open, left);
    pass(incoming, { left, head, target, keep: (stream) => keep(open, stream) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const stream of open) stream.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function keep(open: Set<Duplex>, stream: Duplex): void {
  open.add(stream);
  stream.on("error", () => stream.destroy());
  stream.once("close", () => open.delete(stream));
}

interface Passing {
  readonly left: Socket;
  readonly head: Buffer;
  readonly target: string;
  readonly keep: (stream: Duplex) => void;
}

function pass(incoming: IncomingMessage, { left, head, target, keep: kept }: Passing): void {
  const outgoing = ask(`${target}${TUNNEL_PATH}${nameOf(incoming)}`, { headers: headersFor(incoming, left) });
  outgoing.on("error", () => left.destroy());
  outgoing.on("response", () => left.destroy());
  outgoing.on("upgrade", (answer, right: Duplex, rest: Buffer) => {
    kept(right);
    const lines = answer.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [`${name}: ${all[index + 1] ?? ""}`] : [],
    );
    left.setNoDelay(true);
    left.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    if (rest.length > 0) left.write(rest);
    if (head.length > 0) right.write(head);
    left.pipe(right).pipe(left);
    left.once("close", () => right.destroy());
    right.once("close", () => left.destroy());
  });
  outgoing.end();
}

function headersFor({ headers }: IncomingMessage, { remoteAddress }: Socket): Record<string, string> {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])),
  );
  const isHere =
    isLoopback(remoteAddress) && headers["x-forwarded-for"] === undefined && headers.forwarded === undefined;
  return {
    ...passed,
    connection: "Upgrade",
    upgrade: "websocket",
    // Without it the server would take everybody for somebody of this machine.
    ...(isHere ? {} : { "x-forwarded-for": remoteAddress ?? "unknown" }),
  };
}

/** `/claude/<id>` and `/<id>` name a tunnel by their last part; `/claude` and `/tunnel` name none. */
function nameOf({ url = "/" }: IncomingMessage): string {
  const last = (url.split("?", 1)[0] ?? "").split("/").findLast((part) => part !== "") ?? "";
  return ["", "claude", "tunnel"].includes(last) || !/^[\w.-]+$/.test(last) ? "" : `/${last}`;
}
