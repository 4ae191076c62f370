import { createRoute, z } from "@hono/zod-openapi";
import { ErrorCode, PROTOCOL_VERSION } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { refusalRefs } from "../openapi/refusals.ts";
import { get, json } from "./documents.ts";

const Health = z.object({
  status: z.literal("ok"),
  version: z.string(),
  protocol: z.string(),
  demo: z.boolean(),
  default_provider: z.string(),
  /**
   * `stalled`: nothing can be written at the moment, so requests that change something get 503. `low_space`: new
   * sessions and prompts do.
   */
  store: z.enum(["ok", "low_space", "stalled"]),
  /** Sessions found on damaged pages of the database since the start. The others work. */
  damaged_sessions: z.int().min(0),
  /** `set_back`: at the start it was far behind the time that the last run had seen. Tokens expire by that time. */
  clock: z.enum(["ok", "set_back"]),
});

const Ready = z.object({ status: z.literal("ready") });

const NotReady = z.object({
  status: z.literal("not_ready"),
  /** Why a new session or prompt would be refused. */
  reasons: z.array(z.object({ code: ErrorCode, message: z.string() })),
});
type Reason = z.infer<typeof NotReady>["reasons"][number];

/** For monitoring; they need no token and reveal nothing secret. */
const OPERATIONS = {
  "/health": "getHealth",
  "/livez": "getLiveness",
  "/ready": "getReady",
  "/readyz": "getReadiness",
} as const;
type Probe = keyof typeof OPERATIONS;

export function isProbe(path: string): boolean {
  return Object.hasOwn(OPERATIONS, path);
}

/** Whether the server is up, and separately whether it takes new work. Each also under the name that Kubernetes uses. */
export function healthRoutes(app: HttpApp, options: SurfaceOptions): void {
  for (const path of ["/health", "/livez"] as const) addLiveness(app, options, path);
  for (const path of ["/ready", "/readyz"] as const) addReadiness(app, options, path);
}

function addLiveness(app: HttpApp, options: SurfaceOptions, path: Probe): void {
  const route = createRoute({
    ...get(path, OPERATIONS[path], "nothing"),
    summary: "Is the server up",
    security: [],
    responses: { 200: json(Health, "It is"), ...refusalRefs([403]) },
  });
  app.openapi(route, (context) => {
    const { demo, default_provider } = options.describe();
    const { storeHealth: health, isClockSetBack } = options.gateway;
    const { version } = options;
    const clock = isClockSetBack ? ("set_back" as const) : ("ok" as const);
    const server = { status: "ok" as const, version, protocol: PROTOCOL_VERSION, demo, default_provider };
    return context.json({ ...server, store: stateOf(health), damaged_sessions: health.damaged?.size ?? 0, clock }, 200);
  });
}

function addReadiness(app: HttpApp, { gateway }: SurfaceOptions, path: Probe): void {
  const route = createRoute({
    ...get(path, OPERATIONS[path], "nothing"),
    summary: "Does the server take new sessions and prompts",
    security: [],
    responses: {
      200: json(Ready, "It does"),
      503: json(NotReady, "Not at the moment, and why"),
      ...refusalRefs([403]),
    },
  });
  app.openapi(route, (context) => {
    const reasons = reasonsOf(gateway);
    if (reasons.length === 0) return context.json({ status: "ready" as const }, 200);
    return context.json({ status: "not_ready" as const, reasons }, 503);
  });
}

function reasonsOf({ storeHealth, isDraining, isShortOfFiles }: SurfaceOptions["gateway"]): Reason[] {
  const reasons: Reason[] = [];
  if (isDraining) reasons.push({ code: "shutting_down", message: "The server is stopping." });
  if (isShortOfFiles)
    reasons.push({ code: "limit_reached", message: "Nearly all files and connections that may be open are." });
  switch (stateOf(storeHealth)) {
    case "stalled":
      reasons.push({ code: "store_failed", message: stalledWords(storeHealth) });
      break;
    case "low_space":
      reasons.push({ code: "store_full", message: fullWords(storeHealth) });
      break;
    case "ok":
      break;
  }
  return reasons;
}

function fullWords({ lowSpace }: SurfaceOptions["gateway"]["storeHealth"]): string {
  const isBytes = lowSpace === undefined || lowSpace.freeBytes < lowSpace.minFreeBytes;
  return `The disk of the home folder ${isBytes ? "is nearly full" : "has hardly room for more files (inodes)"}.`;
}

function stalledWords({ stall }: SurfaceOptions["gateway"]["storeHealth"]): string {
  if (stall?.cause !== "replaced") return "The database cannot be written.";
  return "The database was removed, replaced or overwritten on the disk: put it back, and start the server again.";
}

function stateOf({ stall, lowSpace }: SurfaceOptions["gateway"]["storeHealth"]): z.infer<typeof Health>["store"] {
  if (stall !== undefined) return "stalled";
  return lowSpace === undefined ? "ok" : "low_space";
}
