import {
  defined,
  Failure,
  NO_USAGE,
  type ErrorDetail,
  type ForkedFrom,
  type Item,
  type Outcome,
  type PlannedChange,
  type PrincipalRef,
  type SessionSettings,
  type SessionView,
  type Status,
  type Usage,
} from "../../protocol/index.ts";
import type { SessionRow } from "../../store/index.ts";
import { UNBOUNDED, type TokenScope } from "../access/token-scope.ts";

export interface GivenAnswer {
  readonly outcome: Outcome;
  readonly by: PrincipalRef;
  readonly feedback?: string | undefined;
  readonly updated_input?: Readonly<Record<string, unknown>> | undefined;
  readonly interrupt?: boolean | undefined;
  /** With `updated_input`: the file change that it makes. */
  readonly planned?: PlannedChange | undefined;
  /** What was shown had changed: another question follows. */
  readonly changed?: true | undefined;
}

/** What a turn must remember of a question about a tool call. Keyed by the call's `tool_use_id`. */
export interface QuestionedCall {
  readonly approval_id: string;
  /** The file change that was shown. Absent: none, or one that cannot be made. */
  readonly planned?: PlannedChange | undefined;
  /** Absent: not answered yet. */
  readonly answer?: GivenAnswer;
}

export interface OpenTurn {
  readonly id: string;
  /** The seq of its `turn.started`. */
  readonly started_seq: number;
  readonly restarts: number;
  readonly usage: Usage;
  readonly cost_microusd: number;
  /** The part of it that is a bound; absent: none. */
  readonly bound_microusd?: number;
  /** The prompt's own limit; absent: none. */
  readonly max_cost_microusd?: number | undefined;
  readonly items: Readonly<Record<string, Item>>;
  readonly asked: Readonly<Record<string, QuestionedCall>>;
  /** Items of tools with effects that began to run: after a crash their outcome is unknown. */
  readonly running: readonly string[];
}

export interface QueuedTurn {
  readonly turn_id: string;
  /** The seq of its `turn.queued`, or of the event that changed it last, which holds the prompt. */
  readonly seq: number;
  readonly text: string;
  readonly by: PrincipalRef;
  /** It waits for `unpause`. */
  readonly held?: true;
  /** It goes into the open turn. */
  readonly now?: true;
}

/** A range of another session's journal that this one begins with. */
export interface Segment {
  readonly session_id: string;
  /** Exclusive and inclusive. */
  readonly after: number;
  readonly upto: number;
}

/** Everything known about a session, folded from its events. */
export interface SessionState {
  readonly id: string;
  readonly settings: SessionSettings;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: PrincipalRef;
  /** What the token that created it may do. */
  readonly token: TokenScope;
  readonly forked_from?: ForkedFrom;
  /** The ancestors' parts of this journal, oldest first; empty unless forked. */
  readonly lineage: readonly Segment[];
  /** The sessions whose budget this one draws on, the oldest first. */
  readonly ancestors: readonly string[];
  readonly status: Status;
  readonly seq: number;
  readonly paused: boolean;
  readonly title: string;
  /** The title that the first prompt gave; absent: it has none, or is older than this field. */
  readonly prompt_title?: string;
  /** Absent: none. */
  readonly tags?: readonly string[];
  readonly archived?: true;
  readonly turn?: OpenTurn;
  readonly turns: number;
  /** A call that could change something began to run. Absent: none did, or a version that did not record it. */
  readonly acted?: true;
  /** The seq of the last terminal event; forks begin there. 0 before the first turn ended. */
  readonly settled_seq: number;
  readonly queue: readonly QueuedTurn[];
  /** Ids of approvals that wait for an answer. */
  readonly pending: readonly string[];
  /** Approvals of the last turn that expired; absent: none. */
  readonly expired?: number;
  /** The ended turn whose changes were not looked for yet. Absent: none, or nobody reviews at the end. */
  readonly review_due?: string;
  /** The review that waits for a person, and the change set that it shows. Absent: none. */
  readonly review?: { readonly approval_id: string; readonly revision: string };
  /** The change set that needs no review any more. Absent: none yet. */
  readonly reviewed?: string;
  readonly grants: readonly string[];
  /** The hash of the workspace's instructions as last journaled. Absent: none were. */
  readonly instructions_digest?: string;
  readonly usage: Usage;
  readonly cost_microusd: number;
  /** The part of it that is a bound; absent: none. */
  readonly bound_microusd?: number;
  /** The limit as last journaled; absent: none. */
  readonly limit_microusd?: number;
  /** What the engine's own program calls the conversation; absent: unknown. A fork gets its own. */
  readonly engine_session_id?: string;
  readonly error?: ErrorDetail;
}

export const QUEUE_TEXT_CHARS = 200;

export function isFinal(status: Status): boolean {
  return status === "complete" || status === "failed";
}

/** The prompt that begins next; absent: the queue is empty, or all are held. */
export function nextInQueue({ queue }: Pick<SessionState, "queue">): QueuedTurn | undefined {
  return queue.find(({ held }) => held === undefined);
}

