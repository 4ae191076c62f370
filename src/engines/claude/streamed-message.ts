import type { Item } from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";
import type { IdFor } from "./replay.ts";
import { usageOf, type UsageTally } from "./usage.ts";
import type { MessageBlock, StreamEvent, Tokens } from "./wire.ts";

type SpokenItem = Extract<Item, { text: string }>;
type SpokenBlock = Exclude<MessageBlock, { type: "tool_use" }>;
type End = Exclude<Item["status"], "in_progress">;

interface StreamedItem {
  readonly item: SpokenItem;
  text: string;
  /** The complete block, once it was received. */
  whole: SpokenBlock | undefined;
}

export interface StreamedMessageOptions {
  readonly idFor: IdFor;
  readonly tally: UsageTally;
  /** Our own id of the message. */
  readonly message_id: string;
  /** The sub-agent's item; absent at the top level. */
  readonly parent_id?: string | undefined;
}

/** One message of the model while it streams. Its items are completed together, when the message is complete. */
export class StreamedMessage {
  /** The vendor's id. */
  readonly id: string;
  readonly #options: StreamedMessageOptions;
  readonly #started: Tokens;
  readonly #pieces = new Map<number, StreamedItem>();
  #block = 0;
  #counted = false;

  constructor(start: Extract<StreamEvent, { type: "message_start" }>, options: StreamedMessageOptions) {
    this.id = start.id;
    this.#started = start.usage;
    this.#options = options;
  }

  get message_id(): string {
    return this.#options.message_id;
  }

  get counted(): boolean {
    return this.#counted;
  }

  begin(index: number): void {
    this.#block = index;
  }

  add(kind: "text" | "thinking", index: number, text: string): readonly EngineEvent[] {
    if (text === "") return [];
    const { piece, events } = this.#piece(index, kind);
    piece.text += text;
    return [...events, { type: "item.delta", item_id: piece.item.id, field: "text", delta: text }];
  }

  /** Completes the block that is streaming now. */
  seal(block: SpokenBlock): readonly EngineEvent[] {
    if (!isSomething(block)) return [];
    const { piece, events } = this.#piece(this.#block, block.type);
    piece.whole = block;
    return events;
  }

  /** Ends everything that is still open. */
  complete(status: End): readonly EngineEvent[] {
    const events = [...this.#pieces.values()].map((piece): EngineEvent => ({
      type: "item.completed",
      item: completed(piece, status),
    }));
    this.#pieces.clear();
    return events;
  }

  /** Reports the call's tokens, once. Without an end, the figures of the beginning count. */
  count(ended?: Tokens): readonly EngineEvent[] {
    if (this.#counted) return [];
    this.#counted = true;
    return [{ type: "usage", usage: this.#options.tally.tell(usageOf(this.#started, ended)) }];
  }

  #piece(
    index: number,
    kind: "text" | "thinking",
  ): { readonly piece: StreamedItem; readonly events: readonly EngineEvent[] } {
    const known = this.#pieces.get(index);
    if (known !== undefined) return { piece: known, events: [] };
    const { idFor, message_id, parent_id } = this.#options;
    const id = idFor("item", `block ${message_id} ${index}`);
    const item = startWords(kind, { id, message_id, parent_id });
    const piece: StreamedItem = { item, text: "", whole: undefined };
    this.#pieces.set(index, piece);
    return { piece, events: [{ type: "item.started", item }] };
  }
}

/** Text that arrives only as a whole, as a sub-agent's does. */
export function wholeWords(
  block: SpokenBlock,
  place: { readonly id: string; readonly message_id: string; readonly parent_id?: string | undefined },
  status: End,
): readonly EngineEvent[] {
  if (!isSomething(block)) return [];
  const item = startWords(block.type, place);
  return [
    { type: "item.started", item },
    { type: "item.completed", item: completed({ item, text: "", whole: block }, status) },
  ];
}

function isSomething(block: SpokenBlock): boolean {
  return block.text !== "" || (block.type === "thinking" && block.redacted !== undefined);
}

function startWords(
  kind: "text" | "thinking",
  place: { readonly id: string; readonly message_id: string; readonly parent_id?: string | undefined },
): SpokenItem {
  return {
    id: place.id,
    type: kind === "text" ? "agent_message" : "reasoning",
    status: "in_progress",
    message_id: place.message_id,
    ...(place.parent_id === undefined ? {} : { parent_id: place.parent_id }),
    text: "",
  };
}

/** The signature counts only for a thought that was streamed to its end. */
function completed({ item, text, whole }: StreamedItem, status: End): SpokenItem {
  const ended = { ...item, status, text: whole?.text ?? text };
  if (ended.type === "agent_message" || whole?.type !== "thinking") return ended;
  return {
    ...ended,
    ...(whole.signature === undefined ? {} : { signature: whole.signature }),
    ...(whole.redacted === undefined ? {} : { redacted: whole.redacted }),
  };
}
