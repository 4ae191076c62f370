import type { RuntimeMessage } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { RuntimeBridge } from "./bridge.ts";

/** The part of a socket that a conversation needs. Messages to a closed socket are lost. */
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
  /** Reports an error; an unexpected one goes to the log, and the other side learns only that it happened. */
  refuse(sessionId: string, error: unknown): void;
}
