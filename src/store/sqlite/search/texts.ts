import { FULL_TEXT_LIMITS } from "../../../protocol/limits/full-text.ts";
import type { EventBody, HitKind, Item } from "../../../protocol/index.ts";

/** What is searched of one event. */
export interface SearchableText {
  readonly kind: HitKind;
  readonly text: string;
  readonly tool?: string;
}

/** Events with text. A prompt is searched once the model has it, an item once it has ended. */
export const SEARCHED_EVENTS = ["turn.started", "turn.steered", "item.completed"] as const;

/** The text of an event as a person reads it, within bounds. Absent: it has none. */
export function searchableText(event: EventBody): SearchableText | undefined {
  const found = unbounded(event);
  if (found === undefined || found.text.trim() === "") return undefined;
  return { ...found, text: found.text.slice(0, FULL_TEXT_LIMITS.searchedTextChars) };
}

function unbounded(event: EventBody): SearchableText | undefined {
  if (event.type === "turn.started" || event.type === "turn.steered") {
    const names = (event.prompt.attachments ?? []).map(({ name = "" }) => name);
    return { kind: "prompt", text: [event.prompt.text, ...names].join("\n") };
  }
  if (event.type !== "item.completed" || event.item.status === "superseded") return undefined;
  return itemText(event.item);
}

function itemText(item: Item): SearchableText {
  switch (item.type) {
    case "agent_message":
      return { kind: "message", text: item.text };
    case "reasoning":
      return { kind: "thought", text: item.text };
    case "compaction":
      return { kind: "summary", text: item.summary };
    case "error":
      return { kind: "error", text: item.message };
    default: {
      const given = new TextCollector(FULL_TEXT_LIMITS.searchedTextChars - FULL_TEXT_LIMITS.searchedResultChars);
      given.add(item.approved_input ?? item.input);
      const result =
        item.type === "command_execution"
          ? item.aggregated_output
          : (item.output ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      const text = [item.tool, ...given.texts, result.slice(0, FULL_TEXT_LIMITS.searchedResultChars)].join("\n");
      return { kind: "call", tool: item.tool, text };
    }
  }
}

/** Every text in a value, without JSON's escapes, up to a number of characters. */
class TextCollector {
  readonly texts: string[] = [];
  #left: number;

  constructor(chars: number) {
    this.#left = chars;
  }

  add(value: unknown): void {
    if (this.#left <= 0) return;
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value).slice(0, this.#left);
      this.texts.push(text);
      this.#left -= text.length + 1;
    } else if (typeof value === "object" && value !== null) {
      for (const part of Object.values(value)) this.add(part);
    }
  }
}

/** `handleClick` is also found by `click`: the parts of such words, to be indexed beside the text. */
export function wordParts(text: string): string {
  const parts = new Set<string>();
  // Whole words first: an expression that looks for the change of case would begin anew at each letter of a long word.
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const part of word.split(/(?<=\p{Ll})(?=\p{Lu})/u).slice(1)) parts.add(part);
  }
  return [...parts].join(" ");
}
