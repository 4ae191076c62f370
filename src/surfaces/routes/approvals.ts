import { createRoute, z } from "@hono/zod-openapi";
import { Approval, ApprovalStatus, Decision, EditPreview, PreviewEdit } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, cursor, get, json, limit, post, refusals, SessionPath } from "./documents.ts";

const ApprovalList = z.object({ approvals: z.array(Approval), next: z.string().optional() });

export function approvalRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/approvals", "listApprovals", "approval.read"),
      summary: "The inbox, newest first",
      request: {
        query: z.object({
          status: ApprovalStatus.optional(),
          session_id: z.string().max(100).optional(),
          cursor,
          limit,
        }),
      },
      responses: { 200: json(ApprovalList, "A page of approvals"), ...refusals },
    }),
    async (context) => {
      const page = await gateway.approvals.list(context.var.caller, context.req.valid("query"));
      return context.json({ approvals: [...page.rows], ...(page.next === undefined ? {} : { next: page.next }) }, 200);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/approvals/{id}", "getApproval", "approval.read"),
      summary: "One approval, whole",
      request: { params: SessionPath },
      responses: { 200: json(Approval, "The approval"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.approvals.get(context.var.caller, context.req.valid("param").id), 200),
  );
  answerRoutes(app, { gateway });
}

function answerRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/approvals/{id}", "decideApproval", "approval.answer"),
      summary: "Answer it; the first answer wins",
      request: { params: SessionPath, body: body(Decision) },
      responses: { 200: json(Approval, "The approval after it"), ...changeRefusals },
    }),
    async (context) =>
      context.json(
        await gateway.approvals.decide(context.var.caller, context.req.valid("param").id, context.req.valid("json")),
        200,
      ),
  );
  app.openapi(
    createRoute({
      ...post("/api/approvals/{id}/preview", "previewApprovalEdit", "approval.decide"),
      summary: "What it would look like with another input; nothing is decided",
      request: { params: SessionPath, body: body(PreviewEdit) },
      responses: { 200: json(EditPreview, "The preview, its warnings and the ruling"), ...changeRefusals },
    }),
    async (context) =>
      context.json(
        await gateway.approvals.preview(context.var.caller, context.req.valid("param").id, context.req.valid("json")),
        200,
      ),
  );
}
