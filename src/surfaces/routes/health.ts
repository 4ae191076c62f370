import { createRoute, z } from "@hono/zod-openapi";
import { PROTOCOL_VERSION } from "../../protocol/index.ts";
import type { App, SurfaceOptions } from "../surface.ts";
import { json, needs } from "./documents.ts";

const Health = z.object({
  status: z.literal("ok"),
  version: z.string(),
  protocol: z.string(),
  demo: z.boolean(),
  default_provider: z.string(),
  /**
   * `stalled`: nothing can be written at the moment, so requests that change something are answered with 503.
   * `low_space`: new sessions and prompts are.
   */
  store: z.enum(["ok", "low_space", "stalled"]),
});

export function healthRoute(app: App, options: SurfaceOptions): void {
  const route = createRoute({
    method: "get",
    path: "/health",
    summary: "Is the server up",
    security: [],
    ...needs("nothing"),
    responses: { 200: json(Health, "It is") },
  });
  app.openapi(route, (context) => {
    const { demo, default_provider } = options.describe();
    const store = stateOf(options.gateway.storeHealth);
    const { version } = options;
    return context.json(
      { status: "ok" as const, version, protocol: PROTOCOL_VERSION, demo, default_provider, store },
      200,
    );
  });
}

function stateOf({ stall, lowSpace }: SurfaceOptions["gateway"]["storeHealth"]): z.infer<typeof Health>["store"] {
  if (stall !== undefined) return "stalled";
  return lowSpace === undefined ? "ok" : "low_space";
}
