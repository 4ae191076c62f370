import { createRoute, type z } from "@hono/zod-openapi";
import type { Caller } from "../../sessions/index.ts";
import type { HttpApp } from "../surface.ts";
import { changeRefusals, SessionPath, type remove } from "./documents.ts";

interface Removal {
  /** What `remove` made. */
  readonly begin: ReturnType<typeof remove>;
  readonly summary: string;
  /** Of the id in the path; absent: any id. */
  readonly params?: z.ZodObject<{ id: z.ZodString }>;
  /** What the answer means. */
  readonly answer?: string;
  readonly run: (caller: Caller, id: string) => Promise<void> | void;
}

/** A route that removes what the `id` in its path names, and answers without a body. */
export function removeRoute(app: HttpApp, removal: Removal): void {
  const { begin, summary, params = SessionPath, answer = "It is gone", run } = removal;
  app.openapi(
    createRoute({
      ...begin,
      summary,
      request: { params },
      responses: { 204: { description: answer }, ...changeRefusals },
    }),
    async (context) => {
      await run(context.var.caller, context.req.valid("param").id);
      return context.body(null, 204);
    },
  );
}
