import type {
  Approval,
  ErrorDetail,
  ImageBlock,
  Item,
  ItemStatus,
  JournalEvent,
  Outcome,
  Prompt,
  StreamFrame,
  ToolItem,
} from "../../protocol/index.ts";
import { PANEL_LIMITS } from "./limits.ts";

export interface TextPart {
  readonly kind: "text" | "thought";
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
}
export interface StepPart {
  readonly kind: "step";
  readonly id: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly status: ItemStatus;
  readonly output: string;
  readonly images: readonly ImageBlock[];
}
export interface NotePart {
  readonly kind: "note";
  readonly id: string;
  readonly tone: "plain" | "bad";
  readonly text: string;
}
export type AnswerPart = TextPart | StepPart | NotePart;

/** A question to the person, and how it ended; without an outcome it is open. */
export interface AskedApproval {
  readonly approval: Approval;
  /** How many parts were before it. */
  readonly at: number;
  readonly outcome?: Outcome;
  /** Who answered, by name. */
  readonly by?: string;
  readonly feedback?: string;
  readonly granted?: string;
}

/** One prompt and its answer. A turn that did not change is the same object as before, and so is a part. */
export interface PanelTurn {
  readonly id: string;
  readonly prompt: Prompt;
  /** `removed`: it left the queue before it began. */
  readonly state: "queued" | "open" | "completed" | "failed" | "removed";
  /** Somebody stopped the turn before it: it begins only after a resume. */
  readonly held?: true;
  readonly parts: readonly AnswerPart[];
  readonly asks: readonly AskedApproval[];
  /** micro-USD; absent: not known. */
  readonly cost?: number;
  /** The part of the cost that is a bound, not measured; absent: none. */
  readonly bound?: number;
  readonly error?: ErrorDetail;
}

export interface Ended {
  readonly status: "complete" | "failed";
  readonly error?: ErrorDetail;
}

type Of<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;

/** The journal of one session as turns of a chat. Frames go in in order; completed items replace live text. */
export class PanelTranscript {
  /** In the order in which they began; those that wait are at the end. */
  #turns: readonly PanelTurn[] = [];
  /** By item: the turn that it belongs to. */
  readonly #places = new Map<string, string>();
  #open: string | undefined;
  #ended: Ended | undefined;

  get turns(): readonly PanelTurn[] {
    return this.#turns;
  }

  /** The turn that is at work; absent: none. */
  get open(): PanelTurn | undefined {
    return this.#turns.find(({ id }) => id === this.#open);
  }

  get ended(): Ended | undefined {
    return this.#ended;
  }

  /** Answers the turn that this frame has brought to its end, if any. */
  apply(frame: StreamFrame): PanelTurn | undefined {
    if (frame.type === "item.delta") {
      if (frame.field !== "input") this.#grow(frame.item_id, frame.delta);
      return undefined;
    }
    if (!("seq" in frame)) {
      this.#put(frame.item, false);
      return undefined;
    }
    return this.#event(frame);
  }

