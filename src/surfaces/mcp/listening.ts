import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Subscriptions } from "./subscriptions.ts";

const Listen = z.object({
  method: z.literal("subscriptions/listen"),
  id: z.union([z.string(), z.number()]),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).optional() }) }),
});

/** The files that a message wants to listen to; undefined: it is no such message. */
export function listenedTo(
  message: unknown,
): { readonly id: string | number; readonly uris: readonly string[] } | undefined {
  const parsed = Listen.safeParse(message);
  if (!parsed.success) return undefined;
  return { id: parsed.data.id, uris: [...new Set(parsed.data.params.notifications.resourceSubscriptions)] };
}

/** All of them, or none. */
export async function subscribeAll(subscriptions: Subscriptions, uris: readonly string[]): Promise<void> {
  if (uris.length > LIMITS.mcpSubscriptions)
    throw new Failure("limit_reached", `one client may subscribe to ${LIMITS.mcpSubscriptions} files`);
  const added: string[] = [];
  try {
    for (const uri of uris) {
      await subscriptions.add(uri);
      added.push(uri);
    }
  } catch (error) {
    for (const uri of added) subscriptions.remove(uri);
    throw error;
  }
}

/** The changes of one listening stream. Changes before the stream is open are sent when it opens. */
export class OwnBus implements ServerEventBus {
  readonly #close: () => void;
  #listener: ((event: ServerEvent) => void) | undefined;
  #early: ServerEvent[] = [];

  /** `close`: called when nobody listens any more. */
  constructor(close: () => void) {
    this.#close = close;
  }

  publish(event: ServerEvent): void {
    if (this.#listener === undefined) this.#early.push(event);
    else this.#listener(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    // Not within the subscription itself: the message that opens the stream comes first.
    queueMicrotask(() => {
      for (const event of early) listener(event);
    });
    return () => {
      this.#listener = () => undefined;
      this.#close();
    };
  }
}
