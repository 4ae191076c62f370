import { STATUSES } from "./statuses.ts";
import { z } from "zod";
import { Prompt, Usage } from "../journal/content.ts";
import { ErrorDetail } from "../errors.ts";
import { ModelPlace } from "../models/failover.ts";
import { InstructionMode } from "./instructions.ts";
import { Job } from "./job-settings.ts";
import { ToolConfigs } from "../access/tool-config.ts";
import { LIMITS } from "../limits.ts";
import { ownLogin } from "../access/logins.ts";
import { McpServers } from "../connections/mcp-servers.ts";
import { MicroUsd } from "../models/money.ts";
import { Autonomy, PermissionMode } from "../access/policy.ts";
import { PrincipalRef } from "../access/principals.ts";
import { NetworkMode, RepoFilterMode, ReviewMode, SandboxChoice, SandboxKind, WorkspaceMode } from "./walls.ts";
import { WorkerId } from "./workers.ts";

export const Status = z.enum(STATUSES);
export type Status = z.infer<typeof Status>;

const metadata = z
  .record(z.string().max(200), z.unknown())
  .refine(
    (value) => JSON.stringify(value).length <= LIMITS.metadataBytes,
    `metadata may hold ${LIMITS.metadataBytes} bytes`,
  );

/** A JSON Schema of type object; mistakes are reported when a session is created. */
const OutputSchema = z
  .record(z.string(), z.unknown())
  .refine(
    (schema) => JSON.stringify(schema).length <= LIMITS.outputSchemaChars,
    `a schema may have ${LIMITS.outputSchemaChars} characters`,
  );

/** A kind of sub-agent that a session's model can give tasks to. */
export const AgentDefinition = z
  .object({
    /** When to use it, for the model that gives tasks. */
    description: z.string().min(1).max(LIMITS.agentDescriptionChars),
    /** What it is told before its task. */
    prompt: z.string().min(1).max(LIMITS.agentPromptChars),
    /** The only tools that it has, from the session's. Absent: the session's. */
    tools: z.array(z.string().min(1).max(200)).max(500).optional(),
    /** Of the session's provider. Absent: the session's. */
    model: z.string().min(1).max(200).optional(),
  })
  .strict();
export type AgentDefinition = z.infer<typeof AgentDefinition>;

const Agents = z
  .record(z.string().regex(/^[A-Za-z][\w-]{0,63}$/, "an agent's name has letters, digits, _ and -"), AgentDefinition)
  .refine((agents) => Object.keys(agents).length <= LIMITS.agents, `there may be ${LIMITS.agents} agents`)
  .refine(
    (agents) => JSON.stringify(agents).length <= LIMITS.agentsChars,
    `all agents together may have ${LIMITS.agentsChars} characters`,
  );

/** What happens when a limit leaves no money: a person is asked, or the turn fails. Absent: a person is asked. */
export const AtBudgetEnd = z.enum(["ask", "fail"]);

/** How a session runs; narrowed by policy when it is created, then fixed except for what `ConfigureSession` changes. */
export const SessionSettings = z.object({
  engine: z.string(),
  provider: z.string(),
  model: z.string(),
  /** What was asked for, where `failover` chose another place. Absent: this one. */
  routed_from: ModelPlace.optional(),
  ...ownLogin,
  /** The folder that the session works in. Absolute, symlinks resolved. */
  workspace: z.string(),
  sandbox: SandboxKind,
  /** Absent: `host`. */
  network: NetworkMode.optional(),
  /** Absent: `direct`. */
  workspace_mode: WorkspaceMode.optional(),
  /** Of a worktree or snapshot: the folder that its changes are for. Absent: `workspace` itself. */
  source: z.string().optional(),
  /** Of a snapshot. Absent: `none`. */
  repo_filter: RepoFilterMode.optional(),
  /** Of a snapshot: how many files of the source are not in it; its changes name them. Absent: none. */
  withheld: z.number().int().optional(),
  /** The only worker that it runs on. Absent: any that fits. */
  worker: WorkerId.optional(),
  /** Absent: `each`. */
  review: ReviewMode.optional(),
  profile: z.string(),
  autonomy: Autonomy,
  permission_mode: PermissionMode.optional(),
  /** The only tools of this session; absent: the profile's. */
  tools: z.array(z.string()).optional(),
  /** What calls of these tools are narrowed to. Absent: nothing. */
  tool_config: ToolConfigs.optional(),
  /** Reads are asked for too (document 001's `auto_approve_safe: false`). */
  ask_reads: z.boolean().optional(),
  system_prompt: z.string().optional(),
  max_turns: z.number().int(),
  max_tokens: z.number().int(),
  thinking_tokens: z.number().int().optional(),
  /** micro-USD; absent: no limit of its own. */
  max_cost_microusd: z.number().int().optional(),
  /** The longest conversation that is sent to the model; absent: the model's maximum. */
  max_context_tokens: z.number().int().optional(),
  /** Each turn ends with a value of this form, in `structured_output`. Absent: with text. */
  output_schema: OutputSchema.optional(),
  /** Sub-agents by their name (`subagent_type`). Absent: the engine's own. */
  agents: Agents.optional(),
  /** Whether the workspace's instructions, skills, commands and agents are loaded. Absent: `auto`. */
  instructions: InstructionMode.optional(),
  /** MCP servers that the session was started with; values of variables and headers are not shown. Absent: none of its own. */
  mcp_servers: McpServers.optional(),
  unattended: z.enum(["deny", "park"]),
  at_budget_end: AtBudgetEnd.optional(),
  approval_timeout_ms: z.number().int(),
  /** It is a job: it ends with its one turn. Absent: it waits for the next prompt. */
  job: Job.optional(),
  metadata: metadata.optional(),
});
export type SessionSettings = z.infer<typeof SessionSettings>;

