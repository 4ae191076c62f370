import { z } from "@hono/zod-openapi";
import type { Capability } from "../../gate/index.ts";
import { ErrorBody, LIMITS } from "../../protocol/index.ts";

/** Every refusal looks the same. */
export const refusals = {
  "4XX": { description: "Refused: nothing was changed", content: { "application/json": { schema: ErrorBody } } },
  "5XX": { description: "Failed on our side", content: { "application/json": { schema: ErrorBody } } },
} as const;

export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } } as const;
}

export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } } as const;
}

/** What a route needs, as a part of its public description. A route without one does not compile into the list. */
export function needs(capability: Capability | "nothing" | "a token") {
  return { "x-needs": capability } as const;
}

export const SessionPath = z.object({ id: z.string().min(1).max(100) });

export const limit = z.coerce.number().int().min(1).max(LIMITS.pageSizeMax).default(LIMITS.pageSize);
export const cursor = z.string().max(500).optional();

export const IdempotencyHeader = z.object({ "idempotency-key": z.string().min(1).max(200).optional() });
