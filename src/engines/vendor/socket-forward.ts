import { request, type IncomingMessage, type ServerResponse } from "node:http";

/** Where a request goes: `path` is the whole path with its query. */
export interface SocketTarget {
  readonly socketPath: string;
  readonly path: string;
}

/**
 * Passes one HTTP request on to a unix socket, and its answer back as it comes. For a vendor's program that knows no sockets, inside a
 * sandbox whose only way to the model proxy is one. It uses nothing but Node, so that it can run there.
 */
export function forwardToSocket(
  asked: IncomingMessage,
  answer: ServerResponse,
  { socketPath, path }: SocketTarget,
): void {
  const { host: _host, connection: _connection, ...headers } = asked.headers;
  const onward = request({
    socketPath,
    path,
    method: asked.method,
    headers: { ...headers, host: "localhost" },
  });
  onward.once("response", (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
    // An answer that broke off must look so to the program: it asks again.
    response.once("error", () => answer.destroy());
    response.once("aborted", () => answer.destroy());
  });
  onward.once("error", () => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502, { "content-type": "text/plain" }).end("The model proxy cannot be reached.");
  });
  answer.once("close", () => onward.destroy());
  asked.once("error", () => onward.destroy());
  asked.pipe(onward);
}
