import { addUsage } from "./add-usage.ts";
import type { Approval, Outcome } from "./approvals.ts";
import type { Prompt, Usage } from "./content.ts";
import type { ErrorDetail } from "./errors.ts";
import type { JournalEvent, StreamFrame } from "./events.ts";
import type { Item, Todo } from "./items.ts";
import { dollars } from "./money-words.ts";
import { OpenItems } from "./open-items.ts";
import type { PrincipalRef } from "./principals.ts";

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;

/** One prompt, how far it has come, and what came in it. */
export interface TurnView {
  readonly id: string;
  readonly prompt: Prompt;
  readonly by: PrincipalRef;
  readonly at: string;
  readonly seq: number;
  /** `removed`: it ended before it began. */
  readonly state: "queued" | "open" | "completed" | "failed" | "removed";
  /** Somebody stopped the turn before it: it begins only when somebody says so. */
  readonly held?: boolean;
  readonly entries: readonly TranscriptEntry[];
  /** So far, while it is open. */
  readonly usage?: Usage;
  readonly cost_microusd?: number;
  /** The part of the cost that is the most it can be, not what was measured; absent: none. */
  readonly bound_microusd?: number;
  readonly end?: EventOf<"turn.completed" | "turn.failed">;
  readonly error?: ErrorDetail;
}

/** A question to a person and how it ended; without an outcome it is open. */
export interface AskedApproval {
  readonly approval: Approval;
  readonly outcome?: Outcome;
  readonly by?: PrincipalRef;
  readonly feedback?: string | undefined;
  /** The rule that the answer added. */
  readonly granted_rule?: string | undefined;
}

export interface ItemView {
  readonly item: Item;
  /** The seq and the time of the event that began it. */
  readonly seq: number;
  readonly at: string;
  /** Empty: it came before the first turn. */
  readonly turn: string;
  /** The newest question about it. */
  readonly answer?: AskedApproval;
  /** It was approved, and runs after an earlier call that still waits for an answer. */
  readonly waitsBehind?: boolean;
  /** Of a sub-agent: its own items, in order. */
  readonly children: readonly string[];
}

/** Something that a reader should know and that is part of no item. */
export interface TranscriptNotice {
  readonly type:
    | "resumed"
    | "paused"
    | "unpaused"
    | "forked"
    | "closed"
    | "failed"
    | "error"
    | "settings"
    /** The answer to a question that was about no item. */
    | "answered"
    /** A newer server says more than this reader knows. */
    | "unknown";
  readonly text: string;
}

type EntryContent =
  | { readonly kind: "queued" | "prompt" }
  | { readonly kind: "end"; readonly event: EventOf<"turn.completed" | "turn.failed"> }
  /** `parent`: the sub-agent that shows it. */
  | { readonly kind: "item"; readonly item: string; readonly parent: string | undefined }
  | { readonly kind: "question"; readonly approval: string }
  | { readonly kind: "notice"; readonly notice: TranscriptNotice };

/** Something that came into a conversation, at its place. What becomes of it is in the turns, items and questions. */
export type TranscriptEntry = EntryContent & {
  readonly seq: number;
  /** Empty: it came before the first turn. */
  readonly turn: string;
};

const ANSWERED: Readonly<Record<Outcome, string>> = {
  approved: "Approved",
  rejected: "Rejected",
  timed_out: "Nobody answered in time.",
  cancelled: "Withdrawn",
};
/** Of an event of a kind that is not known. */
const UNKNOWN_CHARS = 2_000;

/**
 * A session's frames as turns, items and questions: the one fold of all that show a conversation. Frames go in in order; an event that is
 * in already changes nothing. A turn, an item or a question that did not change is the same object as before.
 */
export class Transcript {
  readonly #turns = new Map<string, TurnView>();
  readonly #items = new Map<string, ItemView>();
  readonly #questions = new Map<string, AskedApproval>();
  readonly #running: OpenItems;
  /** Those that began, in that order; between and after them those that wait. */
  readonly turns: ReadonlyMap<string, TurnView> = this.#turns;
  readonly items: ReadonlyMap<string, ItemView> = this.#items;
  readonly questions: ReadonlyMap<string, AskedApproval> = this.#questions;
  /** The agent's newest plan. */
  todos: readonly Todo[] = [];
  /** The last event that is in here. */
  seq = 0;
  /** Set once the session takes no more prompts. */
  ended: EventOf<"session.updated"> | undefined;
  #at = "";
  /** The turn that began last. */
  #turn = "";
  #added: TranscriptEntry[] = [];

  /** `liveChars`: of an open item's text the end is kept. */
  constructor(liveChars: number) {
    this.#running = new OpenItems(liveChars);
  }

