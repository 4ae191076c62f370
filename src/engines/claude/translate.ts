import {
  endToolItem,
  startToolItem,
  type Item,
  type ToolCallEnd,
  type ToolItem,
  UNKNOWN_OUTCOME,
  NOT_RUN,
} from "../../protocol/index.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Verdict } from "../engine.ts";
import type { IdFor } from "./replay.ts";
import { endOf } from "./results.ts";
import { toolName } from "./tools.ts";
import { UsageTally } from "./usage.ts";
import type { MessageBlock, VendorMessage, VendorToolResult, MessageAuthor } from "./wire.ts";
import { wholeWords, StreamedMessage } from "./streamed-message.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** A call that the vendor's program asks about. */
export interface AskedCall {
  readonly tool_use_id: string;
  readonly tool: string;
  readonly input: VendorFields;
  /** The sub-agent that makes it; absent at the top level. */
  readonly agent_id?: string | undefined;
  /** Called with the decision before it is answered. */
  readonly onVerdict?: ((verdict: Verdict) => void) | undefined;
}

/** A call as the model wrote it. */
interface Written {
  readonly tool: string;
  readonly input: VendorFields;
  readonly message_id: string;
  readonly parent_id: string | undefined;
}

interface OpenCall {
  readonly item: ToolItem;
  /** Milliseconds; set when it was allowed. */
  began?: number;
  refused?: Extract<Verdict, { effect: "deny" }>;
  /** Its result, if we ran it: it has more detail than what the program passes on to the model. */
  result?: ToolResult;
}

type SaidBy<Type extends VendorMessage["type"]> = Extract<VendorMessage, { type: Type }>;

/** The key of the top level, which is no call. */
const TOP = "";

/**
 * Translates what the vendor's program says in one turn into our events. Nothing else: the same messages with the same ids
 * and times always give the same events.
 */
export class VendorTranslator {
  readonly #idFor: IdFor;
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number;
  readonly #tally = new UsageTally();
  readonly #calls = new Map<string, OpenCall>();
  readonly #written = new Map<string, Written>();
  /** The call that started a sub-agent, by the agent's id. */
  readonly #agents = new Map<string, string>();
  /** Items of calls, including ended ones: sub-agents' messages refer to them. */
  readonly #items = new Map<string, string>();
  /** Our message ids by the vendor's; those of the top level also in order, with the vendor's ids of their parts. */
  readonly #messageIds = new Map<string, string>();
  readonly #order: { readonly message_id: string; readonly uuids: Set<string> }[] = [];
  /** Messages of sub-agents, which are not counted one by one. */
  readonly #uncounted = new Set<string>();
  /** Messages that are streaming, by the call whose sub-agent speaks; the top level has an empty key. */
  readonly #words = new Map<string, StreamedMessage>();
  #compaction: { readonly tokens_before: number; readonly through: string | undefined } | undefined;
  #compacting = false;
  #stopping = false;
  #lastUuid: string | undefined;
  #apiError: string | undefined;
  #deadStreams = 0;

  constructor(options: { readonly idFor: IdFor; readonly now: () => number }) {
    this.#idFor = options.idFor;
    this.#now = options.now;
  }

  /** The last message at the top level, by the vendor's own id: a fork may begin here. */
  get lastUuid(): string | undefined {
    return this.#lastUuid;
  }

  /** The last kind of error of the model's API. */
  get apiError(): string | undefined {
    return this.#apiError;
  }

  /** Number of answers that were cut off. */
  get deadStreams(): number {
    return this.#deadStreams;
  }

  /** Whether something is running that reports nothing meanwhile: a tool, a sub-agent's message, a summary. */
  get busy(): boolean {
    return this.#compacting || this.#calls.size > 0;
  }

  /** Whether the message with this call has been seen. */
  knows(tool_use_id: string): boolean {
    return this.#written.has(tool_use_id);
  }

  /** From now on a call that fails counts as interrupted. */
  stop(): void {
    this.#stopping = true;
  }

  take(said: VendorMessage): readonly EngineEvent[] {
    switch (said.type) {
      case "stream":
        return this.#stream(said);
      case "assistant":
        return this.#assistant(said);
      case "user":
        return this.#user(said);
      case "retry": {
        const dropped = this.#drop(TOP);
        return [...dropped, { type: "notice", message: retryWords(said, dropped.length > 0) }];
      }
      case "compacted":
        this.#compaction = { tokens_before: said.tokens_before, through: this.#before(said.kept_from) };
        return [];
      case "task":
        this.#agents.set(said.agent_id, said.tool_use_id);
        return [];
      case "notice":
        return [{ type: "notice", message: said.message }];
      case "result": {
        const rest = this.#tally.rest(said.usage, this.#uncounted.size);
        this.#uncounted.clear();
        return rest === undefined ? [] : [{ type: "usage", usage: rest }];
      }
      case "status":
        this.#compacting = said.compacting;
        return [];
      case "init":
      case "keep_alive":
      case "other":
        return [];
    }
  }

