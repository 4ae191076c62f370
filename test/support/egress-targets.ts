import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { publicAddress } from "../../src/network/index.ts";

/** A listener of the test's own on the loopback. */
export interface LoopbackTarget {
  readonly port: number;
  /** `METHOD url` of each request that came. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

interface TargetOptions {
  /** Of the loopback. */
  readonly address?: string;
  /** With it the target speaks TLS. */
  readonly secure?: { readonly key: string; readonly cert: string };
}

export async function openTarget(
  answer: RequestListener = (_, response) => void response.end("hello from outside\n"),
  { address = "127.0.0.1", secure }: TargetOptions = {},
): Promise<LoopbackTarget> {
  const seen: string[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""}`);
    answer(request, response);
  };
  const server: Server = secure === undefined ? createServer(listener) : createSecureServer(secure, listener);
  server.listen(0, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Names that end in `.test` are on this machine, but count as public; `inside.test` does not. All others are not looked up. */
export const addressOf: typeof publicAddress = async (host, rule, setting) => {
  if (host === "inside.test") return publicAddress("localhost", rule, setting);
  return host.endsWith(".test")
    ? { address: "127.0.0.1", family: 4 }
    : { refused: `${host} is not looked up in a test` };
};

/** Git's own server for the repositories below a folder. `allowed`: which requests pass. */
export function gitBackend(root: string, allowed: (request: IncomingMessage) => boolean = () => true): RequestListener {
  return (request, response) => {
    if (allowed(request)) void serveGit(root, request, response);
    else response.writeHead(401, { "www-authenticate": "Basic" }).end();
  };
}

async function serveGit(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://git");
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      GIT_CONFIG_KEY_1: "safe.directory",
      GIT_CONFIG_VALUE_1: "*",
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      REMOTE_USER: "agent",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  for await (const chunk of backend.stdout) chunks.push(chunk as Buffer);
  const whole = Buffer.concat(chunks);
  const end = whole.indexOf("\r\n\r\n");
  const head = whole.subarray(0, end).toString("latin1").split("\r\n");
  const headers = head.map((line) => line.split(": ", 2) as [string, string]);
  const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
  response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== "Status")));
  response.end(whole.subarray(end + 4));
}
