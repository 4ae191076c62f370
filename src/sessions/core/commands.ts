import type {
  Approval,
  Autonomy,
  ErrorDetail,
  EventBody,
  ForkedFrom,
  Item,
  LabelSession,
  ModelPlace,
  PermissionMode,
  PrincipalRef,
  Prompt,
  ToolItem,
  Usage,
} from "../../protocol/index.ts";
import type { LoadedInstructions } from "../../instructions/index.ts";
import type { ForeignTurn } from "../exports/imported.ts";
import type { GivenAnswer } from "./state.ts";

/** All commands of a session, from outside and from its own parts. */
export type SessionCommand =
  | { readonly type: "open" }
  | { readonly type: "fork"; readonly from: ForkedFrom }
  /** The conversation of another program, before the session's own first turn. */
  | {
      readonly type: "import";
      readonly source: string;
      readonly turns: readonly ForeignTurn[];
      readonly by: PrincipalRef;
    }
  /** `now`: if a turn is open, it goes into that one. */
  | {
      readonly type: "prompt";
      readonly turn_id: string;
      readonly prompt: Prompt;
      readonly by: PrincipalRef;
      readonly now?: boolean | undefined;
    }
  /** The first prompt of the queue begins; `prompt` is the content of its `turn.queued`. */
  | { readonly type: "dequeue"; readonly turn_id: string; readonly prompt: Prompt; readonly by: PrincipalRef }
  | { readonly type: "progress"; readonly changes: readonly TurnChange[] }
  | ({
      readonly type: "complete";
      readonly changes: readonly TurnChange[];
      readonly stop_reason: string;
      readonly structured_output?: unknown;
    } & EngineCost)
  | ({
      readonly type: "fail";
      readonly changes: readonly TurnChange[];
      readonly error: ErrorDetail;
      /** Who stopped the turn. Absent: nobody did. */
      readonly by?: PrincipalRef | undefined;
    } & EngineCost)
  | { readonly type: "notice"; readonly message: string }
  /** What the workspace says to agents, as it was read for the open turn. */
  | ({ readonly type: "instruct" } & Pick<LoadedInstructions, "files" | "left_out" | "digest">)
  | { readonly type: "ask"; readonly approval: Approval }
  | { readonly type: "answer"; readonly answer: ApprovalAnswer }
  /** A question gets more time. */
  | { readonly type: "extend"; readonly approval_id: string; readonly expires_at: string; readonly by: PrincipalRef }
  /** The title and labels that people give it, also after it has ended. */
  | { readonly type: "label"; readonly label: LabelSession }
  /** A rule that was granted for the session ends. */
  | { readonly type: "revoke"; readonly rule: string }
  /** Nobody has to review this change set. `why`: the reason given to a waiting review of another one. */
  | { readonly type: "reviewed"; readonly revision: string; readonly why: string }
  | { readonly type: "run"; readonly item: ToolItem }
  /** A model request was settled. Micro-USD; `spent` and `reserved` are the session's totals after it. */
  | {
      readonly type: "spend";
      readonly turn_id: string | undefined;
      readonly cost: number;
      /** The part of the cost that is a bound; 0: all of it was measured. */
      readonly bound: number;
      readonly spent: number;
      readonly reserved: number;
      readonly limit: number | undefined;
    }
  /** A person set the session's limit. */
  | { readonly type: "limit"; readonly spent: number; readonly reserved: number; readonly limit: number | undefined }
  | { readonly type: "configure"; readonly change: SettingsChange }
  /** The engine's own program has a name for the conversation. */
  | { readonly type: "identify"; readonly engine_session_id: string }
  | { readonly type: "pause" }
  | { readonly type: "unpause" }
  /** Prompts waiting now begin only after `unpause`. `why`: told in the conversation; absent: a person asked for it. */
  | { readonly type: "hold"; readonly why?: string | undefined }
  /** Removes a prompt from the queue before it begins. */
  | { readonly type: "unqueue"; readonly turn_id: string; readonly by: PrincipalRef }
  /** Another text for a prompt of the queue. */
  | { readonly type: "edit"; readonly turn_id: string; readonly prompt: Prompt; readonly by: PrincipalRef }
  /** All prompts of the queue, in the order in which they are to begin. */
  | { readonly type: "reorder"; readonly order: readonly string[] }
  /** A prompt of the queue goes into the open turn. */
  | { readonly type: "send_now"; readonly turn_id: string }
  /** The engine takes a prompt of the queue into the open turn; `seq`: the event that holds it. */
  | ({ readonly type: "steer"; readonly turn_id: string; readonly seq: number } & Pick<
      Extract<EventBody, { type: "turn.steered" }>,
      "prompt_id" | "prompt" | "by"
    >)
  | { readonly type: "close" }
  /** A restarted server continues what the last one left. */
  | { readonly type: "recover"; readonly resumable: boolean };

/** The settings that changed. If `autonomy` is set, `permission_mode` replaces the mode; absent: no mode. */
export interface SettingsChange {
  readonly model?: string;
  /** Only with `model`: the router chose another place. */
  readonly provider?: string;
  readonly routed_from?: ModelPlace;
  readonly autonomy?: Autonomy;
  readonly permission_mode?: PermissionMode;
  readonly ask_reads?: boolean;
}

/** The turn's cost as the engine's own program reports it; absent: not reported. */
interface EngineCost {
  readonly engine_cost_microusd?: number | undefined;
}

/** What an engine's turn changes. */
export type TurnChange =
  | { readonly type: "item.started" | "item.updated" | "item.completed"; readonly item: Item }
  | { readonly type: "usage"; readonly usage: Usage };

export interface ApprovalAnswer extends GivenAnswer {
  readonly approval_id: string;
  readonly scope?: "once" | "session" | undefined;
  /** With `interrupt`: prompts waiting now begin only after `unpause`. */
  readonly hold_queue?: boolean | undefined;
  readonly granted_rule?: string | undefined;
}
