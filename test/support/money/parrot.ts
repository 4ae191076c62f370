import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createSimModel } from "../../../src/sim/index.ts";

/** What a prompt can ask for, each as a word in it. Everything else is the scripted model's. */
export const REPEATS = ["parrot-401", "parrot-400", "parrot-429", "parrot-event", "parrot-cut", "parrot-say"] as const;
type Repeat = (typeof REPEATS)[number];

/** A provider that repeats the key with which it is asked: in bodies, headers, events and words. */
export class Parrot {
  readonly url: string;
  readonly #server: Server;
  /** The headers of every request, as one text. */
  readonly heard: string[] = [];
  readonly keys = new Set<string>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const model = createSimModel();
    server.on("request", (request: IncomingMessage, response) => {
      void this.#answer(request, response, (again) => model.handle(again, response));
    });
  }

  static async open(): Promise<Parrot> {
    const server = createServer();
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Parrot(server);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    pass: (again: IncomingMessage) => Promise<void>,
  ): Promise<void> {
    const given = request.headers["x-api-key"] ?? request.headers.authorization?.replace(/^Bearer /, "");
    const key = typeof given === "string" ? given : "";
    this.heard.push(JSON.stringify(request.rawHeaders));
    this.keys.add(key);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (request.method === "GET" && request.url === "/v1/models" && key.includes("named")) {
      const data = [
        { type: "model", id: "any" },
        { type: "model", id: key },
      ];
      response.writeHead(200, repeating(key)).end(JSON.stringify({ data, has_more: false }));
      return;
    }
    if (request.method === "GET" && request.url === "/v1/models") {
      response.writeHead(401, repeating(key)).end(errorBody("authentication_error", key));
      return;
    }
    const text = body.toString("utf8");
    const repeat = REPEATS.find((word) => text.includes(word));
    if (repeat !== undefined) {
      play(repeat, key, response);
      return;
    }
    const again = Object.assign(Readable.from([body]), {
      url: request.url,
      method: request.method,
      headers: request.headers,
    });
    await pass(again as unknown as IncomingMessage);
  }
}

function repeating(key: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-your-key": key,
    "www-authenticate": `Bearer realm="${key}"`,
    "set-cookie": `key=${key}`,
    "request-id": `req_${key}`,
  };
}

function errorBody(type: string, key: string): string {
  return JSON.stringify({ type: "error", error: { type, message: `the key ${key} is not good` }, request_id: key });
}

function play(repeat: Repeat, key: string, response: ServerResponse): void {
  switch (repeat) {
    case "parrot-401":
      response.writeHead(401, repeating(key)).end(errorBody("authentication_error", key));
      return;
    case "parrot-400":
      response.writeHead(400, repeating(key)).end(errorBody("invalid_request_error", key));
      return;
    case "parrot-429":
      // So long that nobody waits for it.
      response.writeHead(429, { ...repeating(key), "retry-after": "3600" }).end(errorBody("rate_limit_error", key));
      return;
    case "parrot-event":
    case "parrot-cut":
    case "parrot-say":
      stream(repeat, key, response);
  }
}

/** Says the key in two pieces, so that no piece holds it whole. */
function stream(repeat: Repeat, key: string, response: ServerResponse): void {
  const half = Math.floor(key.length / 2);
  const send = (event: { readonly type: string; readonly [name: string]: unknown }): void =>
    void response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const say = (text: string): void =>
    send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  response.writeHead(200, { ...repeating(key), "content-type": "text/event-stream" });
  const usage = { input_tokens: 10, output_tokens: 1 };
  send({
    type: "message_start",
    message: { id: `msg_${key}`, type: "message", role: "assistant", model: "any", content: [], usage },
  });
  send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  say(`Your key is ${key.slice(0, half)}`);
  say(`${key.slice(half)}, is it not?`);
  if (repeat === "parrot-event") {
    send({ type: "error", error: { type: "invalid_request_error", message: `no more for ${key}` } });
    response.end();
    return;
  }
  send({ type: "content_block_stop", index: 0 });
  if (repeat === "parrot-cut") {
    send({ type: "error", error: { type: "authentication_error", message: key } });
    response.destroy();
    return;
  }
  send({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } });
  send({ type: "message_stop" });
  response.end();
}
