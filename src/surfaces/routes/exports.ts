import { Readable } from "node:stream";
import { createRoute, z } from "@hono/zod-openapi";
import {
  ExportFormat,
  ImportSession,
  LIMITS,
  SessionView,
  ShareCreated,
  ShareList,
  ShareSession,
} from "../../protocol/index.ts";
import { refusalRefs } from "../openapi/refusals.ts";
import { notFoundPage, SHARE_ENDED } from "../not-found-page.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import {
  body,
  changeRefusals,
  get,
  IdempotencyHeader,
  json,
  post,
  refusals,
  remove,
  SessionPath,
} from "./documents.ts";

const SHARE = "/share/";
/** As many characters as the secret of a link has. */
const SECRET = new RegExp(`^[\\w-]{${Math.ceil((LIMITS.shareSecretBytes * 4) / 3)}}$`);

/** A shared page belongs to nobody: it runs nothing, loads nothing, and cannot act for who is signed in here. */
const SHARED_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** Share links need no token: having one is enough. */
export function isSharePath(path: string): boolean {
  return path.startsWith(SHARE);
}

export function exportRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/export", "exportSession", "session.read"),
      summary: "The whole session as a file: Markdown, one HTML page that works offline, or every event as JSON",
      request: { params: SessionPath, query: z.object({ format: ExportFormat.default("markdown") }) },
      responses: {
        200: {
          description: "The file",
          content: {
            "text/markdown": { schema: z.string() },
            "text/html": { schema: z.string() },
            "application/json": { schema: z.unknown() },
          },
        },
        ...refusals,
      },
    }),
    async (context) => {
      const { format } = context.req.valid("query");
      const file = await gateway.exports.export(context.var.caller, context.req.valid("param").id, format);
      const headers = { "content-type": file.type, "content-disposition": `attachment; filename="${file.name}"` };
      return context.body(streamOf(file.chunks), 200, headers);
    },
  );
  app.openapi(
    createRoute({
      ...post("/api/imports", "importSession", "session.create"),
      summary: "A new session that begins with the conversation of another program",
      request: { headers: IdempotencyHeader, body: body(ImportSession) },
      responses: { 201: json(SessionView, "The session"), ...changeRefusals },
    }),
    async (context) => {
      const key = context.req.valid("header")["idempotency-key"];
      return context.json(await gateway.sessions.import(context.var.caller, context.req.valid("json"), key), 201);
    },
  );
  shareRoutes(app, { gateway });
}

function shareRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...post("/api/sessions/{id}/shares", "shareSession", "session.share"),
      summary: "A link that shows the session, as it is now, to anyone who has it; the link is shown once",
      request: { params: SessionPath, body: body(ShareSession) },
      responses: { 201: json(ShareCreated, "The link"), ...changeRefusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.shares.create(context.var.caller, id, context.req.valid("json")), 201);
    },
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/shares", "listShares", "session.share"),
      summary: "The links of a session that work",
      request: { params: SessionPath },
      responses: { 200: json(ShareList, "The links, without their secrets"), ...refusals },
    }),
    async (context) => context.json(await gateway.shares.list(context.var.caller, context.req.valid("param").id), 200),
  );
  app.openapi(
    createRoute({
      ...remove("/api/sessions/{id}/shares/{share_id}", "revokeShare", "session.share"),
      summary: "End a link",
      request: { params: SessionPath.extend({ share_id: z.string().max(100) }) },
      responses: { 204: { description: "It is gone" }, ...changeRefusals },
    }),
    async (context) => {
      const { id, share_id } = context.req.valid("param");
      await gateway.shares.revoke(context.var.caller, id, share_id);
      return context.body(null, 204);
    },
  );
  app.openapi(
    createRoute({
      ...get("/share/{secret}", "openShare", "nothing"),
      security: [],
      summary: "The page behind a share link; having the link is enough",
      request: { params: z.object({ secret: z.string() }) },
      responses: {
        200: { description: "The conversation", content: { "text/html": { schema: z.string() } } },
        404: { description: "There is no such link any more", content: { "text/html": { schema: z.string() } } },
        ...refusalRefs([403, 429, 500, 503]),
      },
    }),
    async (context) => {
      const { secret } = context.req.valid("param");
      const page = await gateway.shares.page(SECRET.test(secret) ? secret : "");
      if (page === undefined) return notFoundPage(context, SHARE_ENDED);
      return context.body(streamOf(page), 200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": SHARED_POLICY,
        "x-robots-tag": "noindex",
      });
    },
  );
}

/** Read as fast as the client does. */
function streamOf(chunks: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(encoded(chunks), { highWaterMark: 1 })) as ReadableStream<Uint8Array>;
}

async function* encoded(chunks: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(chunk);
}
