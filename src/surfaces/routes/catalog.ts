import { createRoute, z } from "@hono/zod-openapi";
import { ROLE_CAN } from "../../gate/index.ts";
import { EngineView, FileList, FolderList, LIMITS, Me, SandboxView } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { get, json, refusals, SessionPath } from "./documents.ts";

const FileQuery = z.object({
  query: z.string().max(LIMITS.searchChars).default(""),
  limit: z.coerce.number().int().min(1).max(LIMITS.filesFound).default(LIMITS.filesFoundDefault),
});

/** What a page must know before it can offer anything: who is calling, and what there is to choose from. */
export function catalogRoutes(app: HttpApp, { gateway }: SurfaceOptions): void {
  app.openapi(
    createRoute({
      ...get("/api/me", "getMe", "a token"),
      summary: "Who this token is, and what it may do",
      responses: { 200: json(Me, "The caller"), ...refusals },
    }),
    (context) => context.json(describe(context.var.caller), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/engines", "listEngines", "a token"),
      summary: "The engines and sandboxes that sessions can have, and what to do where one cannot be used here",
      responses: {
        200: json(
          z.object({ engines: z.array(EngineView), sandboxes: z.array(SandboxView) }),
          "The engines, and the sandboxes, weakest first",
        ),
        ...refusals,
      },
    }),
    async (context) =>
      context.json(
        { engines: [...gateway.describeEngines()], sandboxes: [...(await gateway.describeSandboxes())] },
        200,
      ),
  );
  app.openapi(
    createRoute({
      ...get("/api/folders", "listFolders", "workspace.choose"),
      summary: "The folders in a folder that sessions may work in; without a path the topmost ones",
      request: { query: z.object({ path: z.string().min(1).max(LIMITS.pathChars).optional() }) },
      responses: { 200: json(FolderList, "The folders, by name"), ...refusals },
    }),
    async (context) =>
      context.json(await gateway.folders.list(context.var.caller, context.req.valid("query").path), 200),
  );
  app.openapi(
    createRoute({
      ...get("/api/sessions/{id}/files", "findSessionFiles", "workspace.read"),
      summary: "Files of the session's workspace whose path fits a few letters, best first",
      request: { params: SessionPath, query: FileQuery },
      responses: { 200: json(FileList, "Paths relative to the workspace"), ...refusals },
    }),
    async (context) => {
      const { id } = context.req.valid("param");
      return context.json(await gateway.folders.files(context.var.caller, id, context.req.valid("query")), 200);
    },
  );
}

function describe({ id, name, role, token }: Caller): Me {
  const rights: Me["rights"] = {};
  for (const [right, scope] of Object.entries(ROLE_CAN[role])) if (scope !== "no") rights[right] = scope;
  const { bounds, expires_at } = token;
  return {
    id,
    name,
    role,
    rights,
    bounds,
    ...(expires_at === undefined ? {} : { expires_at: new Date(expires_at).toISOString() }),
  };
}
