import { createHash } from "node:crypto";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type HrTime,
  type Span,
  type SpanContext,
} from "@opentelemetry/api";
import { isToolItem, LIMITS, type JournalEvent, type Redactor, type ToolItem } from "../protocol/index.ts";
import type { Exchange } from "../proxy/index.ts";
import { errorType, inputTokens, operationOf, providerName } from "./genai.ts";
import type { SessionLabels } from "./labels.ts";
import { SpanExport, type SpanCounts, type SpanExportOptions } from "./span-export.ts";

type TracedEvent<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;

interface TracedTurn {
  readonly turn_id: string;
  readonly span: Span;
  /** Tool calls that run, by item. */
  readonly tools: Map<string, Span>;
  /** The tool calls that questions are about, by approval. */
  readonly asked: Map<string, Span>;
}

export interface TracesOptions extends SpanExportOptions {
  readonly now: () => number;
  readonly redact: Redactor;
}

/** Spans of turns, their tool calls and their model requests. They never contain the text of a prompt, an answer or a tool. */
export class Traces {
  readonly #export: SpanExport;
  readonly #now: () => number;
  readonly #redact: Redactor;
  /** By session: each has at most one open turn. */
  readonly #turns = new Map<string, TracedTurn>();
  #open = 0;
  #closed = false;

  constructor(options: TracesOptions) {
    this.#export = new SpanExport(options);
    this.#now = options.now;
    this.#redact = options.redact;
  }

  get counts(): SpanCounts {
    return this.#export.counts;
  }

