import {
  endToolItem,
  HOME_TOOL,
  isToolItem,
  LIMITS,
  startToolItem,
  type ClaudeUsage,
  type Item,
  type NewId,
  type ToolItem,
  type TunnelMessage,
  type Usage,
} from "../../protocol/index.ts";
import type { EngineEvent, Verdict } from "../engine.ts";

export type HomeChunk = Extract<TunnelMessage, { type: "chunk" }>;

interface ToldMessage {
  readonly id: string;
  /** What came of it since home began to tell. */
  text: string;
  /** How many characters the session knows. */
  told: number;
  isStarted: boolean;
  isOver: boolean;
}

interface ToldCall {
  readonly item: ToolItem;
  isOver: boolean;
  /** What was said to it here. Absent: nobody was asked, or allowed it. */
  refused?: Extract<Verdict, { effect: "deny" }> | undefined;
}

/**
 * What home tells of one turn, as events. Home may tell it from its beginning again: after a cut, or a restart of either side. What the
 * session knows already is not told twice. Messages are known by their order, calls by their ids.
 */
export class HomeTranslation {
  readonly #newId: NewId;
  readonly #messages: ToldMessage[] = [];
  readonly #calls = new Map<string, ToldCall>();
  /** The message that home tells now, or told last. */
  #at = -1;
  #isOpen = false;

  /** `known`: the items of the turn so far, as the journal has them, in their order. */
  constructor(newId: NewId, known: readonly Item[]) {
    this.#newId = newId;
    for (const item of known) {
      const isOver = item.status !== "in_progress";
      if (isToolItem(item)) this.#calls.set(item.tool_use_id, { item, isOver });
      else if (item.type === "agent_message" && item.status !== "superseded")
        this.#messages.push({ id: item.id, text: "", told: 0, isStarted: true, isOver });
    }
  }

  /** Home tells the turn from its beginning again. */
  restart(): void {
    this.#at = -1;
    this.#isOpen = false;
  }

  /** False: home tells of more calls than a turn can have open. */
  get isBounded(): boolean {
    let open = 0;
    for (const { isOver } of this.#calls.values()) if (!isOver) open += 1;
    return open <= LIMITS.agentOpenCalls;
  }

  next(chunk: HomeChunk): readonly EngineEvent[] {
    switch (chunk.chunk_type) {
      case "text":
        return this.#say(chunk.delta ?? "");
      case "tool_start":
        return this.call(chunk.call_id ?? "", { tool: chunk.tool?.name ?? "", input: chunk.tool?.params }).events;
      case "tool_output": {
        const call = this.#calls.get(chunk.call_id ?? "");
        const delta = plain(chunk.tool?.result);
        if (call === undefined || call.isOver || delta === "") return [];
        return [{ type: "item.delta", item_id: call.item.id, field: "output", delta }];
      }
      case "tool_done":
        return this.#done(chunk);
      case "error":
        return chunk.code === undefined ? [{ type: "notice", message: `home: ${chunk.delta ?? ""}` }] : [];
      case "done":
        return [];
    }
  }

  /** A call, and what tells of it where it was not known. */
  call(
    call_id: string,
    { tool, input }: { readonly tool: string; readonly input: unknown },
  ): { readonly item: ToolItem; readonly isOver: boolean; readonly events: readonly EngineEvent[] } {
    const known = this.#calls.get(call_id);
    const before = this.#endMessage();
    if (known !== undefined) return { item: known.item, isOver: known.isOver, events: before };
    const start = { id: this.#newId("item"), tool: HOME_TOOL, tool_use_id: call_id, input: { tool, input } };
    const item = startToolItem(start);
    this.#calls.set(call_id, { item, isOver: false });
    return { item, isOver: false, events: [...before, { type: "item.started", item }] };
  }

  /** A person here, or a rule, said no: home will tell that it did not run. */
  refuse(call_id: string, verdict: Extract<Verdict, { effect: "deny" }>): void {
    const call = this.#calls.get(call_id);
    if (call !== undefined) call.refused = verdict;
  }

  /** Ends whatever is open. `words`: of calls whose end home did not tell. `status`: of a text in the middle of which the turn ends. */
  end(words: string, status: "completed" | "interrupted" = "completed"): readonly EngineEvent[] {
    const events = [...this.#endMessage(status)];
    for (const call of this.#calls.values()) {
      if (call.isOver) continue;
      call.isOver = true;
      const { status = "interrupted", message = words } = call.refused ?? {};
      const end = { status, output: [{ type: "text", text: message }], is_error: true } as const;
      events.push({ type: "item.completed", item: endToolItem(call.item, end) });
    }
    return events;
  }

  #say(delta: string): readonly EngineEvent[] {
    if (!this.#isOpen) {
      this.#at += 1;
      this.#isOpen = true;
      const known = this.#messages[this.#at];
      if (known !== undefined) known.text = "";
    }
    const message = (this.#messages[this.#at] ??= {
      id: this.#newId("item"),
      text: "",
      told: 0,
      isStarted: false,
      isOver: false,
    });
    message.text = (message.text + delta).slice(0, LIMITS.tunnelMessageChars);
    if (message.isOver || message.text.length <= message.told) return [];
    const { id, text } = message;
    const more = text.slice(message.told);
    const isStarted = message.isStarted;
    message.told = text.length;
    message.isStarted = true;
    return [
      ...(isStarted
        ? []
        : [
            {
              type: "item.started" as const,
              item: { type: "agent_message" as const, id, text: "", status: "in_progress" as const },
            },
          ]),
      { type: "item.delta", item_id: id, field: "text", delta: more },
    ];
  }

  #endMessage(status: "completed" | "interrupted" = "completed"): readonly EngineEvent[] {
    const message = this.#isOpen ? this.#messages[this.#at] : undefined;
    this.#isOpen = false;
    if (message === undefined || message.isOver || !message.isStarted) return [];
    message.isOver = true;
    const { id, text } = message;
    return [{ type: "item.completed", item: { type: "agent_message", id, text, status } }];
  }

  #done({ call_id = "", tool, status: told }: HomeChunk): readonly EngineEvent[] {
    const call = this.#calls.get(call_id);
    if (call === undefined || call.isOver) return [];
    call.isOver = true;
    const isError = tool?.error !== undefined;
    const text = plain(tool?.result).slice(0, LIMITS.toolOutputChars);
    const end = {
      status: call.refused?.status ?? endedAs(told) ?? (isError ? ("failed" as const) : ("completed" as const)),
      output: text === "" ? [] : [{ type: "text" as const, text }],
      is_error: isError,
    };
    return [{ type: "item.completed", item: endToolItem(call.item, end) }];
  }
}

/** Undefined: home does not say, or says what no call can end with. */
function endedAs(told: HomeChunk["status"]): Exclude<typeof told, "in_progress" | "superseded"> {
  return told === "in_progress" || told === "superseded" ? undefined : told;
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return "";
  return (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
}

/** Home tells the sum of its model calls. */
export function usageOf({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }: ClaudeUsage): Usage {
  return { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens: 0, model_calls: 1 };
}
