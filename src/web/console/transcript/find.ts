import { isToolItem, liveText, type Item, type ItemView } from "../../../protocol/index.ts";
import type { TranscriptRow, TranscriptView } from "./transcript.ts";

/** A match in the conversation. */
export interface TextMatch {
  /** Of the row that shows it. */
  readonly key: string;
  /** What must be expanded to see it: the sub-agents that contain it, outermost first, and itself. */
  readonly opened: readonly string[];
}

/** More are not counted. */
const MATCHES = 10_000;

/** Rows and items that contain the text, top to bottom, without regard to case. */
export function findMatches(view: TranscriptView, text: string): readonly TextMatch[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  const found: TextMatch[] = [];
  for (const row of view.rows) {
    if (found.length >= MATCHES) break;
    if (row.kind === "item") collect(view, { found, wanted, key: row.key, id: row.item, parents: [] });
    else if (rowText(view, row).toLowerCase().includes(wanted)) found.push({ key: row.key, opened: [row.key] });
  }
  return found;
}

interface TranscriptSearch {
  readonly found: TextMatch[];
  readonly wanted: string;
  readonly key: string;
  readonly id: string;
  readonly parents: readonly string[];
}

function collect(view: TranscriptView, search: TranscriptSearch): void {
  const { found, wanted, key, id } = search;
  const item = view.items.get(id);
  if (item === undefined || found.length >= MATCHES) return;
  const opened = [...search.parents, id];
  if (itemText(item).includes(wanted)) found.push({ key, opened });
  for (const child of item.children) collect(view, { found, wanted, key, id: child, parents: opened });
}

function rowText(view: TranscriptView, row: Exclude<TranscriptRow, { kind: "item" }>): string {
  if (row.kind === "note") return row.text;
  const turn = view.turns.get(row.turn);
  return (row.kind === "prompt" ? turn?.prompt.text : turn?.error?.message) ?? "";
}

/** In lower case. An item that did not change is the same object as before. */
const texts = new WeakMap<Item, string>();

function itemText({ item }: ItemView): string {
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = [liveText(item), ...otherTexts(item)].join("\n").toLowerCase();
  texts.set(item, text);
  return text;
}

function otherTexts(item: Item): readonly string[] {
  if (item.type === "compaction") return [item.summary];
  if (item.type === "error") return [item.message];
  if (!isToolItem(item)) return [];
  const inputs = [item.input, item.approved_input ?? {}].flatMap((input) => strings(input));
  return [item.tool, ...inputs, ...(item.type === "file_change" ? [item.diff ?? ""] : [])];
}

/** Every text in a value, as a person reads it: without JSON's escapes. */
function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part) => strings(part));
}
