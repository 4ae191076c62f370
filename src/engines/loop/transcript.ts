import {
  isToolItem,
  LIMITS,
  outputText,
  type ContentBlock,
  type ErrorDetail,
  type Item,
  type JournalEvent,
  type Prompt,
  type ToolItem,
  UNKNOWN_OUTCOME,
} from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";
import {
  pictureBlock,
  type AnswerBlock,
  type CallResultBlock,
  type ModelMessage,
  type SayableBlock,
} from "./blocks.ts";

/** What a transcript is made of: journal events, or what the engine is about to report. */
export type Recorded =
  | JournalEvent
  | EngineEvent
  | { readonly type: "turn.started" | "turn.steered"; readonly prompt: Prompt }
  | { readonly type: "turn.failed"; readonly error: ErrorDetail };

/** One item of a model's message. `block` is absent while it is open, and for good when the model must not see it again. */
interface TranscriptSlot {
  block?: AnswerBlock | undefined;
  result?: CallResultBlock | undefined;
}

type TranscriptEntry =
  | { readonly role: "user"; readonly content: SayableBlock[] }
  | { readonly role: "model"; readonly message_id: string; readonly slots: TranscriptSlot[] };

/**
 * The conversation as the model must see it, folded from events. The engine folds its events as it reports them, so the
 * conversation in memory equals one read from the journal.
 */
export class ModelTranscript {
  /** The provider's last count for the whole conversation, and our estimate at that time. In memory only. */
  counted: { readonly tokens: number; readonly estimate: number } | undefined;
  /** The sub-agent's item that owns these items; absent at the top level. */
  readonly #parentId: string | undefined;
  readonly #entries: TranscriptEntry[] = [];
  readonly #slots = new Map<string, TranscriptSlot>();
  readonly #open = new Map<string, Item>();
  readonly #children = new Map<string, ModelTranscript>();
  readonly #toolUseIds = new Set<string>();
  #turnOpen = false;
  #turnMessages = 0;

  constructor(parent_id?: string) {
    this.#parentId = parent_id;
  }

  /** Messages of the model in the open turn, that is since the last prompt. */
  get turnMessages(): number {
    return this.#turnMessages;
  }

  add(event: Recorded): void {
    switch (event.type) {
      case "turn.started":
        this.begin(promptParts(event.prompt));
        break;
      case "turn.steered":
        this.#entries.push({ role: "user", content: [...promptParts(event.prompt)] });
        break;
      case "item.started":
      case "item.updated":
      case "item.completed":
        this.#route(event.type, event.item);
        break;
      case "turn.completed":
        this.#turnOpen = false;
        break;
      case "turn.failed":
        this.#fail(event.error);
        break;
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.resumed":
      case "usage.updated":
      case "approval.requested":
      case "approval.resolved":
      case "session.updated":
      case "budget.updated":
      case "instructions.loaded":
      case "error":
      case "item.delta":
      case "usage":
      case "notice":
        break;
    }
  }

  /** What a person or, for a sub-agent, the calling model says. */
  begin(content: readonly SayableBlock[]): void {
    this.#entries.push({ role: "user", content: [...content] });
    this.#turnOpen = true;
    this.#turnMessages = 0;
  }

  /** The same for a transcript that was read without it: the prompt comes first, unless a summary stands for it. */
  beginBefore(content: readonly SayableBlock[]): void {
    if (this.#entries[0]?.role !== "user") this.#entries.unshift({ role: "user", content: [...content] });
    this.#turnOpen = true;
  }

  /** Items that were started and not completed, in order. */
  openItems(): readonly Item[] {
    return [...this.#open.values()];
  }

  /** What a sub-agent has said so far, if its call is open. The caller owns it from here on. */
  takeChild(item_id: string): ModelTranscript | undefined {
    const child = this.#children.get(item_id);
    this.#children.delete(item_id);
    return child;
  }

  /** The model's last text, if nothing came after it. */
  lastWords(): string | undefined {
    const last = this.messages().at(-1);
    if (last?.role !== "assistant") return undefined;
    return last.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  }

  /** True when the conversation has a tool call of this id. */
  knows(tool_use_id: string): boolean {
    return this.#toolUseIds.has(tool_use_id);
  }

  /** The messages of the model, oldest first, each with its id and the number of characters up to its end. */
  marks(): readonly { readonly message_id: string; readonly chars: number }[] {
    let chars = 0;
    return this.#entries.flatMap((entry) => {
      chars += render([entry]).reduce((sum, message) => sum + messageChars(message), 0);
      return entry.role === "model" ? [{ message_id: entry.message_id, chars }] : [];
    });
  }

