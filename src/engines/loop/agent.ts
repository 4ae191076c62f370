import {
  endToolItem,
  isToolItem,
  LIMITS,
  startToolItem,
  toolFacts,
  type AgentDefinition,
  type ErrorDetail,
  type Item,
  type ToolItem,
  UNKNOWN_OUTCOME,
} from "../../protocol/index.ts";
import type { SubagentRequest, ToolResult } from "../../tools/tool.ts";
import type { ToolDefinition } from "../../tools/toolbox.ts";
import type { EngineEvent } from "../engine.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import { compactThrough, estimateTokens, SUMMARY_SYSTEM, summaryPrompt, summaryText } from "./compaction.ts";
import { agentOf } from "./agents.ts";
import { MessageDraft, TextDraft, type WrittenCall } from "./message.ts";
import { callModel, type CallEnd } from "./model-call.ts";
import { plainPrompt, systemPrompt } from "./prompt.ts";
import { originOf } from "./request.ts";
import { NOT_STRUCTURED, reminded, structuredEnd, structuredTool, type StructuredEnd } from "./structured.ts";
import { runTools, type CallingAgent } from "./tool-phase.ts";
import { ModelTranscript } from "./transcript.ts";
import { ABORTED, type LoopTurn } from "./turn.ts";
import type { Finish } from "./wires/wire.ts";

/** How an agent ended. `text` is its last message. */
export type AgentEnd =
  | { readonly text: string; readonly stop_reason: string; readonly error?: undefined }
  | { readonly text: string; readonly error: ErrorDetail };

export interface AgentOptions {
  readonly transcript: ModelTranscript;
  /** The sub-agent's own item; absent at the top level. */
  readonly parent_id?: string | undefined;
  /** 0 at the top level. */
  readonly depth: number;
  /** The session's definition of this kind of sub-agent; absent: none. */
  readonly kind?: AgentDefinition | undefined;
  /** The only tools that it may use; absent: the session's. */
  readonly tools?: readonly string[] | undefined;
}

/** One model in a loop with its tools: the conversation at the top level, or a sub-agent. */
export class Agent implements CallingAgent {
  readonly turn: LoopTurn;
  readonly subagent: CallingAgent["subagent"];
  readonly #options: AgentOptions;
  readonly #transcript: ModelTranscript;
  readonly #system: string;
  readonly #tools: readonly ToolDefinition[];
  /** The schema of its answer; absent: plain text. */
  readonly #schema: Readonly<Record<string, unknown>> | undefined;
  /** Answers that did not match the schema. */
  #misses = 0;
  /** Messages of the model in this turn, including those before a restart. */
  #messages: number;

  constructor(turn: LoopTurn, options: AgentOptions) {
    const { settings, tools, isPlain } = turn.surroundings;
    const mayDelegate = options.depth < LIMITS.subagentDepth;
    this.turn = turn;
    this.subagent = mayDelegate ? (item, request) => this.#delegate(item, request) : undefined;
    this.#options = options;
    this.#transcript = options.transcript;
    const { kind, tools: listed } = options;
    const subagent = options.parent_id !== undefined;
    this.#system = isPlain ? plainPrompt(settings) : systemPrompt(settings, { subagent, prompt: kind?.prompt });
    this.#schema = options.parent_id === undefined ? settings.output_schema : undefined;
    this.#tools = [
      ...tools.filter(({ name }) => listed?.includes(name) ?? true),
      ...(this.#schema === undefined ? [] : [structuredTool(this.#schema)]),
    ].filter(({ name }) => mayDelegate || toolFacts(name)?.item !== "subagent");
    this.#messages = options.transcript.turnMessages;
  }

