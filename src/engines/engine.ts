import type {
  ErrorCode,
  ErrorDetail,
  Item,
  JournalEvent,
  NewId,
  PostToModel,
  Prompt,
  ProviderWire,
  SessionSettings,
  ToolItem,
  Usage,
} from "../protocol/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { Toolbox } from "../tools/toolbox.ts";

/** What an engine can do, declared; the conformance bench proves it. */
export interface Capabilities {
  readonly streaming: boolean;
  readonly thinking: boolean;
  readonly parallel_tools: boolean;
  readonly edited_input: boolean;
  readonly images: boolean;
  readonly subagents: boolean;
  /** Ends a turn with a value in the form of `output_schema`. */
  readonly structured_output: boolean;
  /** Sub-agents that a session brings with it (`agents`). */
  readonly agents: boolean;
  readonly fork: boolean;
  /** Goes on with a turn that a dead server left open. */
  readonly resume_turn: boolean;
  /** Has a start that can be made ahead of time (`Conversation.warm`). */
  readonly warm: boolean;
}

export interface ConversationOptions {
  readonly session_id: string;
  readonly settings: SessionSettings;
  /** The journal so far, a fork's parents included, oldest first. Read at most once. */
  history(): AsyncIterable<JournalEvent>;
  /** Of a fork: the sessions whose journals it begins with, the nearest first. Empty: it is no fork. */
  readonly ancestry: readonly Ancestor[];
}

/** A session that a fork begins with. */
export interface Ancestor {
  /** What its engine kept; see Host. Only to be read: that session may be at work. */
  readonly folder: string;
  /** The last turn of it that the fork has; absent: none. */
  readonly after_turn?: string | undefined;
}

/** A call that an engine asks about. */
export interface ToolCall {
  /** An item that was started in this turn: the session knows its tool, and refuses any other id. */
  readonly item_id: string;
  /** As the model wrote it. The session's own copy has no secrets. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Resolves when the call can begin: only then it is marked as running. Absent: at once. */
  readonly ready?: Promise<unknown> | undefined;
}

/** `message` is what the model reads. `interrupt`: the person also ended the turn. */
export type Verdict =
  | { readonly effect: "allow"; readonly input: Readonly<Record<string, unknown>> }
  | {
      readonly effect: "deny";
      readonly message: string;
      readonly status: "declined" | "timed_out" | "failed" | "interrupted";
      readonly interrupt: boolean;
    };

/** All that an engine may ask for. */
export interface Host {
  /** The model proxy's address and the session's own key to it: no engine ever sees a provider's. `name` may be another at each turn. */
  readonly model: {
    readonly baseUrl: string;
    readonly key: string;
    readonly name: string;
    /** The proxy without its socket, for an engine that runs in this process; absent: there is only the address. */
    readonly post?: PostToModel | undefined;
  };
  /** Our own tools, already narrowed to what the session may see. */
  readonly toolbox: Toolbox;
  /** For what an engine's own program keeps between turns. The session's own, outside the workspace, hidden from tools; there as long as the session can be forked. Absolute; made when it is missing. */
  readonly folder: string;
  /** Where an engine's own program runs. */
  readonly sandbox: Pick<Sandbox, "open">;
  /** The turn that is open; empty between turns. */
  readonly turnId: () => string;
  readonly newId: NewId;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds since some moment, for durations: does not jump when the wall clock does. */
  readonly elapsed: () => number;
  /** Resolves early when the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Decides on one call. Safe to ask again for the same call after a restart. */
  permit(call: ToolCall, signal: AbortSignal): Promise<Verdict>;
  /** Why the model proxy itself refused the last request. Absent: it did not, and an error was the provider's. */
  refusal(): ErrorCode | undefined;
  /**
   * Asks for more after the proxy refused a request with `budget_exceeded`. Resolves when it may be tried again, or with
   * the reason why not; that may take as long as a person takes.
   */
  funds(
    signal: AbortSignal,
  ): Promise<{ readonly granted: true } | { readonly granted: false; readonly message: string }>;
}

/**
 * What an engine tells. The events of one array are journaled together or not at all. `engine_cost_microusd` is what the
 * vendor's own program thinks that the turn has cost; absent: it does not say. Our own meter decides.
 */
export type EngineEvent =
  | { readonly type: "item.started" | "item.updated" | "item.completed"; readonly item: Item }
  | {
      readonly type: "item.delta";
      readonly item_id: string;
      readonly field: "text" | "output" | "input";
      readonly delta: string;
    }
  /** One model call's usage, as soon as it is known. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Something a person should know that ends nothing, such as a retry. */
  | { readonly type: "notice"; readonly message: string }
  | {
      readonly type: "turn.completed";
      readonly stop_reason: string;
      /** The answer in the form of `output_schema`; absent: it was not asked for. */
      readonly structured_output?: unknown;
      readonly engine_cost_microusd?: number | undefined;
    }
  | { readonly type: "turn.failed"; readonly error: ErrorDetail; readonly engine_cost_microusd?: number | undefined };

/** The one way of a turn's events to its session. */
export interface TurnChannel {
  /** Aborted when the turn shall end. */
  readonly signal: AbortSignal;
  /**
   * When this returns, the session knows the events; what the engine asks next can be about them. Events of a turn that has ended
   * are dropped. Resolves when the session can take more, which a slow disk delays; never rejects.
   */
  tell(events: readonly EngineEvent[]): Promise<void>;
}

/** One conversation with the model. Turns come one at a time. Failures of the outside world are events, not exceptions. */
export interface Conversation {
  /** Tells exactly one `turn.completed` or `turn.failed`, also when the signal is aborted; then resolves. */
  turn(prompt: Prompt, channel: TurnChannel): Promise<void>;
  /** Goes on with the turn that the journal leaves open: `open` are its tool calls without a result. */
  resumeTurn?(open: readonly ToolItem[], channel: TurnChannel): Promise<void>;
  /** Does ahead of the first turn what takes time at its start. Rejects when that fails. */
  warm?(): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  readonly id: string;
  readonly capabilities: Capabilities;
  /** The formats in which it asks models, in order of preference. */
  readonly wires: readonly ProviderWire[];
  /** Why it cannot be used on this machine, with what to do; undefined: it can. Absent: it always can. */
  missing?(): string | undefined;
  open(opening: ConversationOptions, host: Host): Promise<Conversation>;
}
