import { z } from "zod";

/** How much an agent may do without asking, least first. */
export const Autonomy = z.enum(["read_only", "restricted", "supervised", "full"]);
export type Autonomy = z.infer<typeof Autonomy>;
export const AUTONOMY_ORDER: readonly Autonomy[] = ["read_only", "restricted", "supervised", "full"];

/** Document 001's names and the Agent SDK's, all accepted where a mode is asked for. */
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

/** One named set of rules. Everything absent is inherited from nothing: it means what its comment says. */
export const Profile = z
  .object({
    description: z.string().max(2_000).optional(),
    /** The only tools that exist for the session; globs. Absent: all. */
    tools: names.optional(),
    /** Tools or rules (`Bash(npm run test:*)`, `Edit(src/**)`) that run without a question. */
    allow: names.optional(),
    /** Tools or rules that always ask, even where autonomy would not. */
    ask: names.optional(),
    /** Tools or rules that are refused; wins over everything. */
    deny: names.optional(),
    /** What a session gets when it does not ask for one. Absent: `supervised`. */
    autonomy: Autonomy.optional(),
    /** The most that an operator may ask for; an agent may never ask for more than `autonomy`. Absent: `full`. */
    max_autonomy: Autonomy.optional(),
    /** PreToolUse hooks by name. `guarded` is document 004's command allow-list. Absent: none. */
    hooks: z
      .array(z.enum(["guarded"]))
      .max(10)
      .optional(),
    /** Hosts that WebFetch may reach; globs (`*.example.org`). Absent: none. */
    web_hosts: names.optional(),
    /** Folders beyond the workspace that tools may read. Absolute. Absent: none. */
    extra_read: names.optional(),
    approval_timeout_ms: z.number().int().min(1_000).max(86_400_000).optional(),
    unattended: z.enum(["deny", "park"]).optional(),
    max_turns: z.number().int().min(1).max(1_000).optional(),
  })
  .strict();
export type Profile = z.infer<typeof Profile>;

/** The whole policy: named profiles and the one a session gets when it names none. Owned by admins. */
export const Policy = z
  .object({
    default_profile: z.string().min(1).max(100),
    profiles: z.record(z.string().min(1).max(100), Profile),
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

/** What the pipeline says of one call, and which rule decided. */
export const Ruling = z.object({ effect: Effect, step: PipelineStep, rule: z.string(), why: z.string() });
export type Ruling = z.infer<typeof Ruling>;
