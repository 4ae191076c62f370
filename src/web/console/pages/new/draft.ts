import type {
  CreateSession,
  Failure,
  Autonomy,
  ErrorCode,
  InstructionMode,
  PermissionMode,
  ReviewMode,
  WorkspaceMode,
} from "../../../../protocol/index.ts";
import { writeDollars } from "../../../ui/dollars.ts";

/** The form as a person fills it. An empty text: the server's choice. */
export interface Draft {
  readonly prompt: string;
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  readonly workspace: string;
  readonly sandbox: string;
  readonly network: string;
  readonly workspaceMode: WorkspaceMode | "";
  /** Absent from the form: a filter of one's own, which a template may have. */
  readonly repoFilter: "standard" | "strict" | "";
  /** Only with files of its own. */
  readonly review: ReviewMode | "";
  readonly mode: PermissionMode | "";
  readonly autonomy: Autonomy | "";
  /** Dollars. */
  readonly budget: string;
  readonly profile: string;
  /** Names with commas or spaces between them. */
  readonly tools: string;
  readonly systemPrompt: string;
  readonly instructions: InstructionMode | "";
  readonly maxTurns: string;
  readonly maxTokens: string;
  readonly thinkingTokens: string;
  readonly unattended: "deny" | "park" | "";
  readonly askReads: boolean;
}

export const EMPTY: Draft = {
  prompt: "",
  engine: "",
  provider: "",
  model: "",
  workspace: "",
  sandbox: "",
  network: "",
  workspaceMode: "",
  repoFilter: "",
  review: "",
  mode: "sdk",
  autonomy: "",
  budget: "",
  profile: "",
  tools: "",
  systemPrompt: "",
  instructions: "",
  maxTurns: "",
  maxTokens: "",
  thinkingTokens: "",
  unattended: "",
  askReads: false,
};

/** Mistakes by field; `form`: in the form as a whole. */
export type Problems = Readonly<Partial<Record<keyof Draft | "attachments" | "form", string>>>;

/** Whether its changes wait for a person: only then they can be reviewed at the end. */
export function hasOwnFiles({ workspaceMode }: Pick<Draft, "workspaceMode">): boolean {
  return workspaceMode === "worktree" || workspaceMode === "snapshot";
}

/** The draft of a template or an earlier request. */
export function draftOf(session: CreateSession): Draft {
  const number = (value: number | undefined): string => (value === undefined ? "" : String(value));
  return {
    prompt: session.prompt?.text ?? "",
    engine: session.engine ?? "",
    provider: session.provider ?? "",
    model: session.model ?? "",
    workspace: session.workspace ?? "",
    sandbox: session.sandbox ?? "",
    network: session.network ?? "",
    workspaceMode: session.workspace_mode ?? "",
    repoFilter: session.repo_filter === "standard" || session.repo_filter === "strict" ? session.repo_filter : "",
    review: session.review ?? "",
    mode: session.permission_mode ?? "",
    autonomy: session.autonomy ?? "",
    budget: session.max_cost_microusd === undefined ? "" : writeDollars(session.max_cost_microusd),
    profile: session.profile ?? "",
    tools: session.tools?.join(", ") ?? "",
    systemPrompt: session.system_prompt ?? "",
    instructions: session.instructions ?? "",
    maxTurns: number(session.max_turns),
    maxTokens: number(session.max_tokens),
    thinkingTokens: number(session.thinking_tokens),
    unattended: session.unattended ?? "",
    askReads: session.ask_reads ?? false,
  };
}

export function toolNames(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}

/** The server's refusal at the field that it names, or that its code implies. */
export function problemsOf(error: Failure): Problems {
  const issues = Array.isArray(error.details) ? error.details.filter((one): one is Issue => isIssue(one)) : [];
  if (error.code === "invalid_request" && issues.length > 0) return byField(issues);
  const field = BY_CODE[error.code] ?? "form";
  return { [field]: sentence(error.message) };
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

const BY_NAME: Readonly<Record<string, keyof Draft | "attachments">> = {
  engine: "engine",
  provider: "provider",
  model: "model",
  workspace: "workspace",
  sandbox: "sandbox",
  network: "network",
  workspace_mode: "workspaceMode",
  repo_filter: "repoFilter",
  review: "review",
  profile: "profile",
  system_prompt: "systemPrompt",
  instructions: "instructions",
  prompt: "prompt",
  "prompt.text": "prompt",
  "prompt.attachments": "attachments",
  tools: "tools",
  autonomy: "autonomy",
  permission_mode: "mode",
  max_turns: "maxTurns",
  max_tokens: "maxTokens",
  thinking_tokens: "thinkingTokens",
  max_cost_microusd: "budget",
  unattended: "unattended",
};

const BY_CODE: Readonly<Partial<Record<ErrorCode, keyof Draft | "attachments">>> = {
  workspace_missing: "workspace",
  model_not_allowed: "model",
  model_unpriced: "model",
  provider_not_allowed: "provider",
  wire_unsupported: "provider",
  model_unauthenticated: "provider",
  max_cost_required: "budget",
  budget_exceeded: "budget",
  payload_too_large: "attachments",
};

const isIssue = (value: unknown): value is Issue =>
  typeof value === "object" && value !== null && "path" in value && "message" in value;

/** Refusals begin in lower case, so that a prefix can be added. */
const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The first issue of each field; `tools.3` is about `tools`. */
export function byField(issues: readonly Issue[]): Problems {
  const problems: Record<string, string> = {};
  for (const { path, message } of issues) {
    const parts = path.split(".");
    const field = BY_NAME[parts.slice(0, 2).join(".")] ?? BY_NAME[parts[0] ?? ""] ?? "form";
    problems[field] ??= field === "form" ? `${path}: ${message}` : sentence(message);
  }
  return problems;
}
