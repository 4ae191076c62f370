import { createRoute, z } from "@hono/zod-openapi";
import { PoolChange, PoolView, WorkerView } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, patch, refusals } from "./documents.ts";

export function workerRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/workers", "listWorkers", "policy.read"),
      summary: "The workers: where sessions run, and what is prepared for the next",
      responses: { 200: json(z.object({ workers: z.array(WorkerView) }), "By number"), ...refusals },
    }),
    (context) => context.json({ workers: [...gateway.workers.list(context.var.caller)] }, 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/pool", "getPool", "policy.read"),
      summary: "How many workers there may be, and how many there are",
      responses: { 200: json(PoolView, "The pool"), ...refusals },
    }),
    (context) => context.json(gateway.workers.pool(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...patch("/api/pool", "setPool", "policy.write"),
      summary: "Change the pool until the server stops",
      request: { body: body(PoolChange) },
      responses: { 200: json(PoolView, "The pool"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.workers.configure(context.var.caller, context.req.valid("json")), 200),
  );
}
