import { createRoute, z } from "@hono/zod-openapi";
import {
  Approval,
  ApprovalStatus,
  Decision,
  DecisionBatch,
  DecisionResults,
  EditPreview,
  ExtendApproval,
  PreviewEdit,
  PromptAccepted,
  RevokeGrant,
  SessionView,
} from "../../protocol/index.ts";
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
  inboxRoutes(app, { gateway });
}

function inboxRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/approvals", "decideApprovals", "approval.answer"),
      summary: "Answer several at once; one that changed or was answered is left out, and the answer says so",
      request: { body: body(DecisionBatch) },
      responses: { 200: json(DecisionResults, "What became of each"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.inbox.decideAll(context.var.caller, context.req.valid("json")), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/approvals/{id}/extend", "extendApproval", "approval.decide"),
      summary: "Give it more time",
      request: { params: SessionPath, body: body(ExtendApproval) },
      responses: { 200: json(Approval, "The approval with its new end"), ...changeRefusals },
    }),
    async (context) =>
      context.json(
        await gateway.inbox.extend(context.var.caller, context.req.valid("param").id, context.req.valid("json")),
        200,
      ),
  );
  app.openapi(
    createRoute({
      ...post("/api/approvals/{id}/refresh", "refreshApproval", "approval.decide"),
      summary: "Show a file change anew if the file has changed since: another approval replaces it",
      request: { params: SessionPath },
      responses: { 200: json(Approval, "The approval as it is now"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.approvals.refresh(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/approvals/{id}/again", "askApprovalAgain", "session.control"),
      summary: "Let the agent make a call again whose approval expired",
      request: { params: SessionPath },
      responses: { 202: json(PromptAccepted, "The prompt that says so is on the disk"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.inbox.askAgain(context.var.caller, context.req.valid("param").id), 202),
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/revoke", "revokeGrant", "session.control"),
      summary: "Take back a rule that somebody granted for the session; the next call is asked about again",
      request: { params: SessionPath, body: body(RevokeGrant) },
      responses: { 200: json(SessionView, "The session without it"), ...changeRefusals },
    }),
    async (context) =>
      context.json(
        await gateway.inbox.revoke(context.var.caller, context.req.valid("param").id, context.req.valid("json")),
        200,
      ),
  );
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
