import { createRoute, z } from "@hono/zod-openapi";
import {
  FinishMcpLogin,
  LIMITS,
  McpLoginList,
  McpLoginStarted,
  McpLoginView,
  StartMcpLogin,
} from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, refusals, remove } from "./documents.ts";

const ServerPath = z.object({ name: z.string().min(1).max(LIMITS.mcpServerNameChars) });

export function mcpLoginRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/mcp-logins", "listMcpLogins", "policy.read"),
      summary: "MCP servers of the settings that are logged in to by OAuth; never a token",
      responses: { 200: json(McpLoginList, "The servers"), ...refusals },
    }),
    async (context) => context.json(await gateway.mcpLogins.list(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/mcp-logins/{name}", "startMcpLogin", "policy.write"),
      summary: "Begin a login at an MCP server; a person goes on at the address",
      request: { params: ServerPath, body: body(StartMcpLogin) },
      responses: { 200: json(McpLoginStarted, "Where to go"), ...changeRefusals },
    }),
    async (context) => {
      const { name } = context.req.valid("param");
      return context.json(await gateway.mcpLogins.start(context.var.caller, name, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/mcp-logins", "finishMcpLogin", "policy.write"),
      summary: "Finish a login with the code of its redirect; the tokens stay in the server",
      request: { body: body(FinishMcpLogin) },
      responses: { 200: json(McpLoginView, "The server"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.mcpLogins.finish(context.var.caller, context.req.valid("json")), 200),
  );
  app.openapi(
    createRoute({
      ...remove("/api/mcp-logins/{name}", "endMcpLogin", "policy.write"),
      summary: "Forget the login at an MCP server",
      request: { params: ServerPath },
      responses: { 204: { description: "It is forgotten" }, ...changeRefusals },
    }),
    async (context) => {
      await gateway.mcpLogins.end(context.var.caller, context.req.valid("param").name);
      return context.body(null, 204);
    },
  );
}
