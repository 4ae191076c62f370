import type {
  ErrorDetail,
  Item,
  JournalEvent,
  NewId,
  Prompt,
  SessionSettings,
  ToolItem,
  Usage,
} from "../protocol/index.ts";
import type { Toolbox } from "../tools/toolbox.ts";

/** What an engine can do, declared; the conformance bench proves it. */
export interface Capabilities {
  readonly streaming: boolean;
  readonly thinking: boolean;
  readonly parallel_tools: boolean;
  readonly edited_input: boolean;
  readonly images: boolean;
  readonly subagents: boolean;
  readonly fork: boolean;
  /** Goes on with a turn that a dead server left open. */
  readonly resume_turn: boolean;
}

export interface Opening {
  readonly session_id: string;
  readonly settings: SessionSettings;
  /** The journal so far, a fork's parents included, oldest first. Read at most once. */
  history(): AsyncIterable<JournalEvent>;
}

export interface ToolCall {
  readonly item_id: string;
  readonly tool: string;
  readonly tool_use_id: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `message` is what the model reads. `interrupt`: the person also ended the turn. */
export type Verdict =
  | { readonly effect: "allow"; readonly input: Readonly<Record<string, unknown>> }
  | {
      readonly effect: "deny";
      readonly message: string;
      readonly status: "declined" | "failed" | "interrupted";
      readonly interrupt: boolean;
    };

/** All that an engine may ask for. */
export interface Host {
  readonly model: { readonly baseUrl: string; readonly key: string; readonly name: string };
  /** Our own tools, already narrowed to what the session may see. */
  readonly toolbox: Toolbox;
  readonly newId: NewId;
  readonly now: () => number;
  /** Resolves early when the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Decides on one call whose item was started, when that is on the disk. Safe to ask again for the same call after a restart. */
  permit(call: ToolCall, signal: AbortSignal): Promise<Verdict>;
}

/** What an engine tells. The events of one array are journaled together or not at all. */
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
  | { readonly type: "turn.completed"; readonly stop_reason: string }
  | { readonly type: "turn.failed"; readonly error: ErrorDetail };

/** One conversation with the model. Turns come one at a time. Failures of the outside world are events, not exceptions. */
export interface Conversation {
  /** Ends with exactly one `turn.completed` or `turn.failed`, also when the signal is aborted. */
  turn(prompt: Prompt, signal: AbortSignal): AsyncIterable<readonly EngineEvent[]>;
  /** Goes on with the turn that the journal leaves open: `open` are its tool calls without a result. */
  resumeTurn?(open: readonly ToolItem[], signal: AbortSignal): AsyncIterable<readonly EngineEvent[]>;
  close(): Promise<void>;
}

export interface Engine {
  readonly id: string;
  readonly capabilities: Capabilities;
  open(opening: Opening, host: Host): Promise<Conversation>;
}
