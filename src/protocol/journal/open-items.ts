import type { StreamFrame } from "./events.ts";
import type { Item } from "./items.ts";

/** The part of an item that grows while it is open. */
export function liveText(item: Item): string {
  if ("text" in item) return item.text;
  if (item.type === "command_execution") return item.aggregated_output;
  const blocks = "tool_use_id" in item ? (item.output ?? []) : [];
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

interface OpenItem {
  readonly item: Item;
  /** The text so far; absent: what the item itself has. */
  text?: string;
}

/** The items that have begun and not ended, oldest first, with their text so far. A delta costs little until somebody looks. */
export class OpenItems {
  readonly #open = new Map<string, OpenItem>();
  readonly #maxChars: number;

  /** `maxChars`: of one item's live text the end is kept; the completed item has all of it. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get items(): readonly Item[] {
    return [...this.#open.values()].map(current);
  }

  get(id: string): Item | undefined {
    const open = this.#open.get(id);
    return open === undefined ? undefined : current(open);
  }

  clear(): void {
    this.#open.clear();
  }

  /** Frames that are about no item change nothing. */
  apply(frame: StreamFrame): void {
    if (frame.type === "item.delta") {
      const open = this.#open.get(frame.item_id);
      if (open === undefined || frame.field === "input") return;
      const text = textOf(open) + frame.delta;
      open.text = text.length > this.#maxChars ? text.slice(-this.#maxChars) : text;
    } else if ("item" in frame) {
      const { id, status } = frame.item;
      const known = this.#open.get(id);
      // A journaled update tells how an item stands, and not its text; a snapshot has both.
      const text = known === undefined || frame.type !== "item.updated" || !("seq" in frame) ? "" : textOf(known);
      if (status !== "in_progress" || frame.type === "item.completed") this.#open.delete(id);
      else this.#open.set(id, { item: frame.item, ...(text === "" ? {} : { text }) });
    }
  }
}

function textOf({ item, text }: OpenItem): string {
  return text ?? liveText(item);
}

function current({ item, text }: OpenItem): Item {
  if (text === undefined) return item;
  if ("text" in item) return { ...item, text };
  if (item.type === "command_execution") return { ...item, aggregated_output: text };
  return "tool_use_id" in item ? { ...item, output: [{ type: "text", text }] } : item;
}
