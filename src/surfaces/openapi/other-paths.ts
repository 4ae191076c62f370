import { createRoute, z } from "@hono/zod-openapi";
import { Failure } from "../../protocol/index.ts";
import { get, post, remove } from "../routes/documents.ts";
import type { HttpApp } from "../surface.ts";
import { refusalRefs } from "./refusals.ts";

/** The sockets, with where their messages are described. */
const SOCKETS = [
  { path: "/api/ws", name: "Api", words: "All sessions over one WebSocket: see the guide of the HTTP API" },
  { path: "/api/terminal/ws/agent", name: "Agent", words: "Document 001's WebSocket: one session and its approvals" },
  { path: "/bridge", name: "Bridge", words: "Document 002's WebSocket: a thread's rows as JSON lines" },
  { path: "/api/shell", name: "Shell", words: "A terminal in a session's sandbox: see the guide of terminals" },
  { path: "/ws", name: "Runtime", words: "Document 000's WebSocket: a page, its tools and its conversation" },
] as const;
export type SocketPath = (typeof SOCKETS)[number]["path"];

/** Describes the sockets, and answers requests without an upgrade. */
export function socketPaths(app: HttpApp): void {
  for (const { path, name, words } of SOCKETS) {
    app.openAPIRegistry.registerPath(
      createRoute({
        ...get(path, `open${name}Socket`, "a token"),
        summary: words,
        responses: {
          101: { description: "The connection is a WebSocket from here on" },
          ...refusalRefs([400, 401, 403, 429, 500]),
        },
      }),
    );
    app.get(path, () => {
      throw new Failure("invalid_request", `${path} is a WebSocket: connect to it with one`);
    });
  }
}

const Message = z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]);
const session = z.object({ "mcp-session-id": z.string().max(200).optional() });
const accepted = { description: "Taken; there is nothing to answer" } as const;
const answer = {
  description: "Messages of JSON-RPC; in a stream one in each `data:` line",
  content: { "application/json": { schema: Message }, "text/event-stream": { schema: Message } },
} as const;
/** The protocol's own refusals are JSON-RPC messages; those of the entry check are ours. */
const Refused = z.union([z.object({ error: z.record(z.string(), z.unknown()) }), Message]);
const refused = { description: "Refused", content: { "application/json": { schema: Refused } } } as const;
const mcpRefusals = Object.fromEntries([400, 404, 405, 406, 409, 413, 415].map((status) => [status, refused]));

/** `/mcp`, whose messages the Model Context Protocol describes. */
export function mcpPaths(app: HttpApp): void {
  const refusals = { ...mcpRefusals, ...refusalRefs([401, 403, 429, 500, 503]) };
  app.openAPIRegistry.registerPath(
    createRoute({
      ...post("/mcp", "sendMcpMessage", "a token"),
      summary: "Send a message of the Model Context Protocol",
      request: { headers: session, body: { required: true, content: { "application/json": { schema: Message } } } },
      responses: { 200: answer, 202: accepted, ...refusals },
    }),
  );
  app.openAPIRegistry.registerPath(
    createRoute({
      ...get("/mcp", "openMcpStream", "a token"),
      summary: "Listen to messages of the Model Context Protocol",
      request: { headers: session },
      responses: {
        200: { description: "The stream", content: { "text/event-stream": { schema: Message } } },
        ...refusals,
      },
    }),
  );
  app.openAPIRegistry.registerPath(
    createRoute({
      ...remove("/mcp", "closeMcpSession", "a token"),
      summary: "End an MCP session",
      request: { headers: session },
      responses: { 200: accepted, 204: accepted, ...refusals },
    }),
  );
}

/** The document itself. */
export function documentPath(app: HttpApp): void {
  app.openAPIRegistry.registerPath(
    createRoute({
      ...get("/openapi.json", "getOpenApiDocument", "a token"),
      summary: "This document",
      responses: {
        200: {
          description: "OpenAPI 3.1",
          content: {
            "application/json": { schema: z.object({ openapi: z.string(), info: z.object({}), paths: z.object({}) }) },
          },
        },
        ...refusalRefs([401, 403, 429, 500]),
      },
    }),
  );
}