  #event(event: JournalEvent): PanelTurn | undefined {
    switch (event.type) {
      case "turn.queued":
      case "turn.started":
        this.#begin(event);
        return undefined;
      case "turn.completed":
      case "turn.failed":
        return this.#finish(event);
      case "item.started":
      case "item.completed":
        this.#put(event.item, false);
        return undefined;
      case "item.updated":
        this.#put(event.item, true);
        return undefined;
      case "approval.requested":
        this.#ask(event.approval);
        return undefined;
      case "approval.resolved":
        this.#answer(event);
        return undefined;
      case "session.updated":
        if (event.held !== undefined) this.#hold(event.held);
        if (event.status === "complete" || event.status === "failed")
          this.#ended = { status: event.status, ...(event.error === undefined ? {} : { error: event.error }) };
        return undefined;
      case "error":
        this.#note(event.seq, "bad", event.message);
        return undefined;
      case "turn.resumed":
        this.#note(event.seq, "plain", "The server was restarted and continues.");
        return undefined;
      case "budget.updated":
        this.#spend(event);
        return undefined;
      case "usage.updated":
      case "thread.started":
        return undefined;
      default:
        // A newer server says more than this panel knows.
        return undefined;
    }
  }

  #begin({ type, turn_id: id, prompt }: Of<"turn.queued" | "turn.started">): void {
    const turn: PanelTurn = { id, prompt, state: type === "turn.queued" ? "queued" : "open", parts: [], asks: [] };
    const others = this.#turns.filter((other) => other.id !== id);
    if (turn.state === "queued") {
      this.#turns = [...others, turn];
      return;
    }
    this.#open = id;
    const begun = others.filter(({ state }) => state !== "queued");
    this.#turns = [...begun, turn, ...others.filter(({ state }) => state === "queued")];
  }

  #hold(held: readonly string[]): void {
    this.#turns = this.#turns.map((turn) => {
      if ((turn.held === true) === held.includes(turn.id)) return turn;
      const { held: _, ...rest } = turn;
      return turn.held === true ? rest : { ...rest, held: true as const };
    });
  }

  #finish(event: Of<"turn.completed" | "turn.failed">): PanelTurn | undefined {
    if (this.#open === event.turn_id) this.#open = undefined;
    this.#change(event.turn_id, (turn) => ({
      ...turn,
      state: event.type === "turn.completed" ? "completed" : turn.state === "queued" ? "removed" : "failed",
      parts: turn.parts.map(settled),
      ...(event.cost_microusd === undefined ? {} : { cost: event.cost_microusd }),
      ...(event.bound_microusd === undefined ? {} : { bound: event.bound_microusd }),
      ...(event.type === "turn.failed" ? { error: event.error } : {}),
    }));
    return this.#turns.find(({ id }) => id === event.turn_id);
  }

  /** `isProgress`: the item reports its state, but not its text, which was streamed. */
  #put(item: Item, isProgress: boolean): void {
    const part = partOf(item);
    const place = this.#places.get(item.id) ?? this.#open ?? this.#turns.at(-1)?.id;
    if (place === undefined) return;
    this.#places.set(item.id, place);
    this.#change(place, (turn) => {
      const known = turn.parts.find(({ id }) => id === item.id);
      if (part === undefined)
        return known === undefined ? turn : { ...turn, parts: turn.parts.filter(({ id }) => id !== item.id) };
      if (known === undefined) return { ...turn, parts: [...turn.parts, part] };
      const next = isProgress ? withText(part, textOf(known)) : part;
      return { ...turn, parts: turn.parts.map((other) => (other === known ? next : other)) };
    });
  }

  #grow(item: string, delta: string): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#change(place, (turn) => ({
      ...turn,
      parts: turn.parts.map((part) =>
        part.id === item && isLive(part)
          ? withText(part, (textOf(part) + delta).slice(0, PANEL_LIMITS.liveChars))
          : part,
      ),
    }));
  }

  #ask(approval: Approval): void {
    this.#change(approval.turn_id, (turn) => ({
      ...turn,
      asks: [...turn.asks.filter((ask) => ask.approval.id !== approval.id), { approval, at: turn.parts.length }],
    }));
  }

  #answer({ approval_id, outcome, by, feedback, granted_rule }: Of<"approval.resolved">): void {
    const turn = this.#turns.find(({ asks }) => asks.some(({ approval }) => approval.id === approval_id));
    if (turn === undefined) return;
    const more = {
      outcome,
      by: by.name,
      ...(feedback === undefined ? {} : { feedback }),
      ...(granted_rule === undefined ? {} : { granted: granted_rule }),
    };
    this.#change(turn.id, (before) => ({
      ...before,
      asks: before.asks.map((ask) => (ask.approval.id === approval_id ? { ...ask, ...more } : ask)),
    }));
  }

  /** The cost of an interrupted request is reported after its turn has ended. */
  #spend({ turn_id, cost_microusd: cost, bound_microusd: bound = 0 }: Of<"budget.updated">): void {
    const turn = this.#turns.find(({ id }) => id === turn_id);
    if (turn === undefined || cost === undefined || (turn.state !== "completed" && turn.state !== "failed")) return;
    this.#change(turn.id, (before) => ({
      ...before,
      cost: (before.cost ?? 0) + cost,
      ...(bound === 0 ? {} : { bound: (before.bound ?? 0) + bound }),
    }));
  }

  #note(seq: number, tone: "plain" | "bad", text: string): void {
    const place = this.#open ?? this.#turns.at(-1)?.id;
    if (place === undefined) return;
    this.#change(place, (turn) => ({
      ...turn,
      parts: [...turn.parts, { kind: "note", id: `note-${String(seq)}`, tone, text }],
    }));
  }

  #change(id: string, change: (turn: PanelTurn) => PanelTurn): void {
    this.#turns = this.#turns.map((turn) => (turn.id === id ? change(turn) : turn));
  }
}

/** The words of an answer, as they are copied and kept. */
export function answerText({ parts }: Pick<PanelTurn, "parts">): string {
  return parts
    .flatMap((part) => (part.kind === "text" && part.text.trim() !== "" ? [part.text.trim()] : []))
    .join("\n\n");
}

/** Undefined: nothing of it is shown. */
function partOf(item: Item): AnswerPart | undefined {
  if ("tool_use_id" in item) return stepOf(item);
  switch (item.type) {
    case "agent_message":
      // A sub-agent's text goes to its agent, which reports what matters.
      return item.status === "superseded" || item.parent_id !== undefined ? undefined : words("text", item);
    case "reasoning":
      return item.parent_id !== undefined ? undefined : words("thought", item);
    case "compaction":
      return { kind: "note", id: item.id, tone: "plain", text: "The chat was long: its beginning was summed up." };
    case "error":
      return { kind: "note", id: item.id, tone: "bad", text: item.message };
  }
}

function words(kind: "text" | "thought", { id, text, status }: Item & { readonly text: string }): TextPart {
  return { kind, id, text, done: status !== "in_progress" };
}

function stepOf(item: ToolItem): StepPart {
  const { id, tool, input, approved_input, status, output } = item;
  const texts = (output ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
  const live = item.type === "command_execution" ? item.aggregated_output : "";
  return {
    kind: "step",
    id,
    tool,
    input: approved_input ?? input,
    status,
    output: texts.length > 0 ? texts.join("\n") : live,
    images: (output ?? []).filter((block) => block.type === "image"),
  };
}

function isLive(part: AnswerPart): boolean {
  return part.kind === "step" ? part.status === "in_progress" : part.kind !== "note" && !part.done;
}

/** A turn that has ended has nothing in it that still grows. */
function settled(part: AnswerPart): AnswerPart {
  if (!isLive(part)) return part;
  return part.kind === "step" ? { ...part, status: "interrupted" } : { ...(part as TextPart), done: true };
}

function textOf(part: AnswerPart): string {
  return part.kind === "step" ? part.output : part.text;
}

function withText(part: AnswerPart, text: string): AnswerPart {
  return part.kind === "step" ? { ...part, output: text } : { ...part, text };
}
