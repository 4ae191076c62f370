import { createRoute, z } from "@hono/zod-openapi";
import { PairTunnel, PairTunnelOffer, TunnelOfferView, TunnelPairingCode, TunnelView } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, json, post } from "./documents.ts";

export const TunnelPath = z.object({
  id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, "letters, digits, dots, dashes and underscores"),
});

/** A pre-shared key for two machines, with a short code instead of the key itself. */
export function tunnelPairingRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...post("/api/tunnel-offers/{id}/pairing", "showTunnelOfferCode", "policy.write"),
      summary: "A code with which a gateway can pair with this offer, once and within minutes",
      request: { params: TunnelPath },
      responses: { 201: json(TunnelPairingCode, "The code, shown this once"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.pairing.offerCode(context.var.caller, context.req.valid("param").id), 201),
  );
  app.openapi(
    createRoute({
      ...post("/api/tunnel-offers/{id}/pair", "pairTunnelOffer", "policy.write"),
      summary: "Pair with the gateway that this offer connects to, which shows a code",
      request: { params: TunnelPath, body: body(PairTunnelOffer) },
      responses: { 200: json(TunnelOfferView, "The offer"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.pairing.pairOffer(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/tunnels/{id}/pairing", "showTunnelCode", "policy.write"),
      summary: "A code with which the machine that connects here can pair, once and within minutes",
      request: { params: TunnelPath },
      responses: { 201: json(TunnelPairingCode, "The code, shown this once"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.pairing.endpointCode(context.var.caller, context.req.valid("param").id), 201),
  );
  app.openapi(
    createRoute({
      ...post("/api/tunnels/{id}/pair", "pairTunnel", "policy.write"),
      summary: "Pair with a machine that shows a code, and add its tunnel or replace it",
      request: { params: TunnelPath, body: body(PairTunnel) },
      responses: { 200: json(TunnelView, "The tunnel"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.pairing.pairTunnel(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
}