  messages(through?: string): readonly ModelMessage[] {
    if (through === undefined) return render(this.#entries);
    return render(this.#entries.slice(0, this.#placeAfter(through)));
  }

  #placeAfter(message_id: string): number {
    return this.#entries.findIndex((entry) => entry.role === "model" && entry.message_id === message_id) + 1;
  }

  #route(type: "item.started" | "item.updated" | "item.completed", item: Item): void {
    if (item.parent_id === undefined || item.parent_id === this.#parentId) this.#item(type, item);
    else {
      const child = this.#children.get(item.parent_id) ?? new ModelTranscript(item.parent_id);
      this.#children.set(item.parent_id, child);
      child.#item(type, item);
      if (isToolItem(item)) this.#toolUseIds.add(item.tool_use_id);
    }
    // Only the last message of an ended sub-agent matters, and that is the result of its call.
    if (type === "item.completed") this.#children.delete(item.id);
  }

  #item(type: "item.started" | "item.updated" | "item.completed", item: Item): void {
    if (type === "item.completed") {
      this.#open.delete(item.id);
      this.#complete(item);
    } else if (item.type !== "compaction" && item.type !== "error") {
      this.#open.set(item.id, item);
      const slot = this.#slot(item);
      if (isToolItem(item)) this.#call(slot, item);
    }
  }

  #slot(item: Item): TranscriptSlot {
    const known = this.#slots.get(item.id);
    if (known !== undefined) return known;
    const message_id = item.message_id ?? item.id;
    const last = this.#entries.at(-1);
    const slot: TranscriptSlot = {};
    this.#slots.set(item.id, slot);
    if (last?.role === "model" && last.message_id === message_id) last.slots.push(slot);
    else this.#entries.push({ role: "model", message_id, slots: [slot] });
    return slot;
  }

  #call(slot: TranscriptSlot, item: ToolItem): void {
    if (slot.block !== undefined) return;
    this.#toolUseIds.add(item.tool_use_id);
    this.#keep(slot, { type: "tool_use", id: item.tool_use_id, name: wellFormed(item.tool), input: item.input });
  }

  /** The first block that stays makes its message one of the turn's. */
  #keep(slot: TranscriptSlot, block: AnswerBlock): void {
    const entry = this.#entries.findLast((candidate) => candidate.role === "model" && candidate.slots.includes(slot));
    if (entry?.role === "model" && entry.slots.every((other) => other.block === undefined)) this.#turnMessages += 1;
    slot.block = block;
  }

  #complete(item: Item): void {
    if (item.type === "compaction") {
      this.#compact(item.summary, item.through);
      return;
    }
    if (item.type === "error") return;
    const slot = this.#slot(item);
    this.#slots.delete(item.id);
    if (isToolItem(item)) {
      this.#call(slot, item);
      slot.result = toolResult(item);
      return;
    }
    const block = item.status === "superseded" || item.status === "failed" ? undefined : spokenBlock(item);
    if (block !== undefined) this.#keep(slot, block);
  }

  #compact(summary: string, through: string | undefined): void {
    this.counted = undefined;
    this.#entries.splice(0, through === undefined ? this.#entries.length : this.#placeAfter(through));
    this.#entries.unshift({ role: "user", content: [{ type: "text", text: summary }] });
  }

  /** An unanswered prompt is marked, or the model would take it as part of the next one. */
  #fail(error: ErrorDetail): void {
    if (!this.#turnOpen) return;
    this.#turnOpen = false;
    const prompt = this.#entries.findLast((entry) => entry.role === "user");
    if (this.#turnMessages === 0 && prompt?.role === "user")
      prompt.content.push({ type: "text", text: `[No answer: ${error.message}]` });
  }
}

