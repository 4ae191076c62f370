import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { HttpEnvironment } from "./surface.ts";

/** An answered HTTP request, counted by its route, never by its path. */
export interface AnsweredRequest {
  readonly method: string;
  /** Such as `/api/sessions/:id`; `other` if there is none. */
  readonly route: string;
  readonly status: number;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Reports each request when it has been answered; a stream when it has ended. */
export function countRequests(onRequest: (request: AnsweredRequest) => void) {
  return createMiddleware<HttpEnvironment>(async (context, next) => {
    await next();
    const { outgoing } = context.env;
    const { method } = context.req;
    const route = routePath(context, -1);
    onRequest({
      method: METHODS.has(method) ? method : "other",
      route: /^\/?\*$/.test(route) ? "other" : route,
      status: outgoing.headersSent ? outgoing.statusCode : context.res.status,
    });
  });
}
