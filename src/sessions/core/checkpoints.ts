import { isToolItem } from "../../protocol/index.ts";
import type { TurnChange } from "./commands.ts";

/**
 * Named points in the life of a turn and an approval at which the crash suite kills the process. In production,
 * reaching one does nothing; the list is here so that a test can visit all of them.
 */
export const CHECKPOINTS = [
  "session.decided",
  "session.durable",
  "prompt.decided",
  "prompt.durable",
  "queue.decided",
  "queue.durable",
  "queue.taken",
  "steer.decided",
  "steer.durable",
  "engine.opened",
  "model.first_token",
  "model.message_ended",
  "tool.announced",
  "tool.ruled",
  "approval.previewed",
  "approval.decided",
  "approval.durable",
  "budget.asked",
  "answer.received",
  "answer.decided",
  "answer.durable",
  "tool.marked",
  "tool.running",
  "tool.ran",
  "tool.result_decided",
  "tool.result_durable",
  "turn.end_decided",
  "turn.end_durable",
  "interrupt.requested",
  "fork.decided",
  "fork.durable",
  "close.decided",
  "close.durable",
] as const;

export type Checkpoint = (typeof CHECKPOINTS)[number];
export type ReachCheckpoint = (name: Checkpoint) => void;

/** Passes the checkpoints that belong to a commit of an engine's changes. */
export function passCheckpoints(
  { reach }: { readonly reach: ReachCheckpoint },
  durable: Promise<void>,
  { changes, ends = false }: { readonly changes: readonly TurnChange[]; readonly ends?: boolean },
): void {
  const result = changes.some((change) => change.type === "item.completed" && isToolItem(change.item));
  if (changes.some((change) => change.type === "usage")) reach("model.message_ended");
  if (result) reach("tool.result_decided");
  if (ends) reach("turn.end_decided");
  durable.then(
    () => {
      if (result) reach("tool.result_durable");
      if (ends) reach("turn.end_durable");
    },
    () => undefined,
  );
}