  exchange(exchange: Exchange): void {
    if (this.#closed) return;
    const operation = operationOf(exchange.route);
    // A request to an unknown address: no operation, but counted all the same.
    if (operation === undefined) return;
    const model = this.#text(exchange.model);
    const parent = this.#parentOf(exchange);
    const span = this.#export.tracer.startSpan(
      model === "" ? operation : `${operation} ${model}`,
      {
        kind: SpanKind.CLIENT,
        startTime: time(exchange.started_at),
        attributes: {
          "gen_ai.operation.name": operation,
          ...exchangeAttributes(exchange),
          ...(model === "" ? {} : { "gen_ai.request.model": model }),
          ...(operation === "chat" ? this.#answerAttributes(exchange) : {}),
        },
      },
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    if (exchange.outcome !== "completed") fail(span, errorType(exchange));
    span.end(time(exchange.started_at + Math.max(0, exchange.duration_ms)));
  }

  event(event: JournalEvent, session: SessionLabels): void {
    if (this.#closed) return;
    switch (event.type) {
      case "turn.started":
        return this.#startTurn(event, session, {});
      case "turn.resumed":
        return this.#startTurn(event, session, { "sallyport.turn_restarts": event.restarts });
      case "turn.completed":
      case "turn.failed":
        return this.#endTurn(event);
      case "item.started":
        return isToolItem(event.item) ? void this.#startTool(event.item, event, Date.parse(event.at)) : undefined;
      case "item.completed":
        return isToolItem(event.item) ? this.#endTool(event.item, event) : undefined;
      case "approval.requested":
        return this.#ask(event);
      case "approval.resolved":
        return this.#answer(event);
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.steered":
      case "item.updated":
      case "usage.updated":
      case "session.updated":
      case "budget.updated":
      case "instructions.loaded":
      case "error":
        return;
    }
  }

  /** Ends what is open, sends what waits, gives up after a while. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const at = time(this.#now());
    for (const session_id of this.#turns.keys()) this.#abandon(session_id, at);
    this.#closed = true;
    await this.#export.close();
  }

  #startTurn(
    event: TracedEvent<"turn.started" | "turn.resumed">,
    session: SessionLabels,
    attributes: Attributes,
  ): void {
    const at = time(Date.parse(event.at));
    this.#abandon(event.session_id, at);
    if (!this.#room()) return;
    const first = idsOf(event.turn_id);
    const resumed = event.type === "turn.resumed";
    // A resumed turn stays in its trace: the span of the dead process may never have been sent.
    this.#export.ids.chosen = resumed ? { ...first, spanId: idsOf(`${event.turn_id}/${event.seq}`).spanId } : first;
    const span = this.#export.tracer.startSpan(
      `invoke_agent ${this.#text(session.engine)}`,
      {
        startTime: at,
        attributes: { ...this.#turnAttributes(event, session), ...attributes },
        ...(resumed ? { links: [{ context: first }] } : {}),
      },
      ROOT_CONTEXT,
    );
    this.#export.ids.chosen = undefined;
    this.#turns.set(event.session_id, { turn_id: event.turn_id, span, tools: new Map(), asked: new Map() });
  }

  #turnAttributes(event: TracedEvent<"turn.started" | "turn.resumed">, session: SessionLabels): Attributes {
    return {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": session.agent,
      "gen_ai.agent.name": this.#text(session.engine),
      "gen_ai.conversation.id": event.session_id,
      "gen_ai.provider.name": providerName(session.provider),
      "gen_ai.request.model": this.#text(session.model),
      "sallyport.engine": this.#text(session.engine),
      "sallyport.provider": session.provider,
      "sallyport.turn_id": event.turn_id,
    };
  }

  #endTurn(event: TracedEvent<"turn.completed" | "turn.failed">): void {
    const turn = this.#turns.get(event.session_id);
    // A prompt that never left the queue ends too.
    if (turn?.turn_id !== event.turn_id) return;
    const { usage } = event;
    turn.span.setAttributes({
      "gen_ai.usage.input_tokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
      "gen_ai.usage.output_tokens": usage.output_tokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
      "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
      "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
      "sallyport.model_calls": usage.model_calls,
      "sallyport.cost_microusd": event.cost_microusd ?? 0,
    });
    if (event.type === "turn.failed") fail(turn.span, event.error.code);
    else turn.span.setAttribute("gen_ai.response.finish_reasons", [this.#text(event.stop_reason)]);
    this.#finish(event.session_id, turn, time(Date.parse(event.at)));
  }

  /** The turn of a session whose end will never be reported: its process died, or this one ends. */
  #abandon(session_id: string, at: HrTime): void {
    const turn = this.#turns.get(session_id);
    if (turn === undefined) return;
    turn.span.setAttribute("sallyport.unfinished", true);
    this.#finish(session_id, turn, at);
  }

  #finish(session_id: string, turn: TracedTurn, at: HrTime): void {
    for (const tool of turn.tools.values()) {
      tool.setAttribute("sallyport.unfinished", true);
      tool.end(at);
    }
    turn.span.end(at);
    this.#open -= turn.tools.size + 1;
    this.#turns.delete(session_id);
  }

  #startTool(item: ToolItem, event: JournalEvent, started: number): Span | undefined {
    const turn = this.#turns.get(event.session_id);
    if (turn === undefined || turn.tools.has(item.id) || !this.#room()) return undefined;
    const above = item.parent_id === undefined ? turn.span : (turn.tools.get(item.parent_id) ?? turn.span);
    const name = this.#text(item.tool);
    const span = this.#export.tracer.startSpan(
      `execute_tool ${name}`,
      {
        startTime: time(started),
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": name,
          "gen_ai.tool.call.id": this.#text(item.tool_use_id),
          "gen_ai.conversation.id": event.session_id,
          "sallyport.turn_id": turn.turn_id,
          "sallyport.item_id": item.id,
          "sallyport.item_type": item.type,
        },
      },
      trace.setSpan(ROOT_CONTEXT, above),
    );
    turn.tools.set(item.id, span);
    return span;
  }

  #endTool(item: ToolItem, event: JournalEvent): void {
    const turn = this.#turns.get(event.session_id);
    if (turn === undefined) return;
    const at = Date.parse(event.at);
    // It began in an earlier process, or when there was no room: its span comes from the item itself.
    const span = turn.tools.get(item.id) ?? this.#startTool(item, event, at - (item.duration_ms ?? 0));
    if (span === undefined) return;
    span.setAttribute("sallyport.status", item.status);
    if (item.status === "failed" || item.status === "interrupted") fail(span, item.status);
    span.end(time(at));
    turn.tools.delete(item.id);
    this.#open -= 1;
  }

  #ask({ session_id, at, approval }: TracedEvent<"approval.requested">): void {
    const turn = this.#turns.get(session_id);
    const span = turn?.tools.get(approval.item_id) ?? turn?.span;
    if (turn === undefined || span === undefined || turn.asked.size >= LIMITS.pendingApprovalsPerSession) return;
    span.addEvent("approval.requested", { "sallyport.approval_id": approval.id }, time(Date.parse(at)));
    turn.asked.set(approval.id, span);
  }

  #answer({ session_id, at, approval_id, outcome }: TracedEvent<"approval.resolved">): void {
    const turn = this.#turns.get(session_id);
    const span = turn?.asked.get(approval_id);
    if (turn === undefined || span === undefined) return;
    turn.asked.delete(approval_id);
    const attributes = { "sallyport.approval_id": approval_id, "sallyport.outcome": outcome };
    if (span.isRecording()) span.addEvent("approval.resolved", attributes, time(Date.parse(at)));
  }

  /** The span that a request belongs under; none between turns. */
  #parentOf(exchange: Exchange): SpanContext | undefined {
    if (exchange.turn_id === undefined) return undefined;
    const turn = this.#turns.get(exchange.session_id);
    // The ids of an ended turn are known all the same.
    return turn?.turn_id === exchange.turn_id ? turn.span.spanContext() : idsOf(exchange.turn_id);
  }

  /** What the provider reports about its answer: untrusted names and ids, so they are cut and redacted. */
  #answerAttributes({ answer = {} }: Exchange): Attributes {
    const { id, model, finish_reason } = answer;
    return {
      ...(id === undefined ? {} : { "gen_ai.response.id": this.#text(id) }),
      ...(model === undefined ? {} : { "gen_ai.response.model": this.#text(model) }),
      ...(finish_reason === undefined ? {} : { "gen_ai.response.finish_reasons": [this.#text(finish_reason)] }),
    };
  }

  #room(): boolean {
    if (this.#open >= LIMITS.openSpans) {
      this.#export.drop();
      return false;
    }
    this.#open += 1;
    return true;
  }

  #text(text: string): string {
    return this.#redact(text.length > LIMITS.spanTextChars ? text.slice(0, LIMITS.spanTextChars) : text);
  }
}

function exchangeAttributes(exchange: Exchange): Attributes {
  const { tokens, turn_id, first_byte_ms } = exchange;
  return {
    "gen_ai.provider.name": providerName(exchange.provider),
    "gen_ai.agent.id": exchange.agent,
    // A program with an API key has no conversation here.
    ...(exchange.key_id === undefined
      ? { "gen_ai.conversation.id": exchange.session_id }
      : { "sallyport.key_id": exchange.key_id }),
    "gen_ai.request.stream": exchange.stream,
    "gen_ai.usage.input_tokens": inputTokens(tokens),
    "gen_ai.usage.output_tokens": tokens.output,
    "gen_ai.usage.cache_read.input_tokens": tokens.cache_read,
    "gen_ai.usage.cache_creation.input_tokens": tokens.cache_write + tokens.cache_write_1h,
    "gen_ai.usage.reasoning.output_tokens": tokens.reasoning,
    ...(first_byte_ms === undefined ? {} : { "gen_ai.response.time_to_first_chunk": first_byte_ms / 1e3 }),
    ...serverAttributes(exchange),
    "http.response.status_code": exchange.status,
    "sallyport.engine": exchange.engine,
    "sallyport.provider": exchange.provider,
    ...(turn_id === undefined ? {} : { "sallyport.turn_id": turn_id }),
    "sallyport.request_id": exchange.id,
    "sallyport.wire": exchange.wire,
    "sallyport.outcome": exchange.outcome,
    "sallyport.attempts": exchange.attempts,
    "sallyport.reserved_microusd": exchange.reserved_microusd,
    "sallyport.cost_microusd": exchange.cost_microusd,
    "sallyport.bound_microusd": exchange.bound_microusd,
  };
}

function serverAttributes({ server }: Exchange): Attributes {
  if (server === undefined) return {};
  return { "server.address": server.address, ...(server.port === undefined ? {} : { "server.port": server.port }) };
}

/** A failure's message may quote anybody: only its kind is recorded. */
function fail(span: Span, kind: string): void {
  span.setAttribute("error.type", kind).setStatus({ code: SpanStatusCode.ERROR });
}

/** The trace of a turn and its first span, derived from its id: known after a restart, and after its end. */
function idsOf(turn_id: string): SpanContext {
  const hash = createHash("sha256").update(turn_id).digest("hex");
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48), traceFlags: TraceFlags.SAMPLED };
}

/** Milliseconds since the epoch in the spans' format; a bare number could be read as a time since the process began. */
function time(ms: number): HrTime {
  const seconds = Math.floor(ms / 1e3);
  return [seconds, Math.floor((ms - seconds * 1e3) * 1e6)];
}
