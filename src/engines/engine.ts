import type {
  ClaudeUsage,
  ErrorCode,
  ErrorDetail,
  Failure,
  Item,
  JournalEvent,
  LoginProgram,
  ModelApi,
  NewId,
  PostToModel,
  Prompt,
  ProviderWire,
  SessionSettings,
  ToolItem,
  Usage,
} from "../protocol/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { Toolbox } from "../tools/toolbox.ts";

/** What an engine declares that it can do; the conformance suite proves it. */
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
  /** Continues a turn that a dead server left open. */
  readonly resume_turn: boolean;
  /** Gives the model what people send into a running turn (`TurnChannel.steered`). */
  readonly steer: boolean;
  /** Can be started ahead of time (`Conversation.warm`). */
  readonly warm: boolean;
}

export interface ConversationOptions {
  readonly session_id: string;
  readonly settings: SessionSettings;
  /** The journal so far, including a fork's parents, oldest first. Read at most once. */
  history(): AsyncIterable<JournalEvent>;
  /** The sessions whose journals a fork begins with, the nearest first. Empty: not a fork. */
  readonly ancestry: readonly Ancestor[];
}

/** A session that a fork begins with. */
export interface Ancestor {
  /** What its engine stored; see Host. Read-only: that session may be running. */
  readonly folder: string;
  /** Its last turn that the fork includes; absent: none. */
  readonly after_turn?: string | undefined;
}

/** A call that an engine asks about. */
export interface ToolCall {
  /** An item that was started in this turn. The session knows its tool, and refuses any other id. */
  readonly item_id: string;
  /** As the model wrote it. The session's own copy has no secrets. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Resolves when the call can begin: only then is it marked as running. Absent: at once. */
  readonly ready?: Promise<unknown> | undefined;
  /** The engine's program runs it itself, so what is proven only for our own tools does not count. Absent: our tools run it. */
  readonly foreign?: true | undefined;
  /** The engine knows that it has not begun, whatever the journal says: its program was never told that it may. */
  readonly notRun?: true | undefined;
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

/** What an engine must know about a model before it asks it. */
export interface ModelFacts {
  /** The API by which it is asked. */
  readonly api: ModelApi;
  /** The most tokens of a request and its answer together. Absent: unknown. */
  readonly contextTokens?: number | undefined;
  /** The most tokens of one answer. Absent: unknown. */
  readonly outputTokens?: number | undefined;
}

/** A model request of the session that has ended, as the model proxy saw it. */
export interface MeteredRequest {
  /** The status that the program got; 0: it had disconnected. */
  readonly status: number;
  /** Whether the whole answer came. */
  readonly completed: boolean;
  /** Why the proxy itself refused it. Absent: it did not. */
  readonly refusal?: ErrorCode | undefined;
  /** What the model reported. */
  readonly usage: Usage;
}

/** Money for one turn that another machine runs, within that amount. Ends once. */
export interface TurnMoney {
  /** Micro-USD. */
  readonly amount: number;
  /** `cost_microusd` absent: the price of the model counts. */
  settle(report: { readonly usage?: ClaudeUsage | undefined; readonly cost_microusd?: number | undefined }): void;
  /** The cost is unknown: all of the reservation counts. */
  settleAll(): void;
  /** Nothing was sent. */
  release(): void;
}

/** All that an engine may ask for. */
export interface Host {
  /** The model proxy's address and the session's own key to it: engines never see a provider's key. `name` may change at each turn. */
  readonly model: {
    readonly baseUrl: string;
    /** The same over plain HTTP, for a program that cannot use a socket. Absent: `baseUrl` is HTTP already. */
    readonly httpUrl?: string | undefined;
    readonly key: string;
    readonly name: string;
    /** What is known about a model of the session's provider. */
    facts(name: string): ModelFacts;
    /** The proxy without its socket, for an engine in this process; absent: use the address. */
    readonly post?: PostToModel | undefined;
  };
  /** Our own tools, already narrowed to what the session may see. */
  readonly toolbox: Toolbox;
  /** For what an engine's own program stores between turns. The session's own, outside the workspace, hidden from tools; kept as long as the session can be forked. Absolute; created if missing. */
  readonly folder: string;
  /** Where an engine's own program runs. */
  readonly sandbox: Pick<Sandbox, "kind" | "open" | "holds" | "takeUp">;
  /** The open turn; empty between turns. */
  readonly turnId: () => string;
  readonly newId: NewId;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, for durations. */
  readonly elapsed: () => number;
  /** Resolves early when the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Journals what the engine's own program calls the conversation, so that a person finds it there. Absent: nobody asks. */
  readonly identify?: ((engine_session_id: string) => void) | undefined;
  /** Decides on one call. May be called again for the same call after a restart. */
  permit(call: ToolCall, signal: AbortSignal): Promise<Verdict>;
  /**
   * For an engine whose program runs a tool itself that reads or writes files: the instructions in folders there that its agent does not
   * know yet. Empty: none. Absent: nobody has any. Our own tools say it with their results.
   */
  nested?(work: { readonly agent: string; readonly paths: readonly string[] }): Promise<string>;
  /** Why the model proxy itself refused the last request. Absent: it did not, and an error was the provider's. */
  refusal(): ErrorCode | undefined;
  /** Whether a model request of the session is under way. Absent: nobody knows. */
  isAsking?(): boolean;
  /** Reports each model request when it has ended, before its caller has all of the answer. Call the result to stop. Absent: requests are not metered. */
  onRequest?(listener: (request: MeteredRequest) => void): () => void;
  /**
   * For an engine whose turns another machine runs: the most that a turn may cost there, reserved before it is sent. A refusal's code says
   * why; after `budget_exceeded` see `funds`. Absent: nothing is metered.
   */
  reserveTurn?(signal: AbortSignal): Promise<TurnMoney | ErrorDetail>;
  /**
   * Asks for more money after the proxy refused a request with `budget_exceeded`. Resolves when it may be retried, or
   * with the reason for a refusal; a person may take long.
   */
  funds(
    signal: AbortSignal,
  ): Promise<{ readonly granted: true } | { readonly granted: false; readonly message: string }>;
}

/**
 * What an engine reports. The events of one array are journaled together or not at all. `engine_cost_microusd` is the
 * turn's cost as the vendor's own program sees it; absent: unknown. Our own meter decides.
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
      /** The answer in the form of `output_schema`; absent: none was requested. */
      readonly structured_output?: unknown;
      readonly engine_cost_microusd?: number | undefined;
    }
  | { readonly type: "turn.failed"; readonly error: ErrorDetail; readonly engine_cost_microusd?: number | undefined };

