import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { readMessages } from "./anthropic/format.ts";
import { countRequest } from "./anthropic/request.ts";
import { HeldThreads } from "./anthropic/threads.ts";
import { ANTHROPIC } from "./anthropic/vendor.ts";
import { withinMaxTokens } from "./content.ts";
import { findPrompt } from "./conversation.ts";
import { demoReply } from "./demo.ts";
import { headersOf, json, parseBody, readBody } from "./http.ts";
import { readChat } from "./openai-chat/format.ts";
import { readResponses } from "./openai-responses/format.ts";
import { embed } from "./openai/embeddings.ts";
import { OPENAI } from "./openai/vendor.ts";
import { FaultCounter, findScript, scriptedReply } from "./script.ts";
import { withPlainTools, withScriptedTools, withServedTools } from "./served-tools.ts";
import { pause, ReplyStream } from "./stream.ts";
import {
  ApiError,
  isFault,
  type ReadRequest,
  type ScriptedFault,
  type Format,
  type SimRequest,
  type ModelReply,
  type Vendor,
} from "./wire.ts";

export interface SimOptions {
  /** Pause after each word of the demo, in milliseconds. Absent: 15. */
  readonly demoDelayMs?: number | undefined;
  /** Milliseconds; only differences count. Absent: the machine's clock. */
  readonly now?: (() => number) | undefined;
  /** The name under which a script's tool is called, by what was offered. Absent: as the script says. */
  readonly nameTool?: ((name: string, offered: ReadonlySet<string>) => string) | undefined;
  /** Called for every request with its answer. */
  readonly onExchange?: ((exchange: SimExchange) => void) | undefined;
}

export interface SimExchange {
  readonly method: string;
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body. */
  readonly body: unknown;
  readonly status: number;
}

