import { createRoute, z } from "@hono/zod-openapi";
import {
  ChangeDiff,
  ChangesDone,
  CommentOnChanges,
  FileComparison,
  OpenPullRequest,
  PromptAccepted,
  Published,
  Publishing,
  PushBranch,
  RecordedMoments,
  RewindFiles,
  WorkspaceFile,
} from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { body, changeRefusals, get, IdempotencyHeader, json, post, SessionPath } from "./documents.ts";

/** `start`, the id of a turn, or another session. */
const other = z.string().min(1).max(100);
const CompareQuery = z.object({ with: other });
const FilePathQuery = z.object({ path: z.string().min(1).max(4_096) });
const CompareFileQuery = z.object({ with: other, path: z.string().min(1).max(4_096) });

/** What people do with a session's changes beyond deciding on them: comment, compare, rewind, push. */
export function changeReviewRoutes(app: HttpApp, options: Pick<SurfaceOptions, "gateway">): void {
  const { gateway } = options;
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/changes/comments", "commentOnChanges", "session.control"),
      summary: "Send comments on lines of the changes to the agent, as its next prompt",
      request: { params: SessionPath, headers: IdempotencyHeader, body: body(CommentOnChanges) },
      responses: { 202: json(PromptAccepted, "The prompt"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      const key = context.req.valid("header")["idempotency-key"];
      const sent = await gateway.changeComments.send(context.var.caller, id, context.req.valid("json"), key);
      return context.json(sent, 202);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/file", "openSessionFile", "workspace.open"),
      summary: "A file of the session's workspace; nothing that looks like a secret, and never through a link",
      request: { params: SessionPath, query: FilePathQuery },
      responses: { 200: json(WorkspaceFile, "The file"), ...changeRefusals },
    }),
    async (context) => {
      const { path } = context.req.valid("query");
      return context.json(await gateway.fileViewer.open(context.var.caller, context.req.valid("param").id, path), 200);
    },
  );
  recordingRoutes(app, options);
  publishingRoutes(app, options);
}

function recordingRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/moments", "listMoments", "session.read"),
      summary:
        "The moments whose files are known: before the first change, and after each turn that could change something",
      request: { params: SessionPath },
      responses: { 200: json(RecordedMoments, "The moments"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.recordings.moments(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/compare", "compareFiles", "session.read"),
      summary: "What differs between the session's files now and a moment of it, or another session's files",
      request: { params: SessionPath, query: CompareQuery },
      responses: { 200: json(FileComparison, "What differs"), ...changeRefusals },
    }),
    async (context) => {
      const { with: wanted } = context.req.valid("query");
      return context.json(
        await gateway.recordings.compare(context.var.caller, context.req.valid("param").id, wanted),
        200,
      );
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/compare/diff", "compareFile", "session.read"),
      summary: "The same for one file, line by line",
      request: { params: SessionPath, query: CompareFileQuery },
      responses: { 200: json(ChangeDiff, "The diff"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(
        await gateway.recordings.compareFile(context.var.caller, id, context.req.valid("query")),
        200,
      );
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/rewind", "rewindFiles", "changes.decide"),
      summary: "Put files back to what they were at a moment; nothing happens if they changed since they were shown",
      request: { params: SessionPath, body: body(RewindFiles) },
      responses: { 200: json(ChangesDone, "What was put back"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.recordings.rewind(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
}

function publishingRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/changes/publishing", "lookAtPublishing", "session.read"),
      summary: "The branches with commits of this session, and where they can be pushed",
      request: { params: SessionPath },
      responses: { 200: json(Publishing, "Branches and remotes"), ...changeRefusals },
    }),
    async (context) =>
      context.json(await gateway.publishing.look(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/changes/push", "pushChanges", "changes.publish"),
      summary: "Push a commit of this session as a branch, never over what others pushed",
      request: { params: SessionPath, body: body(PushBranch) },
      responses: { 200: json(Published, "What was pushed"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.publishing.push(context.var.caller, id, context.req.valid("json")), 200);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/changes/pull-request", "openPullRequest", "changes.publish"),
      summary: "Open a pull or merge request for a pushed branch with gh or glab",
      request: { params: SessionPath, body: body(OpenPullRequest) },
      responses: { 200: json(Published, "Where it is"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      const opened = await gateway.publishing.openPullRequest(context.var.caller, id, context.req.valid("json"));
      return context.json(opened, 200);
    },
  );
}
