import { createRoute, z } from "@hono/zod-openapi";
import { defined, LIMITS, SearchPage } from "../../protocol/index.ts";
import type { HttpApp, SurfaceOptions } from "../surface.ts";
import { cursor, get, json, refusals } from "./documents.ts";

const SearchQuery = z.object({
  /** All words must be in the same prompt, message or call; each may be the beginning of a longer one. `"…"`: exactly these words. */
  q: z.string().max(LIMITS.searchChars),
  /** Only this conversation. */
  session: z.string().min(1).max(100).optional(),
  cursor,
  limit: z.coerce.number().int().min(1).max(LIMITS.searchHits).default(LIMITS.searchHitsDefault),
});

export function searchRoutes(app: HttpApp, { gateway }: Pick<SurfaceOptions, "gateway">): void {
  app.openapi(
    createRoute({
      ...get("/api/search", "searchConversations", "session.read"),
      summary: "Find words in conversations: prompts, answers, tool calls and the beginning of their results",
      request: { query: SearchQuery },
      responses: { 200: json(SearchPage, "A page of hits, newest first"), ...refusals },
    }),
    async (context) => {
      const { q, limit, ...rest } = context.req.valid("query");
      return context.json(await gateway.search.search(context.var.caller, { q, limit, ...defined(rest) }), 200);
    },
  );
}
