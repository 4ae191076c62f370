import type { Item, NewId } from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";
import { readCallInput, type CallInput } from "./call-input.ts";
import type { Receiver } from "./model-call.ts";
import type { MessagePart } from "./wires/wire.ts";

type TextItem = Extract<Item, { text: string }>;

/** A tool call as the model wrote it. */
export interface WrittenCall {
  readonly tool_use_id: string;
  readonly tool: string;
  readonly written: CallInput;
}

interface ItemDraft {
  readonly item: TextItem;
  text: string;
  signature: string | undefined;
  redacted: string | undefined;
  ended: boolean;
}

export interface MessageOptions {
  readonly newId: NewId;
  readonly parent_id: string | undefined;
  /** See `originOf`. */
  readonly origin: string | undefined;
  readonly emit: (events: readonly EngineEvent[]) => void;
  readonly delta: (item_id: string, text: string) => void;
}

/** One message of the model while it streams: starts items and reports their text, but completes none before the message is complete. */
export class MessageDraft implements Receiver {
  readonly message_id: string;
  readonly calls: WrittenCall[] = [];
  readonly #options: MessageOptions;
  readonly #drafts = new Map<string, ItemDraft>();
  readonly #order: ItemDraft[] = [];

  constructor(options: MessageOptions) {
    this.#options = options;
    this.message_id = options.newId("msg");
  }

  take(parts: readonly MessagePart[]): void {
    for (const part of parts) this.#take(part);
  }

  supersede(): void {
    this.#options.emit(this.completed("superseded"));
  }

  /** The ends of all items that were started. */
  completed(status: "completed" | "failed" | "interrupted" | "superseded"): EngineEvent[] {
    return this.#order.map((draft) => ({
      type: "item.completed",
      item: finished(draft, status, this.#options.origin),
    }));
  }

  /** All text addressed to the reader. */
  get text(): string {
    return this.#order.flatMap((draft) => (draft.item.type === "agent_message" ? [draft.text] : [])).join("\n\n");
  }

  #take(part: MessagePart): void {
    switch (part.type) {
      case "text":
        if (part.text !== "") this.#say("agent_message", part.id, part.text);
        break;
      case "thought":
        this.#reason(part);
        break;
      case "end": {
        const draft = this.#drafts.get(part.id);
        if (draft !== undefined) draft.ended = true;
        break;
      }
      case "call":
        this.calls.push({ tool_use_id: part.tool_use_id, tool: part.tool, written: readCallInput(part.input) });
        break;
      case "error":
      case "finish":
        break;
    }
  }

  #reason({ id, text, signature, redacted }: Extract<MessagePart, { type: "thought" }>): void {
    if (text === "" && signature === undefined && redacted === undefined) return;
    const draft = this.#say("reasoning", id, text);
    if (signature !== undefined) draft.signature = signature;
    if (redacted !== undefined) draft.redacted = redacted;
  }

  /** An item begins with its first text: an empty block shows nothing. */
  #say(type: TextItem["type"], id: string, text: string): ItemDraft {
    const draft = this.#drafts.get(id) ?? this.#start(type, id);
    draft.text += text;
    if (text !== "") this.#options.delta(draft.item.id, text);
    return draft;
  }

  #start(type: TextItem["type"], id: string): ItemDraft {
    const { newId, parent_id, emit } = this.#options;
    const item: TextItem = {
      id: newId("item"),
      type,
      status: "in_progress",
      message_id: this.message_id,
      ...(parent_id === undefined ? {} : { parent_id }),
      text: "",
    };
    const draft: ItemDraft = { item, text: "", signature: undefined, redacted: undefined, ended: false };
    this.#drafts.set(id, draft);
    this.#order.push(draft);
    emit([{ type: "item.started", item }]);
    return draft;
  }
}

/** The signature counts only for a thought that was streamed to its end. */
function finished(draft: ItemDraft, status: Item["status"], origin: string | undefined): Item {
  const item = { ...draft.item, status, text: draft.text };
  if (item.type === "agent_message" || !draft.ended) return item;
  return {
    ...item,
    ...(draft.signature === undefined ? {} : { signature: draft.signature }),
    ...(draft.signature === undefined || origin === undefined ? {} : { origin }),
    ...(draft.redacted === undefined ? {} : { redacted: draft.redacted }),
  };
}

/** Takes a text that nobody watches. */
export class TextDraft implements Receiver {
  text = "";

  take(parts: readonly MessagePart[]): void {
    for (const part of parts) if (part.type === "text") this.text += part.text;
  }

  supersede(): void {
    this.text = "";
  }
}
