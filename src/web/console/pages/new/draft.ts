import {
  CreateSession,
  type Failure,
  type Attachment,
  type Autonomy,
  type ErrorCode,
  type InstructionMode,
  type PermissionMode,
  type ReviewMode,
  type WorkspaceMode,
} from "../../../../protocol/index.ts";
import { parseDollars, writeDollars } from "../../../ui/dollars.ts";
import { t } from "../../../ui/language/t.ts";

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

export type DraftRequest =
  | { readonly session: CreateSession; readonly problems?: undefined }
  | { readonly problems: Problems };

/** The request of a draft, or what to fix first. A template needs no prompt. */
export function requestOf(
  draft: Draft,
  attachments: readonly Attachment[],
  { forTemplate = false } = {},
): DraftRequest {
  const numbers = numbersOf(draft);
  if ("problems" in numbers) return numbers;
  const { tools, prompt } = draft;
  const text = prompt.trim() === "" ? undefined : prompt;
  if (text === undefined && !forTemplate) return { problems: { prompt: t("Describe what the agent should do.") } };
  const parsed = CreateSession.safeParse({
    ...filled({ engine: draft.engine, provider: draft.provider, model: draft.model, workspace: draft.workspace }),
    ...filled({ sandbox: draft.sandbox, network: draft.network, profile: draft.profile, permission_mode: draft.mode }),
    ...filled({ workspace_mode: draft.workspaceMode, instructions: draft.instructions }),
    ...(draft.workspaceMode === "snapshot" ? filled({ repo_filter: draft.repoFilter }) : {}),
    ...(hasOwnFiles(draft) ? filled({ review: draft.review }) : {}),
    ...filled({ autonomy: draft.autonomy, unattended: draft.unattended, system_prompt: draft.systemPrompt }),
    ...numbers.values,
    ...(tools.trim() === "" ? {} : { tools: toolNames(tools) }),
    ...(draft.askReads ? { ask_reads: true } : {}),
    ...(text === undefined ? {} : { prompt: { text, ...(attachments.length === 0 ? {} : { attachments }) } }),
  });
  if (parsed.success) return { session: parsed.data };
  return {
    problems: byField(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }))),
  };
}

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
function byField(issues: readonly Issue[]): Problems {
  const problems: Record<string, string> = {};
  for (const { path, message } of issues) {
    const parts = path.split(".");
    const field = BY_NAME[parts.slice(0, 2).join(".")] ?? BY_NAME[parts[0] ?? ""] ?? "form";
    problems[field] ??= field === "form" ? `${path}: ${message}` : sentence(message);
  }
  return problems;
}

function filled(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]])),
  );
}

function numbersOf(draft: Draft): { readonly values: Readonly<Record<string, number>> } | { problems: Problems } {
  const values: Record<string, number> = {};
  const problems: Record<string, string> = {};
  const whole = [
    ["maxTurns", "max_turns"],
    ["maxTokens", "max_tokens"],
    ["thinkingTokens", "thinking_tokens"],
  ] as const;
  for (const [field, name] of whole) {
    const text = draft[field].trim();
    if (text === "") continue;
    if (/^\d{1,9}$/.test(text)) values[name] = Number(text);
    else problems[field] = t("Enter a whole number.");
  }
  // 0,5 is a half to some and five to others: that must not cost anybody money.
  const budget = parseDollars(draft.budget);
  if (budget !== undefined) values["max_cost_microusd"] = budget;
  else if (draft.budget.trim() !== "")
    problems["budget"] = t("Enter dollars, such as 2 or 0.50, with at most six decimals.");
  return Object.keys(problems).length > 0 ? { problems } : { values };
}