/** Models make up names that no API takes back. */
function wellFormed(tool: string): string {
  const name = tool.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, LIMITS.toolNameChars);
  return name === "" ? "unknown" : name;
}

function spokenBlock(item: Extract<Item, { text: string }>): AnswerBlock | undefined {
  if (item.type === "agent_message") return item.text.trim() === "" ? undefined : { type: "text", text: item.text };
  const { text: thinking, signature, origin } = item;
  if (signature !== undefined)
    return { type: "thinking", thinking, signature, ...(origin === undefined ? {} : { origin }) };
  return item.redacted === undefined ? undefined : { type: "redacted_thinking", data: item.redacted };
}

function toolResult({ tool_use_id, output = [], is_error, status }: ToolItem): CallResultBlock {
  // The API takes nothing but text for an error.
  if (is_error ?? status !== "completed")
    return { type: "tool_result", tool_use_id, content: outputText(output) || "Error", is_error: true };
  if (output.every((block) => block.type === "text"))
    return { type: "tool_result", tool_use_id, content: outputText(output) };
  const blocks = output.filter((block) => block.type === "image" || block.text.trim() !== "");
  return { type: "tool_result", tool_use_id, content: blocks.map(sayable) };
}

function sayable(block: ContentBlock): SayableBlock {
  if (block.type === "text") return { type: "text", text: block.text };
  return pictureBlock(block.media_type, block.data);
}

/** Attachments first, so that the words of the person are the last thing the model reads. */
function promptParts(prompt: Prompt): readonly SayableBlock[] {
  const parts: SayableBlock[] = [];
  for (const attachment of prompt.attachments ?? []) {
    if (attachment.type === "image") parts.push(pictureBlock(attachment.media_type, attachment.data));
    else if (attachment.text.trim() !== "") {
      const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
      parts.push({ type: "text", text: `<attachment${name}>\n${attachment.text}\n</attachment>` });
    }
  }
  parts.push({ type: "text", text: prompt.text });
  return parts;
}

function render(entries: readonly TranscriptEntry[]): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const entry of entries) {
    if (entry.role === "user") messages.push({ role: "user", content: [...entry.content] });
    else messages.push(...renderMessage(entry.slots));
  }
  return messages;
}

function renderMessage(slots: readonly TranscriptSlot[]): readonly ModelMessage[] {
  const content = slots.flatMap(({ block }) => (block === undefined ? [] : [block]));
  // A message may not end with thinking, and thinking alone says nothing.
  if (content.every(({ type }) => type === "thinking" || type === "redacted_thinking")) return [];
  const results = slots.flatMap(({ block, result }): CallResultBlock[] => {
    if (block?.type !== "tool_use") return [];
    return [result ?? { type: "tool_result", tool_use_id: block.id, content: UNKNOWN_OUTCOME, is_error: true }];
  });
  const answer: ModelMessage = { role: "assistant", content };
  return results.length === 0 ? [answer] : [answer, { role: "user", content: results }];
}

const IMAGE_CHARS = 6_400;

/** Roughly what a message weighs: four characters are a token. */
export function messageChars({ content }: ModelMessage): number {
  return content.reduce((sum, block) => sum + blockChars(block), 0);
}

function blockChars(block: ModelMessage["content"][number]): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      return block.thinking.length;
    case "redacted_thinking":
      return 0;
    case "image":
      return IMAGE_CHARS;
    case "tool_use":
      return block.name.length + JSON.stringify(block.input).length;
    case "tool_result":
      if (typeof block.content === "string") return block.content.length;
      return block.content.reduce((sum, part) => sum + blockChars(part), 0);
  }
}
