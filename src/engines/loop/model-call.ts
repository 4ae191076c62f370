import { LIMITS, type ErrorDetail } from "../../protocol/index.ts";
import { thoughtless } from "./blocks.ts";
import {
  CutStream,
  describe,
  judge,
  readAnswer,
  readRefusal,
  readRetryAfter,
  retryDelay,
  StreamFailure,
  toError,
  type ModelFailure,
} from "./failure.ts";
import { modelRequest, originOf, wireOf } from "./request.ts";
import { EventReader } from "./sse.ts";
import type { WireRequest, WireResponse } from "./transport.ts";
import { orAborted, type LoopTurn } from "./turn.ts";
import type { Finish, MessagePart, ModelPrompt, ModelWire } from "./wires/wire.ts";

/** Takes the parts of one attempt. */
export interface Receiver {
  take(parts: readonly MessagePart[]): void;
  /** The attempt died and another one follows. */
  supersede(): void;
}

/** `receiver` has what arrived, complete or not. */
export type CallEnd<Taker> =
  | { readonly end: "finished"; readonly receiver: Taker; readonly finish: Finish }
  | { readonly end: "aborted"; readonly receiver: Taker }
  | { readonly end: "too_long"; readonly receiver: Taker; readonly error: ErrorDetail }
  | { readonly end: "failed"; readonly receiver: Taker; readonly error: ErrorDetail };

const OVER = "over";

type AttemptEnd = { readonly finish: Finish } | { readonly failure: ModelFailure };

/** Calls the model until it answers completely, as often as the limits allow. Every retry is reported as a notice. */
export async function callModel<Taker extends Receiver>(
  turn: LoopTurn,
  prompt: ModelPrompt,
  newReceiver: () => Taker,
  model: string = turn.surroundings.model.name,
): Promise<CallEnd<Taker>> {
  const { wire, request: first, withoutThoughts } = wireCall(turn, prompt, model);
  let request = first;
  const began = turn.host.elapsed();
  let leavings = 0;
  for (let attempt = 1; ; attempt += 1) {
    const receiver = newReceiver();
    const outcome = turn.signal.aborted
      ? undefined
      : await attemptCall(turn, { wire, tools: prompt.tools, request, receiver });
    if (outcome === undefined) return { end: "aborted", receiver };
    if ("finish" in outcome) return { end: "finished", receiver, finish: outcome.finish };
    const { failure } = outcome;
    const judgement = judge(failure);
    const error = toError(failure, attempt);
    if (judgement === "funds") {
      receiver.supersede();
      const funds = await orAborted(turn.host.funds(turn.signal), turn.signal);
      if (funds === undefined) return { end: "aborted", receiver };
      if (!funds.granted)
        return { end: "failed", receiver, error: { code: "budget_exceeded", message: funds.message } };
      attempt -= 1;
      continue;
    }
    if (judgement === "thoughts" && request === first) {
      receiver.supersede();
      request = withoutThoughts();
      turn.notice(`${describe(failure)}; asking again without the earlier thoughts`);
      continue;
    }
    if (judgement === "too_long") return { end: "too_long", receiver, error };
    if (failure.kind === "stream" && failure.left === true) leavings += 1;
    const isLast =
      attempt > LIMITS.modelRetries ||
      leavings > LIMITS.modelLeftRetries ||
      turn.host.elapsed() - began >= LIMITS.modelCallMs;
    if (judgement !== "retry" || isLast) return { end: "failed", receiver, error };
    receiver.supersede();
    const delay = retryDelay(failure, attempt, turn.host.random());
    turn.notice(
      `${describe(failure)}; trying again in ${(delay / 1_000).toFixed(1)} s (${attempt} of ${LIMITS.modelRetries})`,
    );
    await turn.host.sleep(delay, turn.signal);
  }
}

interface WireCall {
  readonly wire: ModelWire;
  readonly request: WireRequest;
  /** The same without what models thought earlier. */
  readonly withoutThoughts: () => WireRequest;
}

function wireCall(turn: LoopTurn, prompt: ModelPrompt, name: string): WireCall {
  const { model, settings, cacheKey } = turn.surroundings;
  const facts = model.facts(name);
  const origin = originOf(facts.api, settings.provider);
  const address = { baseUrl: model.baseUrl, key: model.key, name, facts, origin, cacheKey };
  return {
    wire: wireOf(facts.api),
    request: modelRequest(address, prompt),
    withoutThoughts: () => modelRequest(address, { ...prompt, messages: prompt.messages.map(thoughtless) }),
  };
}