/** A model that plays scripts and a small demo behind the Messages, Responses and Chat Completions APIs. */
export interface SimModel {
  /** Answers one HTTP request. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface SimCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly vendor: Vendor;
}

/** What a model is asked for, by path. */
const QUESTIONS: ReadonlyMap<
  string,
  { readonly vendor: Vendor; readonly read: (body: unknown, threads: HeldThreads) => ReadRequest }
> = new Map([
  ["/v1/messages", { vendor: ANTHROPIC, read: readMessages }],
  ["/v1/responses", { vendor: OPENAI, read: readResponses }],
  ["/v1/chat/completions", { vendor: OPENAI, read: readChat }],
]);
const COUNT = "/v1/messages/count_tokens";
const MODELS = "/v1/models";
const EMBEDDINGS = "/v1/embeddings";

export function createSimModel(options: SimOptions = {}): SimModel {
  const faults = new FaultCounter();
  const threads = new HeldThreads();
  const { demoDelayMs = 15, now = () => performance.now(), onExchange } = options;

  async function answer(call: SimCall, response: ServerResponse): Promise<void> {
    const { method, path, vendor } = call;
    if (method === "POST" && path === EMBEDDINGS) return json(response, 200, embed(call.body));
    const question = QUESTIONS.get(path);
    if (question !== undefined || path === COUNT) {
      if (method !== "POST") throw new ApiError(405, `Method Not Allowed: ${method}`);
      if (question === undefined) return json(response, 200, { input_tokens: countRequest(call.body) });
      return reply(question.read(call.body, threads), vendor, response);
    }
    if (method === "GET" && path === MODELS) return json(response, 200, vendor.models(["sim"]));
    if (method === "GET" && path.startsWith(`${MODELS}/`))
      return json(response, 200, vendor.model(decoded(path.slice(MODELS.length + 1))));
    if (path === "/" && (method === "GET" || method === "HEAD"))
      return json(response, 200, { name: "sim", status: "ok" });
    throw new ApiError(404, `Not Found: ${path}`);
  }

  async function reply(asked: ReadRequest, vendor: Vendor, response: ServerResponse): Promise<void> {
    const { request } = asked;
    const planned = faults.resolve(
      withinMaxTokens(named(replyTo(request, demoDelayMs), request, options.nameTool), request),
      request.digest,
    );
    const early = await earlyFault(planned, response);
    if (early !== undefined) return fail(response, vendor, early);
    const format = asked.format(planned);
    if (!planned.acts.some(isFault)) asked.answered?.(format.whole());
    if (!request.stream) return replyWhole(planned, format, vendor, response);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    await new ReplyStream({ reply: planned, request, format, response, now }).play();
  }

  return {
    async handle(incoming, response) {
      const path = (incoming.url ?? "/").split("?", 1)[0] ?? "/";
      const method = incoming.method ?? "GET";
      const headers = headersOf(incoming);
      const vendor = vendorOf(path, headers);
      let body: unknown;
      try {
        const text = await readBody(incoming);
        const requestId = `req_${createHash("sha256").update(`${method} ${path} ${text}`).digest("hex").slice(0, 24)}`;
        response.setHeader(vendor.idHeader, requestId);
        body = parseBody(text);
        await answer({ method, path, body, vendor }, response);
      } catch (error) {
        fail(response, vendor, { error: errorOf(error) });
      }
      onExchange?.({ method, path, headers, body, status: response.statusCode });
    },
  };
}

/** Headers distinguish the vendors on shared paths. A caller without a key gets Anthropic's format. */
function vendorOf(path: string, headers: Readonly<Record<string, string>>): Vendor {
  const vendor = QUESTIONS.get(path)?.vendor;
  if (vendor !== undefined) return vendor;
  if (path === EMBEDDINGS) return OPENAI;
  if (path === COUNT || headers["anthropic-version"] !== undefined || headers["x-api-key"] !== undefined)
    return ANTHROPIC;
  return headers["authorization"] === undefined ? ANTHROPIC : OPENAI;
}

function errorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // The parsers recurse as deep as the request.
  if (error instanceof RangeError) return new ApiError(400, "The request body is nested too deeply");
  return new ApiError(500, `Internal error: ${(error as Error).message}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ApiError(404, `Not Found: ${MODELS}/${path}`);
  }
}

function named(planned: ModelReply, { tools }: SimRequest, nameTool: SimOptions["nameTool"]): ModelReply {
  if (nameTool === undefined) return planned;
  const acts = planned.acts.map((act) => (act.do === "tool" ? { ...act, name: nameTool(act.name, tools) } : act));
  return { ...planned, acts };
}

function replyTo(asked: SimRequest, demoDelayMs: number): ModelReply {
  const request = withPlainTools(asked);
  const { blocks, after } = findPrompt(request.messages);
  const script = findScript(blocks.join("\n"));
  if (script !== undefined) return withScriptedTools(scriptedReply(script, after), asked);
  return withServedTools({ ...demoReply(request, blocks.at(-1) ?? "", after), wordMs: demoDelayMs }, asked);
}

interface Failing {
  readonly error: ApiError;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

function failingOf(fault: Extract<ScriptedFault, { do: "fail" }>): Failing {
  return { error: new ApiError(fault.status, fault.message, { type: fault.type }), retryAfter: fault.retryAfter };
}

/** An error before the first word is a separate answer; later ones occur within the stream. */
async function earlyFault(reply: ModelReply, response: ServerResponse): Promise<Failing | undefined> {
  const last = reply.acts.at(-1);
  if (last?.do !== "fail" || reply.acts.some((act) => !isFault(act) && act.do !== "wait")) return undefined;
  for (const act of reply.acts) if (act.do === "wait") await pause(act.ms, response);
  return failingOf(last);
}

async function replyWhole(reply: ModelReply, format: Format, vendor: Vendor, response: ServerResponse): Promise<void> {
  for (const act of reply.acts) {
    if (act.do === "wait") await pause(act.ms, response);
    else if (act.do === "tokens" && act.perSecond > 0) await pause((act.count * 1_000) / act.perSecond, response);
    else if (act.do === "fail") return fail(response, vendor, failingOf(act));
    else if (act.do === "hang_up") {
      response.destroy();
      return;
    } else if (act.do === "garble") {
      // Enough to see that it is JSON, and no more.
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(format.whole()).slice(0, 11));
      return;
    }
  }
  json(response, 200, format.whole());
}

function fail(response: ServerResponse, vendor: Vendor, { error, retryAfter }: Failing): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  const requestId = response.getHeader(vendor.idHeader);
  json(response, error.status, vendor.errorBody(error, requestId === undefined ? null : String(requestId)));
}