  /** Runs to the end of the turn or task. `open`: calls without a result from before a restart. */
  async run(open: readonly ToolItem[] = []): Promise<AgentEnd> {
    this.emit(this.#unfinishedWords());
    if (open.length > 0) await runTools(this, open);
    let squeezed = false;
    for (;;) {
      const stop = this.turn.stopped ?? this.#spent();
      if (stop !== undefined) return this.#fail([], stop, "");
      await this.#steer();
      if (this.#isNearlyFull()) await this.#compact();
      const call = await this.#ask();
      if (call.end === "too_long" && !squeezed) {
        squeezed = true;
        this.emit(call.receiver.completed("superseded"));
        if (await this.#compact()) continue;
      }
      if (call.end !== "finished") return this.#broken(call);
      squeezed = false;
      const end = await this.#follow(call.receiver, call.finish);
      if (end !== undefined) return end;
    }
  }

  emit(events: readonly EngineEvent[]): void {
    for (const event of events) this.#transcript.add(event);
    this.turn.tell(events);
  }

  abandon(item: ToolItem): readonly EngineEvent[] {
    const events: EngineEvent[] = [];
    for (const open of this.turn.surroundings.root.takeChild(item.id)?.openItems() ?? []) {
      if (isToolItem(open)) events.push(...this.abandon(open), interrupted(open));
      else events.push({ type: "item.completed", item: { ...open, status: "interrupted" } });
    }
    return events;
  }

  /** Text of a message that a dead server had not finished: it will be requested again. */
  #unfinishedWords(): readonly EngineEvent[] {
    const open = this.#transcript.openItems().filter((item) => !isToolItem(item));
    return open.map((item) => ({ type: "item.completed", item: { ...item, status: "superseded" } }));
  }

  /** The model is about to be asked: it reads what people sent into the turn. Sub-agents are not spoken to. */
  async #steer(): Promise<void> {
    if (this.#options.parent_id !== undefined) return;
    for (const { prompt } of await this.turn.steered()) this.#transcript.add({ type: "turn.steered", prompt });
  }

  #spent(): ErrorDetail | undefined {
    const { max_turns } = this.turn.surroundings.settings;
    if (this.#messages < max_turns) return undefined;
    return {
      code: "max_turns",
      message: `stopped after ${max_turns} messages of the model (max_turns); send another prompt to go on`,
    };
  }

  async #ask(): Promise<CallEnd<MessageDraft>> {
    const { host, settings, model } = this.turn.surroundings;
    const messages = this.#transcript.messages();
    const name = this.#options.kind?.model ?? model.name;
    const origin = originOf(model.facts(name).api, settings.provider);
    return callModel(
      this.turn,
      {
        system: this.#system,
        messages: this.#schema === undefined ? messages : reminded(messages),
        tools: this.#tools,
        settings,
      },
      () =>
        new MessageDraft({
          newId: host.newId,
          parent_id: this.#options.parent_id,
          origin,
          emit: (events) => this.emit(events),
          delta: (item_id, delta) => this.turn.tell([{ type: "item.delta", item_id, field: "text", delta }]),
        }),
      name,
    );
  }

  #broken(call: Exclude<CallEnd<MessageDraft>, { end: "finished" }>): AgentEnd {
    const error = this.turn.stopped ?? (call.end === "aborted" ? ABORTED : call.error);
    return this.#fail(call.receiver.completed("interrupted"), error, call.receiver.text);
  }