export const CreateSession = z
  .object({
    engine: z.string().max(100).optional(),
    provider: z.string().max(100).optional(),
    model: z.string().min(1).max(200).optional(),
    workspace: z.string().max(4_096).optional(),
    sandbox: SandboxChoice.optional(),
    network: NetworkMode.optional(),
    workspace_mode: WorkspaceMode.optional(),
    repo_filter: RepoFilterMode.optional(),
    worker: WorkerId.optional(),
    review: ReviewMode.optional(),
    profile: z.string().max(100).optional(),
    system_prompt: z.string().max(200_000).optional(),
    prompt: z.union([Prompt.shape.text.transform((text) => ({ text })), Prompt]).optional(),
    tools: z.array(z.string().min(1).max(200)).max(500).optional(),
    tool_config: ToolConfigs.refine((configs) => Object.keys(configs).length <= 100, "at most 100 tools").optional(),
    autonomy: Autonomy.optional(),
    permission_mode: PermissionMode.optional(),
    ask_reads: z.boolean().optional(),
    max_turns: z.number().int().min(1).max(1_000).optional(),
    max_tokens: z.number().int().min(1).max(1_000_000).optional(),
    thinking_tokens: z.number().int().min(1_024).max(1_000_000).optional(),
    max_cost_microusd: MicroUsd.optional(),
    max_context_tokens: z.number().int().min(1_000).max(100_000_000).optional(),
    /** Draws on this session's budget, and on its parents'. */
    parent_session_id: z.string().max(100).optional(),
    output_schema: OutputSchema.optional(),
    agents: Agents.optional(),
    instructions: InstructionMode.optional(),
    /** MCP servers whose tools the session has, as in `mcpServers` of a `.mcp.json`. */
    mcp_servers: McpServers.optional(),
    unattended: z.enum(["deny", "park"]).optional(),
    at_budget_end: AtBudgetEnd.optional(),
    resume_session_id: z.string().max(100).optional(),
    /** It ends with its one turn, whose prompt comes with it. */
    job: Job.optional(),
    metadata: metadata.optional(),
  })
  .strict();
export type CreateSession = z.infer<typeof CreateSession>;

/** `now`: into the running turn, before the model is asked again. `next`: after it. */
export const PromptTiming = z.enum(["now", "next"]);
export type PromptTiming = z.infer<typeof PromptTiming>;

/** A prompt, and when the model gets it; absent: `next`. If no turn runs, it begins one. */
export const SubmitPrompt = Prompt.extend({ when: PromptTiming.optional() })
  .strict()
  .refine(({ when, max_cost_microusd }) => when !== "now" || max_cost_microusd === undefined, {
    path: ["max_cost_microusd"],
    error: "a prompt for the running turn has no limit of its own: it counts on the limit of that turn",
  });
export type SubmitPrompt = z.infer<typeof SubmitPrompt>;

/** The durable receipt of a prompt: `seq` is the event that holds it. */
export const PromptAccepted = z.object({ turn_id: z.string(), seq: z.number().int(), queued: z.boolean() });
export type PromptAccepted = z.infer<typeof PromptAccepted>;

/** Sets the most that a session may spend, micro-USD. */
export const SetBudget = z.object({ max_cost_microusd: MicroUsd }).strict();
export type SetBudget = z.infer<typeof SetBudget>;

