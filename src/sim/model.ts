import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { contentOf, messageId, usageOf } from "./content.ts";
import { findPrompt } from "./conversation.ts";
import { demoReply } from "./demo.ts";
import { SIM_LIMITS } from "./limits.ts";
import { countRequest, readRequest } from "./request.ts";
import { FaultCounter, findScript, scriptedReply } from "./script.ts";
import { pause, ReplyStream } from "./stream.ts";
import { ApiError, isFault, type ModelRequest, type Reply } from "./wire.ts";

export interface SimOptions {
  /** Pause after each word of the demo, in milliseconds. Absent: 15. */
  readonly demoDelayMs?: number | undefined;
  /** Milliseconds; only differences count. Absent: the machine's clock. */
  readonly now?: (() => number) | undefined;
  /** Told of every request and how it was answered; `body` is what was sent, parsed. */
  readonly onExchange?: ((exchange: SimExchange) => void) | undefined;
}

export interface SimExchange {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
}

/** A model that plays scripts and a small demo behind the Messages API. */
export interface SimModel {
  /** Answers one HTTP request. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly requestId: string;
}

export function createSimModel(options: SimOptions = {}): SimModel {
  const faults = new FaultCounter();
  const { demoDelayMs = 15, now = () => performance.now(), onExchange } = options;

  async function answer(call: Call, response: ServerResponse): Promise<void> {
    const { method, path } = call;
    if (path === "/v1/messages" && method === "POST") {
      const request = readRequest(call.body);
      return reply(faults.resolve(replyTo(request, demoDelayMs), request.digest), request, response);
    }
    if (path === "/v1/messages/count_tokens" && method === "POST")
      return json(response, 200, { input_tokens: countRequest(call.body) });
    if (method === "GET" && path === "/v1/models") return json(response, 200, modelList());
    if (method === "GET" && path.startsWith("/v1/models/"))
      return json(response, 200, modelInfo(decodeURIComponent(path.slice(11))));
    if (path === "/" && (method === "GET" || method === "HEAD"))
      return json(response, 200, { name: "sim", status: "ok" });
    if (path === "/v1/messages" || path === "/v1/messages/count_tokens")
      throw new ApiError(405, `Method Not Allowed: ${method}`);
    throw new ApiError(404, `Not Found: ${path}`);
  }

  async function reply(planned: Reply, request: ModelRequest, response: ServerResponse): Promise<void> {
    const early = await earlyFault(planned, response);
    if (early !== undefined) return fail(response, early.error, early.retryAfter);
    if (!request.stream) return replyWhole(planned, request, response);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    await new ReplyStream(planned, request, response, now).play();
  }

  return {
    async handle(incoming, response) {
      const path = (incoming.url ?? "/").split("?", 1)[0] ?? "/";
      const method = incoming.method ?? "GET";
      let body: unknown;
      try {
        const text = await readBody(incoming);
        const requestId = `req_${createHash("sha256").update(`${method} ${path} ${text}`).digest("hex").slice(0, 24)}`;
        response.setHeader("request-id", requestId);
        body = parseBody(text);
        await answer({ method, path, body, requestId }, response);
      } catch (error) {
        fail(
          response,
          error instanceof ApiError ? error : new ApiError(500, `Internal error: ${(error as Error).message}`),
        );
      }
      onExchange?.({ method, path, body, status: response.statusCode });
    },
  };
}

function replyTo(request: ModelRequest, demoDelayMs: number): Reply {
  const { blocks, after } = findPrompt(request.messages);
  const script = findScript(blocks.join("\n"));
  if (script !== undefined) return scriptedReply(script, after);
  return { ...demoReply(request, blocks.at(-1) ?? "", after), wordMs: demoDelayMs };
}

/** An error before the first word is an answer of its own; later ones fall into the stream. */
async function earlyFault(
  reply: Reply,
  response: ServerResponse,
): Promise<{ readonly error: ApiError; readonly retryAfter: number | undefined } | undefined> {
  const last = reply.acts.at(-1);
  if (last?.do !== "fail" || reply.acts.some((act) => !isFault(act) && act.do !== "wait")) return undefined;
  for (const act of reply.acts) if (act.do === "wait") await pause(act.ms, response);
  return { error: new ApiError(last.status, last.message, last.type), retryAfter: last.retryAfter };
}

async function replyWhole(reply: Reply, request: ModelRequest, response: ServerResponse): Promise<void> {
  for (const act of reply.acts) {
    if (act.do === "wait") await pause(act.ms, response);
    else if (act.do === "tokens" && act.perSecond > 0) await pause((act.count * 1_000) / act.perSecond, response);
    else if (act.do === "fail") return fail(response, new ApiError(act.status, act.message, act.type), act.retryAfter);
    else if (act.do === "hang_up") {
      response.destroy();
      return;
    } else if (act.do === "garble") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"msg_');
      return;
    }
  }
  json(response, 200, {
    id: messageId(request),
    type: "message",
    role: "assistant",
    model: request.model,
    content: contentOf(reply, request),
    stop_reason: reply.stopReason,
    stop_sequence: reply.stopReason === "stop_sequence" ? "STOP" : null,
    usage: { ...usageOf(reply, request), service_tier: "standard" },
  });
}

function json(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    .end(text);
}

function fail(response: ServerResponse, error: ApiError, retryAfter?: number): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  const requestId = response.getHeader("request-id") ?? null;
  json(response, error.status, {
    type: "error",
    error: { type: error.type, message: error.message },
    request_id: requestId,
  });
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > SIM_LIMITS.bodyBytes) throw new ApiError(413, "Request exceeds the maximum size");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "The request body is not valid JSON");
  }
}

function modelInfo(id: string): object {
  return { type: "model", id, display_name: "Sallyport demo model (scripted)", created_at: "2025-01-01T00:00:00Z" };
}

function modelList(): object {
  return { data: [modelInfo("sim")], has_more: false, first_id: "sim", last_id: "sim" };
}