export interface Birth extends Pick<SessionState, "id" | "settings" | "token" | "lineage" | "ancestors"> {
  readonly at: string;
  readonly by: PrincipalRef;
  /** Inherited from the session it was forked from. Absent: the first prompt sets it. */
  readonly title?: string;
}

export function newState({ id, settings, at, by, token, lineage, ancestors, title = "" }: Birth): SessionState {
  const inherited = lineage.at(-1)?.upto ?? 0;
  return {
    id,
    settings,
    created_at: at,
    updated_at: at,
    created_by: by,
    token,
    lineage,
    ancestors,
    status: "creating",
    seq: inherited,
    paused: false,
    title,
    turns: 0,
    settled_seq: inherited,
    queue: [],
    pending: [],
    grants: [],
    usage: NO_USAGE,
    cost_microusd: 0,
    ...defined({ limit_microusd: settings.max_cost_microusd }),
  };
}

export function view(state: SessionState): SessionView {
  return {
    id: state.id,
    status: state.status,
    settings: state.settings,
    created_at: state.created_at,
    updated_at: state.updated_at,
    created_by: state.created_by,
    ...(state.forked_from === undefined ? {} : { forked_from: state.forked_from }),
    seq: state.seq,
    ...(state.turn === undefined ? {} : { turn_id: state.turn.id }),
    turns: state.turns,
    queue: state.queue.map(({ turn_id, text, by, held, now }) => ({ turn_id, text, by, ...defined({ held, now }) })),
    pending_approvals: [...state.pending],
    ...(state.expired === undefined ? {} : { expired_approvals: state.expired }),
    grants: [...state.grants],
    usage: state.usage,
    cost_microusd: state.cost_microusd,
    ...(state.bound_microusd === undefined ? {} : { bound_microusd: state.bound_microusd }),
    ...(state.limit_microusd === undefined ? {} : { limit_microusd: state.limit_microusd }),
    ...(state.engine_session_id === undefined ? {} : { engine_session_id: state.engine_session_id }),
    ...(state.error === undefined ? {} : { error: state.error }),
    title: state.title,
    ...(state.tags === undefined ? {} : { tags: [...state.tags] }),
    ...(state.archived === undefined ? {} : { archived: state.archived }),
  };
}

/** The row that a commit writes beside the events. Open items are left out: they are in the journal since `started_seq`. */
export function toRow(state: SessionState): SessionRow {
  const kept =
    state.turn === undefined ? state : { ...state, turn: { ...state.turn, items: {}, asked: {}, running: [] } };
  return {
    id: state.id,
    status: state.status,
    seq: state.seq,
    created_at: state.created_at,
    updated_at: state.updated_at,
    created_by: state.created_by.id,
    ...(state.forked_from === undefined
      ? {}
      : { parent_id: state.forked_from.session_id, parent_seq: state.forked_from.seq }),
    unsettled:
      state.turn !== undefined || state.queue.length > 0 || state.pending.length > 0 || state.review_due !== undefined,
    engine: state.settings.engine,
    search: [state.id, state.title, state.settings.workspace, state.created_by.name, ...(state.tags ?? [])]
      .join("\n")
      .toLowerCase(),
    token_parents: state.token.parents.map(({ id }) => ` ${id} `).join(""),
    state: JSON.stringify(kept),
  };
}

/** A session for a list. If its row is damaged, the view says so and holds nothing else. */
export function viewRow(row: SessionRow): SessionView {
  const state = readRow(row);
  return state === undefined ? damagedView(row) : view(state);
}

function damagedView({ id, engine, created_at, updated_at, created_by, seq }: SessionRow): SessionView {
  return {
    id,
    status: "failed",
    settings: {
      engine,
      provider: "",
      model: "",
      workspace: "",
      sandbox: "local",
      profile: "",
      autonomy: "restricted",
      max_turns: 0,
      max_tokens: 0,
      unattended: "deny",
      approval_timeout_ms: 0,
    },
    created_at,
    updated_at,
    created_by: { id: created_by, name: "", role: "viewer" },
    seq,
    turns: 0,
    queue: [],
    pending_approvals: [],
    grants: [],
    usage: NO_USAGE,
    cost_microusd: 0,
    error: damagedFailure(id).toBody().error,
    title: "(damaged)",
  };
}

export function damagedFailure(id: string): Failure {
  return new Failure(
    "store_failed",
    `The row of session ${id} is damaged in the database. Other sessions are not touched. ` +
      "Restore a backup with `sallyport restore <file>`, or delete the session.",
  );
}

/** Undefined: the row is damaged. */
export function readRow(row: SessionRow): SessionState | undefined {
  try {
    const state = fromRow(row);
    // Valid JSON, but not of a session.
    return state.id === row.id && typeof state.settings === "object" ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Trusts the row: only `toRow` writes it. */
export function fromRow(row: SessionRow): SessionState {
  // Rows from before budgets have no ancestors, rows from before token bounds have no token.
  const state = JSON.parse(row.state) as Omit<SessionState, "ancestors" | "token">;
  return { ancestors: [], token: UNBOUNDED, ...state };
}

/** Whether it is a job with one turn. */
export function endsWithTurn({ settings: { job } }: SessionState): boolean {
  return job !== undefined && job.interactive !== true;
}
