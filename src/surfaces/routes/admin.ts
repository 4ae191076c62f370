import { createRoute, z } from "@hono/zod-openapi";
import {
  AuditEntry,
  CreateToken,
  Failure,
  mistakesIn,
  mistakeText,
  Policy,
  PolicyChange,
  PolicyTest,
  Role,
  Ruling,
  TokenCreated,
  TokenList,
} from "../../protocol/index.ts";
import { auditCsv, wantsCsv } from "../csv.ts";
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
  put,
  refusals,
  remove,
} from "./documents.ts";
import { removeRoute } from "./remove-route.ts";

const AuditList = z.object({ entries: z.array(AuditEntry), next: z.string().optional() });
const AuditQuery = z.object({
  /** A prefix of the action. */
  action: z.string().max(100).optional(),
  /** A principal's id. */
  by: z.string().max(100).optional(),
  cursor,
  limit,
});

const TokenQuery = z.object({
  /** Absent: all roles except visitors, of whom there may be very many. */
  role: Role.optional(),
  cursor,
  limit,
});

export function adminRoutes(app: HttpApp, options: SurfaceOptions): void {
  tokenRoutes(app, options);
  policyRoutes(app, options);
  auditRoute(app, options);
}

function auditRoute(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/audit", "listAuditEntries", "audit.read"),
      summary: "Who did what, newest first; as CSV with Accept: text/csv",
      request: { query: AuditQuery },
      responses: {
        200: {
          description: "A page of the audit log; as CSV all of it that one file may have",
          content: { "application/json": { schema: AuditList }, "text/csv": { schema: z.string() } },
        },
        ...refusals,
      },
    }),
    async (context) => {
      const query = context.req.valid("query");
      if (!wantsCsv(context.req.header("accept"))) {
        const page = await gateway.audit.page(context.var.caller, query);
        return context.json({ ...page, entries: [...page.entries] }, 200);
      }
      const { entries, truncated } = await gateway.audit.export(context.var.caller, query);
      return context.body(auditCsv(entries), 200, {
        "content-type": "text/csv; charset=utf-8; header=present",
        "content-disposition": 'attachment; filename="sallyport-audit.csv"',
        ...(truncated ? { "sallyport-truncated": "true" } : {}),
      });
    },
  );
}

function tokenRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...post("/api/tokens", "createToken", "token.issue"),
      summary: "Make a token for no more than the caller may do itself; it is shown this once",
      request: { headers: IdempotencyHeader, body: body(CreateToken) },
      responses: { 201: json(TokenCreated, "The token"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      return context.json(await gateway.tokens.create(context.var.caller, context.req.valid("json"), key), 201);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/tokens", "listTokens", "token.issue"),
      summary: "Tokens, newest first, without the tokens themselves; for others than admins those that they made",
      request: { query: TokenQuery },
      responses: { 200: json(TokenList, "The tokens"), ...refusals },
    }),
    async (context) => context.json(await gateway.tokens.list(context.var.caller, context.req.valid("query")), 200),
  );
  removeRoute(app, {
    begin: remove("/api/tokens/{id}", "deleteToken", "token.issue"),
    summary: "Make a token useless, and those that were made with it",
    answer: "It is",
    run: (caller, id) => gateway.tokens.remove(caller, id),
  });
}

function policyRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/policy", "getPolicy", "policy.read"),
      summary: "The policy in force",
      responses: { 200: json(Policy, "The policy"), ...refusals },
    }),
    (context) => context.json(gateway.policy.get(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...put("/api/policy", "setPolicy", "policy.write"),
      summary: "Set profiles over those that ship",
      request: { body: body(Policy) },
      responses: { 200: json(Policy, "The policy in force after it"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.policy.set(context.var.caller, context.req.valid("json")), 200),
    (result) => {
      if (result.success) return;
      const mistakes = mistakesIn(result.error, Policy);
      throw new Failure("invalid_request", `policy ${mistakeText(mistakes)}`, { mistakes });
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/policy/history", "listPolicyChanges", "audit.read"),
      summary: "What was set, newest first",
      responses: { 200: json(z.object({ changes: z.array(PolicyChange) }), "The changes"), ...refusals },
    }),
    async (context) => context.json({ changes: [...(await gateway.policy.history(context.var.caller))] }, 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/policy/test", "testPolicy", "policy.test"),
      summary: "What would happen to a tool call: the real pipeline, nothing executed",
      request: { body: body(PolicyTest) },
      responses: { 200: json(Ruling, "The ruling"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.policy.test(context.var.caller, context.req.valid("json")), 200),
  );
}
