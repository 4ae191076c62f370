import { Failure, type EventBody, type Status } from "../../protocol/index.ts";
import type { SessionCommand } from "./commands.ts";
import { nextInQueue, type QueuedTurn, type SessionState } from "./state.ts";

/** Changes that people make to waiting prompts. */
export function requeued(
  state: SessionState,
  command: Extract<SessionCommand, { type: "edit" | "reorder" | "hold" | "send_now" | "steer" }>,
): readonly EventBody[] | Failure {
  const { status, queue } = state;
  if (command.type === "hold") return [...noticed(command.why), ...hold(state)];
  if (command.type === "send_now" || command.type === "steer") return steered(state, command);
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

/** Whether the open turn accepts it. After a stop it does not. */
export function isForTurn({ now, held }: QueuedTurn): boolean {
  return now === true && held === undefined;
}

/** What people send into the open turn: a waiting prompt is marked, and the engine takes the marked ones. */
function steered(
  state: SessionState,
  command: Extract<SessionCommand, { type: "send_now" | "steer" }>,
): readonly EventBody[] | Failure {
  const { status, queue, turn } = state;
  if (command.type === "steer") {
    const { turn_id, seq, prompt_id, prompt, by } = command;
    const waits = queue.some((queued) => queued.turn_id === prompt_id && queued.seq === seq && isForTurn(queued));
    if (!waits || turn?.id !== turn_id) return new Failure("conflict", "the prompt or the turn has changed");
    return [{ type: "turn.steered", turn_id, prompt_id, prompt, by }];
  }
  const { turn_id } = command;
  if (queue.every((queued) => queued.turn_id !== turn_id))
    return new Failure("not_found", "this prompt does not wait any more; it began or was removed");
  if (turn === undefined) return new Failure("conflict", "no turn is open; resume the session to begin this prompt");
  const marked = queue.filter(({ now }) => now === true).map((queued) => queued.turn_id);
  return marked.includes(turn_id) ? [] : [{ type: "session.updated", status, now: [...marked, turn_id] }];
}

/** The queue with these prompts marked for the open turn and moved to the front. Marking one also releases it if it was held. */
export function withNow(queue: readonly QueuedTurn[], turns: readonly string[]): readonly QueuedTurn[] {
  const isMarked = ({ turn_id }: QueuedTurn): boolean => turns.includes(turn_id);
  const marked = queue.filter(isMarked).map((queued) => {
    const { held: _held, ...free } = queued;
    return queued.now === true ? queued : Object.assign(free, { now: true as const });
  });
  const others = queue.filter((queued) => !isMarked(queued)).map(({ now: _now, ...queued }) => queued);
  return [...inOrder(marked, turns), ...others];
}

export function inOrder(queue: readonly QueuedTurn[], order: readonly string[]): readonly QueuedTurn[] {
  return queue.toSorted((one, other) => order.indexOf(one.turn_id) - order.indexOf(other.turn_id));
}

/** Prompts that wait now begin only when somebody releases them. */
export function hold(state: SessionState): readonly EventBody[] {
  if (nextInQueue(state) === undefined) return [];
  const queue = state.queue.map((queued) => Object.assign({}, queued, { held: true as const }));
  const held = queue.map(({ turn_id }) => turn_id);
  return [{ type: "session.updated", status: resting({ ...state, queue }), held }];
}

function noticed(message: string | undefined): readonly EventBody[] {
  return message === undefined ? [] : [{ type: "error", message }];
}

/** The status of a session in which nothing has just begun. Prompts that are held do not make it `queued`. */
export function resting(state: SessionState): Status {
  if (state.turn !== undefined) return state.pending.length > 0 ? "pending_approval" : "working";
  if (state.paused) return "paused";
  if (nextInQueue(state) !== undefined) return "queued";
  return state.turns === 0 && state.queue.length === 0 ? "ready" : "idle";
}
