import type { LimitKind, Price } from "../../../src/protocol/index.ts";
import type { Used } from "./bill.ts";

/** What the provider does with one arrival of a request. `pieces`: so many of the answer are sent before it happens. */
export type Fate =
  | { readonly is: "whole" }
  /** Billed nothing. */
  | { readonly is: "error"; readonly status: number; readonly retryAfter?: number | undefined }
  /** Everything below is billed to its end: the provider had generated it all. */
  | { readonly is: "reset" }
  | { readonly is: "cut" | "stall" | "garbage" | "error_event"; readonly pieces: number }
  | { readonly is: "usage_missing" }
  | { readonly is: "usage_half" };

/** When the caller goes away. */
export type Leaving =
  | { readonly at: "never" }
  /** In the middle of its own request, right behind it, with the answer's first line, or after pieces of it. */
  | { readonly at: "half_sent" | "sent" | "headers" }
  | { readonly at: "pieces"; readonly pieces: number };

export type Api = "messages" | "chat" | "responses";

export interface PlannedRequest {
  readonly id: string;
  readonly session: string;
  readonly api: Api;
  readonly model: string;
  readonly stream: boolean;
  readonly cache: "none" | "5m" | "1h";
  readonly contentBytes: number;
  readonly maxTokens: number;
  /** Asked for at once (`n` of chat completions). */
  readonly answers: number;
  readonly pieces: number;
  /** What the provider will really have used when it has answered whole. */
  readonly used: Used;
  /** One for each arrival; the last one for all that follow. */
  readonly fates: readonly [Fate, ...Fate[]];
  readonly leaving: Leaving;
}

export interface PlannedSession {
  readonly id: string;
  readonly agent: string;
  /** On whose budgets it draws, the nearest first. */
  readonly parents: readonly string[];
  /** Requests of it that run at once. */
  readonly lanes: number;
}

export interface PlannedLimit {
  readonly kind: LimitKind;
  readonly account: string;
  /** Micro-USD. Absent: only counted. */
  readonly limit?: number | undefined;
}

/** From one start of the server to its end. */
export interface Life {
  readonly index: number;
  /** Milliseconds since the epoch: noon of its day. */
  readonly now: number;
  /** In the order in which they are sent; those that a kill left unsent are sent in the next life. */
  readonly requests: readonly PlannedRequest[];
  /** Killed when the provider has got this share of what is to be sent. Absent: it ends by itself, with nothing under way. */
  readonly killAt?: number | undefined;
}

export interface Script {
  readonly prices: Readonly<Record<string, Price>>;
  readonly sessions: readonly PlannedSession[];
  readonly lives: readonly Life[];
  /** Every limit that a request of the session must keep in that life, the nearest first. */
  spendingLimits(session: PlannedSession, life: Life): readonly PlannedLimit[];
}
