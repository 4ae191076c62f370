import { AUTONOMY_ORDER } from "./autonomy.ts";
import { z } from "zod";
import { InstructionMode } from "../sessions/instructions.ts";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "../models/money.ts";
import {
  NetworkMode,
  RepoFilterMode,
  ReviewMode,
  SandboxChoice,
  SandboxKind,
  WorkspaceMode,
} from "../sessions/walls.ts";

/** How much an agent may do without asking, least first. */
export const Autonomy = z.enum(AUTONOMY_ORDER);
export type Autonomy = z.infer<typeof Autonomy>;

/** The modes of document 001 and the Agent SDK, all accepted wherever a mode is requested. */
export const PermissionMode = z.enum([
  "default",
  "acceptEdits",
  "bypassPermissions",
  "dontAsk",
  "plan",
  "mcpApproval",
  "toolApproval",
  "sdk",
  "mcpProxy",
]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** What document 001's page shows for the three modes a person picks from, in that order. */
export const PERMISSION_MODE_LABELS = {
  bypassPermissions: "Auto Execute",
  sdk: "Review & Approve (SDK)",
  toolApproval: "Review & Approve (CLI)",
} as const satisfies Partial<Record<PermissionMode, string>>;
export const PERMISSION_MODES = [
  "bypassPermissions",
  "sdk",
  "toolApproval",
] as const satisfies readonly PermissionMode[];

const names = z.array(z.string().min(1).max(500)).max(1_000);

/** Settings of a session that a client may be allowed to choose. */
export const ClientChoice = z.enum([
  "profile",
  "engine",
  "provider",
  "model",
  "workspace",
  "system_prompt",
  "max_turns",
  "max_tokens",
  "max_context_tokens",
  "thinking_tokens",
  "output_schema",
  "agents",
]);
export type ClientChoice = z.infer<typeof ClientChoice>;

/** How much in one minute. Absent: no limit. */
export const RateLimit = z
  .object({
    requests_per_minute: z.number().int().min(1).max(1_000_000).optional(),
    tokens_per_minute: z.number().int().min(1).max(10_000_000_000).optional(),
  })
  .strict();
export type RateLimit = z.infer<typeof RateLimit>;

export const BrowserAbility = z.enum(["downloads", "workspace_files", "active_tab"]);
export type BrowserAbility = z.infer<typeof BrowserAbility>;

/** One named set of rules. Absent fields are not inherited: they mean what their comment says. */
export const Profile = z
  .object({
    description: z.string().max(2_000).optional(),
    /** The only tools that exist for the session; globs. Absent: all. */
    tools: names.optional(),
    /** Tools or rules (`Bash(npm run test:*)`, `Edit(src/**)`) that run without a question. */
    allow: names.optional(),
    /** Tools or rules that always ask, whatever the autonomy. */
    ask: names.optional(),
    /**
     * Under `supervised` only what `ask` names is asked; every other call runs within rules, paths and hooks. Absent: file changes and
     * programs are asked too. Without `ask` it has no effect.
     */
    ask_only_listed: z.boolean().optional(),
    /** Tools or rules that are refused; wins over everything. */
    deny: names.optional(),
    /** What a session gets by default. Absent: `supervised`. */
    autonomy: Autonomy.optional(),
    /**
     * The most that an operator may request; others except admins never get more than `autonomy`. Absent: an operator gets `autonomy`, an admin `full`.
     */
    max_autonomy: Autonomy.optional(),
    /** Agents may choose it by name. Absent: no; they always have the default profile. Choosing one's own rules would widen them. */
    for_agents: z.boolean().optional(),
    /** Operators may choose it by name. Absent: only built-in profiles, and only beside the built-in default profile. */
    for_operators: z.boolean().optional(),
    /** What visitors and clients of document 000's socket may choose for a session. Absent: nothing. */
    client_may_choose: z.array(ClientChoice).max(20).optional(),
    /** Tools of the visitor's own page, and AskUserQuestion, whose questions a visitor may answer itself; globs. Absent: none. */
    visitor_may_approve: names.optional(),
    /**
     * Agents that may answer for sessions of this profile besides people, for no more than they may do themselves. `creator`: the
     * principal that started the session. `parent`: the same, for sessions with a `parent_session_id` while that session is open.
     * Absent: only people.
     */
    approvers: z
      .array(z.enum(["creator", "parent"]))
      .max(2)
      .optional(),
    /** PreToolUse hooks by name. `guarded` is document 004's command allow-list. Absent: none. */
    hooks: z
      .array(z.enum(["guarded"]))
      .max(10)
      .optional(),
    /** Hosts that WebFetch may reach; globs (`*.example.org`). Absent: none. */
    web_hosts: names.optional(),
    /**
     * What the browser tools may do beyond pages of the web. `downloads`: files into the workspace's folder `downloads`.
     * `workspace_files`: pages that are files of the workspace, in a sandbox. `active_tab`: a browser that a person has started, outside
     * of every sandbox. Absent: `downloads`.
     */
    browser: z.array(BrowserAbility).max(3).optional(),
    /** Servers of `mcp_servers` in `sallyport.yaml` that its sessions have, by name. Absent: those that every session has. */
    mcp_servers: names.optional(),
    /**
     * Programs that session requests may name as MCP servers: the program and its first arguments, with blanks between
     * (`npx -y @modelcontextprotocol/server-memory`). Absent: only admins may name programs.
     */
    mcp_commands: names.optional(),
    /** Hosts of MCP servers that session requests may name; globs, with a port where that is not the web's. Absent: only admins may name hosts. */
    mcp_hosts: names.optional(),
    /**
     * Whether MCP servers may ask the session's model, at its cost: `allow`, `ask` (a person each time), `off`. Absent: `ask`.
     */
    mcp_sampling: z.enum(["off", "ask", "allow"]).optional(),
    /**
     * Whether a repository's own programs can be used: MCP servers of `.mcp.json` and hooks of `.claude/settings.json`. `ask`: after a
     * person approved exactly them. `off`: never. Absent: `ask`.
     */
    repository_programs: z.enum(["off", "ask"]).optional(),
    /** Folders beyond the workspace that tools may read. Absolute. Absent: none. */
    extra_read: names.optional(),
    /** `off`: what a workspace says to agents is never loaded. Absent: `auto`, and a session may say `off`. */
    instructions: InstructionMode.optional(),
    /** `off`: no parts of the workspace's files are put beside messages of `/ws`. Absent: `auto`. */
    repository_context: InstructionMode.optional(),
    /** Where sessions run that name no sandbox. Absent: `auto`. */
    sandbox: SandboxChoice.optional(),
    /** The weakest sandbox that a session may have. Absent: `local`. */
    min_sandbox: SandboxKind.optional(),
    /** What sessions in a sandbox can reach at most. Absent: `proxy_only`. In `local` only `host` is possible. */
    network: NetworkMode.optional(),
    /** Hosts that programs in a sandbox may reach with `proxy_only`; globs (`*.example.org`). Absent: none. */
    egress_hosts: names.optional(),
    /** For sessions that name none; agents and visitors may name no weaker one (`direct`, `worktree`, `snapshot`, `empty`). Absent: `direct`. */
    workspace_mode: WorkspaceMode.optional(),
    /** What a snapshot leaves out at least. Absent: `standard`. */
    repo_filter: RepoFilterMode.optional(),
    /** For sessions that name none and can have it: `at_end` needs a sandbox and a worktree or snapshot. Absent: `each`. */
    review: ReviewMode.optional(),
    /** What sessions may have. Agents and visitors have `at_end` only if `review` says so. Absent: both. */
    allowed_review: z.array(ReviewMode).min(1).max(2).optional(),
    approval_timeout_ms: z.number().int().min(1_000).max(86_400_000).optional(),
    unattended: z.enum(["deny", "park"]).optional(),
    max_turns: z.number().int().min(1).max(1_000).optional(),
    /** Sessions may have engines that ask models without the model proxy: what they spend is neither known nor limited. Absent: no. */
    allow_unmetered: z.boolean().optional(),
    /** Providers that sessions may use; globs. Absent or empty: all. */
    allowed_providers: names.optional(),
    /** Provider hosts that sessions may reach, without ports; `unix` is a local socket. Globs. Absent or empty: all. */
    provider_hosts: names.optional(),
    /** Models that may be used; globs. Absent or empty: all. */
    allowed_models: names.optional(),
    /** Models that are refused; globs. Overrides `allowed_models`. */
    blocked_models: names.optional(),
    /** Money, all in micro-USD. The most that one session may spend, including its forks and sub-agents. Absent: no limit. */
    max_cost_microusd: MicroUsd.optional(),
    /** For sessions that set no limit of their own. Absent: `max_cost_microusd`. */
    default_max_cost_microusd: MicroUsd.optional(),
    /** A session must set `max_cost_microusd` itself. Absent: no. */
    require_max_cost: z.boolean().optional(),
    /** For one turn. Absent: no limit. */
    max_cost_microusd_per_tick: MicroUsd.optional(),
    /** For one principal in one day (UTC). Absent: no limit. */
    max_cost_microusd_per_day: MicroUsd.optional(),
    /** For one principal, ever. Absent: no limit. */
    max_cost_microusd_per_agent: MicroUsd.optional(),
    /** Each time a turn exceeds a multiple of this, a person is asked. Absent: nobody is. */
    approval_threshold_microusd: MicroUsd.min(1).optional(),
    /** Who may approve money for its sessions, by id or name of the principal. Absent or empty: whoever may approve. */
    budget_approvers: names.optional(),
    /** Sessions of one principal that have not ended. Absent: no limit. */
    max_concurrent: z.number().int().min(1).max(100_000).optional(),
    /** The longest conversation that is sent to a model. Absent: the model's maximum. */
    max_context_tokens: z.number().int().min(1_000).max(100_000_000).optional(),
    /** A session can only be created with an Idempotency-Key. Absent: no. */
    require_idempotency: z.boolean().optional(),
    /** How long a job may run. Absent: `jobTimeMaxMs`. */
    max_job_time_ms: z.number().int().min(1_000).max(LIMITS.jobTimeMaxMs).optional(),
    /** The memory of a job. Absent: what its sandbox has. */
    max_job_memory_mib: z.number().int().min(LIMITS.jobMemoryLeastMib).max(LIMITS.jobMemoryMaxMib).optional(),
    /** Model requests and tokens of one session in a minute. Absent: no limit. */
    session_rate: RateLimit.optional(),
    /** The same for all sessions of one principal. Absent: no limit. */
    agent_rate: RateLimit.optional(),
  })
  .strict();
export type Profile = z.infer<typeof Profile>;

/** The whole policy: named profiles and the one a session gets when it names none. Owned by admins. */
export const Policy = z
  .object({
    default_profile: z.string().min(1).max(100),
    profiles: z.record(z.string().min(1).max(100), Profile),
    /** Limits for everybody together, micro-USD. Absent: none. */
    budget: z
      .object({ per_day_microusd: MicroUsd.optional(), total_microusd: MicroUsd.optional() })
      .strict()
      .optional(),
  })
  .strict();
export type Policy = z.infer<typeof Policy>;

export const PolicyTest = z
  .object({
    profile: z.string().optional(),
    session: z.string().optional(),
    workspace: z.string().optional(),
    autonomy: Autonomy.optional(),
    tool: z.string().min(1).max(200),
    input: z.record(z.string(), z.unknown()),
  })
  .strict();
export type PolicyTest = z.infer<typeof PolicyTest>;

export const Effect = z.enum(["allow", "ask", "deny"]);
export type Effect = z.infer<typeof Effect>;

/** The steps of the pipeline that can decide, in order (DESIGN §7). */
export const PipelineStep = z.enum(["schema", "tool", "policy", "paths", "hooks", "autonomy", "approval", "limits"]);
export type PipelineStep = z.infer<typeof PipelineStep>;

/** The pipeline's ruling on one call, and which rule decided. */
export const Ruling = z.object({ effect: Effect, step: PipelineStep, rule: z.string(), why: z.string() });
export type Ruling = z.infer<typeof Ruling>;
