import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { LIMITS, modelBodyText, type ModelBody, type ModelResponse, type PostToModel } from "../../protocol/index.ts";

/** A request as sent. */
export interface WireRequest {
  readonly url: string;
  /** A unix socket to send it to. */
  readonly socketPath?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ModelBody;
}

/** Leaving early keeps the connection for the next request. */
export type WireResponse = ModelResponse;

/** Sends requests over connections that stay open. Rejects when there is no answer, or the signal is aborted. */
export interface Transport {
  post(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
}

/** Requests that need no connection: the model proxy is in this process. */
export function inProcess(post: PostToModel): Transport {
  return {
    post: ({ url, headers, body }, signal) => post({ path: new URL(url).pathname, headers, body }, signal),
  };
}

/** The other side had closed an idle connection: it has not seen the request. */
class StaleConnection extends Error {}

/** Plain `node:http`: half the time of `fetch` for a small request (bench), and it supports unix sockets. */
export function createTransport(): Transport {
  const options = { keepAlive: true, maxFreeSockets: LIMITS.modelIdleSockets };
  const http = new HttpAgent(options);
  const https = new HttpsAgent(options);

  function send(request: WireRequest, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const secure = request.url.startsWith("https:");
      const body = modelBodyText(request.body);
      const headers = { ...request.headers, "content-length": String(Buffer.byteLength(body)) };
      const socket = request.socketPath === undefined ? {} : { socketPath: request.socketPath };
      const settings = { method: "POST", headers, agent: secure ? https : http, ...socket };
      const outgoing = secure ? httpsRequest(request.url, settings) : httpRequest(request.url, settings);
      // Not Node's own `signal`: that raises an error on a connection which has just been released.
      const cut = (): void => void outgoing.destroy();
      signal.addEventListener("abort", cut, { once: true });
      outgoing.once("close", () => signal.removeEventListener("abort", cut));
      outgoing.once("response", resolve);
      // For the request's whole life: an error after the answer has begun arrives here too, and must not end the
      // process.
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        reject(
          outgoing.reusedSocket && !signal.aborted && error.code === "ECONNRESET"
            ? new StaleConnection(error.message)
            : error,
        );
      });
      if (signal.aborted) cut();
      else outgoing.end(body);
    });
  }

  return {
    async post(request, signal) {
      for (;;) {
        try {
          return wrap(await send(request, signal));
        } catch (error) {
          // Each try removes one dead connection, so this ends.
          if (!(error instanceof StaleConnection)) throw error;
        }
      }
    },
  };
}

function wrap(response: IncomingMessage): WireResponse {
  response.setEncoding("utf8");
  response.on("error", () => undefined);
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    async *chunks() {
      try {
        for await (const chunk of response.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) yield chunk;
      } finally {
        drain(response);
      }
    },
    async text() {
      let text = "";
      for await (const chunk of response as AsyncIterable<string>) {
        text += chunk;
        if (text.length > LIMITS.modelErrorBytes) break;
      }
      return text;
    },
  };
}

/** The rest (usually the last line break) is read and dropped; an endless answer is cut off. */
function drain(response: IncomingMessage): void {
  response.resume();
  if (response.complete || response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), LIMITS.modelIdleMs).unref();
  response.once("close", () => clearTimeout(timer));
}
