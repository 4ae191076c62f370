import { createRoute, z } from "@hono/zod-openapi";
import { CreateLongRun, LongRunDetail, LongRunList, LongRunTemplates, LongRunView } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, refusals, remove } from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const RunPath = z.object({ id: z.string().max(100) });

export function longRunRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/long-runs", "listLongRuns", "session.read"),
      summary: "Long runs, newest first",
      responses: { 200: json(LongRunList, "The long runs"), ...refusals },
    }),
    async (context) => context.json(await gateway.longRuns.list(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/long-runs", "startLongRun", "session.create"),
      summary: "Start sessions one after the other on one task, within one budget",
      request: { body: body(CreateLongRun) },
      responses: { 201: json(LongRunView, "The long run"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.longRuns.create(context.var.caller, context.req.valid("json")), 201),
  );
  app.openapi(
    createRoute({
      ...get("/api/long-runs/templates", "longRunTemplates", "session.create"),
      summary: "The two templates that are used where a long run names none",
      responses: { 200: json(LongRunTemplates, "The templates"), ...refusals },
    }),
    (context) => context.json(gateway.longRuns.templates(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/long-runs/{id}", "getLongRun", "session.read"),
      summary: "A long run with its sessions and features",
      request: { params: RunPath },
      responses: { 200: json(LongRunDetail, "The long run"), ...refusals },
    }),
    async (context) => context.json(await gateway.longRuns.get(context.var.caller, context.req.valid("param").id), 200),
  );
  controlRoutes(app, { gateway });
  removeRoute(app, {
    begin: remove("/api/long-runs/{id}", "deleteLongRun", "session.control"),
    summary: "Stop a long run and forget it; its sessions stay",
    params: RunPath,
    run: (caller, id) => gateway.longRuns.remove(caller, id),
  });
}

const CONTROLS = {
  pause: ["pauseLongRun", "Stand still until somebody continues it; its session too"],
  continue: ["continueLongRun", "Go on"],
  stop: ["stopLongRun", "End it, and the session that works"],
} as const;

function controlRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  for (const verb of ["pause", "continue", "stop"] as const) {
    const [name, summary] = CONTROLS[verb];
    app.openapi(
      createRoute({
        ...post(`/api/long-runs/{id}/${verb}`, name, "session.control"),
        summary,
        request: { params: RunPath },
        responses: { 200: json(LongRunView, "The long run"), ...changeRefusals },
      }),
      async (context) =>
        context.json(await gateway.longRuns[verb](context.var.caller, context.req.valid("param").id), 200),
    );
  }
}
