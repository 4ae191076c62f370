import {
  addUsage,
  type Approval,
  type ErrorDetail,
  type Item,
  type JournalEvent,
  type Outcome,
  type PrincipalRef,
  type Prompt,
  type StreamFrame,
  type Todo,
  type Usage,
} from "../../../protocol/index.ts";
import { writeDollars } from "../../ui/dollars.ts";
import { textOf, withText } from "./live-text.ts";

/** One prompt and how far it has come. */
export interface TurnView {
  readonly id: string;
  readonly prompt: Prompt;
  readonly by: PrincipalRef;
  readonly at: string;
  readonly seq: number;
  readonly state: "queued" | "open" | "completed" | "failed";
  readonly ended_at?: string;
  /** So far, while it is open. */
  readonly usage?: Usage;
  readonly cost_microusd?: number;
  /** The part of the cost that is a bound, not measured; absent: none. */
  readonly bound_microusd?: number;
  readonly stop_reason?: string;
  readonly error?: ErrorDetail;
  /** Who stopped it; absent: nobody did, or it is unknown. */
  readonly stopped_by?: PrincipalRef;
  /** It ended before it began. */
  readonly neverBegan?: true;
}

/** What became of the question about a tool call. */
export interface ApprovalAnswerView {
  readonly approval: Approval;
  readonly outcome?: Outcome;
  readonly by?: PrincipalRef;
  readonly feedback?: string;
  /** The rule that the answer added. */
  readonly granted_rule?: string;
}

export interface ItemView {
  readonly item: Item;
  /** The seq of the event that began it. */
  readonly seq: number;
  readonly at: string;
  readonly answer?: ApprovalAnswerView;
  /** It was approved, and runs after an earlier call that still waits for an answer. */
  readonly waitsBehind?: true;
  /** Of a sub-agent: its own items, in order. */
  readonly children: readonly string[];
}

/** One row of the page, top to bottom. */
export type TranscriptRow =
  | { readonly kind: "prompt" | "end"; readonly key: string; readonly seq: number; readonly turn: string }
  | { readonly kind: "item"; readonly key: string; readonly seq: number; readonly item: string }
  | {
      readonly kind: "note";
      readonly key: string;
      readonly seq: number;
      readonly tone: "plain" | "bad";
      readonly text: string;
    };

/** Everything that the page shows now. An unchanged part is the same object as before. */
export interface TranscriptView {
  readonly rows: readonly TranscriptRow[];
  readonly turns: ReadonlyMap<string, TurnView>;
  readonly items: ReadonlyMap<string, ItemView>;
  /** The agent's newest plan. */
  readonly todos: readonly Todo[];
  /** The last event that is in here. */
  readonly seq: number;
  /** By seq: the key of the row that shows the event. */
  readonly places: readonly string[];
  /** The turn that is at work; absent: none. */
  readonly open?: string;
  /** Items that have begun and not ended, oldest first. */
  readonly running: readonly string[];
  /** A person is asked to raise the budget. */
  readonly asksMoney: boolean;
}

/** Live text of one item that the page keeps; the completed item has all of it. */
const LIVE_CHARS = 2_000_000;
/** Of an event that this page does not know. */
const UNKNOWN_CHARS = 2_000;

/** The journal of one session as rows of a page. Frames go in in order; completed items replace live text. */
export class Transcript {
  #rows: TranscriptRow[] = [];
  readonly #turns = new Map<string, TurnView>();
  readonly #items = new Map<string, ItemView>();
  #todos: readonly Todo[] = [];
  #seq = 0;
  #paused = false;
  readonly #places: string[] = [];
  /** By approval id: the item that was asked about. */
  readonly #asked = new Map<string, string>();
  #open: string | undefined;
  readonly #running = new Set<string>();
  /** Questions about money that are open. */
  readonly #money = new Set<string>();
  #shown: TranscriptView | undefined;

