import { createRoute, z } from "@hono/zod-openapi";
import { ComputationView, ContainerView, CreateComputation, CreateContainer } from "../../protocol/index.ts";
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
  SessionPath,
} from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const JobQuery = z.object({ cursor, limit });

type JobParts = Pick<SurfaceOptions, "gateway">;

const VIEWS = { containers: ContainerView, compute: ComputationView } as const;
const NAMES = { containers: "Container", compute: "Computation" } as const;

/** Sessions of one turn. Their journals, streams and approvals are those of sessions, under the same id. */
export function jobRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  createRoutes(app, { gateway });
  for (const kind of ["containers", "compute"] as const) {
    readRoutes(app, { gateway, kind });
    endRoutes(app, { gateway, kind });
  }
}

function createRoutes(app: HttpApp, { gateway }: JobParts): void {
  app.openapi(
    createRoute({
      ...post("/api/containers", "createContainer", "session.create"),
      summary: "Run commands in a sandbox; answered at once",
      request: { headers: IdempotencyHeader, body: body(CreateContainer) },
      responses: { 201: json(ContainerView, "The job; its id is its session's"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      return context.json(await gateway.jobs.createContainer(context.var.caller, context.req.valid("json"), key), 201);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/compute", "createComputation", "session.create"),
      summary: "Ask a model once, without tools; answered at once",
      request: { headers: IdempotencyHeader, body: body(CreateComputation) },
      responses: { 201: json(ComputationView, "The job; its id is its session's"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      const { caller } = context.var;
      return context.json(await gateway.jobs.createComputation(caller, context.req.valid("json"), key), 201);
    },
  );
}

type KindParts = JobParts & { readonly kind: keyof typeof VIEWS };

function readRoutes(app: HttpApp, { gateway, kind }: KindParts): void {
  const view = VIEWS[kind];
  app.openapi(
    createRoute({
      ...get(`/api/${kind}`, `list${NAMES[kind]}s`, "session.read"),
      summary: "Jobs of this kind, newest first; a page may have fewer than its limit",
      request: { query: JobQuery },
      responses: {
        200: json(z.object({ jobs: z.array(view), next: z.string().optional() }), "A page of jobs"),
        ...refusals,
      },
    }),
    async (context) => {
      const page = await gateway.jobs.list(context.var.caller, kind, context.req.valid("query"));
      return context.json({ ...page, jobs: [...page.jobs] }, 200);
    },
  );
  app.openapi(
    createRoute({
      ...get(`/api/${kind}/{id}`, `get${NAMES[kind]}`, "session.read"),
      summary: "What became of the job so far",
      request: { params: SessionPath },
      responses: { 200: json(view, "The job"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.jobs.get(context.var.caller, kind, context.req.valid("param").id), 200),
  );
}

function endRoutes(app: HttpApp, { gateway, kind }: KindParts): void {
  app.openapi(
    createRoute({
      ...post(`/api/${kind}/{id}/stop`, `stop${NAMES[kind]}`, "session.control"),
      summary: "End the job and everything that it runs",
      request: { params: SessionPath },
      responses: { 200: json(VIEWS[kind], "The job after it"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.jobs.stop(context.var.caller, kind, context.req.valid("param").id), 200),
  );
  removeRoute(app, {
    begin: remove(`/api/${kind}/{id}`, `delete${NAMES[kind]}`, "session.delete"),
    summary: "End the job and delete its journal and files",
    run: (caller, id) => gateway.jobs.remove(caller, kind, id),
  });
}
