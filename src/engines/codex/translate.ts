import type { Item, NewId, Usage } from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";
import type { CodexNotice, CodexTokens } from "./wire.ts";

type WordsItem = Extract<Item, { text: string }>;
type WordsEnd = Exclude<Item["status"], "in_progress">;

interface OpenWords {
  readonly item: WordsItem;
  text: string;
}

const COMPACTED = "Codex has summarised the older part of the conversation for the model.";

/**
 * Translates what Codex tells in one turn into our events. Nothing else: the same notices with the same ids always give the same events.
 * Calls are not told here: we run them.
 */
export class CodexTranslator {
  readonly #newId: NewId;
  /** By Codex's id. */
  readonly #words = new Map<string, OpenWords>();
  #message: string | undefined;

  constructor(newId: NewId) {
    this.#newId = newId;
  }

  /** Our id of the model's message that is coming in. */
  get message_id(): string {
    this.#message ??= this.#newId("msg");
    return this.#message;
  }

  take(notice: CodexNotice): readonly EngineEvent[] {
    switch (notice.type) {
      case "text":
        return this.#add("agent_message", notice.item, notice.delta);
      case "thought":
        return this.#add("reasoning", notice.item, notice.delta);
      case "thought_part":
        return notice.index === 0 ? [] : this.#add("reasoning", notice.item, "\n\n");
      case "text_done":
        return this.#end("agent_message", notice.item, notice.text);
      case "thought_done":
        return this.#end("reasoning", notice.item, notice.text);
      case "usage":
        // The next words belong to another message.
        this.#message = undefined;
        return [{ type: "usage", usage: usageOf(notice.tokens) }];
      case "compacted":
        return [{ type: "notice", message: COMPACTED }];
      case "warning":
        return [{ type: "notice", message: `Codex says: ${notice.message}` }];
      case "turn_started":
      case "call_done":
      case "turn_ended":
      case "other":
        return [];
    }
  }

  /** Ends all words that are open. */
  close(status: WordsEnd): readonly EngineEvent[] {
    const events = [...this.#words.values()].map(({ item, text }): EngineEvent => ({
      type: "item.completed",
      item: { ...item, status, text },
    }));
    this.#words.clear();
    this.#message = undefined;
    return events;
  }

  #add(type: WordsItem["type"], id: string, delta: string): readonly EngineEvent[] {
    if (delta === "") return [];
    const { words, events } = this.#open(type, id);
    words.text += delta;
    return [...events, { type: "item.delta", item_id: words.item.id, field: "text", delta }];
  }

  #end(type: WordsItem["type"], id: string, text: string): readonly EngineEvent[] {
    if (text === "" && !this.#words.has(id)) return [];
    const { words, events } = this.#open(type, id);
    this.#words.delete(id);
    const item = { ...words.item, status: "completed" as const, text: text === "" ? words.text : text };
    return [...events, { type: "item.completed", item }];
  }

  #open(type: WordsItem["type"], id: string): { readonly words: OpenWords; readonly events: readonly EngineEvent[] } {
    const known = this.#words.get(id);
    if (known !== undefined) return { words: known, events: [] };
    const item: WordsItem = {
      id: this.#newId("item"),
      type,
      status: "in_progress",
      message_id: this.message_id,
      text: "",
    };
    const words = { item, text: "" };
    this.#words.set(id, words);
    return { words, events: [{ type: "item.started", item }] };
  }
}

/** What was cached is part of Codex's input, as on OpenAI's wire. */
function usageOf({ input, cached, cacheWrite, output, reasoning }: CodexTokens): Usage {
  const read = Math.min(input, cached);
  const written = Math.min(input - read, cacheWrite);
  return {
    input_tokens: input - read - written,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: written,
    reasoning_tokens: reasoning,
    model_calls: 1,
  };
}