  /** Stays the same object until a frame changes something. */
  get view(): TranscriptView {
    this.#shown ??= {
      rows: [...this.#rows],
      turns: new Map(this.#turns),
      items: new Map(this.#items),
      todos: this.#todos,
      seq: this.#seq,
      places: [...this.#places],
      ...(this.#open === undefined ? {} : { open: this.#open }),
      running: [...this.#running],
      asksMoney: this.#money.size > 0,
    };
    return this.#shown;
  }

  apply(frame: StreamFrame): void {
    this.#shown = undefined;
    if (frame.type === "item.delta") {
      this.#grow(frame.item_id, frame.field, frame.delta);
      return;
    }
    if (!("seq" in frame)) {
      this.#put(frame.item);
      return;
    }
    const before = this.#places[this.#seq];
    this.#seq = frame.seq;
    this.#event(frame);
    const place = this.#placeOf(frame) ?? before;
    if (place !== undefined) this.#places[frame.seq] = place;
  }

  #event(event: JournalEvent): void {
    switch (event.type) {
      case "turn.queued":
      case "turn.started":
        this.#begin(event);
        return;
      case "turn.resumed":
        this.#note(event, "plain", "The server was restarted. This turn continues.");
        return;
      case "turn.completed":
      case "turn.failed":
        this.#end(event);
        return;
      case "item.started":
      case "item.updated":
      case "item.completed":
        this.#put(event.item, event);
        return;
      case "approval.requested":
        this.#ask(event);
        return;
      case "approval.resolved":
        this.#answer(event);
        return;
      case "error":
        this.#note(event, "bad", event.message);
        return;
      case "session.updated":
        this.#session(event);
        return;
      case "budget.updated":
        this.#spend(event);
        return;
      case "usage.updated":
        this.#count(event);
        return;
      case "thread.started":
        return;
      default:
        // A newer server says more than this page knows: nothing is hidden.
        this.#note(event, "plain", `Event of an unknown kind: ${JSON.stringify(event).slice(0, UNKNOWN_CHARS)}`);
    }
  }

  #begin(event: Extract<JournalEvent, { type: "turn.queued" | "turn.started" }>): void {
    const { turn_id, prompt, by, at, seq } = event;
    const state = event.type === "turn.queued" ? "queued" : "open";
    const turn: TurnView = { id: turn_id, prompt, by, at, seq, state };
    this.#turns.set(turn_id, turn);
    // A waiting prompt is in the queue, not in the conversation.
    if (state === "queued") return;
    this.#open = turn_id;
    this.#show(turn);
  }

  #show({ id, seq }: TurnView): void {
    this.#rows.push({ kind: "prompt", key: `prompt-${id}`, seq, turn: id });
  }

  #end(event: Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }>): void {
    const turn = this.#turns.get(event.turn_id);
    if (turn === undefined) return;
    if (turn.state === "queued") this.#show(turn);
    if (this.#open === turn.id) {
      this.#open = undefined;
      this.#running.clear();
      this.#money.clear();
    }
    const ended = {
      ...turn,
      ended_at: event.at,
      usage: event.usage,
      ...(event.cost_microusd === undefined ? {} : { cost_microusd: event.cost_microusd }),
      ...(event.bound_microusd === undefined ? {} : { bound_microusd: event.bound_microusd }),
    };
    this.#turns.set(
      event.turn_id,
      event.type === "turn.completed"
        ? { ...ended, state: "completed", stop_reason: event.stop_reason }
        : {
            ...ended,
            state: "failed",
            error: event.error,
            ...(event.by === undefined ? {} : { stopped_by: event.by }),
            ...(turn.state === "queued" ? { neverBegan: true as const } : {}),
          },
    );
    this.#rows.push({ kind: "end", key: `end-${event.turn_id}`, seq: event.seq, turn: event.turn_id });
  }

