import { createRoute, z } from "@hono/zod-openapi";
import {
  CreateTunnelOffer,
  SaveTunnel,
  TunnelOfferCreated,
  TunnelOfferView,
  TunnelReport,
  TunnelView,
} from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { tunnelPairingRoutes, TunnelPath } from "./tunnel-pairing.ts";
import { body, changeRefusals, get, json, post, put, refusals, remove } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

export function tunnelRoutes(app: HttpApp, options: SurfaceOptions): void {
  endpointRoutes(app, options);
  offerRoutes(app, options);
  tunnelPairingRoutes(app, options);
  for (const action of ["pause", "continue"] as const) offerAction(app, options, action);
}

/** Other people's machines that answer model requests here. */
function endpointRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/tunnels", "listTunnels", "provider.read"),
      summary: "The tunnels that model requests can take, and whether they are connected; never a secret",
      responses: { 200: json(z.object({ tunnels: z.array(TunnelView) }), "The tunnels"), ...refusals },
    }),
    async (context) => context.json({ tunnels: [...(await gateway.tunnels.list(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...put("/api/tunnels/{id}", "saveTunnel", "policy.write"),
      summary: "Add a tunnel, or replace the one with this id",
      request: { params: TunnelPath, body: body(SaveTunnel) },
      responses: { 200: json(TunnelView, "The tunnel"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.tunnels.save(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  removeRoute(app, {
    begin: remove("/api/tunnels/{id}", "deleteTunnel", "policy.write"),
    summary: "Remove a tunnel; what runs over it is broken off and billed",
    params: TunnelPath,
    run: (caller, id) => gateway.tunnels.remove(caller, id),
  });
  app.openapi(
    createRoute({
      ...post("/api/tunnels/{id}/test", "testTunnel", "provider.test"),
      summary: "Ask a tunnel's other side for its models; costs nothing",
      request: { params: TunnelPath },
      responses: { 200: json(TunnelReport, "What it said"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.tunnels.test(context.var.caller, context.req.valid("param").id), 200),
  );
}

/** What this machine offers to others. */
function offerRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/tunnel-offers", "listTunnelOffers", "provider.read"),
      summary: "What this machine serves to remote parties: who is connected, what they asked and what it cost",
      responses: { 200: json(z.object({ offers: z.array(TunnelOfferView) }), "The offers"), ...refusals },
    }),
    async (context) => context.json({ offers: [...(await gateway.offers.list(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/tunnel-offers", "createTunnelOffer", "policy.write"),
      summary: "Offer a provider of this machine to a remote party; a new pre-shared key is shown this once",
      request: { body: body(CreateTunnelOffer) },
      responses: { 201: json(TunnelOfferCreated, "The offer"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.offers.create(context.var.caller, context.req.valid("json")), 201),
  );
  removeRoute(app, {
    begin: remove("/api/tunnel-offers/{id}", "revokeTunnelOffer", "policy.write"),
    summary: "Cut a remote party at once: its connections, requests, key and token end",
    params: TunnelPath,
    run: (caller, id) => gateway.offers.revoke(caller, id),
  });
}

const OFFER_ACTIONS = {
  pause: "Cut a remote party at once and let it not connect again until the offer continues; its key and limits stay",
  continue: "Let a remote party connect again",
} as const;

function offerAction(app: HttpApp, { gateway }: SurfaceOptions, action: keyof typeof OFFER_ACTIONS): void {
  app.openapi(
    createRoute({
      ...post(`/api/tunnel-offers/{id}/${action}`, `${action}TunnelOffer`, "policy.write"),
      summary: OFFER_ACTIONS[action],
      request: { params: TunnelPath },
      responses: { 200: json(TunnelOfferView, "The offer"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.offers[action](context.var.caller, context.req.valid("param").id), 200),
  );
}
