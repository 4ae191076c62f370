import { z } from "@hono/zod-openapi";
import { Delta, EventBody, Item } from "../../protocol/index.ts";

const place = {
  seq: z.number().int().positive().describe("1, 2, 3 … within the session, without gaps"),
  session_id: z.string(),
  at: z.string().describe("ISO 8601"),
};
const [first, ...others] = EventBody.options.map((option): z.ZodObject => option.extend(place));
if (first === undefined) throw new Error("there are no events");

/** One journal event in the form that typed clients want: a union of complete members. */
export const Event = z.discriminatedUnion("type", [first, ...others]);

/** An item that is open when a watcher arrives: live only, without a number. */
export const Snapshot = z.object({ type: z.literal("item.updated"), session_id: z.string(), item: Item });

/** What a stream sends. */
export const StreamFrame = z.union([Event, Delta, Snapshot]);
