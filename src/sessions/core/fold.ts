import {
  addUsage,
  defined,
  NO_USAGE,
  isToolItem,
  REVIEW_TOOL,
  type JournalEvent,
  type SessionSettings,
} from "../../protocol/index.ts";
import { inOrder, withNow } from "./decide-queue.ts";
import { titleOfPrompt } from "./title.ts";
import { QUEUE_TEXT_CHARS, type QuestionedCall, type OpenTurn, type SessionState } from "./state.ts";

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;

/** The state after one more event. Pure: the same events always give the same state. */
export function fold(state: SessionState, event: JournalEvent): SessionState {
  const next = { ...state, seq: event.seq, updated_at: event.at };
  switch (event.type) {
    case "thread.started":
    case "approval.extended":
    case "error":
      return next;
    case "instructions.loaded":
      return { ...next, instructions_digest: event.digest };
    case "budget.updated":
      return spend(next, event);
    case "turn.queued":
      return { ...next, queue: queueWith(state.queue, event) };
    case "turn.steered":
      return { ...next, queue: state.queue.filter(({ turn_id }) => turn_id !== event.prompt_id) };
    case "turn.started":
      return startTurn(next, event);
    case "turn.completed":
    case "turn.failed":
      return endTurn(next, event);
    case "turn.resumed":
    case "usage.updated":
    case "item.started":
    case "item.completed":
      return next.turn === undefined ? next : { ...next, turn: foldTurn(next.turn, event) };
    case "item.updated":
      return next.turn === undefined
        ? next
        : { ...next, ...(isToolItem(event.item) ? { acted: true } : {}), turn: foldTurn(next.turn, event) };
    case "approval.requested":
      return {
        ...asksForReview(next, event),
        pending: [...state.pending, event.approval.id],
        ...(next.turn === undefined ? {} : { turn: foldTurn(next.turn, event) }),
      };
    case "approval.resolved":
      return {
        ...endsReview(next, event),
        pending: state.pending.filter((id) => id !== event.approval_id),
        ...(event.outcome === "timed_out" ? { expired: (state.expired ?? 0) + 1 } : {}),
        grants: event.granted_rule === undefined ? state.grants : [...state.grants, event.granted_rule],
        ...(next.turn === undefined ? {} : { turn: foldTurn(next.turn, event) }),
      };
    case "session.updated":
      return {
        ...labelled(event.reviewed === undefined ? next : withReviewed(next, event.reviewed), event),
        status: event.status,
        paused: event.paused ?? state.paused,
        queue: queueAfter(state.queue, event),
        ...defined({
          forked_from: event.forked_from,
          engine_session_id: event.engine_session_id,
          error: event.error,
        }),
        grants: event.revoked_rule === undefined ? state.grants : without(state.grants, event.revoked_rule),
        settings: changed(state.settings, event),
      };
  }
}

function asksForReview(state: SessionState, { approval }: EventOf<"approval.requested">): SessionState {
  if (approval.tool !== REVIEW_TOOL) return state;
  const { review_due: _due, ...rest } = state;
  return { ...rest, review: { approval_id: approval.id, revision: String(approval.input["revision"]) } };
}

/** A person's answer is about the change set as it was shown. */
function endsReview(state: SessionState, { approval_id, outcome }: EventOf<"approval.resolved">): SessionState {
  const { review, ...rest } = state;
  if (review?.approval_id !== approval_id) return state;
  return outcome === "cancelled" ? rest : { ...rest, reviewed: review.revision };
}

function labelled(state: SessionState, { title, tags, archived }: EventOf<"session.updated">): SessionState {
  if (title === undefined && tags === undefined && archived === undefined) return state;
  const { tags: oldTags, archived: before, ...rest } = state;
  const kept = tags ?? oldTags ?? [];
  return {
    ...rest,
    title: title ?? state.title,
    ...(kept.length === 0 ? {} : { tags: kept }),
    ...((archived ?? before) === true ? { archived: true as const } : {}),
  };
}

function withReviewed({ review_due: _due, ...state }: SessionState, reviewed: string): SessionState {
  return { ...state, reviewed };
}

function without(rules: readonly string[], revoked: string): readonly string[] {
  return rules.filter((rule) => rule !== revoked);
}

function queueWith(queue: SessionState["queue"], event: EventOf<"turn.queued">): SessionState["queue"] {
  const { turn_id, seq, prompt, by, now = false } = event;
  const whole = [...queue, { turn_id, seq, text: prompt.text.slice(0, QUEUE_TEXT_CHARS), by }];
  return now ? withNow(whole, [...markedForTurn(queue), turn_id]) : whole;
}

function markedForTurn(queue: SessionState["queue"]): readonly string[] {
  return queue.filter(({ now }) => now === true).map(({ turn_id }) => turn_id);
}

function queueAfter(queue: SessionState["queue"], event: EventOf<"session.updated">): SessionState["queue"] {
  const { held, queue: order, edited, now } = event;
  const marked = now === undefined ? queue : withNow(queue, now);
  const ordered = order === undefined ? marked : inOrder(marked, order);
  const changedOne =
    edited === undefined
      ? ordered
      : ordered.map((queued) =>
          queued.turn_id === edited.turn_id
            ? Object.assign({}, queued, {
                seq: event.seq,
                text: edited.prompt.text.slice(0, QUEUE_TEXT_CHARS),
                by: edited.by,
              })
            : queued,
        );
  return held === undefined ? changedOne : withHeld(changedOne, held);
}

function withHeld(queue: SessionState["queue"], turns: readonly string[]): SessionState["queue"] {
  return queue.map(({ held: _before, ...queued }) =>
    turns.includes(queued.turn_id) ? { ...queued, held: true as const } : queued,
  );
}

