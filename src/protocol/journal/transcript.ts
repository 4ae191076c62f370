import type { Approval, Outcome } from "../sessions/approvals.ts";
import type { Prompt, Usage } from "./content.ts";
import type { ErrorDetail } from "../errors.ts";
import type { JournalEvent, StreamFrame } from "./events.ts";
import type { Item } from "./items.ts";
import { OpenItems } from "./open-items.ts";
import type { PrincipalRef } from "../access/principals.ts";

type FoldedEvent<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;
export type TurnEnd = FoldedEvent<"turn.completed" | "turn.failed">;
/** Something that a reader should know and that is part of no item. A change of money is one where a limit was changed, an answer where it is about no item. */
export type TranscriptNotice = FoldedEvent<
  "turn.resumed" | "session.updated" | "budget.updated" | "approval.resolved" | "instructions.loaded" | "error"
>;

/** One prompt, how far it has come, and what came in it. */
export interface TurnView {
  readonly id: string;
  readonly prompt: Prompt;
  readonly by: PrincipalRef;
  readonly at: string;
  readonly seq: number;
  /** `removed`: it ended before it began. `steered`: it became part of another turn. */
  readonly state: "queued" | "open" | "completed" | "failed" | "removed" | "steered";
  /** Somebody stopped the turn before it: it begins only when somebody says so. */
  readonly held?: boolean;
  readonly entries: readonly ConversationEntry[];
  /** Of its model requests, one by one; its end tells the sum. */
  readonly usages: readonly Usage[];
  /** So far, while it is open. */
  readonly cost_microusd?: number | undefined;
  /** The part of the cost that is the most it can be, not what was measured; absent: none. */
  readonly bound_microusd?: number | undefined;
  readonly end?: TurnEnd;
  readonly error?: ErrorDetail | undefined;
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
  /** Of the event that began it. */
  readonly seq: number;
  /** Empty: it came before the first turn. */
  readonly turn: string;
  /** The newest question about it. */
  readonly answer?: AskedApproval;
  /** Of a sub-agent: its own items, in order. */
  readonly children: readonly string[];
}

type EntryContent =
  | { readonly kind: "queued" | "prompt" }
  /** A person's prompt in the middle of a turn. `prompt`: the id of the turn that it would have begun. */
  | { readonly kind: "steer"; readonly prompt: string }
  | { readonly kind: "end"; readonly event: TurnEnd }
  /** `parent`: the sub-agent that shows it. */
  | { readonly kind: "item"; readonly item: string; readonly parent: string | undefined }
  | { readonly kind: "question"; readonly approval: string }
  | { readonly kind: "notice"; readonly event: TranscriptNotice }
  /** An event of a kind that only a newer server knows. */
  | { readonly kind: "unknown"; readonly event: object };

