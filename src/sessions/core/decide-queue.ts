import { Failure, type EventBody, type Status } from "../../protocol/index.ts";
import type { SessionCommand } from "./commands.ts";
import { nextInQueue, type QueuedTurn, type SessionState } from "./state.ts";

/** What people change in prompts that wait. */
export function requeued(
  state: SessionState,
  command: Extract<SessionCommand, { type: "edit" | "reorder" }>,
): readonly EventBody[] | Failure {
  const { status, queue } = state;
  if (command.type === "edit") {
    const { turn_id, prompt, by } = command;
    if (queue.every((queued) => queued.turn_id !== turn_id))
      return new Failure("not_found", "this prompt does not wait any more; it began or was removed");
    return [{ type: "session.updated", status, edited: { turn_id, prompt, by } }];
  }
  const { order } = command;
  const isWhole = order.length === queue.length && new Set(order).size === order.length;
  if (!isWhole || queue.some(({ turn_id }) => !order.includes(turn_id)))
    return new Failure("conflict", "other prompts wait now; read the session again and name each of them once");
  if (queue.every(({ turn_id }, index) => order[index] === turn_id)) return [];
  return [{ type: "session.updated", status, queue: [...order] }];
}

/** In this order. */
export function inOrder(queue: readonly QueuedTurn[], order: readonly string[]): readonly QueuedTurn[] {
  return queue.toSorted((one, other) => order.indexOf(one.turn_id) - order.indexOf(other.turn_id));
}

/** Prompts that wait now begin only when somebody says so. */
export function hold(state: SessionState, status: Status): readonly EventBody[] {
  if (nextInQueue(state) === undefined) return [];
  return [{ type: "session.updated", status, held: state.queue.map(({ turn_id }) => turn_id) }];
}