  /** With an event: journaled. Without: the text so far of an item that is open when we arrive. */
  #put(item: Item, event?: JournalEvent): void {
    const known = this.#items.get(item.id);
    if (item.status === "in_progress") this.#running.add(item.id);
    else this.#running.delete(item.id);
    if (item.type === "todo_list" && item.items.length > 0) this.#todos = item.items;
    if (known !== undefined) {
      const isLive = event !== undefined && event.type === "item.updated";
      this.#items.set(item.id, {
        ...known,
        item: isLive ? withText(item, textOf(known.item)) : item,
      });
      this.#markWaiting();
      return;
    }
    const seq = event?.seq ?? this.#seq;
    this.#items.set(item.id, { item, seq, at: event?.at ?? new Date().toISOString(), children: [] });
    const parent = item.parent_id === undefined ? undefined : this.#items.get(item.parent_id);
    if (parent === undefined) this.#rows.push({ kind: "item", key: item.id, seq, item: item.id });
    else this.#items.set(parent.item.id, { ...parent, children: [...parent.children, item.id] });
  }

  #grow(id: string, field: "text" | "output" | "input", delta: string): void {
    const known = this.#items.get(id);
    if (known === undefined || field === "input" || known.item.status !== "in_progress") return;
    const text = (textOf(known.item) + delta).slice(-LIVE_CHARS);
    this.#items.set(id, { ...known, item: withText(known.item, text) });
  }

  #ask(event: Extract<JournalEvent, { type: "approval.requested" }>): void {
    const { approval } = event;
    const known = this.#items.get(approval.item_id);
    if (known === undefined) {
      // A question about money belongs to no item.
      const { preview } = approval;
      if (preview.type === "budget") this.#money.add(approval.id);
      this.#note(event, "plain", `Waiting for approval: ${"summary" in preview ? preview.summary : approval.reason}`);
      return;
    }
    this.#asked.set(approval.id, approval.item_id);
    this.#items.set(approval.item_id, { ...known, answer: { approval } });
  }

  /** Calls of one message run in order: an approved one waits behind a question about an earlier one. */
  #markWaiting(): void {
    let isBehind = false;
    for (const id of this.#running) {
      const view = this.#items.get(id);
      if (view?.answer === undefined) continue;
      const { outcome } = view.answer;
      const waits = isBehind && outcome === "approved";
      if (waits !== (view.waitsBehind === true)) {
        const { waitsBehind: _before, ...rest } = view;
        this.#items.set(id, waits ? { ...rest, waitsBehind: true } : rest);
      }
      if (outcome === undefined) isBehind = true;
    }
  }

  #answer(event: Extract<JournalEvent, { type: "approval.resolved" }>): void {
    const { outcome, by, feedback, granted_rule, approval_id } = event;
    this.#money.delete(approval_id);
    const id = this.#asked.get(approval_id);
    const view = id === undefined ? undefined : this.#items.get(id);
    if (id === undefined || view?.answer === undefined) {
      this.#note(
        event,
        "plain",
        outcome === "timed_out" ? "Nobody answered in time." : `${WORDS[outcome]} by ${by.name}.`,
      );
      return;
    }
    const answer: ApprovalAnswerView = {
      ...view.answer,
      outcome,
      by,
      ...(feedback === undefined ? {} : { feedback }),
      ...(granted_rule === undefined ? {} : { granted_rule }),
    };
    this.#items.set(id, { ...view, answer });
    this.#markWaiting();
  }

  /** Each reports one request; the turn's end has the sum. */
  #count({ turn_id, usage }: Extract<JournalEvent, { type: "usage.updated" }>): void {
    const turn = this.#turns.get(turn_id);
    if (turn?.state !== "open") return;
    this.#turns.set(turn_id, { ...turn, usage: turn.usage === undefined ? usage : addUsage(turn.usage, usage) });
  }

  /** The cost of an interrupted request is reported after its turn has ended. */
  #spend(event: Extract<JournalEvent, { type: "budget.updated" }>): void {
    const { cost_microusd: cost, bound_microusd: bound, limit_microusd: limit, turn_id } = event;
    if (cost === undefined) {
      this.#note(
        event,
        "plain",
        limit === undefined ? "The limit was removed." : `The limit is now $${writeDollars(limit)}.`,
      );
      return;
    }
    const turn = turn_id === undefined ? undefined : this.#turns.get(turn_id);
    if (turn === undefined) return;
    this.#turns.set(turn.id, {
      ...turn,
      cost_microusd: (turn.cost_microusd ?? 0) + cost,
      ...(bound === undefined ? {} : { bound_microusd: (turn.bound_microusd ?? 0) + bound }),
    });
  }

  /** The row that shows an event; undefined: the one of the event before. */
  #placeOf(event: JournalEvent): string | undefined {
    switch (event.type) {
      case "item.started":
      case "item.updated":
      case "item.completed":
        return this.#rowOf(event.item.id);
      case "approval.requested":
        return this.#rowOf(event.approval.item_id) ?? this.#rows.at(-1)?.key;
      case "approval.resolved":
        return this.#rowOf(this.#asked.get(event.approval_id) ?? "") ?? this.#rows.at(-1)?.key;
      default:
        return this.#rows.at(-1)?.seq === event.seq ? this.#rows.at(-1)?.key : undefined;
    }
  }

  /** An item of a sub-agent is shown in the sub-agent's row. */
  #rowOf(id: string): string | undefined {
    const view = this.#items.get(id);
    if (view === undefined) return undefined;
    const { parent_id: parent } = view.item;
    return (parent === undefined ? undefined : this.#rowOf(parent)) ?? id;
  }

  #session(event: Extract<JournalEvent, { type: "session.updated" }>): void {
    if (event.forked_from !== undefined)
      this.#note(event, "plain", `Forked from ${event.forked_from.session_id} after event ${event.forked_from.seq}.`);
    if (event.status === "failed" && event.error !== undefined) this.#note(event, "bad", event.error.message);
    if (event.model !== undefined) this.#note(event, "plain", `The model is now ${event.model}.`);
    if (event.autonomy !== undefined)
      this.#note(event, "plain", `The mode is now ${event.permission_mode ?? event.autonomy}.`);
    if (event.paused !== undefined && event.paused !== this.#paused) {
      this.#paused = event.paused;
      this.#note(event, "plain", event.paused ? "Paused." : "Resumed.");
    }
    if (event.status === "complete") this.#note(event, "plain", "The session was closed.");
  }

  #note(event: JournalEvent, tone: "plain" | "bad", text: string): void {
    this.#rows.push({ kind: "note", key: `note-${event.seq}-${this.#rows.length}`, seq: event.seq, tone, text });
  }
}

const WORDS: Readonly<Record<Outcome, string>> = {
  approved: "Approved",
  rejected: "Rejected",
  timed_out: "Expired",
  cancelled: "Withdrawn",
};