  /** What follows from a complete message: the end, or its tools and another model call. */
  async #follow(draft: MessageDraft, finish: Finish): Promise<AgentEnd | undefined> {
    const { stop_reason = "end_turn" } = finish;
    const usage: EngineEvent = { type: "usage", usage: finish.usage };
    this.#messages += 1;
    if (stop_reason === "refusal") {
      const error: ErrorDetail = {
        code: "refusal",
        message: "the model refused to answer; say it in another way or start a new session",
      };
      return this.#fail([...draft.completed("failed"), usage], error, draft.text);
    }
    const words = [...draft.completed("completed"), usage];
    if (draft.calls.length === 0 && stop_reason !== "pause_turn") {
      if (this.#schema !== undefined) return this.#missed(words, finish);
      this.emit([...words, ...this.#terminal({ type: "turn.completed", stop_reason })]);
      this.#count(finish);
      return { text: draft.text, stop_reason };
    }
    const calls = draft.calls.map((call) => this.#start(call, draft.message_id));
    const answers = this.#answers(calls.filter(({ problem }) => problem === undefined).map(({ item }) => item));
    const isEnded = (item: ToolItem): boolean => answers.some((answer) => answer.item.id === item.id);
    this.emit([
      ...words,
      ...calls.flatMap(({ item, problem }) =>
        startEvents(item, problem === undefined ? this.#notOffered(item) : notReadable(problem, stop_reason)),
      ),
      ...answers.map(({ item }): EngineEvent => ({ type: "item.completed", item })),
    ]);
    this.#count(finish);
    await runTools(
      this,
      calls
        .filter(({ item, problem }) => problem === undefined && !isEnded(item) && this.#notOffered(item) === undefined)
        .map(({ item }) => item),
    );
    return this.#answered(answers, draft.text);
  }

  /** The answers among the calls of a message. */
  #answers(items: readonly ToolItem[]): readonly StructuredEnd[] {
    const schema = this.#schema;
    if (schema === undefined) return [];
    return items.filter(({ tool }) => tool === STRUCTURED_OUTPUT).map((item) => structuredEnd(schema, item));
  }

  #answered(answers: readonly StructuredEnd[], text: string): AgentEnd | undefined {
    const answer = answers.find(({ fits }) => fits);
    if (answer === undefined) return answers.length === 0 ? undefined : this.#missedAgain();
    if (this.turn.stopped !== undefined) return undefined;
    const stop_reason = "end_turn";
    this.emit(this.#terminal({ type: "turn.completed", stop_reason, structured_output: answer.item.input }));
    return { text, stop_reason };
  }

  #missed(words: readonly EngineEvent[], finish: Finish): AgentEnd | undefined {
    this.emit(words);
    this.#count(finish);
    return this.#missedAgain();
  }

  #missedAgain(): AgentEnd | undefined {
    this.#misses += 1;
    return this.#misses < LIMITS.structuredOutputTries ? undefined : this.#fail([], NOT_STRUCTURED, "");
  }

  /** What a sub-agent reads when it calls a tool that its kind does not have. */
  #notOffered({ tool }: ToolItem): string | undefined {
    if (this.#options.tools === undefined) return undefined;
    const { name } = this.turn.host.toolbox.traits(tool);
    return this.#tools.some((offered) => offered.name === name) ? undefined : `Unknown tool: ${tool}`;
  }

  #count({ usage }: Finish): void {
    const tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
    // A provider that does not count leaves us with our own estimate.
    if (tokens > 0) this.#transcript.counted = { tokens, estimate: estimateTokens(this.#transcript.messages()) };
  }

  #start(call: WrittenCall, message_id: string): { readonly item: ToolItem; readonly problem: string | undefined } {
    const item = startToolItem({
      id: this.turn.host.newId("item"),
      tool: call.tool,
      tool_use_id: this.turn.claimToolUseId(call.tool_use_id),
      input: call.written.input ?? {},
      parent_id: this.#options.parent_id,
      message_id,
    });
    return { item, problem: call.written.problem };
  }

  #fail(events: readonly EngineEvent[], error: ErrorDetail, text: string): AgentEnd {
    this.emit([...events, ...this.#terminal({ type: "turn.failed", error })]);
    return { text, error };
  }

  /** A sub-agent's end is its call's result, not an event of its own. */
  #terminal(event: EngineEvent): readonly EngineEvent[] {
    return this.#options.parent_id === undefined ? [event] : [];
  }

