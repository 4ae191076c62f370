import { createRoute, z } from "@hono/zod-openapi";
import {
  ApplyChanges,
  ChangeDiff,
  ChangeList,
  ChangesDone,
  CommitChanges,
  DiscardChanges,
} from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, json, post, SessionPath } from "./documents.ts";

const DiffQuery = z.object({ path: z.string().min(1).max(4_096) });

export function changeRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/changes", "listChanges", "session.read"),
      summary: "What the session changed, and which files were withheld from it",
      request: { params: SessionPath },
      responses: { 200: json(ChangeList, "The change set"), ...changeRefusals },
    }),
    async (context) => context.json(await gateway.changes.list(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/changes/diff", "diffChange", "session.read"),
      summary: "The diff of one changed file; of a conflict, also what changed in the source",
      request: { params: SessionPath, query: DiffQuery },
      responses: { 200: json(ChangeDiff, "The diff"), ...changeRefusals },
    }),
    async (context) => {
      const { path } = context.req.valid("query");
      return context.json(await gateway.changes.diff(context.var.caller, context.req.valid("param").id, path), 200);
    },
  );
  decisionRoutes(app, { gateway });
}

function decisionRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/changes/apply", "applyChanges", "changes.decide"),
      summary: "Write the changes into the source folder; with a conflict among them nothing is written",
      request: { params: SessionPath, body: { content: { "application/json": { schema: ApplyChanges } } } },
      responses: { 200: json(ChangesDone, "What was written"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.changes.apply(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/changes/commit", "commitChanges", "changes.decide"),
      summary: "Commit the changes on a branch of the source's repository; its files and index stay as they are",
      request: { params: SessionPath, body: body(CommitChanges) },
      responses: { 200: json(ChangesDone, "What was committed"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.changes.commit(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/changes/discard", "discardChanges", "changes.decide"),
      summary: "Put the session's files back to what they were; the changes are gone",
      request: { params: SessionPath, body: { content: { "application/json": { schema: DiscardChanges } } } },
      responses: { 200: json(ChangesDone, "What was put back"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.changes.discard(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
}
