import { LIMITS, type ErrorDetail } from "../../protocol/index.ts";
import type { Host } from "../engine.ts";
import { describe, judge, readAnswer, readRefusal, readRetryAfter, retryDelay, toError } from "../loop/failure.ts";
import { resolveAddress } from "../loop/request.ts";
import { orAborted } from "../loop/turn.ts";
import { createTransport, inProcess, type Transport, type WireResponse } from "../loop/transport.ts";
import type { ModelFailure } from "../loop/failure.ts";

/** `vectors`: of each text, 32-bit numbers in base64, the least byte first. */
export type Embedded = { readonly vectors: readonly string[] } | { readonly error: ErrorDetail };

interface EmbeddingCall {
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  /** Told to people before another try. */
  readonly notice: (message: string) => void;
}

const ABORTED: ErrorDetail = { code: "aborted", message: "aborted" };

/** Asks the session's model for the vectors of texts, as OpenAI's API has it. */
export async function embedTexts(host: Host, call: EmbeddingCall): Promise<Embedded> {
  const transport = host.model.post === undefined ? createTransport() : inProcess(host.model.post);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await ask(host, transport, call);
    if (call.signal.aborted) return { error: ABORTED };
    if ("vectors" in outcome) return outcome;
    const { failure } = outcome;
    const judgement = judge(failure);
    if (judgement === "funds") {
      const funds = await orAborted(host.funds(call.signal), call.signal);
      if (funds === undefined) return { error: ABORTED };
      if (!funds.granted) return { error: { code: "budget_exceeded", message: funds.message } };
      attempt -= 1;
      continue;
    }
    if (judgement !== "retry" || attempt > LIMITS.modelRetries) return { error: toError(failure, attempt) };
    const delay = retryDelay(failure, attempt, host.random());
    call.notice(`${describe(failure)}; trying again in ${(delay / 1_000).toFixed(1)} s`);
    await host.sleep(delay, call.signal);
  }
}

type EmbeddingAnswer = { readonly vectors: readonly string[] } | { readonly failure: ModelFailure };

async function ask(host: Host, transport: Transport, { texts, signal }: EmbeddingCall): Promise<EmbeddingAnswer> {
  const { baseUrl, key, name } = host.model;
  let response: WireResponse;
  let text = "";
  try {
    response = await transport.post(
      {
        ...resolveAddress(baseUrl, "embeddings"),
        headers: { "content-type": "application/json", "user-agent": "sallyport", authorization: `Bearer ${key}` },
        body: { model: name, input: texts, encoding_format: "base64" },
      },
      signal,
    );
    for await (const chunk of response.chunks()) {
      text += chunk;
      if (text.length > LIMITS.embeddingAnswerChars)
        return { failure: readAnswer(400, { error: { message: "the vectors are too long to keep" } }) };
    }
  } catch (error) {
    return { failure: { kind: "connection", message: error instanceof Error ? error.message : "no answer" } };
  }
  const header = (one: string): string | undefined => response.header(one);
  const answer = parsed(text);
  if (response.status !== 200)
    return {
      failure: readRefusal(header, readAnswer(response.status, answer, readRetryAfter(header, host.now()))),
    };
  const vectors = vectorsIn(answer, texts.length);
  return vectors === undefined
    ? { failure: readAnswer(400, { error: { message: `it answered something else than ${texts.length} vectors` } }) }
    : { vectors };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { message: text.trim().slice(0, 500) } };
  }
}

/** In the order of the texts. Some hosts know no base64. Undefined: these are no vectors of as many texts. */
function vectorsIn(answer: unknown, count: number): readonly string[] | undefined {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const vectors: string[] = [];
  for (const [at, entry] of data.entries()) {
    const { index = at, embedding } = (entry ?? {}) as { readonly index?: unknown; readonly embedding?: unknown };
    const vector = wordOf(embedding);
    if (typeof index !== "number" || vector === undefined || vectors[index] !== undefined) return undefined;
    vectors[index] = vector;
  }
  return Array.from({ length: count }, (_, index) => vectors[index]).every((one) => one !== undefined)
    ? vectors
    : undefined;
}

function wordOf(embedding: unknown): string | undefined {
  if (typeof embedding === "string") {
    const bytes = Buffer.from(embedding, "base64");
    return bytes.length > 0 && bytes.length % 4 === 0 ? bytes.toString("base64") : undefined;
  }
  if (!Array.isArray(embedding) || embedding.length === 0) return undefined;
  if (!embedding.every((part) => typeof part === "number")) return undefined;
  return Buffer.from(Float32Array.from(embedding).buffer).toString("base64");
}