  /** The item of a call that is asked about, and the events that begin it. */
  begin(call: AskedCall): { readonly item: ToolItem; readonly events: readonly EngineEvent[] } {
    const known = this.#calls.get(call.tool_use_id);
    if (known !== undefined) return { item: known.item, events: [] };
    const written = this.#written.get(call.tool_use_id);
    const item = startToolItem({
      id: this.#idFor("item", `call ${call.tool_use_id}`),
      tool: call.tool,
      tool_use_id: call.tool_use_id,
      input: call.input,
      parent_id: written === undefined ? this.#parentOf(call) : written.parent_id,
      message_id: written?.message_id,
    });
    this.#open(call.tool_use_id, item);
    const speaker = this.#speaker(call);
    const isIts = this.#items.get(speaker) === item.parent_id;
    const before = isIts ? (this.#words.get(speaker)?.complete("completed") ?? []) : [];
    return { item, events: [...before, { type: "item.started", item }] };
  }

  decided(tool_use_id: string, verdict: Verdict): void {
    const call = this.#calls.get(tool_use_id);
    if (call === undefined) return;
    if (verdict.effect === "deny") call.refused = verdict;
    else {
      const changed = JSON.stringify(verdict.input) !== JSON.stringify(call.item.input);
      const item = changed ? { ...call.item, approved_input: { ...verdict.input } } : call.item;
      this.#calls.set(tool_use_id, { item, began: this.#now() });
    }
  }

  /** One of our tools has ended. The call ends when the program has passed the result to the model. */
  ran(tool_use_id: string, result: ToolResult): void {
    const call = this.#calls.get(tool_use_id);
    if (call !== undefined) call.result = result;
  }

  /** Ends all that is open. */
  close(status: "completed" | "failed" | "interrupted"): readonly EngineEvent[] {
    const events: EngineEvent[] = [];
    for (const words of this.#words.values()) events.push(...words.complete(status), ...words.count());
    this.#words.clear();
    for (const [tool_use_id, call] of [...this.#calls].toReversed()) {
      this.#calls.delete(tool_use_id);
      events.push({ type: "item.completed", item: endToolItem(call.item, abandonedEnd(call)) });
    }
    return events;
  }

  #stream({ event, ...whose }: SaidBy<"stream">): readonly EngineEvent[] {
    const speaker = this.#speaker(whose);
    const words = this.#words.get(speaker);
    switch (event.type) {
      case "message_start": {
        const dropped = this.#drop(speaker);
        const message_id = this.#newMessage(event.id, speaker === TOP);
        const parent_id = this.#parentOf(whose);
        this.#words.set(
          speaker,
          new StreamedMessage(event, { idFor: this.#idFor, tally: this.#tally, message_id, parent_id }),
        );
        return dropped;
      }
      case "block_start":
        words?.begin(event.index);
        return [];
      case "text":
      case "thinking":
        return words?.add(event.type, event.index, event.text) ?? [];
      case "message_delta":
        if (words === undefined || event.stop_reason === undefined) return [];
        return [
          ...words.complete(event.stop_reason === "refusal" ? "failed" : "completed"),
          ...words.count(event.usage),
        ];
      case "other":
        return [];
    }
  }

  /** Drops the text of an answer that was cut off: it is requested again. */
  #drop(speaker: string): readonly EngineEvent[] {
    const words = this.#words.get(speaker);
    this.#words.delete(speaker);
    if (words === undefined || words.counted) return [];
    this.#deadStreams += 1;
    return [...words.complete("superseded"), ...words.count()];
  }

  #assistant(said: SaidBy<"assistant">): readonly EngineEvent[] {
    const top = said.agent_id === undefined && said.parent === undefined;
    if (top) this.#lastUuid = said.uuid ?? this.#lastUuid;
    if (said.synthetic) {
      this.#apiError = said.error ?? this.#apiError;
      return [];
    }
    const words = this.#words.get(this.#speaker(said));
    const streamed = words?.id === said.message_id ? words : undefined;
    const message_id =
      streamed?.message_id ?? this.#messageIds.get(said.message_id) ?? this.#newMessage(said.message_id, top);
    if (top && said.uuid !== undefined)
      this.#order.find((entry) => entry.message_id === message_id)?.uuids.add(said.uuid);
    if (!top && streamed === undefined) this.#uncounted.add(said.message_id);
    const parent_id = top ? undefined : this.#parentOf(said);
    const events = said.blocks.flatMap((block) => this.#block(block, { streamed, message_id, parent_id }));
    return said.aborted && streamed !== undefined ? [...events, ...streamed.complete("interrupted")] : events;
  }

  #block(
    block: MessageBlock,
    place: {
      readonly streamed: StreamedMessage | undefined;
      readonly message_id: string;
      readonly parent_id: string | undefined;
    },
  ): readonly EngineEvent[] {
    if (block.type !== "tool_use") {
      if (place.streamed !== undefined) return place.streamed.seal(block);
      const id = this.#idFor("item", `words ${place.message_id}`);
      return wholeWords(block, { id, ...place }, "completed");
    }
    this.#written.set(block.id, {
      tool: toolName(block.name),
      input: block.input,
      message_id: place.message_id,
      parent_id: place.parent_id,
    });
    return [];
  }

  #user(said: SaidBy<"user">): readonly EngineEvent[] {
    const top = said.agent_id === undefined && said.parent === undefined;
    if (top) this.#lastUuid = said.uuid ?? this.#lastUuid;
    if (top && said.synthetic && this.#compaction !== undefined && said.text !== "") return this.#compacted(said.text);
    return said.outcomes.flatMap((outcome) => this.#outcome(outcome, said.structured));
  }

  #outcome(outcome: VendorToolResult, structured: unknown): readonly EngineEvent[] {
    const { tool_use_id } = outcome;
    const started: EngineEvent[] = [];
    if (!this.#calls.has(tool_use_id)) {
      const written = this.#written.get(tool_use_id);
      if (written === undefined) return [];
      // The program refused it by itself, before asking anybody.
      started.push(...this.begin({ tool_use_id, tool: written.tool, input: written.input }).events);
    }
    const call = this.#calls.get(tool_use_id);
    if (call === undefined) return started;
    const end = this.#endOf(
      call,
      call.result === undefined ? endOf(call.item, outcome, structured) : ownEnd(call.result),
    );
    return [...started, ...this.#end(tool_use_id, call, end)];
  }

  #endOf(call: OpenCall, end: ToolCallEnd): ToolCallEnd {
    const { refused, began } = call;
    if (refused !== undefined) return refusedEnd(refused);
    if (this.#stopping && end.is_error)
      return call.result === undefined ? abandonedEnd(call) : { ...end, status: "interrupted" };
    return began === undefined ? end : { ...end, duration_ms: Math.max(0, Math.round(this.#now() - began)) };
  }

  #end(tool_use_id: string, call: OpenCall, end: ToolCallEnd): readonly EngineEvent[] {
    this.#calls.delete(tool_use_id);
    this.#written.delete(tool_use_id);
    const words = this.#words.get(tool_use_id);
    this.#words.delete(tool_use_id);
    const events: EngineEvent[] = [...(words?.complete("interrupted") ?? []), ...(words?.count() ?? [])];
    // A sub-agent that has ended leaves nothing open.
    for (const [id, child] of this.#calls) {
      if (child.item.parent_id === call.item.id) events.push(...this.#end(id, child, abandonedEnd(child)));
    }
    return [...events, { type: "item.completed", item: endToolItem(call.item, end) }];
  }

  #compacted(summary: string): readonly EngineEvent[] {
    const { tokens_before = 0, through } = this.#compaction ?? {};
    this.#compaction = undefined;
    const item: Item = {
      id: this.#idFor("item", "compaction"),
      type: "compaction",
      status: "in_progress",
      summary: "",
      ...(through === undefined ? {} : { through }),
      tokens_before,
    };
    return [
      { type: "item.started", item },
      { type: "item.completed", item: { ...item, status: "completed", summary } },
    ];
  }

  #open(tool_use_id: string, item: ToolItem): void {
    this.#calls.set(tool_use_id, { item });
    this.#items.set(tool_use_id, item.id);
  }

  /** The item of the sub-agent whose words these are. */
  #parentOf(whose: MessageAuthor): string | undefined {
    return this.#items.get(this.#speaker(whose));
  }

  /** The call whose sub-agent speaks. */
  #speaker({ agent_id, parent }: MessageAuthor): string {
    return (agent_id === undefined ? undefined : this.#agents.get(agent_id)) ?? parent ?? TOP;
  }

  #newMessage(vendorId: string, top = true): string {
    const message_id = this.#idFor("msg", vendorId);
    this.#messageIds.set(vendorId, message_id);
    if (top) this.#order.push({ message_id, uuids: new Set() });
    return message_id;
  }

  /** Our id of the message before the one that the vendor names. */
  #before(uuid: string | undefined): string | undefined {
    if (uuid === undefined) return undefined;
    const index = this.#order.findIndex((entry) => entry.uuids.has(uuid));
    return index <= 0 ? undefined : this.#order[index - 1]?.message_id;
  }
}

function ownEnd({ content, is_error, changed: _changed, refusal: _refusal, ...details }: ToolResult): ToolCallEnd {
  return { status: is_error ? "failed" : "completed", output: content, is_error, ...details };
}

function refusedEnd({ status, message }: Extract<Verdict, { effect: "deny" }>): ToolCallEnd {
  return { status, output: [{ type: "text", text: message }], is_error: true };
}

function abandonedEnd({ refused, began }: OpenCall): ToolCallEnd {
  if (refused !== undefined) return refusedEnd(refused);
  const text = began === undefined ? NOT_RUN : UNKNOWN_OUTCOME;
  return { status: "interrupted", output: [{ type: "text", text }], is_error: true };
}

function retryWords({ attempt, attempts, delay_ms, status, error }: SaidBy<"retry">, cut: boolean): string {
  const gone = cut ? "model's answer broke off" : `model could not be reached (${error})`;
  const what = status === undefined ? gone : `model answered ${status} (${error})`;
  return `the ${what}; attempt ${attempt} of ${attempts} again in ${(delay_ms / 1_000).toFixed(1)} s`;
}
