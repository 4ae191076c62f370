import type { RuntimeMessage } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { RuntimeBridge } from "./bridge.ts";

/** The socket over which a message came, as far as a conversation needs it. What is said to a socket that is gone is lost. */
export interface RuntimePage {
  readonly caller: Caller;
  readonly bridge: RuntimeBridge;
  /** Aborted when the other side is gone. */
  readonly closed: AbortSignal;
  /** How many messages were sent to it so far. */
  readonly said: number;
  say(message: RuntimeMessage): void;
  /** For a stream: resolves when there is room for more. */
  tell(message: RuntimeMessage): Promise<void>;
  /** Says what went wrong; what nobody expected goes to the log, and the other side is told only that. */
  refuse(sessionId: string, error: unknown): void;
}
