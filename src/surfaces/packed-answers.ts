import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { createMiddleware } from "hono/factory";
import { LIMITS } from "../protocol/index.ts";
import type { HttpEnvironment } from "./surface.ts";

const pack = promisify(gzip);
const JSON_TYPE = /^application\/json\b/;

/**
 * Compresses long answers of the API for clients that accept it: on a phone the console mostly waits for a list of sessions.
 * The length of a compressed answer shows what it repeats. So nothing that another site's page could request contains a token.
 */
export const packedAnswers = createMiddleware<HttpEnvironment>(async (context, next) => {
  await next();
  const { req, res } = context;
  const { outgoing } = context.env;
  // Not a pattern of the router: requests without a route would be counted under it.
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
