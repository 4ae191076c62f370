/** The parts of a Messages request that the scripted model looks at, read once by `request.ts`. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Fields }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly text: string; readonly is_error: boolean }
  /** Pictures, documents and whatever else is let through unread. */
  | { readonly type: "other"; readonly of: string };

export type Fields = Readonly<Record<string, unknown>>;

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

export interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export interface ModelRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  /** Names of the tools that were offered. */
  readonly tools: ReadonlySet<string>;
  /** Neighbours of the same role are one message, as in the real API. */
  readonly messages: readonly Message[];
  /** Hex; the same for the same conversation. */
  readonly digest: string;
  readonly usage: Usage;
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function errorType(status: number): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** An answer that is an error body. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, message: string, type = errorType(status)) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.type = type;
  }
}

/** One thing that a reply does, in order. */
export type Act =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "think"; readonly text: string }
  | { readonly do: "tokens"; readonly count: number; /** 0: as fast as possible. */ readonly perSecond: number }
  /** `cut`: the message ended in the middle of the input. */
  | { readonly do: "tool"; readonly name: string; readonly input: Fields; readonly cut: boolean }
  | { readonly do: "wait"; readonly ms: number }
  | Fault;

/** What goes wrong here, `times` times, before the reply is given whole. */
export type Fault =
  | {
      readonly do: "fail";
      readonly times: number;
      readonly status: number;
      readonly type: string;
      readonly message: string;
      /** Seconds. */
      readonly retryAfter?: number | undefined;
    }
  | { readonly do: "hang_up"; readonly times: number }
  | { readonly do: "garble"; readonly times: number };

export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** One message of the model, before it is put on the wire. */
export interface Reply {
  readonly acts: readonly Act[];
  readonly stopReason: StopReason;
  /** Fields of the reported usage that are not what was counted. */
  readonly usage: Fields;
  /** Pause after each word, in milliseconds. */
  readonly wordMs: number;
}

export function isFault(act: Act): act is Fault {
  return act.do === "fail" || act.do === "hang_up" || act.do === "garble";
}
