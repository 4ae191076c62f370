import { OpenAPIHono, z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { routePath } from "hono/route";
import type { Context } from "hono";
import {
  errnoOf,
  Failure,
  isOutOfFiles,
  LIMITS,
  mistakesIn,
  PROTOCOL_HEADER,
  PROTOCOL_VERSION,
  speaksOurs,
} from "../protocol/index.ts";
import { failureOf } from "./failure-of.ts";
import type { Guard } from "./guard.ts";
import { serveMcp } from "./mcp/route.ts";
import { openApiDocument } from "./openapi/document.ts";
import { documentPath, mcpPaths, socketPaths } from "./openapi/other-paths.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { adminRoutes } from "./routes/admin.ts";
import { connectionRoutes } from "./routes/connections.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { exportRoutes, isSharePath } from "./routes/exports.ts";
import { healthRoutes, isProbe } from "./routes/health.ts";
import { keyRoutes } from "./routes/keys.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { mcpLoginRoutes } from "./routes/mcp-logins.ts";
import { longRunRoutes } from "./routes/long-runs.ts";
import { isMountPath, mountRoutes } from "./routes/mount.ts";
import { isProved, notificationRoutes } from "./routes/notifications.ts";
import { providerRoutes } from "./routes/providers.ts";
import { schemaRoutes } from "./routes/schemas.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { changeReviewRoutes } from "./routes/change-review.ts";
import { changeRoutes } from "./routes/changes.ts";
import { queueRoutes } from "./routes/queue.ts";
import { searchRoutes } from "./routes/search.ts";
import { projectRoutes } from "./routes/projects.ts";
import { templateRoutes } from "./routes/templates.ts";
import { isDelivery, triggerRoutes } from "./routes/triggers.ts";
import { workerRoutes } from "./routes/workers.ts";
import { tunnelRoutes } from "./routes/tunnels.ts";
import { usageRoutes } from "./routes/usage.ts";
import { allowOrigin, isPreflight, PREFLIGHT_HEADERS } from "./cors.ts";
import { notFoundPage } from "./not-found-page.ts";
import { boundedBodies } from "./request-bodies.ts";
import { packedAnswers } from "./packed-answers.ts";
import { loggedPath, REQUEST_ID } from "./request-log.ts";
import { countRequests } from "./request-count.ts";
import { RouteRights } from "./rights.ts";
import { CHALLENGE, httpStatus } from "./status.ts";
import type { HttpApp, HttpEnvironment, SurfaceOptions } from "./surface.ts";
import { isOpen, webPages } from "./web-pages.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The HTTP surface: thin; every route is checked here and by the service that it calls. */
export function createApp(options: SurfaceOptions, guard: Guard): HttpApp {
  const app: HttpApp = new OpenAPIHono<HttpEnvironment>({
    defaultHook: (result, context) => {
      if (result.success) return;
      const asked = askedBy(app, { method: context.req.method, path: routePath(context), target: result.target });
      const issues = result.error.issues
        .flatMap((issue): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] =>
          issue.code === "unrecognized_keys" ? mistakesIn({ issues: [issue] }, asked ?? z.never(), "field") : [issue],
        )
        .map(({ path, message }) => ({ path: path.join("."), message }));
      const told = issues
        .slice(0, LIMITS.mistakes)
        .map(({ path, message }) => `${path === "" ? "the request" : path}: ${message}`);
      throw new Failure("invalid_request", told.join("; "), issues);
    },
  });
  app.onError((error, context) => answerError(context, error, options));
  app.notFound((context) => notHere(context));
  if (options.onRequest !== undefined) app.use(countRequests(options.onRequest));
  app.use(door(guard, new RouteRights(app)));
  app.use(boundedBodies(options, guard));
  app.use(answeredWhileStalled(options));
  app.use(packedAnswers);
  healthRoutes(app, options);
  webPages(app, options);
  sessionRoutes(app, options);
  approvalRoutes(app, options);
  exportRoutes(app, options);
  searchRoutes(app, options);
  queueRoutes(app, options);
  catalogRoutes(app, options);
  templateRoutes(app, options);
  projectRoutes(app, options);
  longRunRoutes(app, options);
  triggerRoutes(app, options, guard);
  notificationRoutes(app, options, guard);
  workerRoutes(app, options);
  tunnelRoutes(app, options);
  changeRoutes(app, options);
  changeReviewRoutes(app, options);
  jobRoutes(app, options);
  adminRoutes(app, options);
  keyRoutes(app, options);
  mcpLoginRoutes(app, options);
  usageRoutes(app, options);
  providerRoutes(app, options);
  connectionRoutes(app, options);
  schemaRoutes(app);
  serveMcp(app, options, { files: mountRoutes(app, options).files, guard });
  mcpPaths(app);
  socketPaths(app);
  documentPath(app);
  const document = openApiDocument(app, options);
  app.get("/openapi.json", (context) => context.json(document()));
  return app;
}

