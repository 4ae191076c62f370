import type { Item } from "../../protocol/index.ts";
import type { EngineEvent, Host } from "../engine.ts";

type SpeechItem = Extract<Item, { type: "agent_message" | "reasoning" }>;

/** A part of what the agent says or thinks. */
export interface SpeechChunk {
  readonly text: string;
  /** The agent's id of the whole message. Absent: it gives none. */
  readonly message?: string | undefined;
}

/** What the agent says and thinks, as items. An item ends when something else or another message begins. */
export class Speech {
  readonly #newId: Host["newId"];
  #open: { readonly item: SpeechItem; text: string; message: string | undefined } | undefined;

  constructor(newId: Host["newId"]) {
    this.#newId = newId;
  }

  add(type: SpeechItem["type"], { text, message }: SpeechChunk): readonly EngineEvent[] {
    if (text === "") return [];
    const before = this.#goesOn(type, message) ? [] : this.end("completed");
    const begun: EngineEvent[] = [];
    if (this.#open === undefined) {
      const item: SpeechItem = { id: this.#newId("item"), type, status: "in_progress", text: "" };
      this.#open = { item, text: "", message };
      begun.push({ type: "item.started", item });
    }
    this.#open.text += text;
    this.#open.message ??= message;
    return [...before, ...begun, { type: "item.delta", item_id: this.#open.item.id, field: "text", delta: text }];
  }

  #goesOn(type: SpeechItem["type"], message: string | undefined): boolean {
    if (this.#open?.item.type !== type) return false;
    const { message: open } = this.#open;
    return open === undefined || message === undefined || open === message;
  }

  end(status: "completed" | "interrupted" | "superseded"): readonly EngineEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    return [{ type: "item.completed", item: { ...open.item, status, text: open.text } }];
  }
}
