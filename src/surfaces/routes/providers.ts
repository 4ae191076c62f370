import { createRoute, z } from "@hono/zod-openapi";
import {
  ModelList,
  ModelQuery,
  PriceList,
  PriceQuery,
  ProviderReport,
  ProviderView,
  SetProviderKey,
} from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, put, refusals, SessionPath } from "./documents.ts";

export function providerRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/providers", "listProviders", "provider.read"),
      summary: "Where model calls may go; whether a key is there, never the key",
      responses: { 200: json(z.object({ providers: z.array(ProviderView) }), "The providers"), ...refusals },
    }),
    async (context) => context.json({ providers: [...(await gateway.providers.list(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/providers/{id}/test", "testProvider", "provider.test"),
      summary: "Ask a provider whether it is there and takes our key; costs nothing",
      request: { params: SessionPath },
      responses: { 200: json(ProviderReport, "What it said"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.providers.test(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...put("/api/providers/{id}/key", "setProviderKey", "policy.write"),
      summary: "Keep a provider's key, if one request shows that it works; it is never shown again",
      request: { params: SessionPath, body: body(SetProviderKey) },
      responses: { 200: json(ProviderReport, "What the provider said to it"), ...changeRefusals },
    }),
    async (context) =>
      context.json(
        await gateway.providers.setKey(context.var.caller, context.req.valid("param").id, context.req.valid("json")),
        200,
      ),
  );
  app.openapi(
    createRoute({
      ...get("/api/models", "listModels", "provider.read"),
      summary: "The models that sessions can ask: each provider's own list, with windows and our prices",
      request: { query: ModelQuery },
      responses: { 200: json(ModelList, "The models; a provider's default first"), ...refusals },
    }),
    async (context) => context.json(await gateway.models.list(context.var.caller, context.req.valid("query")), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/prices", "listPrices", "provider.read"),
      summary: "What models cost, in micro-USD per million tokens, and who says so",
      request: { query: PriceQuery },
      responses: { 200: json(PriceList, "The prices"), ...refusals },
    }),
    (context) =>
      context.json({ prices: [...gateway.providers.prices(context.var.caller, context.req.valid("query"))] }, 200),
  );
}