  /** The turn that is at work; absent: none. */
  get open(): string | undefined {
    return this.#turns.get(this.#turn)?.state === "open" ? this.#turn : undefined;
  }

  /** Items that have begun and not ended, oldest first. */
  get running(): readonly ItemView[] {
    return this.#running.items.flatMap(({ id }) => this.#items.get(id) ?? []);
  }

  /** Answers what came with this frame. */
  apply(frame: StreamFrame): readonly TranscriptEntry[] {
    this.#added = [];
    if (frame.type === "item.delta") {
      this.#running.apply(frame);
      const item = this.#running.get(frame.item_id);
      if (item !== undefined && frame.field !== "input") this.#setItem(item.id, { item });
    } else if (!("seq" in frame)) {
      // An item that has ended is whole: what was known of it before is older.
      const known = this.#items.get(frame.item.id);
      if (known === undefined || known.item.status === "in_progress") this.#put(frame);
    } else if (frame.seq > this.seq) {
      this.seq = frame.seq;
      this.#at = frame.at;
      this.#event(frame);
    }
    return this.#added;
  }

  /** For who has shown what has ended, and never looks back at it. */
  forgetEnded(): void {
    for (const [id, { item }] of this.#items) if (item.status !== "in_progress") this.#items.delete(id);
    for (const [id, { outcome }] of this.#questions) if (outcome !== undefined) this.#questions.delete(id);
    for (const [id, { end }] of this.#turns) if (end !== undefined) this.#turns.delete(id);
  }

  /** A new kind of event is missing here for the compiler, and in no reader. */
  #event(event: JournalEvent): void {
    switch (event.type) {
      case "turn.queued":
      case "turn.started":
        return this.#begin(event);
      case "turn.completed":
      case "turn.failed":
        return this.#end(event);
      case "turn.resumed":
        return this.#notice("resumed", "The server was restarted. This turn continues.");
      case "item.started":
      case "item.updated":
      case "item.completed":
        return this.#put(event);
      case "approval.requested":
        return this.#ask(event.approval);
      case "approval.resolved":
        return this.#answer(event);
      case "session.updated":
        return this.#session(event);
      case "usage.updated":
        return this.#count(event);
      case "budget.updated":
        return this.#spend(event);
      case "error":
        return this.#notice("error", event.message);
      case "thread.started":
        return undefined;
      default: {
        const told = JSON.stringify(event satisfies never);
        return this.#notice("unknown", `Event of an unknown kind: ${told.slice(0, UNKNOWN_CHARS)}`);
      }
    }
  }

  #begin({ type, turn_id: id, prompt, by, at, seq }: EventOf<"turn.queued" | "turn.started">): void {
    const isQueued = type === "turn.queued";
    if (!isQueued) this.#turn = id;
    // It takes its place among those that began.
    this.#turns.delete(id);
    this.#turns.set(id, { id, prompt, by, at, seq, state: isQueued ? "queued" : "open", entries: [] });
    this.#add({ kind: isQueued ? "queued" : "prompt" }, id);
  }

  #end(event: EventOf<"turn.completed" | "turn.failed">): void {
    const { turn_id: id, usage, cost_microusd, bound_microusd } = event;
    const turn = this.#turns.get(id);
    const state = event.type === "turn.completed" ? "completed" : turn?.state === "queued" ? "removed" : "failed";
    if (turn?.state === "queued") {
      this.#turns.delete(id);
      this.#turns.set(id, { ...turn, state });
      this.#add({ kind: "prompt" }, id);
    } else if (turn?.state === "open") {
      // A turn that has ended has nothing in it that still grows.
      for (const item of this.#running.items) this.#setItem(item.id, { item: { ...item, status: "interrupted" } });
      this.#running.clear();
    }
    this.#setTurn(id, {
      state,
      usage,
      end: event,
      ...(event.type === "turn.failed" ? { error: event.error } : {}),
      ...(cost_microusd === undefined ? {} : { cost_microusd }),
      ...(bound_microusd === undefined ? {} : { bound_microusd }),
    });
    this.#add({ kind: "end", event }, id);
  }

  #put(frame: Extract<StreamFrame, { item: Item }>): void {
    this.#running.apply(frame);
    const { id, parent_id = "" } = frame.item;
    const item = this.#running.get(id) ?? frame.item;
    if (item.type === "todo_list" && item.items.length > 0) this.todos = item.items;
    if (this.#items.has(id)) {
      this.#setItem(id, { item });
      this.#markWaiting();
      return;
    }
    this.#items.set(id, { item, seq: this.seq, at: this.#at, turn: this.#turn, children: [] });
    const parent = this.#items.get(parent_id);
    this.#setItem(parent_id, { children: [...(parent?.children ?? []), id] });
    this.#add({ kind: "item", item: id, parent: parent?.item.id });
  }

  #ask(approval: Approval): void {
    const isNew = !this.#questions.has(approval.id);
    this.#questions.set(approval.id, { approval });
    this.#setItem(approval.item_id, { answer: { approval } });
    if (isNew) this.#add({ kind: "question", approval: approval.id }, approval.turn_id);
  }

  #answer({ outcome, by, feedback, granted_rule, approval_id }: EventOf<"approval.resolved">): void {
    const asked = this.#questions.get(approval_id);
    if (asked === undefined || !this.#items.has(asked.approval.item_id))
      this.#notice("answered", outcome === "timed_out" ? ANSWERED[outcome] : `${ANSWERED[outcome]} by ${by.name}.`);
    if (asked === undefined) return;
    const answer: AskedApproval = { ...asked, outcome, by, feedback, granted_rule };
    this.#questions.set(approval_id, answer);
    this.#setItem(asked.approval.item_id, { answer });
    this.#setTurn(asked.approval.turn_id, {});
    this.#markWaiting();
  }

  /** Calls of one message run in their order: an approved one waits behind a question about an earlier one. */
  #markWaiting(): void {
    let isBehind = false;
    for (const { item, answer, waitsBehind = false } of this.running) {
      if (answer === undefined) continue;
      const waits = isBehind && answer.outcome === "approved";
      if (waits !== waitsBehind) this.#setItem(item.id, { waitsBehind: waits });
      if (answer.outcome === undefined) isBehind = true;
    }
  }

  /** Each tells one request; the turn's end tells the sum. */
  #count({ turn_id, usage }: EventOf<"usage.updated">): void {
    const turn = this.#turns.get(turn_id);
    if (turn?.state !== "open") return;
    this.#setTurn(turn_id, { usage: turn.usage === undefined ? usage : addUsage(turn.usage, usage) });
  }

  /** What an interrupted request cost is told after its turn has ended. */
  #spend({
    cost_microusd: cost,
    bound_microusd: bound,
    limit_microusd,
    turn_id = "",
  }: EventOf<"budget.updated">): void {
    if (cost === undefined) {
      const limit =
        limit_microusd === undefined ? "The limit was removed." : `The limit is now ${dollars(limit_microusd)}.`;
      return this.#notice("settings", limit);
    }
    const turn = this.#turns.get(turn_id);
    return this.#setTurn(turn_id, {
      cost_microusd: (turn?.cost_microusd ?? 0) + cost,
      ...(bound === undefined ? {} : { bound_microusd: (turn?.bound_microusd ?? 0) + bound }),
    });
  }

  #session(event: EventOf<"session.updated">): void {
    const { status, error, forked_from: from, model, autonomy, permission_mode, paused, held } = event;
    if (held !== undefined)
      for (const [id, { held: before = false }] of this.#turns)
        if (before !== held.includes(id)) this.#setTurn(id, { held: !before });
    if (status === "complete" || status === "failed") this.ended = event;
    if (from !== undefined) this.#notice("forked", `Forked from ${from.session_id} after event ${String(from.seq)}.`);
    if (status === "failed" && error !== undefined) this.#notice("failed", error.message);
    if (model !== undefined) this.#notice("settings", `The model is now ${model}.`);
    if (autonomy !== undefined) this.#notice("settings", `The mode is now ${permission_mode ?? autonomy}.`);
    if (paused !== undefined) this.#notice(paused ? "paused" : "unpaused", paused ? "Paused." : "Resumed.");
    if (status === "complete") this.#notice("closed", "The session was closed.");
  }

  #notice(type: TranscriptNotice["type"], text: string): void {
    this.#add({ kind: "notice", notice: { type, text } });
  }

  #add(content: EntryContent, turn = this.#turn): void {
    const entry: TranscriptEntry = { ...content, seq: this.seq, turn };
    this.#added.push(entry);
    this.#setTurn(turn, { entries: [...(this.#turns.get(turn)?.entries ?? []), entry] });
  }

  #setTurn(id: string, change: Partial<TurnView>): void {
    const turn = this.#turns.get(id);
    if (turn !== undefined) this.#turns.set(id, { ...turn, ...change });
  }

  /** Its turn changes with it. */
  #setItem(id: string, change: Partial<ItemView>): void {
    const view = this.#items.get(id);
    if (view === undefined) return;
    this.#items.set(id, { ...view, ...change });
    this.#setTurn(view.turn, {});
  }
}