interface Attempt {
  readonly wire: ModelWire;
  readonly tools: ModelPrompt["tools"];
  readonly request: WireRequest;
  readonly receiver: Receiver;
}

/** One attempt. Undefined when the turn was stopped. */
async function attemptCall(turn: LoopTurn, attempt: Attempt): Promise<AttemptEnd | undefined> {
  const { host, signal } = turn;
  const connection = new AbortController();
  const over = new AbortController();
  // Our own abort reason: creating the default error takes longer than the rest of this function.
  const cut = (): void => connection.abort(OVER);
  signal.addEventListener("abort", cut, { once: true });
  let heard = host.elapsed();
  let silent = false;
  void watch(turn, over.signal, () => heard).then((idle) => {
    silent = idle;
    if (idle) cut();
  });
  try {
    const outcome = await converse(turn, {
      ...attempt,
      signal: connection.signal,
      onBytes: () => (heard = host.elapsed()),
    });
    // After a complete answer the connection stays open for the next call.
    if ("finish" in outcome) return outcome;
    if (signal.aborted) return undefined;
    cut();
    return silent
      ? {
          failure: {
            kind: "stream",
            message: `nothing came for ${LIMITS.modelIdleMs / 1_000} s`,
            left: true,
          },
        }
      : outcome;
  } finally {
    over.abort(OVER);
    signal.removeEventListener("abort", cut);
  }
}

/** True when nothing was received for too long; false when the attempt ended before. */
async function watch(turn: LoopTurn, signal: AbortSignal, heard: () => number): Promise<boolean> {
  const { host } = turn;
  while (!signal.aborted) {
    const left = heard() + LIMITS.modelIdleMs - host.elapsed();
    if (left <= 0) return true;
    await host.sleep(left, signal);
  }
  return false;
}

interface ModelExchange extends Attempt {
  readonly signal: AbortSignal;
  readonly onBytes: () => void;
}

async function converse(turn: LoopTurn, exchange: ModelExchange): Promise<AttemptEnd> {
  const { request, signal, onBytes } = exchange;
  let response: WireResponse;
  try {
    response = await turn.surroundings.transport.post(request, signal);
  } catch (error) {
    return { failure: { kind: "connection", message: errorText(error) } };
  }
  onBytes();
  if (response.status === 200) return listen(response, { ...exchange, turn });
  const text = await response.text().catch(() => "");
  const answer = readAnswer(
    response.status,
    parsed(text),
    readRetryAfter((name) => response.header(name), turn.host.now()),
  );
  return { failure: readRefusal((name) => response.header(name), answer) };
}

async function listen(
  response: WireResponse,
  { turn, wire, tools, receiver, onBytes }: ModelExchange & { readonly turn: LoopTurn },
): Promise<AttemptEnd> {
  const events = new EventReader();
  const message = wire.reader(tools);
  try {
    for await (const chunk of untilCut(response.chunks())) {
      onBytes();
      const parts: MessagePart[] = [];
      try {
        for (const event of events.read(chunk)) parts.push(...message.read(event));
      } finally {
        receiver.take(parts);
      }
      const end = endIn(parts);
      if (end !== undefined) return end;
      await turn.room;
    }
    const late = message.end();
    receiver.take(late);
    const end = endIn(late);
    if (end !== undefined) return end;
  } catch (error) {
    if (!(error instanceof StreamFailure)) throw error;
    return { failure: { kind: "stream", message: error.message, left: !(error instanceof CutStream) } };
  }
  return { failure: { kind: "stream", message: "it ended in the middle" } };
}

function endIn(parts: readonly MessagePart[]): AttemptEnd | undefined {
  const end = parts.find((part) => part.type === "error" || part.type === "finish");
  if (end?.type === "error") return { failure: readAnswer(undefined, end.error) };
  return end?.type === "finish" ? { finish: end } : undefined;
}

/** Once an answer has begun, a lost connection counts as a broken answer. */
async function* untilCut(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    throw new CutStream(errorText(error));
  }
}

function errorText(error: unknown): string {
  const { code, message } = (error instanceof Error ? error : new Error("unknown")) as NodeJS.ErrnoException;
  return message === "" ? (code ?? "no reason given") : message;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: text.trim().slice(0, 500) } };
  }
}
