import type {
  AskedApproval,
  ImageBlock,
  Item,
  ItemStatus,
  Prompt,
  StreamFrame,
  ToolItem,
  ConversationEntry,
  TurnView,
} from "../../protocol/index.ts";
import { liveText } from "../../protocol/journal/open-items.ts";
import { Transcript } from "../../protocol/journal/transcript.ts";
import { PANEL_LIMITS } from "./limits.ts";
import { t } from "./language.ts";

interface TextPart {
  readonly kind: "text";
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
}
export interface ThoughtPart extends Omit<TextPart, "kind"> {
  readonly kind: "thought";
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
interface NotePart {
  readonly kind: "note";
  readonly id: string;
  readonly tone: "plain" | "bad";
  readonly text: string;
}
/** A question to the person, where it was asked. */
interface AskPart {
  readonly kind: "ask";
  readonly id: string;
  readonly ask: AskedApproval;
}
/** What the person said while the answer was being written. */
interface SaidPart {
  readonly kind: "said";
  readonly id: string;
  readonly prompt: Prompt;
}
export type AnswerPart = TextPart | ThoughtPart | StepPart | NotePart | AskPart | SaidPart;

/** One prompt and its answer. A turn that did not change is the same object as before, and so is what an item became. */
export interface PanelTurn extends TurnView {
  readonly parts: readonly AnswerPart[];
}

/** The journal of one session as turns of a chat. */
export class PanelTranscript {
  readonly #transcript = new Transcript(PANEL_LIMITS.liveChars);
  readonly #turns = new WeakMap<TurnView, PanelTurn>();
  readonly #parts = new WeakMap<Item, readonly AnswerPart[]>();

  /** In the order in which they began; those that wait are at the end. */
  get turns(): readonly PanelTurn[] {
    const waits = ({ state }: TurnView): number => (state === "queued" ? 1 : 0);
    const own = [...this.#transcript.turns.values()].filter(({ state }) => state !== "steered");
    const turns = own.toSorted((one, other) => waits(one) - waits(other));
    return turns.map((turn) => this.#turnOf(turn));
  }

  /** The turn that is at work; absent: none. */
  get open(): string | undefined {
    return this.#transcript.open;
  }

  get ended(): Transcript["ended"] {
    return this.#transcript.ended;
  }

  /** Answers the turn that this frame has brought to its end, if any. */
  apply(frame: StreamFrame): PanelTurn | undefined {
    const end = this.#transcript.apply(frame).find(({ kind }) => kind === "end");
    const turn = this.#transcript.turns.get(end?.turn ?? "");
    return turn === undefined ? undefined : this.#turnOf(turn);
  }

  #turnOf(turn: TurnView): PanelTurn {
    const known = this.#turns.get(turn);
    if (known !== undefined) return known;
    const made = { ...turn, parts: turn.entries.flatMap((entry) => this.#partsOf(entry)) };
    this.#turns.set(turn, made);
    return made;
  }

  /** None: nothing of it is shown. */
  #partsOf(entry: ConversationEntry): readonly AnswerPart[] {
    switch (entry.kind) {
      case "item": {
        const item = this.#transcript.items.get(entry.item)?.item;
        if (item === undefined) return [];
        const parts = this.#parts.get(item) ?? itemParts(item);
        this.#parts.set(item, parts);
        return parts;
      }
      case "question": {
        const ask = this.#transcript.questions.get(entry.approval);
        return ask === undefined ? [] : [{ kind: "ask", id: `ask ${entry.approval}`, ask }];
      }
      case "notice": {
        const { type, seq } = entry.event;
        const id = `note-${String(seq)}`;
        if (type === "error") return [{ kind: "note", id, tone: "bad", text: entry.event.message }];
        if (type === "turn.resumed")
          return [{ kind: "note", id, tone: "plain", text: t("The server was restarted and continues.") }];
        // Which model runs and for how much is not what a visitor reads in a chat; the session's end is told below it.
        return [];
      }
      case "steer": {
        const said = this.#transcript.turns.get(entry.prompt);
        return said === undefined ? [] : [{ kind: "said", id: `said ${entry.prompt}`, prompt: said.prompt }];
      }
      case "unknown":
      case "queued":
      case "prompt":
      case "end":
        return [];
    }
  }
}

/** The words of an answer, as they are copied and kept. */
export function answerText({ parts }: Pick<PanelTurn, "parts">): string {
  return parts
    .flatMap((part) => (part.kind === "text" && part.text.trim() !== "" ? [part.text.trim()] : []))
    .join("\n\n");
}

function itemParts(item: Item): readonly AnswerPart[] {
  if ("tool_use_id" in item) return [stepOf(item)];
  const { id, status, parent_id } = item;
  switch (item.type) {
    case "agent_message":
      // A sub-agent's words go to the agent, which says what counts of them.
      return parent_id !== undefined || status === "superseded" || item.text === ""
        ? []
        : [{ kind: "text", id, text: item.text, done: status !== "in_progress" }];
    case "reasoning":
      return parent_id !== undefined ? [] : [{ kind: "thought", id, text: item.text, done: status !== "in_progress" }];
    case "compaction":
      return [{ kind: "note", id, tone: "plain", text: t("The chat was long: its beginning was summed up.") }];
    case "error":
      return [{ kind: "note", id, tone: "bad", text: item.message }];
  }
}

function stepOf(item: ToolItem): StepPart {
  const { id, tool, input, approved_input, status, output = [] } = item;
  const images = output.filter((block) => block.type === "image");
  return { kind: "step", id, tool, input: approved_input ?? input, status, output: liveText(item), images };
}
