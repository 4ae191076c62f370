import { ErrorCode, LIMITS, type ErrorDetail } from "../../protocol/index.ts";

/** The answer became invalid or stopped coming. */
export class StreamFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StreamFailure";
  }
}

/** The other side ended the answer before it was complete. */
export class CutStream extends StreamFailure {}

/** How a call of the model went wrong. */
export type ModelFailure =
  /** The provider reported it, before or within the stream. `status` is what its kind of error stands for. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
      /** The model proxy's own reason, if the proxy answered. */
      readonly code?: ErrorCode | undefined;
      /** Who answered, and the name of the refused key; absent: unknown. */
      readonly provider?: string | undefined;
      readonly credential?: string | undefined;
    }
  /** There was no answer at all. */
  | { readonly kind: "connection"; readonly message: string }
  /** The answer was cut off, invalid or silent. */
  | {
      readonly kind: "stream";
      readonly message: string;
      /** We cut it off, because it was silent or invalid: the provider may charge for it all the same. */
      readonly left?: boolean | undefined;
    };

/** `funds`: there is no money for it. `thoughts`: it does not take earlier thoughts back. */
export type RetryDecision = "retry" | "too_long" | "funds" | "thoughts" | "final";

/** The vendors' kinds of errors: one in the middle of a stream has no status. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  // OpenAI's, which are codes.
  invalid_prompt: 400,
  context_length_exceeded: 400,
  invalid_encrypted_content: 400,
  invalid_api_key: 401,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  server_error: 500,
  server_is_overloaded: 503,
};
export function statusOfType(type: unknown): number | undefined {
  return typeof type === "string" && Object.hasOwn(STATUS_OF_TYPE, type) ? STATUS_OF_TYPE[type] : undefined;
}

/** The API has no code of its own for this. */
const TOO_LONG =
  /prompt is too long|exceeds? (?:the )?(?:context|maximum)|context[ _](?:window|length|size)|too many tokens/i;
/** Thoughts that came from another account, or were changed on the way. */
const REFUSED_THOUGHTS = /invalid_encrypted_content|invalid `?signature`? in `?thinking/i;
/** An empty account of OpenAI's, which waiting does not fill. */
const NO_QUOTA = /^insufficient_quota\b/;

/** Reads an error body or an error event. */
export function readAnswer(status: number | undefined, body: unknown, retryAfterMs?: number): ModelFailure {
  const { error = body } = (typeof body === "object" && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const { type, code, message } = (typeof error === "object" && error !== null ? error : {}) as Readonly<
    Record<string, unknown>
  >;
  // OpenAI's code says more than its type, and OpenRouter's is a status.
  const kind = typeof code === "string" ? code : type;
  const told = typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
  const words = typeof message === "string" && message !== "" ? message : "no explanation";
  return {
    kind: "answer",
    status: status ?? told ?? statusOfType(kind) ?? statusOfType(type) ?? 500,
    message: typeof kind === "string" ? `${kind}: ${words}` : words,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** The same, with the model proxy's own headers. */
export function readRefusal(header: (name: string) => string | undefined, answer: ModelFailure): ModelFailure {
  if (answer.kind !== "answer") return answer;
  const code = ErrorCode.safeParse(header("x-sallyport-code"));
  return {
    ...answer,
    ...(code.success ? { code: code.data } : {}),
    provider: header("x-sallyport-provider"),
    credential: header("x-sallyport-credential"),
  };
}

/** Milliseconds that the provider asks to wait; undefined when it does not say. */
export function readRetryAfter(header: (name: string) => string | undefined, now: number): number | undefined {
  const exact = Number(header("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = header("retry-after");
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function judge(failure: ModelFailure): RetryDecision {
  if (failure.kind !== "answer") return "retry";
  const { status, message, retryAfterMs = 0, code } = failure;
  if (code === "budget_exceeded") return "funds";
  if (code === "context_exceeded") return "too_long";
  if (status === 413 || (status === 400 && TOO_LONG.test(message))) return "too_long";
  if (status === 400 && REFUSED_THOUGHTS.test(message)) return "thoughts";
  if (retryAfterMs > LIMITS.modelRetryAfterMs || NO_QUOTA.test(message)) return "final";
  return status === 408 || status === 409 || status === 429 || status >= 500 ? "retry" : "final";
}

/** How long to wait before attempt `attempt + 1` (1, 2, …): full jitter, and never less than the provider asks for. */
export function retryDelay(failure: ModelFailure, attempt: number, random: number): number {
  const ceiling = Math.min(LIMITS.modelRetryCapMs, LIMITS.modelRetryBaseMs * 2 ** (attempt - 1));
  const asked = failure.kind === "answer" ? (failure.retryAfterMs ?? 0) : 0;
  return Math.round(asked + random * ceiling);
}

/** What went wrong, in a few words. */
export function describe(failure: ModelFailure): string {
  switch (failure.kind) {
    case "answer":
      return `the model answered ${failure.status} (${failure.message})`;
    case "connection":
      return `the model could not be reached (${failure.message})`;
    case "stream":
      return `the model's answer broke off (${failure.message})`;
  }
}

/** Which key was refused by whom, and what to do. */
function refusedKey({ status, message, provider, credential }: Extract<ModelFailure, { kind: "answer" }>): string {
  const whose = provider === undefined ? "the provider" : `the provider ${provider}`;
  const key = credential === undefined ? "wants a key" : `refused its key ${credential}`;
  const next =
    credential === undefined
      ? "set one with credential_env, credential_file or credential_command"
      : `set another one in ${credential}, or check what it may do there`;
  const test = provider === undefined ? "" : `; \`sallyport provider test ${provider}\` tries it`;
  return `${whose} ${key} (${status}, ${message}): ${next}${test}`;
}

/** The error of a turn that could not get past this failure after `attempts` calls. */
export function toError(failure: ModelFailure, attempts: number): ErrorDetail {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  if (failure.kind === "stream")
    return { code: "model_stream_cut", message: `${describe(failure)}${tries}; send the prompt again` };
  if (failure.kind === "connection")
    return {
      code: "model_unavailable",
      message: `${describe(failure)}${tries}; check the network and the provider's address`,
    };
  const { status, message, retryAfterMs, code } = failure;
  if (code !== undefined && judge(failure) === "final") return { code, message: message.replace(/^[a-z_]+: /, "") };
  if (status === 401 || status === 403) {
    return { code: "model_unauthenticated", message: refusedKey(failure) };
  }
  const judgement = judge(failure);
  if (judgement === "too_long")
    return {
      code: "context_exceeded",
      message: `the conversation is too long for the model (${message}); start a new session`,
    };
  if (judgement === "final" && !(retryAfterMs !== undefined && retryAfterMs > LIMITS.modelRetryAfterMs))
    return { code: "model_error", message: describe(failure) };
  const wait = retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return { code: "model_unavailable", message: `${describe(failure)}${tries}; try again ${wait}` };
}
