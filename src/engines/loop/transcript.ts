import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3ReasoningPart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import {
  isToolItem,
  outputText,
  type ContentBlock,
  type ErrorDetail,
  type Item,
  type JournalEvent,
  type Prompt,
  type ToolItem,
} from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";

export type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart;
type ModelAnswerPart = LanguageModelV3TextPart | LanguageModelV3ReasoningPart | LanguageModelV3ToolCallPart;

/** What a transcript is made of: journal events, or what the engine is about to report. */
export type Recorded =
  | JournalEvent
  | EngineEvent
  | { readonly type: "turn.started"; readonly prompt: Prompt }
  | { readonly type: "turn.failed"; readonly error: ErrorDetail };

/** One item of a model's message. `part` is absent while it is open, and stays absent if the model must not see it again. */
interface TranscriptSlot {
  part?: ModelAnswerPart | undefined;
  result?: LanguageModelV3ToolResultPart | undefined;
}

type TranscriptEntry =
  | { readonly role: "user"; readonly content: UserPart[] }
  | { readonly role: "model"; readonly message_id: string; readonly slots: TranscriptSlot[] };

const UNKNOWN_OUTCOME = "Interrupted; outcome unknown.";

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
      default:
        break;
    }
  }

  /** The words of a person or, for a sub-agent, of the calling model. */
  begin(content: readonly UserPart[]): void {
    this.#entries.push({ role: "user", content: [...content] });
    this.#turnOpen = true;
    this.#turnMessages = 0;
  }

  /** The same for a transcript that was read without it: the prompt comes first, unless a summary replaces it. */
  beginBefore(content: readonly UserPart[]): void {
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
    return last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
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

  messages(through?: string): readonly LanguageModelV3Message[] {
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
    if (slot.part !== undefined) return;
    this.#toolUseIds.add(item.tool_use_id);
    this.#keep(slot, { type: "tool-call", toolCallId: item.tool_use_id, toolName: item.tool, input: item.input });
  }

  /** A message counts for the turn once its first part is kept. */
  #keep(slot: TranscriptSlot, part: ModelAnswerPart): void {
    const entry = this.#entries.findLast((candidate) => candidate.role === "model" && candidate.slots.includes(slot));
    if (entry?.role === "model" && entry.slots.every((other) => other.part === undefined)) this.#turnMessages += 1;
    slot.part = part;
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
      slot.result = toolResult(item, item.output ?? [], item.is_error ?? item.status !== "completed");
      return;
    }
    const part = item.status === "superseded" || item.status === "failed" ? undefined : spokenPart(item);
    if (part !== undefined) this.#keep(slot, part);
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

function spokenPart(item: Extract<Item, { text: string }>): ModelAnswerPart | undefined {
  if (item.type === "agent_message") return item.text.trim() === "" ? undefined : { type: "text", text: item.text };
  if (item.signature !== undefined) {
    return { type: "reasoning", text: item.text, providerOptions: { anthropic: { signature: item.signature } } };
  }
  if (item.redacted === undefined) return undefined;
  return { type: "reasoning", text: item.text, providerOptions: { anthropic: { redactedData: item.redacted } } };
}

function toolResult(item: ToolItem, output: readonly ContentBlock[], is_error: boolean): LanguageModelV3ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: item.tool_use_id,
    toolName: item.tool,
    output: resultOutput(output, is_error),
  };
}

function resultOutput(output: readonly ContentBlock[], is_error: boolean): LanguageModelV3ToolResultOutput {
  // The API accepts only text for an error.
  if (is_error) return { type: "error-text", value: outputText(output) || "Error" };
  if (output.every((block) => block.type === "text")) return { type: "text", value: outputText(output) };
  const parts = output.filter((block) => block.type === "image" || block.text.trim() !== "");
  return { type: "content", value: parts.map(resultPart) };
}

function resultPart(
  block: ContentBlock,
): Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number] {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: "image-data", data: block.data, mediaType: block.media_type };
}

/** Attachments first, so that the model reads the person's words last. */
function promptParts(prompt: Prompt): readonly UserPart[] {
  const parts: UserPart[] = [];
  for (const attachment of prompt.attachments ?? []) {
    if (attachment.type === "image")
      parts.push({ type: "file", mediaType: attachment.media_type, data: attachment.data });
    else if (attachment.text.trim() !== "") {
      const name = attachment.name === undefined ? "" : ` name=${JSON.stringify(attachment.name)}`;
      parts.push({ type: "text", text: `<attachment${name}>\n${attachment.text}\n</attachment>` });
    }
  }
  parts.push({ type: "text", text: prompt.text });
  return parts;
}

function render(entries: readonly TranscriptEntry[]): readonly LanguageModelV3Message[] {
  const messages: LanguageModelV3Message[] = [];
  for (const entry of entries) {
    if (entry.role === "user") messages.push({ role: "user", content: [...entry.content] });
    else messages.push(...renderMessage(entry.slots));
  }
  return messages;
}

function renderMessage(slots: readonly TranscriptSlot[]): readonly LanguageModelV3Message[] {
  const content = slots.flatMap((slot) => (slot.part === undefined ? [] : [slot.part]));
  // A message may not end with thinking, and thinking alone says nothing.
  if (content.every((part) => part.type === "reasoning")) return [];
  const results = slots.flatMap((slot): LanguageModelV3ToolResultPart[] => {
    if (slot.part?.type !== "tool-call") return [];
    const { toolCallId, toolName } = slot.part;
    return [
      slot.result ?? {
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "error-text", value: UNKNOWN_OUTCOME },
      },
    ];
  });
  return results.length === 0
    ? [{ role: "assistant", content }]
    : [
        { role: "assistant", content },
        { role: "tool", content: results },
      ];
}

const IMAGE_CHARS = 6_400;

/** The rough size of a message: four characters are a token. */
export function messageChars(message: LanguageModelV3Message): number {
  if (message.role === "system") return message.content.length;
  let chars = 0;
  for (const part of message.content) {
    switch (part.type) {
      case "text":
      case "reasoning":
        chars += part.text.length;
        break;
      case "file":
        chars += IMAGE_CHARS;
        break;
      case "tool-call":
        chars += part.toolName.length + JSON.stringify(part.input).length;
        break;
      case "tool-result":
        chars += outputChars(part.output);
        break;
      case "tool-approval-response":
        break;
    }
  }
  return chars;
}

function outputChars(output: LanguageModelV3ToolResultOutput): number {
  if (output.type === "text" || output.type === "error-text") return output.value.length;
  if (output.type !== "content") return 0;
  return output.value.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : IMAGE_CHARS), 0);
}
