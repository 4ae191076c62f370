import type { SessionUpdate } from "@agentclientprotocol/sdk";
import {
  isToolItem,
  LIMITS,
  showHidden,
  type Delta,
  type Item,
  type JournalEvent,
  type Prompt,
  type StreamFrame,
  type Todo,
} from "../../protocol/index.ts";
import { currentMode } from "./modes.ts";
import { beginning, ending, output, running } from "./tool-calls.ts";

export interface TranslatorOptions {
  readonly workspace: string;
  /** Whether the editor itself sent this turn's prompt, and so already shows it. */
  readonly isOwn: (turn_id: string) => boolean;
  /** The editor shows notices; otherwise they are sent as thoughts. */
  readonly notices: boolean;
}

/** The text of an item that the editor already shows. */
interface SentText {
  readonly update: "agent_message_chunk" | "agent_thought_chunk";
  text: string;
}

/** The output of a tool that is still running. */
interface Heard {
  text: string;
  /** Its length when it was last sent. */
  told: number;
}

/** Translates a session's frames into updates for an editor. Only tracks what is open. */
export class EditorTranslator {
  readonly #options: TranslatorOptions;
  readonly #said = new Map<string, SentText>();
  readonly #heard = new Map<string, Heard>();

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  take(frame: StreamFrame): readonly SessionUpdate[] {
    if (frame.type === "item.delta") return this.#delta(frame);
    return "seq" in frame ? this.#event(frame) : this.#grown(frame.item);
  }

  #event(event: JournalEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case "turn.started":
        return this.#options.isOwn(event.turn_id) ? [] : userMessage(event.turn_id, event.prompt);
      case "turn.steered":
        return this.#options.isOwn(event.prompt_id) ? [] : userMessage(event.prompt_id, event.prompt);
      case "item.started":
        return this.#started(event.item);
      case "item.updated":
        return isToolItem(event.item) && event.item.type !== "todo_list"
          ? [{ sessionUpdate: "tool_call_update", ...running(event.item, this.#options.workspace) }]
          : this.#grown(event.item);
      case "item.completed":
        return this.#completed(event.item);
      case "session.updated":
        return event.autonomy === undefined
          ? []
          : [
              {
                sessionUpdate: "current_mode_update",
                currentModeId: currentMode(event.permission_mode, event.autonomy),
              },
            ];
      case "error":
        return [this.notice("error", event.message)];
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.resumed":
      case "usage.updated":
      case "turn.completed":
      case "turn.failed":
      case "approval.requested":
      case "approval.resolved":
      case "budget.updated":
      case "instructions.loaded":
        return [];
    }
  }

  #started(item: Item): readonly SessionUpdate[] {
    if (item.type === "todo_list") return [plan(item.items)];
    if (!isToolItem(item)) return this.#grown(item);
    this.#heard.set(item.id, { text: "", told: 0 });
    return [{ sessionUpdate: "tool_call", ...beginning(item, this.#options.workspace) }];
  }

  /** The text so far of an item that is open. */
  #grown(item: Item): readonly SessionUpdate[] {
    // A sub-agent's text is for the agent that started it; its answer is in its call.
    if ((item.type !== "agent_message" && item.type !== "reasoning") || item.parent_id !== undefined) return [];
    const said = this.#said.get(item.id) ?? { update: chunkOf(item.type), text: "" };
    this.#said.set(item.id, said);
    return this.#say(
      item.id,
      said,
      item.text.startsWith(said.text) ? item.text.slice(said.text.length) : `\n${item.text}`,
    );
  }

  #completed(item: Item): readonly SessionUpdate[] {
    if (item.type === "todo_list") return item.status === "completed" ? [plan(item.items)] : [];
    if (isToolItem(item)) {
      this.#heard.delete(item.id);
      return [{ sessionUpdate: "tool_call_update", ...ending(item, this.#options.workspace) }];
    }
    switch (item.type) {
      case "agent_message":
      case "reasoning":
        return this.#spoken(item);
      case "compaction":
        return [this.notice("info", `the conversation was too long: ${item.tokens_before} tokens were summed up`)];
      case "error":
        return [this.notice("error", item.message)];
    }
  }

  #spoken(item: Extract<Item, { type: "agent_message" | "reasoning" }>): readonly SessionUpdate[] {
    const superseded = item.status === "superseded";
    const begun = (this.#said.get(item.id)?.text ?? "") !== "";
    const updates = superseded ? [] : this.#grown(item);
    this.#said.delete(item.id);
    // Shown text cannot be taken back, and the same text is about to come again.
    return superseded && begun ? [this.notice("warning", "the model's answer was cut off; it begins again")] : updates;
  }

  #delta({ item_id, field, delta }: Delta): readonly SessionUpdate[] {
    switch (field) {
      case "text": {
        const said = this.#said.get(item_id);
        return said === undefined ? [] : this.#say(item_id, said, delta);
      }
      case "output": {
        const heard = this.#heard.get(item_id);
        if (heard === undefined) return [];
        heard.text = (heard.text + delta).slice(-LIMITS.acpOutputChars);
        heard.told += delta.length;
        // Each update has the whole output, so longer outputs are sent less often.
        if (heard.told < Math.max(LIMITS.acpOutputStepChars, heard.text.length / 2)) return [];
        heard.told = 0;
        return [{ sessionUpdate: "tool_call_update", ...output(item_id, heard.text) }];
      }
      case "input":
        return [];
    }
  }

  #say(item_id: string, said: SentText, text: string): readonly SessionUpdate[] {
    if (text === "") return [];
    said.text += text;
    return [{ sessionUpdate: said.update, messageId: item_id, content: { type: "text", text } }];
  }

  /** Something that the person should know and that no message contains. */
  notice(severity: "info" | "warning" | "error", words: string): SessionUpdate {
    const title = showHidden(words, "content");
    return this.#options.notices
      ? { sessionUpdate: "notice", severity, title }
      : { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `\n[${title}]\n` } };
  }
}

function chunkOf(type: "agent_message" | "reasoning"): SentText["update"] {
  return type === "agent_message" ? "agent_message_chunk" : "agent_thought_chunk";
}

function userMessage(turn_id: string, { text, attachments = [] }: Prompt): readonly SessionUpdate[] {
  const blocks = [
    { type: "text" as const, text },
    ...attachments.map((attachment) =>
      attachment.type === "image"
        ? { type: "image" as const, mimeType: attachment.media_type, data: attachment.data }
        : { type: "text" as const, text: attachment.text },
    ),
  ];
  return blocks.map((content) => ({ sessionUpdate: "user_message_chunk", messageId: turn_id, content }));
}

function plan(todos: readonly Todo[]): SessionUpdate {
  return {
    sessionUpdate: "plan",
    entries: todos.map(({ content, status }) => ({ content, status, priority: "medium" })),
  };
}
