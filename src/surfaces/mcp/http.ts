import type { IncomingMessage } from "node:http";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import type { Context } from "hono";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { Guard } from "../guard.ts";
import { httpStatus } from "../status.ts";
import { drained } from "../stream.ts";
import type { HttpEnvironment, SurfaceOptions } from "../surface.ts";
import { McpClients, type ClientsOptions } from "./clients.ts";
import { listenedTo, OwnBus, subscribeAll } from "./listening.ts";
import { failureOf, mcpServer, protocolError } from "./mcp-server.ts";
import { ownTree } from "./own-tree.ts";
import type { McpHandler, McpParts } from "./route.ts";
import { Subscriptions } from "./subscriptions.ts";

/** The tree as an MCP server over streamable HTTP, in both forms of the protocol. Requests pass the same entry check as all others. */
export function openMcp({ gateway, log, version }: SurfaceOptions, { files, guard }: McpParts): McpHandler {
  const options: ClientsOptions = {
    treeOf: (caller) => ownTree(gateway, files, caller),
    version,
    onError: (error) => log.warn({ err: error }, "mcp"),
  };
  const clients = new McpClients(options);
  const listening = new Map<string, number>();
  return async (context) => {
    const { incoming, outgoing } = context.env;
    const { caller } = context.var;
    const body = await bodyOf(context);
    meterBatch(guard, caller, body);
    const stop = new AbortController();
    outgoing.once("close", () => stop.abort());
    const request = requestOf(incoming, stop.signal);
    try {
      if (await isLegacyRequest(request, body)) {
        const { response, done } = await clients.serve({ caller, request, body });
        await send(context, response).finally(done);
      } else await send(context, await serveModern({ options, listening, caller }, request, body));
    } catch (error) {
      await send(context, refusalOf(body, failureOf(error, options.onError)));
    }
  };
}

interface Modern {
  readonly options: ClientsOptions;
  /** By principal: its listening streams. */
  readonly listening: Map<string, number>;
  readonly caller: Caller;
}

/** A self-contained request. A stream that listens to files has its own bus, so that clients do not hear of each other's. */
async function serveModern({ options, listening, caller }: Modern, request: Request, body: unknown): Promise<Response> {
  const { version, onError } = options;
  const tree = options.treeOf(caller);
  const factory = () => mcpServer({ tree, version, onError, subscriptions: () => undefined });
  const settings = { legacy: "reject", keepAliveMs: LIMITS.heartbeatMs } as const;
  const wanted = listenedTo(body);
  if (wanted === undefined || wanted.uris.length === 0)
    return createMcpHandler(factory, settings).fetch(request, { parsedBody: body });
  const leave = enter(listening, caller);
  const subscriptions = new Subscriptions({
    tree,
    tell: (uri) => bus.publish({ kind: "resource_updated", uri }),
    onError,
  });
  const close = (): void => {
    subscriptions.close();
    leave();
  };
  const bus = new OwnBus(close);
  request.signal.addEventListener("abort", close, { once: true });
  try {
    await subscribeAll(subscriptions, wanted.uris);
    const response = await createMcpHandler(factory, { ...settings, bus }).fetch(request, { parsedBody: body });
    if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) close();
    return response;
  } catch (error) {
    close();
    throw error;
  }
}

/** Counts one more listening stream; call the returned function once to end it. */
function enter(listening: Map<string, number>, caller: Caller): () => void {
  const open = listening.get(caller.id) ?? 0;
  if (open >= LIMITS.mcpListening)
    throw new Failure("limit_reached", `${LIMITS.mcpListening} streams of yours listen already; close one`);
  listening.set(caller.id, open + 1);
  let inside = true;
  return () => {
    if (!inside) return;
    inside = false;
    const left = (listening.get(caller.id) ?? 1) - 1;
    if (left === 0) listening.delete(caller.id);
    else listening.set(caller.id, left);
  };
}

/** Clients of an old revision may send many messages at once; the entry check has counted one. */
function meterBatch(guard: Guard, caller: Caller, body: unknown): void {
  if (!Array.isArray(body)) return;
  if (body.length > LIMITS.mcpBatch)
    throw new Failure("payload_too_large", `one request may have ${LIMITS.mcpBatch} messages`);
  for (let message = 1; message < body.length; message += 1) guard.meter(caller);
}

/** The body as already read; undefined: there is none. */
async function bodyOf(context: Context<HttpEnvironment>): Promise<unknown> {
  if (context.req.method !== "POST") return undefined;
  try {
    return JSON.parse(await context.req.text()) as unknown;
  } catch {
    throw new Failure("invalid_request", "send a message of JSON-RPC with content-type: application/json");
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined && name !== "authorization")
      headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  return new Request("http://localhost/mcp", { method: incoming.method ?? "POST", headers, signal });
}

/** A refusal as the answer to the refused message. */
function refusalOf(body: unknown, failure: Failure): Response {
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : null;
  const { code, message } = protocolError(failure);
  const error = { code, message, data: { code: failure.code } };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: httpStatus(failure.code) });
}

/** Writes an answer as it comes. Waits for a slow client, but not forever. */
async function send(context: Context<HttpEnvironment>, response: Response): Promise<void> {
  const { outgoing } = context.env;
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { "x-content-type-options": "nosniff", ...headers, "cache-control": "no-store" });
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  if (reader === undefined) {
    outgoing.end();
    return;
  }
  outgoing.once("close", () => void reader.cancel().catch(() => undefined));
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (outgoing.write(chunk.value)) continue;
      const timer = setTimeout(() => outgoing.destroy(), LIMITS.mcpStalledMs);
      await drained(outgoing);
      clearTimeout(timer);
      if (outgoing.destroyed) return;
    }
  } finally {
    outgoing.end();
  }
}
