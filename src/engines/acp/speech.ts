import type { Item } from "../../protocol/index.ts";
import type { EngineEvent, Host } from "../engine.ts";

type SpeechItem = Extract<Item, { type: "agent_message" | "reasoning" }>;

/** What the agent says and thinks, as items: one ends where something else begins. */
export class Speech {
  readonly #newId: Host["newId"];
  #open: { readonly item: SpeechItem; text: string } | undefined;

  constructor(newId: Host["newId"]) {
    this.#newId = newId;
  }

  add(type: SpeechItem["type"], text: string): readonly EngineEvent[] {
    if (text === "") return [];
    const before = this.#open?.item.type === type ? [] : this.end("completed");
    const begun: EngineEvent[] = [];
    if (this.#open === undefined) {
      const item: SpeechItem = { id: this.#newId("item"), type, status: "in_progress", text: "" };
      this.#open = { item, text: "" };
      begun.push({ type: "item.started", item });
    }
    this.#open.text += text;
    return [...before, ...begun, { type: "item.delta", item_id: this.#open.item.id, field: "text", delta: text }];
  }

  end(status: "completed" | "interrupted" | "superseded"): readonly EngineEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    return [{ type: "item.completed", item: { ...open.item, status, text: open.text } }];
  }
}
