import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { createMiddleware } from "hono/factory";
import { LIMITS } from "../protocol/index.ts";
import type { HttpEnvironment } from "./surface.ts";

const pack = promisify(gzip);
const JSON_TYPE = /^application\/json\b/;

/**
 * Packs long answers of the API for who takes them packed: on a phone's line a list of sessions is most of what the console waits for.
 * A packed answer says by its length what it repeats: nothing that another site's page could ask for carries a token.
 */
export const packedAnswers = createMiddleware<HttpEnvironment>(async (context, next) => {
  await next();
  const { req, res } = context;
  const { outgoing } = context.env;
  // Not by a pattern of the router: requests that no route takes would be counted under it.
  if (!req.path.startsWith("/api/")) return;
  if (req.method !== "GET" || res.status !== 200 || outgoing.headersSent) return;
  if (!/\bgzip\b/.test(req.header("accept-encoding") ?? "")) return;
  if (!JSON_TYPE.test(res.headers.get("content-type") ?? "")) return;
  const body = Buffer.from(await res.arrayBuffer());
  if (body.length < LIMITS.answerPackedBytes) {
    context.res = new Response(body, res);
    return;
  }
  outgoing.setHeader("vary", "origin, accept-encoding");
  context.res = new Response(await pack(body), res);
  context.res.headers.set("content-encoding", "gzip");
});
