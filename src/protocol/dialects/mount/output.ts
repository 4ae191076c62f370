import type { StreamFrame } from "../../journal/events.ts";
import type { Item, ToolItem } from "../../journal/items.ts";
import { isToolItem } from "../../journal/tool-items.ts";
import { LIMITS } from "../../limits.ts";

/** Remembers what readers were shown of unfinished texts. */
export interface ShownText {
  /** The final text of an ended message in the output: it begins with everything that was shown of it. */
  settle(item_id: string, text: string): string;
}

interface OpenEntry {
  readonly item_id: string;
  /** Set once it has ended. */
  ended: string | undefined;
  /** A message's text as far as it is known; a tool call has none before it ends. */
  text: string;
  /** Characters of its text that were given out. */
  given: number;
  readonly isMessage: boolean;
}

/**
 * A session's `output`: the texts of its messages and a line for each tool call, in the order in which they began. What a frame adds is
 * final; the same journal gives the same text. Open text is given out only as far as the reader takes it, since it must be remembered first.
 */
export class OutputText {
  readonly #shown: ShownText;
  /** In the order in which they began; the first unfinished one holds back the others. */
  #entries: OpenEntry[] = [];
  #atLineStart: boolean;

  /** `atLineStart`: of the place in the output where it begins; absent: at its beginning. */
  constructor(shown: ShownText, { atLineStart = true }: { readonly atLineStart?: boolean } = {}) {
    this.#shown = shown;
    this.#atLineStart = atLineStart;
  }

  get atLineStart(): boolean {
    return this.#atLineStart;
  }

  /** No item is open: another one can begin here, with what comes next. */
  get isResting(): boolean {
    return this.#entries.length === 0;
  }

  /** The final text that a frame adds. */
  next(frame: StreamFrame): string {
    switch (frame.type) {
      case "item.started":
        this.#begin(frame.item);
        return "";
      case "item.updated":
        this.#begin(frame.item);
        this.#grow(frame.item);
        return "";
      case "item.delta":
        if (frame.field === "text") this.#append(frame.item_id, frame.delta);
        return "";
      case "item.completed":
        return this.#complete(frame.item);
      case "turn.completed":
        return this.#endTurn("");
      case "turn.failed":
        return this.#endTurn(`[failed] ${oneLine(frame.error.message)}\n`);
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.steered":
      case "turn.started":
      case "turn.resumed":
      case "usage.updated":
      case "approval.requested":
      case "approval.resolved":
      case "session.updated":
      case "budget.updated":
      case "instructions.loaded":
      case "error":
        return "";
    }
  }

  /** The open message that is next in order; absent: no open text can be given out. */
  get open(): { readonly item_id: string; readonly text: string; readonly given: number } | undefined {
    const [first] = this.#entries;
    if (first === undefined || !first.isMessage || first.text.length === first.given) return undefined;
    return { item_id: first.item_id, text: withoutHalf(first.text), given: first.given };
  }

  /** Takes the open message up to a length; returns what it adds. */
  take(length: number): string {
    const [first] = this.#entries;
    if (first === undefined || first.given >= length) return "";
    const text = first.text.slice(first.given, length);
    const added = this.#fresh(first) + text;
    first.given = length;
    this.#atLineStart = text.endsWith("\n");
    return added;
  }

  #begin(item: Item): void {
    if (!isShown(item) || this.#entries.some(({ item_id }) => item_id === item.id)) return;
    this.#entries.push({
      item_id: item.id,
      ended: undefined,
      text: "",
      given: 0,
      isMessage: item.type === "agent_message",
    });
  }

  /** An open item in its current form; it only grows. */
  #grow(item: Item): void {
    const entry = this.#entries.find(({ item_id }) => item_id === item.id);
    if (entry === undefined || item.type !== "agent_message" || entry.ended !== undefined) return;
    // Only the end of a very long text is kept: its beginning is only in the completed item.
    if (item.text.length > entry.text.length && item.text.length < LIMITS.toolOutputChars) entry.text = item.text;
  }

  #append(item_id: string, delta: string): void {
    const entry = this.#entries.find((known) => known.item_id === item_id);
    if (entry?.isMessage === true && entry.ended === undefined) entry.text += delta;
  }

  #complete(item: Item): string {
    if (!isShown(item)) return "";
    this.#begin(item);
    const entry = this.#entries.find(({ item_id }) => item_id === item.id);
    if (entry === undefined) return "";
    entry.ended = isToolItem(item) ? toolLine(item) : item.type === "agent_message" ? item.text : "";
    return this.#drain();
  }

  #drain(): string {
    let added = "";
    for (let first = this.#entries[0]; first?.ended !== undefined; first = this.#entries[0]) {
      added += this.#finish(first, first.ended);
      this.#entries.shift();
    }
    return added;
  }

  #finish(entry: OpenEntry, ended: string): string {
    const whole = entry.isMessage ? this.#shown.settle(entry.item_id, ended) : ended;
    const rest = whole.slice(entry.given);
    if (rest === "") return "";
    const added = this.#fresh(entry) + rest;
    this.#atLineStart = added.endsWith("\n");
    return added;
  }

  /** Each item begins on a line of its own. */
  #fresh(entry: OpenEntry): string {
    return entry.given === 0 && !this.#atLineStart ? "\n" : "";
  }

  /** Items that a turn wrongly left open hold nothing back after it. */
  #endTurn(last: string): string {
    for (const entry of this.#entries) entry.ended ??= "";
    const added = this.#drain();
    const line = this.#atLineStart ? "" : "\n";
    this.#atLineStart = true;
    return added + line + last;
  }
}

/** Messages and tool calls of the agent itself, not of its sub-agents. */
function isShown(item: Item): boolean {
  return item.parent_id === undefined && (item.type === "agent_message" || isToolItem(item));
}

function toolLine(item: ToolItem): string {
  const subject = oneLine(subjectOf(item));
  return `[${item.tool}]${subject === "" ? "" : ` ${subject}`} → ${item.status}\n`;
}

/** What a call is about, in a word or two. */
function subjectOf(item: ToolItem): string {
  const input = item.approved_input ?? item.input;
  for (const field of ["command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description"]) {
    const value = input[field];
    if (typeof value === "string") return value;
  }
  return "";
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LIMITS.mountLineChars ? `${line.slice(0, LIMITS.mountLineChars - 1)}…` : line;
}

/** A surrogate pair is kept whole or dropped. */
export function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