/** The reason of a turn's signal when the server stops: the next server continues the turn. */
export const SERVER_STOPS = "the server stops";

/** A prompt that a person sent into a running turn. `id`: unique, and the same after a restart. */
export interface SteeredPrompt {
  readonly id: string;
  readonly prompt: Prompt;
}

/** The only path of a turn's events to its session. */
export interface TurnChannel {
  /** Aborted when the turn must end. */
  readonly signal: AbortSignal;
  /**
   * When this returns, the session knows the events; the engine's next question can refer to them. Events of a turn that has
   * ended are dropped. Resolves when the session can take more, which a slow disk delays; never rejects.
   */
  tell(events: readonly EngineEvent[]): Promise<void>;
  /**
   * What people sent into the turn since the last call, oldest first. Call it where the model is certain to be asked again. The journal
   * has each as part of the turn before this resolves, so the model must get it, also after a restart. Never rejects. Absent: nobody can.
   */
  steered?(): Promise<readonly SteeredPrompt[]>;
}

/** One conversation with the model. Turns come one at a time. Failures of the outside world are events, not exceptions. */
export interface Conversation {
  /** Reports exactly one `turn.completed` or `turn.failed`, even when the signal is aborted; then resolves. */
  turn(prompt: Prompt, channel: TurnChannel): Promise<void>;
  /** Continues the turn that the journal leaves open: `open` are its tool calls without a result. */
  resumeTurn?(open: readonly ToolItem[], channel: TurnChannel): Promise<void>;
  /** Does the slow part of the first turn's start ahead of time. Rejects when that fails. */
  warm?(): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  readonly id: string;
  readonly capabilities: Capabilities;
  /** The formats in which it talks to models, in order of preference. */
  readonly wires: readonly ProviderWire[];
  /** The only APIs of these formats that it can ask. Absent: all. */
  readonly apis?: readonly ModelApi[];
  /** `none`: it asks no agent that instructions of a workspace are for. Absent: they are part of its system prompt, as `settings` has it. */
  readonly instructions?: "none" | undefined;
  /** The program whose login a person may have for it (`own_login` of a provider). Absent: it uses no login. */
  readonly login?: LoginProgram | undefined;
  /** Why it cannot be used on this machine, with what to do; undefined: it can. Absent: it always can. */
  missing?(): string | undefined;
  /** Files and folders that its program consists of: a sandbox shows them. Absent: it starts none. */
  files?(): readonly string[];
  /**
   * Tools that its program runs itself and has no name of ours for: a person can be asked about them, nobody else runs them. Absent:
   * none.
   */
  ownTools?(): readonly AnyTool[];
  /** Its model requests pass by the proxy, so nothing is known of their cost: policy must allow it. Absent: none does. */
  readonly unmetered?: true | undefined;
  /**
   * Why its sessions cannot have a provider; undefined: they can. An engine that has this keeps its provider: `failover` does not move it.
   * Absent: any provider whose format it speaks.
   */
  refusesProvider?(provider: string): Failure | undefined;
  /** Folders in a session's own that its program writes; the rest of it is ours alone. Absent: none. */
  folders?(folder: string): readonly string[];
  open(opening: ConversationOptions, host: Host): Promise<Conversation>;
}
