import type { ServerResponse } from "node:http";
import { createRoute, z } from "@hono/zod-openapi";
import {
  CatalogList,
  CatalogView,
  ClassifySql,
  ConnectionConfig,
  ConnectionId,
  ConnectionRecord,
  ConnectionReport,
  ConnectionView,
  QueryAnswer,
  QuerySql,
  SqlClass,
} from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, put, refusals, remove } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const ConnectionPath = z.object({ id: ConnectionId });
const CatalogPath = ConnectionPath.extend({ catalog: z.string().min(1).max(200) });

/** Aborted when the caller leaves before the answer: the statement is then ended. */
function gone(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once("close", () => controller.abort());
  return controller.signal;
}

export function connectionRoutes(app: HttpApp, options: SurfaceOptions): void {
  settingRoutes(app, options);
  readingRoutes(app, options);
}

function settingRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/connections/{id}", "getConnection", "connection.write"),
      summary: "How a connection is set; where its password is, never the password",
      request: { params: ConnectionPath },
      responses: { 200: json(ConnectionRecord, "The connection"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.connections.get(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...put("/api/connections/{id}", "setConnection", "connection.write"),
      summary: "Set a read-only connection to a database, or replace the one with this id",
      request: { params: ConnectionPath, body: body(ConnectionConfig) },
      responses: { 200: json(ConnectionRecord, "The connection"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.connections.put(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  removeRoute(app, {
    begin: remove("/api/connections/{id}", "deleteConnection", "connection.write"),
    summary: "Delete a connection; what runs on it is ended",
    params: ConnectionPath,
    run: (caller, id) => gateway.connections.remove(caller, id),
  });
  app.openapi(
    createRoute({
      ...post("/api/connections/{id}/test", "testConnection", "connection.write"),
      summary: "Ask a database whether it is there and its role cannot write",
      request: { params: ConnectionPath },
      responses: { 200: json(ConnectionReport, "What it said"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.connections.test(context.var.caller, id, gone(context.env.outgoing)), 200);
    },
  );
}

function readingRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/connections", "listConnections", "connection.use"),
      summary: "Databases that the caller may read, by name",
      responses: { 200: json(z.object({ connections: z.array(ConnectionView) }), "The connections"), ...refusals },
    }),
    async (context) => context.json({ connections: [...(await gateway.connections.list(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/connections/{id}/catalogs", "listCatalogs", "connection.use"),
      summary: "The catalogs of a connection",
      request: { params: ConnectionPath },
      responses: { 200: json(CatalogList, "Their names"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.connections.catalogs(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/connections/{id}/catalogs/{catalog}", "getCatalog", "connection.use"),
      summary: "Schemas, tables, columns and foreign keys that the caller may read",
      request: { params: CatalogPath },
      responses: { 200: json(CatalogView, "What there is"), ...changeRefusals },
    }),
    async (context) => {
      const { id, catalog: name } = context.req.valid("param");
      const signal = gone(context.env.outgoing);
      return context.json(await gateway.connections.catalog(context.var.caller, id, { name, signal }), 200);
    },
  );
  sqlRoutes(app, { gateway });
}

function sqlRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/connections/{id}/classify", "classifySql", "connection.use"),
      summary: "Whether a statement only reads, by parsing it; it is not run",
      request: { params: ConnectionPath, body: body(ClassifySql) },
      responses: { 200: json(SqlClass, "What it does"), ...changeRefusals },
    }),
    async (context) => {
      const { sql } = context.req.valid("json");
      const signal = gone(context.env.outgoing);
      return context.json(
        await gateway.connections.classify(context.var.caller, context.req.valid("param").id, { sql, signal }),
        200,
      );
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/connections/{id}/query", "runQuery", "connection.use"),
      summary: "Run one statement that reads; ended when the caller goes away",
      request: { params: ConnectionPath, body: body(QuerySql) },
      responses: { 200: json(QueryAnswer, "The rows"), ...changeRefusals },
    }),
    async (context) => {
      const request = { ...context.req.valid("json"), signal: gone(context.env.outgoing) };
      return context.json(
        await gateway.connections.query(context.var.caller, context.req.valid("param").id, request),
        200,
      );
    },
  );
}
