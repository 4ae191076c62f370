import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An MCP server over HTTP on the loopback, written without an SDK. One tool, `act`, which answers with what it was sent. */
export interface RemoteMcpServer {
  readonly port: number;
  /** The headers of each request. */
  readonly seen: readonly IncomingMessage["headers"][];
  [Symbol.asyncDispose](): Promise<void>;
}

interface RpcRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: unknown };
}

/** `sse`: the older way. `redirect`: where every request is sent to. `bytes`: how long an answer to a call is. */
export async function openRemoteMcpServer(
  options: { readonly sse?: boolean; readonly redirect?: string; readonly bytes?: number } = {},
): Promise<RemoteMcpServer> {
  const seen: IncomingMessage["headers"][] = [];
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    seen.push(request.headers);
    if (options.redirect !== undefined) {
      response.writeHead(307, { location: options.redirect }).end();
      return;
    }
    if (request.method === "GET" && options.sse === true) {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write("event: endpoint\ndata: /message\n\n");
      return;
    }
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    void bodyOf(request).then((text) => {
      const answer = answerTo(JSON.parse(text) as RpcRequest, options.bytes);
      if (options.sse === true) {
        response.writeHead(202).end();
        if (answer !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
      } else if (answer === undefined) response.writeHead(202).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function answerTo({ id, method, params }: RpcRequest, bytes: number | undefined): object | undefined {
  if (id === undefined) return undefined;
  const result = resultOf(method, params, bytes);
  return result === undefined
    ? { jsonrpc: "2.0", id, error: { code: -32_601, message: "unknown method" } }
    : { jsonrpc: "2.0", id, result };
}

function resultOf(method: string, params: RpcRequest["params"], bytes: number | undefined): object | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "remote", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "act", inputSchema: { type: "object" } }] };
    case "tools/call": {
      const text = bytes === undefined ? `echo ${JSON.stringify(params?.arguments)}` : "x".repeat(bytes);
      return { content: [{ type: "text", text }] };
    }
    default:
      return undefined;
  }
}
