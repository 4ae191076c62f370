import type { IncomingMessage } from "node:http";
import { createRoute, z } from "@hono/zod-openapi";
import { CreateKey, KeyCreated, KeyList, MODEL_PATH } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import {
  body,
  changeRefusals,
  cursor,
  get,
  IdempotencyHeader,
  json,
  limit,
  post,
  refusals,
  remove,
} from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const KeyQuery = z.object({ cursor, limit });

export function keyRoutes(app: HttpApp, options: SurfaceOptions): void {
  const { gateway } = options;
  app.openapi(
    createRoute({
      ...post("/api/keys", "createKey", "key.manage"),
      summary: "Make a key to the models for a program that is no session; it is shown this once",
      request: { headers: IdempotencyHeader, body: body(CreateKey) },
      responses: { 201: json(KeyCreated, "The key"), ...changeRefusals },
    }),
    async (context) => {
      const idempotencyKey = context.req.valid("header")["idempotency-key"];
      const made = await gateway.keys.create(context.var.caller, context.req.valid("json"), idempotencyKey);
      return context.json({ ...made, base_url: modelUrl(context.env.incoming, options) }, 201);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/keys", "listKeys", "key.manage"),
      summary: "API keys and what they have cost, newest first, without the keys themselves",
      request: { query: KeyQuery },
      responses: { 200: json(KeyList, "The keys"), ...refusals },
    }),
    async (context) => context.json(await gateway.keys.list(context.var.caller, context.req.valid("query")), 200),
  );
  removeRoute(app, {
    begin: remove("/api/keys/{id}", "deleteKey", "key.manage"),
    summary: "Make a key useless at once; its running requests are broken off",
    answer: "It is",
    run: (caller, id) => gateway.keys.remove(caller, id),
  });
}

/** Where the caller reaches the models: the address by which it reaches this server. */
function modelUrl({ headers }: IncomingMessage, { ownOrigins }: SurfaceOptions): string {
  // The entry check has made sure that there is one, and that it is ours.
  const host = headers.host ?? "";
  const isSecure = ownOrigins?.().includes(`https://${host}`) === true;
  return `${isSecure ? "https" : "http"}://${host}${MODEL_PATH}`;
}