function changed(
  settings: SessionSettings,
  { model, provider, routed_from, autonomy, permission_mode, ask_reads }: EventOf<"session.updated">,
): SessionSettings {
  const placed = placeOf(settings, { model, provider, routed_from });
  const named: SessionSettings = { ...placed, ...defined({ ask_reads }) };
  if (autonomy === undefined) return named;
  const { permission_mode: _before, ...rest } = named;
  return { ...rest, autonomy, ...(permission_mode === undefined ? {} : { permission_mode }) };
}

/** From now on the session asks for the model that somebody chose. */
function placeOf(
  settings: SessionSettings,
  { model, provider, routed_from }: Pick<EventOf<"session.updated">, "model" | "provider" | "routed_from">,
): SessionSettings {
  if (model === undefined && provider === undefined) return settings;
  const { routed_from: _before, ...rest } = settings;
  return { ...rest, ...defined({ model, provider, routed_from }) };
}

function spend({ limit_microusd: _before, ...state }: SessionState, event: EventOf<"budget.updated">): SessionState {
  return {
    ...state,
    cost_microusd: state.cost_microusd + (event.cost_microusd ?? 0),
    ...boundSum(state, event),
    ...(event.limit_microusd === undefined ? {} : { limit_microusd: event.limit_microusd }),
    ...(state.turn === undefined ? {} : { turn: foldTurn(state.turn, event) }),
  };
}

function boundSum(
  before: Pick<OpenTurn, "bound_microusd">,
  { bound_microusd: more }: EventOf<"budget.updated">,
): Pick<OpenTurn, "bound_microusd"> {
  return more === undefined ? {} : { bound_microusd: (before.bound_microusd ?? 0) + more };
}

/** What an event changes in the open turn. */
export function foldTurn(turn: OpenTurn, event: JournalEvent): OpenTurn {
  switch (event.type) {
    case "turn.resumed":
      return { ...turn, restarts: event.restarts };
    case "usage.updated":
      return { ...turn, usage: addUsage(turn.usage, event.usage) };
    case "budget.updated":
      return event.turn_id === turn.id
        ? { ...turn, cost_microusd: turn.cost_microusd + (event.cost_microusd ?? 0), ...boundSum(turn, event) }
        : turn;
    case "item.started":
      return { ...turn, items: { ...turn.items, [event.item.id]: event.item } };
    case "item.updated": {
      const items = { ...turn.items, [event.item.id]: event.item };
      const begins = isToolItem(event.item) && !turn.running.includes(event.item.id);
      return { ...turn, items, running: begins ? [...turn.running, event.item.id] : turn.running };
    }
    case "item.completed": {
      const { [event.item.id]: _ended, ...items } = turn.items;
      return { ...turn, items, running: turn.running.filter((id) => id !== event.item.id) };
    }
    case "approval.requested": {
      const { id, item_id, planned, tool_use_id } = event.approval;
      const asked: QuestionedCall = { approval_id: id, ...(planned === undefined ? {} : { planned }) };
      // A call with a new question does not run: something had changed just before.
      const running = turn.running.filter((running_id) => running_id !== item_id);
      return { ...turn, running, asked: { ...turn.asked, [tool_use_id]: asked } };
    }
    case "approval.resolved":
      return { ...turn, asked: answer(turn.asked, event) };
    case "approval.extended":
    case "thread.started":
    case "turn.queued":
    case "turn.started":
    case "turn.steered":
    case "turn.completed":
    case "turn.failed":
    case "session.updated":
    case "instructions.loaded":
    case "error":
      return turn;
  }
}

function answer(asked: OpenTurn["asked"], event: EventOf<"approval.resolved">): OpenTurn["asked"] {
  const found = Object.entries(asked).find(([, question]) => question.approval_id === event.approval_id);
  if (found === undefined) return asked;
  const [tool_use_id, question] = found;
  const { outcome, by, feedback, updated_input, interrupt, planned, changed } = event;
  return {
    ...asked,
    [tool_use_id]: {
      ...question,
      answer: defined({ outcome, by, feedback, updated_input, interrupt, planned, changed }),
    },
  };
}

function startTurn(
  { expired: _before, review_due: _due, ...state }: SessionState,
  event: EventOf<"turn.started">,
): SessionState {
  return {
    ...state,
    ...(state.prompt_title === undefined ? { prompt_title: titleOfPrompt(event.prompt.text) } : {}),
    title: state.title === "" ? titleOfPrompt(event.prompt.text) : state.title,
    queue: state.queue.filter((queued) => queued.turn_id !== event.turn_id),
    turn: {
      id: event.turn_id,
      started_seq: event.seq,
      restarts: 0,
      usage: NO_USAGE,
      cost_microusd: 0,
      ...(event.prompt.max_cost_microusd === undefined ? {} : { max_cost_microusd: event.prompt.max_cost_microusd }),
      items: {},
      asked: {},
      running: [],
    },
  };
}

function endTurn(state: SessionState, event: EventOf<"turn.completed" | "turn.failed">): SessionState {
  const { turn, ...rest } = state;
  const mine = turn?.id === event.turn_id;
  return {
    ...(mine ? rest : state),
    turns: state.turns + (mine ? 1 : 0),
    // A queued prompt that never began also ends this way: it leaves the queue and changes nothing else. A prompt that the turn did not take waits like the others.
    queue: mine ? withNow(state.queue, []) : state.queue.filter((queued) => queued.turn_id !== event.turn_id),
    settled_seq: mine ? event.seq : state.settled_seq,
    usage: addUsage(state.usage, event.usage),
    ...(mine && state.settings.review === "at_end" ? { review_due: event.turn_id } : {}),
  };
}
