import { z } from "@hono/zod-openapi";
import { Delta, EventBody, Item } from "../../protocol/index.ts";

const place = {
  seq: z.number().int().positive().describe("1, 2, 3 … within the session, without gaps"),
  session_id: z.string(),
  at: z.string().describe("ISO 8601"),
};
const bodies = EventBody.options.map((option) => option.extend(place));
type Bodies = typeof bodies;

/** One line of the journal, as typed clients want it: a union whose members are whole. */
export const Event = z.discriminatedUnion("type", bodies as [Bodies[number], ...Bodies]);

/** An item that is open when a watcher arrives: live only, without a number. */
export const Snapshot = z.object({ type: z.literal("item.updated"), session_id: z.string(), item: Item });

/** What a stream sends. */
export const StreamFrame = z.union([Event, Delta, Snapshot]);
