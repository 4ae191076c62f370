/** The parts of a conversation that the scripted model reads, the same for every wire. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Fields }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly text: string; readonly is_error: boolean }
  /** Images, documents and other blocks pass unread. */
  | { readonly type: "other"; readonly of: string };

export type Fields = Readonly<Record<string, unknown>>;

export interface SimMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly PromptBlock[];
}

/** What a request costs, in tokens; the three do not overlap. */
export interface InputTokens {
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

/** What a request and its answer cost. */
export interface TokenTally extends InputTokens {
  /** Thinking included. */
  readonly output: number;
  readonly thinking: number;
}

export interface SimRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  /** Names of the tools that were offered. */
  readonly tools: ReadonlySet<string>;
  /** Those of them with plain text input. */
  readonly freeform: ReadonlySet<string>;
  readonly messages: readonly SimMessage[];
  /** Hex; the same for the same conversation on the same wire. */
  readonly digest: string;
  readonly tokens: InputTokens;
  /** The most tokens of the answer. Absent: no limit. */
  readonly maxTokens?: number | undefined;
}

/** An answer that is an error body. */
export class ApiError extends Error {
  readonly status: number;
  /** Absent: the vendor's name for this status. */
  readonly type: string | undefined;
  /** What is wrong, in OpenAI's terms: a position in the request and a code. */
  readonly param: string | undefined;
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    more: {
      readonly type?: string | undefined;
      readonly param?: string | undefined;
      readonly code?: string | undefined;
    } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.type = more.type;
    this.param = more.param;
    this.code = more.code;
  }
}

/** One thing that a reply does, in order. */
export type Act =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "think"; readonly text: string }
  | { readonly do: "tokens"; readonly count: number; /** 0: as fast as possible. */ readonly perSecond: number }
  | {
      readonly do: "tool";
      readonly name: string;
      readonly input: Fields;
      /** Characters of the input after which the message was cut. Absent: it was sent whole. */
      readonly cut?: number | undefined;
    }
  | { readonly do: "wait"; readonly ms: number }
  | ScriptedFault;

/** What goes wrong here, `times` times, before the reply succeeds. */
export type ScriptedFault =
  | {
      readonly do: "fail";
      readonly times: number;
      readonly status: number;
      /** Absent: the vendor's name for this status. */
      readonly type?: string | undefined;
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

/** One message of the model, before it is encoded. */
export interface ModelReply {
  readonly acts: readonly Act[];
  readonly stopReason: StopReason;
  /** Reported instead of the counted usage. */
  readonly usage: Partial<TokenTally>;
  /** Pause after each word, in milliseconds. */
  readonly wordMs: number;
}

export function isFault(act: Act): act is ScriptedFault {
  return act.do === "fail" || act.do === "hang_up" || act.do === "garble";
}

/** One piece of the model's message. */
export type ReplyPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  | {
      readonly type: "call";
      readonly name: string;
      /** Empty when it was cut. */
      readonly input: Fields;
      /** The input as text, as far as it was sent. */
      readonly text: string;
      /** `text` is not JSON. */
      readonly freeform: boolean;
    };

/** What happens while a reply is streamed. `index` is the part's position in the message; `text` is its next piece. */
export type Moment =
  | { readonly at: "begin" }
  | { readonly at: "open"; readonly part: ReplyPart; readonly index: number }
  | { readonly at: "piece"; readonly part: ReplyPart; readonly index: number; readonly text: string }
  | { readonly at: "close"; readonly part: ReplyPart; readonly index: number }
  | { readonly at: "end" }
  | { readonly at: "fail"; readonly error: ApiError }
  | { readonly at: "garble" };

/** One reply in the format of one wire. */
export interface Format {
  /** The bytes of a stream for a moment; empty if the wire sends nothing. Must be called in order. */
  encode(moment: Moment): string;
  /** The answer without streaming. */
  whole(): Fields;
}

/** A parsed request. */
export interface ReadRequest {
  readonly request: SimRequest;
  format(reply: ModelReply): Format;
  /** Called with an answer without faults, before it is sent. */
  answered?(answer: Fields): void;
}

/** What the APIs of one vendor have in common. */
export interface Vendor {
  /** The header with the request's id. */
  readonly idHeader: string;
  /** `requestId` is null when the body was never read. */
  errorBody(error: ApiError, requestId: string | null): Fields;
  model(id: string): Fields;
  models(ids: readonly string[]): Fields;
}