/**
 * Changes how a session runs from now on: `model` from its next turn, the others from its next tool call. A mode alone sets the autonomy as
 * for a new session; an autonomy alone ends the mode.
 */
export const ConfigureSession = z
  .object({
    model: z.string().min(1).max(200).optional(),
    autonomy: Autonomy.optional(),
    permission_mode: PermissionMode.optional(),
    /** Also ask before reads. */
    ask_reads: z.boolean().optional(),
  })
  .strict()
  .refine(
    (change) => Object.keys(change).length > 0,
    "name what to change: model, autonomy, permission_mode or ask_reads",
  );
export type ConfigureSession = z.infer<typeof ConfigureSession>;

/** The models that a session can switch to, its own first. */
export const SessionModels = z.object({ current: z.string(), models: z.array(z.string()) });
export type SessionModels = z.infer<typeof SessionModels>;

export const ForkSession = z.object({ after_turn: z.string().max(100).optional() }).strict();
export type ForkSession = z.infer<typeof ForkSession>;

export const ForkedFrom = z.object({ session_id: z.string(), seq: z.number().int() });
export type ForkedFrom = z.infer<typeof ForkedFrom>;

export const QueuedPrompt = z.object({
  turn_id: z.string(),
  text: z.string(),
  by: PrincipalRef,
  /** Somebody stopped the turn before it: it begins only after `resume`. Absent: it begins in order. */
  held: z.literal(true).optional(),
  /** Somebody sent it into the running turn: the model gets it before it is asked again. Absent: it waits for the end of the turn. */
  now: z.literal(true).optional(),
});

/** A prompt that waits, whole. */
export const QueuedPromptDetail = z.object({ turn_id: z.string(), prompt: Prompt, by: PrincipalRef });
export type QueuedPromptDetail = z.infer<typeof QueuedPromptDetail>;

export const EditPrompt = z.object({ text: Prompt.shape.text }).strict();
export type EditPrompt = z.infer<typeof EditPrompt>;

/** All prompts that wait, by their turns' ids, in the order in which they are to begin. */
export const OrderQueue = z
  .object({ order: z.array(z.string().max(100)).max(LIMITS.queuedPromptsPerSession) })
  .strict();

const Tag = z
  .string()
  .trim()
  .min(1)
  .max(LIMITS.tagChars)
  .regex(/^[^\s,]+$/, "a tag has no blanks and no commas");

/** What people call a session and where they put it. What is absent stays. */
export const LabelSession = z
  .object({
    /** Empty: named by its first prompt again. */
    title: z.string().trim().max(LIMITS.titleChars).optional(),
    tags: z
      .array(Tag)
      .max(LIMITS.tagsPerSession)
      .refine((tags) => new Set(tags).size === tags.length, "each tag may be named once")
      .optional(),
    /** Archived sessions go on, and are left out of the console's lists. */
    archived: z.boolean().optional(),
  })
  .strict()
  .refine((label) => Object.keys(label).length > 0, "name what to change: title, tags or archived");
export type LabelSession = z.infer<typeof LabelSession>;

/** How to end a turn. `hold_queue`: waiting prompts do not begin before `resume`. Absent: the next one begins. */
export const Interrupt = z.object({ hold_queue: z.boolean().optional() }).strict();
export type Interrupt = z.infer<typeof Interrupt>;

/** A session as callers see it. */
export const SessionView = z.object({
  id: z.string(),
  status: Status,
  settings: SessionSettings,
  created_at: z.string(),
  updated_at: z.string(),
  created_by: PrincipalRef,
  forked_from: ForkedFrom.optional(),
  seq: z.number().int(),
  turn_id: z.string().optional(),
  turns: z.number().int(),
  queue: z.array(QueuedPrompt),
  pending_approvals: z.array(z.string()),
  /** Approvals of the last turn that nobody answered in time; absent: none. */
  expired_approvals: z.number().int().optional(),
  /** Rules that people granted for this session. */
  grants: z.array(z.string()),
  usage: Usage,
  cost_microusd: z.number().int(),
  /** The part of `cost_microusd` that is a bound, not measured; absent: none. */
  bound_microusd: z.number().int().positive().optional(),
  /** The limit in force; absent: none of its own. */
  limit_microusd: z.number().int().optional(),
  /** What the engine's own program calls the conversation, such as Claude Code's `session_id`; absent: it has no name there. */
  engine_session_id: z.string().optional(),
  error: ErrorDetail.optional(),
  title: z.string(),
  /** Absent: none. */
  tags: z.array(z.string()).optional(),
  /** Absent: it is not. */
  archived: z.literal(true).optional(),
});
export type SessionView = z.infer<typeof SessionView>;
