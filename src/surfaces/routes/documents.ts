import { z } from "@hono/zod-openapi";
import type { Capability } from "../../gate/index.ts";
import { LIMITS } from "../../protocol/index.ts";
import { refusalRefs } from "../openapi/refusals.ts";

/** The refusals of any operation. Every refusal has the same body; `fileRefusals` are those of files. */
export const refusals = refusalRefs([400, 401, 403, 404, 429, 500, 503]);

/** Further refusals of operations that change or run something. */
export const changeRefusals = refusalRefs([400, 401, 402, 403, 404, 409, 410, 413, 422, 429, 500, 503]);

export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } } as const;
}

export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } } as const;
}

/**
 * How the routes of one HTTP method begin: path, name in the public description, and the right that a caller needs. Without the
 * right, a route does not compile.
 */
export function operation<Method extends "get" | "post" | "put" | "patch" | "delete">(method: Method) {
  return <Path extends string>(path: Path, operationId: string, needs: Capability | "nothing" | "a token") =>
    ({ method, path, operationId, "x-needs": needs }) as const;
}

export const get = operation("get");
export const post = operation("post");
export const put = operation("put");
export const patch = operation("patch");
export const remove = operation("delete");

export const SessionPath = z.object({ id: z.string().min(1).max(100) });

export const limit = z.coerce.number().int().min(1).max(LIMITS.pageSizeMax).default(LIMITS.pageSize);
export const cursor = z.string().max(500).optional();

export const IdempotencyHeader = z.object({ "idempotency-key": z.string().min(1).max(200).optional() });