  #isNearlyFull(): boolean {
    return this.#contextTokens() > this.turn.surroundings.contextTokens * LIMITS.compactAtFraction;
  }

  #contextTokens(): number {
    const estimate = estimateTokens(this.#transcript.messages());
    const { counted } = this.#transcript;
    if (counted !== undefined) return counted.tokens + estimate - counted.estimate;
    return estimate + Math.ceil((this.turn.surroundings.toolChars + this.#system.length) / 4);
  }

  /** Summarises the older part. False when there is nothing to summarise or the model refuses. */
  async #compact(): Promise<boolean> {
    const { contextTokens, host, model } = this.turn.surroundings;
    const through = compactThrough(this.#transcript, contextTokens);
    if (through === undefined) return false;
    const tokens_before = this.#contextTokens();
    const messages = [summaryPrompt(this.#transcript.messages(through), contextTokens)];
    // Where thoughts count as part of an answer, they need room too.
    const thoughts = model.facts(model.name).api === "messages" ? 0 : LIMITS.compactThoughtTokens;
    const settings = { max_tokens: LIMITS.compactSummaryTokens + thoughts };
    const prompt = { system: SUMMARY_SYSTEM, messages, tools: [], settings };
    const call = await callModel(this.turn, prompt, () => new TextDraft());
    if (call.end !== "finished" || call.receiver.text.trim() === "") {
      if (!this.turn.signal.aborted)
        this.turn.notice("the conversation is long and could not be summarised; going on with all of it");
      return false;
    }
    const { parent_id } = this.#options;
    const item: Item = {
      id: host.newId("item"),
      type: "compaction",
      status: "in_progress",
      ...(parent_id === undefined ? {} : { parent_id }),
      summary: "",
      through,
      tokens_before,
    };
    this.emit([
      { type: "item.started", item },
      { type: "item.completed", item: { ...item, status: "completed", summary: summaryText(call.receiver.text) } },
      { type: "usage", usage: call.finish.usage },
    ]);
    return true;
  }

  async #delegate(item: ToolItem, request: SubagentRequest): Promise<ToolResult> {
    const known = this.turn.surroundings.root.takeChild(item.id);
    const transcript = known ?? new ModelTranscript(item.id);
    transcript.beginBefore([{ type: "text", text: request.prompt }]);
    const said = known?.lastWords();
    if (said !== undefined) return { content: [{ type: "text", text: said }], is_error: false };
    const kind = agentOf(this.turn.surroundings.settings.agents, request.subagent_type);
    const child = new Agent(this.turn, {
      transcript,
      parent_id: item.id,
      depth: this.#options.depth + 1,
      kind,
      tools: within(this.#options.tools, kind?.tools),
    });
    const end = await child.run(transcript.openItems().filter(isToolItem));
    const text = end.text.trim();
    if (end.error === undefined)
      return {
        content: [{ type: "text", text: text === "" ? "(the sub-agent said nothing)" : text }],
        is_error: false,
      };
    const failure = `Error: the sub-agent did not finish: ${end.error.message}`;
    return {
      content: [{ type: "text", text: text === "" ? failure : `${failure}\n\nIt had said: ${text}` }],
      is_error: true,
    };
  }
}

/** A sub-agent has no more tools than the agent that started it. */
function within(
  mine: readonly string[] | undefined,
  its: readonly string[] | undefined,
): readonly string[] | undefined {
  if (mine === undefined || its === undefined) return its ?? mine;
  return its.filter((name) => mine.includes(name));
}

function interrupted(item: ToolItem): EngineEvent {
  const output = [{ type: "text" as const, text: UNKNOWN_OUTCOME }];
  return { type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) };
}

function startEvents(item: ToolItem, cut: string | undefined): readonly EngineEvent[] {
  const started: EngineEvent = { type: "item.started", item };
  if (cut === undefined) return [started];
  const end = endToolItem(item, { status: "failed", output: [{ type: "text", text: cut }], is_error: true });
  return [started, { type: "item.completed", item: end }];
}

/** What the model reads of a call whose input could not be read. */
function notReadable(problem: string, stop_reason: string): string {
  if (stop_reason === "max_tokens") {
    return "Error: your message reached max_tokens in the middle of this call, so it was not run. Do it in smaller steps.";
  }
  return `Error: the input of this call ${problem}, so it was not run. Call it again with one JSON object.`;
}
