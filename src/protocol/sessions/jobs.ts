import { z } from "zod";
import { Usage } from "../journal/content.ts";
import { ItemStatus } from "../journal/items.ts";
import { Job } from "./job-settings.ts";
import { LIMITS } from "../limits.ts";
import { PrincipalRef } from "../access/principals.ts";
import { CreateSession } from "./sessions.ts";
import { NetworkMode, SandboxKind, WorkspaceMode } from "./walls.ts";

const { shape } = CreateSession;
const limits = Job.shape;

/** A text for bash, or a program and its arguments, which no shell reads. */
const JobCommand = z.union([
  limits.commands.unwrap().element,
  z.array(z.string().max(LIMITS.commandChars)).min(1).max(LIMITS.jobWords),
]);

/** What every job may say about itself. */
const common = {
  timeout_ms: limits.timeout_ms,
  profile: shape.profile,
  max_cost_microusd: shape.max_cost_microusd,
  parent_session_id: shape.parent_session_id,
  unattended: shape.unattended,
  metadata: shape.metadata,
};

/** Commands for a sandbox. */
export const CreateContainer = z
  .object({
    /** One after the other until one fails. Absent: it is interactive. */
    commands: z.array(JobCommand).min(1).max(LIMITS.jobCommands).optional(),
    /** It stays open until it is stopped, and each prompt is one command. Its limits are those of each command. */
    interactive: limits.interactive,
    workspace: shape.workspace,
    /** Absent: `empty`, unless a workspace is named; then what its profile says. */
    workspace_mode: shape.workspace_mode,
    repo_filter: shape.repo_filter,
    sandbox: shape.sandbox,
    network: shape.network,
    autonomy: shape.autonomy,
    memory_mib: limits.memory_mib,
    max_output_chars: limits.max_output_chars,
    ...common,
  })
  .strict()
  .refine(({ commands, interactive }) => (commands === undefined) === (interactive === true), {
    path: ["commands"],
    error: "send commands, or interactive: true and each command as a prompt",
  });
export type CreateContainer = z.infer<typeof CreateContainer>;

/** One model call. */
export const CreateComputation = z
  .object({
    /** Absent: `texts`. */
    prompt: shape.prompt,
    /** In the place of a prompt: texts whose vectors (embeddings) are asked for. */
    texts: limits.texts,
    /** What was said before the prompt. Absent: nothing. */
    messages: limits.messages,
    system_prompt: shape.system_prompt,
    model: shape.model,
    provider: shape.provider,
    max_tokens: shape.max_tokens,
    thinking_tokens: shape.thinking_tokens,
    /** Absent: `fail`. */
    at_budget_end: shape.at_budget_end,
    ...common,
  })
  .strict()
  .refine(({ prompt, texts }) => (prompt === undefined) !== (texts === undefined), {
    path: ["prompt"],
    error: "send a prompt, or texts whose vectors you want",
  })
  .refine(
    ({ texts, messages, system_prompt, max_tokens, thinking_tokens }) =>
      texts === undefined || [messages, system_prompt, max_tokens, thinking_tokens].every((one) => one === undefined),
    {
      path: ["texts"],
      error: "vectors need no messages, system_prompt, max_tokens or thinking_tokens: leave them out",
    },
  );
export type CreateComputation = z.infer<typeof CreateComputation>;

/**
 * `pending`: it has not begun. `running`: also an interactive job that waits for a command. `waiting`: for a person's answer. `complete`: its commands ran to their end, whatever their exit code, or the model answered. `failed`:
 * it was refused, stopped, ended by a limit, or its server died while a command ran.
 */
export const JobStatus = z.enum(["pending", "running", "waiting", "complete", "failed"]);
export type JobStatus = z.infer<typeof JobStatus>;

/** What became of one command. */
export const CommandResult = z.object({
  /** Of an interactive job: the turn that the prompt with it began. Absent: it is none. */
  turn_id: z.string().optional(),
  command: z.string(),
  status: ItemStatus,
  /** Absent: it did not end by itself. */
  exit_code: z.number().int().optional(),
  /** Both streams, the middle cut out where it is too long. */
  output: z.string(),
  duration_ms: z.number().optional(),
});
export type CommandResult = z.infer<typeof CommandResult>;

const view = {
  /** Its session's: journal, approvals and streams are there. */
  id: z.string(),
  status: JobStatus,
  /** Why it failed. */
  error: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: PrincipalRef,
  pending_approvals: z.array(z.string()),
  cost_microusd: z.number().int(),
};

export const ContainerView = z.object({
  ...view,
  /** Of the last command that ran. Absent: none has ended by itself. */
  exit_code: z.number().int().optional(),
  results: z.array(CommandResult),
  sandbox: SandboxKind,
  network: NetworkMode,
  workspace: z.string(),
  workspace_mode: WorkspaceMode,
});
export type ContainerView = z.infer<typeof ContainerView>;

export const ComputationView = z.object({
  ...view,
  /** The answer. Absent: there is none. */
  text: z.string().optional(),
  /** The vectors of its texts, in their order. Absent: it asked for none, or there are none. */
  embeddings: z.array(z.array(z.number())).optional(),
  stop_reason: z.string().optional(),
  usage: Usage,
  provider: z.string(),
  model: z.string(),
});
export type ComputationView = z.infer<typeof ComputationView>;

/** Where commands run, and where models are asked: the last part of their path. */
export const JobKind = z.enum(["containers", "compute"]);
export type JobKind = z.infer<typeof JobKind>;

export interface JobRequests {
  readonly containers: CreateContainer;
  readonly compute: CreateComputation;
}

export interface JobViews {
  readonly containers: ContainerView;
  readonly compute: ComputationView;
}
