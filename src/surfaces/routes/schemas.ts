import { createRoute, z } from "@hono/zod-openapi";
import { JSON_SCHEMAS, type JsonSchemaName } from "../../protocol/schemas.ts";
import type { HttpApp } from "../surface.ts";
import { get, json, refusals } from "./documents.ts";

const NAMES = Object.keys(JSON_SCHEMAS) as [JsonSchemaName, ...JsonSchemaName[]];

/** The sockets' messages, for validators in any language. */
export function schemaRoutes(app: HttpApp): void {
  app.openapi(
    createRoute({
      ...get("/api/schemas/{name}", "getJsonSchema", "a token"),
      summary: "The JSON Schema of what goes over document 002's socket",
      request: { params: z.object({ name: z.enum(NAMES) }) },
      responses: { 200: json(z.record(z.string(), z.unknown()), "JSON Schema 2020-12"), ...refusals },
    }),
    (context) => context.json({ ...JSON_SCHEMAS[context.req.valid("param").name] }, 200),
  );
}