/** Pages and their parts hold nothing secret. */
function isPage({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return (method === "GET" || method === "HEAD") && (isOpen(path) || isSharePath(path));
}

/** Nothing is served there, and no token is asked for: clients look there for other ways to sign in. */
const NOTHING_THERE = /^\/\.well-known(\/|$)/;

/** Paths that nobody reaches by mistyping an address. */
function isForPrograms(path: string): boolean {
  return (
    isMountPath(path) ||
    /^\/(api|assets|mcp|metrics|openapi\.json|health|livez|ready|readyz|ws|bridge|hooks)(\/|$)/.test(path)
  );
}

function wantsPage({ req }: Context<HttpEnvironment>): boolean {
  const isRead = req.method === "GET" || req.method === "HEAD";
  return isRead && !isForPrograms(req.path) && /\btext\/html\b/.test(req.header("accept") ?? "");
}

function notHere(context: Context<HttpEnvironment>): Response {
  if (wantsPage(context)) return notFoundPage(context);
  return refuse(context, new Failure("not_found", `there is no ${context.req.method} ${context.req.path}`));
}

/** Rejects a client of another major version, whatever the request. One that names no version is accepted. */
function checkProtocol(protocol: string | undefined): void {
  if (protocol === undefined || speaksOurs(protocol)) return;
  throw new Failure(
    "protocol_mismatch",
    `this server speaks protocol ${PROTOCOL_VERSION}, the client ${protocol.slice(0, 20)}: use the same version of both`,
  );
}

/** Host, Origin, token, rate and right for every route; only probes and the pages need no token. */
function door(guard: Guard, rights: RouteRights) {
  return createMiddleware<HttpEnvironment>(async (context, next) => {
    context.header("content-security-policy", CONTENT_SECURITY_POLICY);
    context.header("x-content-type-options", "nosniff");
    context.header("referrer-policy", "no-referrer");
    context.header("cache-control", "no-store");
    const { incoming, outgoing } = context.env;
    if (!isProbe(context.req.path)) guard.connections.checkRoom(incoming);
    const foreign = guard.checkOrigin(incoming);
    if (isPage(context.req)) {
      if (foreign !== undefined) throw new Failure("forbidden", "pages are not read from other sites");
      return next();
    }
    outgoing.setHeader("vary", "origin");
    if (foreign !== undefined) allowOrigin(outgoing, foreign);
    if (foreign !== undefined && isPreflight(incoming)) return context.body(null, 204, PREFLIGHT_HEADERS);
    if (NOTHING_THERE.test(context.req.path)) return notHere(context);
    outgoing.setHeader(PROTOCOL_HEADER, PROTOCOL_VERSION);
    checkProtocol(context.req.header(PROTOCOL_HEADER));
    if (!isProbe(context.req.path) && !isDelivery(context.req) && !isProved(context.req)) {
      if (wantsPage(context)) return notFoundPage(context);
      const caller = await guard.authenticate(incoming);
      guard.checkPlace(caller, incoming);
      guard.meter(caller);
      rights.check(caller, context.req);
      guard.endWithToken(caller, outgoing);
      context.set("caller", caller);
    }
    return next();
  });
}

interface AskedPart {
  readonly method: string;
  readonly path: string;
  /** `json`: the body. */
  readonly target: string;
}

/** The schema that a route has for a body or a query. */
function askedBy(app: HttpApp, { method, path, target }: AskedPart): z.ZodType | undefined {
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== "route") continue;
    const { route } = definition;
    if (route.method.toUpperCase() !== method || route.path.replaceAll(/\{(.+?)\}/g, ":$1") !== path) continue;
    const body = route.request?.body?.content["application/json"];
    const schema =
      target !== "json" ? route.request?.query : body !== undefined && "schema" in body ? body.schema : body;
    return schema instanceof z.ZodType ? schema : undefined;
  }
  return undefined;
}

/** A request that waits for a missing disk is answered after a while. Its work is not lost. */
function answeredWhileStalled({ gateway }: Pick<SurfaceOptions, "gateway">) {
  return createMiddleware<HttpEnvironment>(async (_context, next) => {
    await gateway.whileStoring(next());
  });
}

/** The id that every answer carries. */
function requestId({ env }: Context<HttpEnvironment>): string {
  return String(env.outgoing.getHeader(REQUEST_ID));
}

function refuse(context: Context<HttpEnvironment>, failure: Failure): Response {
  const retry = (failure.details as { retry_after_s?: number } | undefined)?.retry_after_s;
  if (retry !== undefined) context.header("retry-after", String(retry));
  if (failure.code === "unauthenticated") context.header("www-authenticate", CHALLENGE);
  const request_id = requestId(context);
  if (!isMountPath(context.req.path))
    return context.json({ ...failure.toBody(), request_id }, httpStatus(failure.code));
  const errno = errnoOf(failure);
  context.header("x-sallyport-errno", errno);
  const { error } = failure.toBody();
  return context.json({ error: { ...error, errno }, request_id }, httpStatus(failure.code));
}

function answerError(context: Context<HttpEnvironment>, error: unknown, options: SurfaceOptions): Response {
  if (error instanceof Failure) return refuse(context, error);
  // Hono's own refusals, for a body that is missing or not JSON.
  if (error instanceof HTTPException && error.status < 500)
    return refuse(
      context,
      new Failure("invalid_request", "send a body of valid JSON with content-type: application/json"),
    );
  const failure = failureOf(error);
  const { method, path } = context.req;
  const about = { request_id: requestId(context), method, path: loggedPath(path) };
  // A lack of file handles is reported once, where they are counted.
  if (!isOutOfFiles(error)) options.log.error({ err: error, ...about }, "request failed");
  return refuse(context, failure);
}