/** Something that came into a conversation, at its place. What becomes of it is in the turns, items and questions. */
export type ConversationEntry = EntryContent & {
  readonly seq: number;
  /** Empty: it came before the first turn. */
  readonly turn: string;
};

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
  /** The last event that is in here. */
  seq = 0;
  /** Set once the session takes no more prompts. */
  ended: FoldedEvent<"session.updated"> | undefined;
  /** The turn that began last. */
  #turn = "";
  #added: ConversationEntry[] = [];

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
  apply(frame: StreamFrame): readonly ConversationEntry[] {
    this.#added = [];
    if (frame.type === "item.delta") {
      this.#running.apply(frame);
      const item = this.#running.get(frame.item_id);
      if (item !== undefined) this.#setItem(item.id, { item });
    } else if (!("seq" in frame)) this.#put(frame);
    else if (frame.seq > this.seq) {
      this.seq = frame.seq;
      this.#event(frame);
    }
    return this.#added;
  }

  /** For who has shown what has ended, and never looks back at it. */
  forgetEnded(): void {
    for (const [id, { item }] of this.#items) if (item.status !== "in_progress") this.#items.delete(id);
    for (const [id, { outcome }] of this.#questions) if (outcome !== undefined) this.#questions.delete(id);
    for (const [id, { end, state }] of this.#turns)
      if (end !== undefined || state === "steered") this.#turns.delete(id);
  }

  /** A new kind of event is missing here for the compiler, and in no reader. */
  #event(event: JournalEvent): void {
    switch (event.type) {
      case "turn.queued":
      case "turn.started":
        return this.#begin(event);
      case "turn.steered":
        return this.#steer(event);
      case "turn.completed":
      case "turn.failed":
        return this.#end(event);
      case "item.started":
      case "item.updated":
      case "item.completed":
        return this.#put(event);
      case "approval.requested":
        return this.#ask(event.approval);
      case "approval.resolved":
        return this.#answer(event);
      case "approval.extended":
        return this.#extend(event);
      case "session.updated":
        return this.#session(event);
      case "usage.updated": {
        const usages = this.#turns.get(event.turn_id)?.usages ?? [];
        return this.#setTurn(event.turn_id, { usages: [...usages, event.usage] });
      }
      case "budget.updated":
        return this.#spend(event);
      case "turn.resumed":
      case "instructions.loaded":
      case "error":
        return this.#add({ kind: "notice", event });
      case "thread.started":
        return undefined;
      default:
        return this.#add({ kind: "unknown", event: event satisfies never });
    }
  }

  #begin(event: FoldedEvent<"turn.queued" | "turn.started">): void {
    const { type, turn_id: id } = event;
    const isQueued = type === "turn.queued";
    if (!isQueued) this.#turn = id;
    // It takes its place among those that began.
    this.#turns.delete(id);
    this.#turns.set(id, { ...event, id, state: isQueued ? "queued" : "open", entries: [], usages: [] });
    this.#add({ kind: isQueued ? "queued" : "prompt" }, id);
  }

  #steer(event: FoldedEvent<"turn.steered">): void {
    const { prompt_id: id } = event;
    this.#turns.delete(id);
    this.#turns.set(id, { ...event, id, state: "steered", entries: [], usages: [] });
    this.#add({ kind: "steer", prompt: id }, event.turn_id);
  }

  #end(event: TurnEnd): void {
    const { turn_id: id } = event;
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
      end: event,
      error: event.type === "turn.failed" ? event.error : undefined,
      cost_microusd: event.cost_microusd ?? turn?.cost_microusd,
      bound_microusd: event.bound_microusd ?? turn?.bound_microusd,
    });
    this.#add({ kind: "end", event }, id);
  }

  #put(frame: Extract<StreamFrame, { item: Item }>): void {
    this.#running.apply(frame);
    const { id, parent_id = "" } = frame.item;
    const item = this.#running.get(id) ?? frame.item;
    if (this.#items.has(id)) return this.#setItem(id, { item });
    this.#items.set(id, { item, seq: this.seq, turn: this.#turn, children: [] });
    const parent = this.#items.get(parent_id);
    this.#setItem(parent_id, { children: [...(parent?.children ?? []), id] });
    this.#add({ kind: "item", item: id, parent: parent?.item.id });
    return undefined;
  }

  #ask(approval: Approval): void {
    const answer = { approval };
    this.#questions.set(approval.id, answer);
    this.#setItem(approval.item_id, { answer });
    this.#add({ kind: "question", approval: approval.id }, approval.turn_id);
  }

  #answer(event: FoldedEvent<"approval.resolved">): void {
    const approval = this.#questions.get(event.approval_id)?.approval;
    if (!this.#items.has(approval?.item_id ?? "")) this.#add({ kind: "notice", event });
    if (approval === undefined) return;
    const answer = { ...event, approval };
    this.#questions.set(approval.id, answer);
    this.#setItem(approval.item_id, { answer });
    this.#setTurn(approval.turn_id, {});
  }

  #extend({ approval_id, expires_at }: FoldedEvent<"approval.extended">): void {
    const asked = this.#questions.get(approval_id);
    if (asked === undefined) return;
    const answer = { ...asked, approval: { ...asked.approval, expires_at } };
    this.#questions.set(approval_id, answer);
    this.#setItem(answer.approval.item_id, { answer });
  }

  /** What an interrupted request cost is told after its turn has ended. */
  #spend(event: FoldedEvent<"budget.updated">): void {
    const { cost_microusd: cost, bound_microusd: bound, turn_id = "" } = event;
    if (cost === undefined) return this.#add({ kind: "notice", event });
    const turn = this.#turns.get(turn_id);
    return this.#setTurn(turn_id, {
      cost_microusd: (turn?.cost_microusd ?? 0) + cost,
      bound_microusd: bound === undefined ? turn?.bound_microusd : (turn?.bound_microusd ?? 0) + bound,
    });
  }

  #session(event: FoldedEvent<"session.updated">): void {
    const { status, held, edited } = event;
    if (edited !== undefined) this.#setTurn(edited.turn_id, { prompt: edited.prompt, by: edited.by });
    if (held !== undefined)
      for (const [id, { held: before = false }] of this.#turns)
        if (before !== held.includes(id)) this.#setTurn(id, { held: !before });
    if (status === "complete" || status === "failed") this.ended = event;
    this.#add({ kind: "notice", event });
  }

  #add(content: EntryContent, turn = this.#turn): void {
    const entry: ConversationEntry = { ...content, seq: this.seq, turn };
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
