import { createRoute, z } from "@hono/zod-openapi";
import { Failure, LIMITS, SessionUsage, UsageQuery, UsageReport } from "../../protocol/index.ts";
import { usageCsv, wantsCsv } from "../csv.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { get, json, refusals, SessionPath } from "./documents.ts";

/** The text format that every Prometheus reads. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function usageRoutes(app: HttpApp, options: SurfaceOptions): void {
  const { gateway } = options;
  app.openapi(
    createRoute({
      ...get("/api/usage", "getUsage", "usage.read"),
      summary:
        "Tokens and money by day, agent, model, provider, session, engine, turn or API key; as CSV with Accept: text/csv",
      request: { query: UsageQuery },
      responses: {
        200: {
          description: "The lines, their total, and the budgets as they are now",
          content: { "application/json": { schema: UsageReport }, "text/csv": { schema: z.string() } },
        },
        ...refusals,
      },
    }),
    async (context) => {
      const query = context.req.valid("query");
      const asCsv = query.format === "csv" || (query.format === undefined && wantsCsv(context.req.header("accept")));
      if (!asCsv) return context.json(await gateway.usage.report(context.var.caller, query), 200);
      const { limit = LIMITS.usageLines } = query;
      const { lines, truncated } = await gateway.usage.report(context.var.caller, { ...query, limit });
      return context.body(usageCsv(query.by, lines), 200, {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": `attachment; filename="${fileName(query)}"`,
        ...(truncated === undefined ? {} : { "sallyport-truncated": "true" }),
      });
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/usage", "getSessionUsage", "usage.read"),
      summary: "What one session used, and what it has left",
      request: { params: SessionPath },
      responses: { 200: json(SessionUsage, "Its usage"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.usage.session(context.var.caller, context.req.valid("param").id), 200),
  );
  metricsRoute(app, options);
}

function metricsRoute(app: HttpApp, { gateway, metrics }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/metrics", "getMetrics", "metrics.read"),
      summary: "Everything that is counted, for Prometheus",
      responses: {
        200: { description: "The metrics", content: { "text/plain": { schema: z.string() } } },
        ...refusals,
      },
    }),
    async (context) => {
      gateway.usage.checkMetrics(context.var.caller);
      if (metrics === undefined) throw new Failure("not_found", "this server keeps no metrics");
      return context.text(await metrics(), 200, { "content-type": METRICS_TYPE });
    },
  );
}

/** Days were validated, so the name needs no quoting. */
function fileName({ from, to }: Pick<UsageQuery, "from" | "to">): string {
  const days = [from, to].filter((day) => day !== undefined);
  return `${["sallyport-usage", ...new Set(days)].join("_")}.csv`;
}
