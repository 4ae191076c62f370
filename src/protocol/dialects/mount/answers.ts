import { z } from "zod";
import { effectsOf, filesOf } from "../../sessions/approval-words.ts";
import type { Approval } from "../../sessions/approvals.ts";
import { Autonomy } from "../../access/policy.ts";
import { ToolConfigs } from "../../access/tool-config.ts";
import { ProviderStatus } from "../../models/providers.ts";
import { ForkedFrom, Status } from "../../sessions/sessions.ts";
import { NetworkMode, SandboxKind } from "../../sessions/walls.ts";
import { ClaudeCreated, ClaudeUsage } from "./types.ts";

/** What document 003's files contain, beyond types.ts. All money is micro-USD. */

const count = z.number().int().nonnegative();

export const ClaudeResponse = z.object({
  session_id: z.string(),
  status: Status,
  response: z.string().nullable(),
  usage: ClaudeUsage,
  cost_usd: count,
  /** The part of `cost_usd` that is a bound, not measured; absent: none. */
  bound_usd: count.optional(),
  reserved_usd: count,
  provider_id: z.string(),
  model: z.string(),
  tunnel_endpoint: z.string().nullable(),
});
export type ClaudeResponse = z.infer<typeof ClaudeResponse>;

/** What a person sees of a question besides its call. */
const QuestionDetails = z.object({
  requested_at: z.string(),
  /** The approval's id and what an answer is bound to. */
  request_id: z.string(),
  input_hash: z.string(),
  reason: z.string(),
  warnings: z.array(z.string()).readonly(),
  /** Side effects beyond the text, such as a link that is written through. */
  effects: z.array(z.string()).readonly(),
  /** Of a file change; empty for anything else. */
  diff: z.string(),
  /** Why it can only be rejected; absent: it can be approved. */
  not_approvable: z.string().optional(),
  /** The question that this one replaces: what that one showed had changed. */
  replaces: z.string().optional(),
  expires_at: z.string().optional(),
});

/** The flat status: the fields of a state stand beside its name. */
export const ClaudeSessionStatus = z.object({
  session_id: z.string(),
  status: Status,
  /** With `pending_approval`: when it was asked; otherwise when the session last changed. */
  since: z.string(),
  /** With `ready`. */
  created_at: z.string().optional(),
  /** With `creating`, `working` and `pending_approval`: when that began. */
  started_at: z.string().optional(),
  /** With `working`: the call that runs, or null. */
  current_tool: z.string().nullable().optional(),
  /** With `idle`; absent: nothing has been answered yet. */
  last_response_at: z.string().optional(),
  /** Of a failed session, or of the last turn if that failed. */
  error: z.string().optional(),
  /** With `failed`. */
  at: z.string().optional(),
  /** With `pending_approval`: the oldest question. */
  tool: z.string().optional(),
  params: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  ...QuestionDetails.partial().shape,
  /** How many questions wait. */
  pending: count.optional(),
  /** How many prompts wait behind the open turn. */
  queued: count.optional(),
  /** With `complete`: the session's result. */
  ...ClaudeResponse.omit({ session_id: true, status: true }).partial().shape,
});
export type ClaudeSessionStatus = z.infer<typeof ClaudeSessionStatus>;

export const ClaudeContext = z.object({
  session_id: z.string(),
  latest_response: z.string().nullable(),
  title: z.string(),
  turns: count,
  /** The texts of prompts that wait. */
  queued: z.array(z.string()).readonly(),
  engine: z.string(),
  provider_id: z.string(),
  model: z.string(),
  workspace: z.string(),
  autonomy: Autonomy,
  profile: z.string(),
  tools: z.array(z.string()).readonly().optional(),
  tool_config: ToolConfigs.optional(),
  max_context_tokens: count.optional(),
  forked_from: ForkedFrom.optional(),
  created_at: z.string(),
  usage: ClaudeUsage,
});
export type ClaudeContext = z.infer<typeof ClaudeContext>;

export const ClaudeSessionUsage = ClaudeUsage.extend({
  session_id: z.string(),
  cost_usd: count,
  /** The part of `cost_usd` that is a bound, not measured; absent: none. */
  bound_usd: count.optional(),
  reserved_usd: count,
  /** Both absent: no limit of its own. */
  limit_usd: count.optional(),
  remaining_usd: count.optional(),
  usage: ClaudeUsage,
});
export type ClaudeSessionUsage = z.infer<typeof ClaudeSessionUsage>;

/** A tool call that waits for a person. */
export const PendingToolInfo = z.object({
  tool_use_id: z.string(),
  tool: z.string(),
  params: z.unknown(),
  ...QuestionDetails.shape,
});
export type PendingToolInfo = z.infer<typeof PendingToolInfo>;

/** The whole question. */
export function pendingToolInfo(approval: Approval): PendingToolInfo {
  return {
    tool_use_id: approval.tool_use_id,
    tool: approval.tool,
    params: approval.input,
    requested_at: approval.created_at,
    request_id: approval.id,
    input_hash: approval.input_hash,
    reason: approval.reason,
    warnings: approval.warnings.map(({ message }) => message),
    effects: effectsOf(approval.preview),
    diff: filesOf(approval.preview)
      .map(({ diff }) => diff)
      .join("\n"),
    not_approvable: approval.not_approvable,
    replaces: approval.replaces,
    expires_at: approval.expires_at,
  };
}

/** The answer of `fork`. */
export const ClaudeForked = ClaudeCreated.omit({ status: true });
export type ClaudeForked = z.infer<typeof ClaudeForked>;

const ClaudeBudget = z.object({
  reserved_usd: count,
  spent_usd: count,
  /** Both null: no limit. */
  limit_usd: count.nullable(),
  remaining_usd: count.nullable(),
});
export type ClaudeBudget = z.infer<typeof ClaudeBudget>;

/** The newest open turn and this day, for the caller alone. */
export const ClaudeMountUsage = z.object({ tick: ClaudeBudget, day: ClaudeBudget });
export type ClaudeMountUsage = z.infer<typeof ClaudeMountUsage>;

const ClaudePricing = z.object({
  input_per_1k_microusd: count,
  output_per_1k_microusd: count,
  cache_read_per_1k_microusd: count,
  cache_write_per_1k_microusd: count,
});
export type ClaudePricing = z.infer<typeof ClaudePricing>;

export const ClaudeModel = z.object({
  id: z.string(),
  name: z.string(),
  /** Both null: unknown. */
  context_length: count.nullable(),
  output_limit: count.nullable(),
  pricing: ClaudePricing,
});
export type ClaudeModel = z.infer<typeof ClaudeModel>;

export const ClaudeProvider = z.object({
  id: z.string(),
  name: z.string(),
  models: z.array(ClaudeModel).readonly(),
  capabilities: z.record(z.string(), z.boolean()),
  /** Of its default model; null: it has no price. */
  pricing: ClaudePricing.nullable(),
  status: ProviderStatus,
  is_default: z.boolean().optional(),
  default_model: z.string().optional(),
});
export type ClaudeProvider = z.infer<typeof ClaudeProvider>;

export const ClaudeProviderHealth = z.object({ status: ProviderStatus, message: z.string().optional() });
export type ClaudeProviderHealth = z.infer<typeof ClaudeProviderHealth>;

export const ClaudeTunnel = z.object({ id: z.string(), url: z.string(), auth_type: z.string() });
export type ClaudeTunnel = z.infer<typeof ClaudeTunnel>;

export const ClaudeTunnelStatus = z.object({
  tunnel_id: z.string(),
  auth_type: z.string(),
  authorized: z.boolean(),
  /** The key that was proved, hexadecimal. Absent: none was, or the tunnel wants no signature. */
  pubkey: z.string().optional(),
  /** Until when that counts: the end of the challenge that was answered. */
  challenge_expires_at: z.string().optional(),
});
export type ClaudeTunnelStatus = z.infer<typeof ClaudeTunnelStatus>;

export const ClaudePoolStatus = z.object({
  total_workers: count,
  idle_workers: count,
  busy_workers: count,
  unhealthy_workers: count,
  max_workers: count,
  waiting_sessions: count,
  engines: z.object({ working: count, idle: count, warm: count, capacity: count }),
});
export type ClaudePoolStatus = z.infer<typeof ClaudePoolStatus>;

export const ClaudeWorkerStatus = z.object({ status: z.enum(["idle", "busy", "unhealthy"]) });
export type ClaudeWorkerStatus = z.infer<typeof ClaudeWorkerStatus>;
export const ClaudeWorkerIsolation = z.object({ isolation: SandboxKind, network: NetworkMode });
export type ClaudeWorkerIsolation = z.infer<typeof ClaudeWorkerIsolation>;
export const ClaudeWorkerSessions = z.object({ sessions: count });
export type ClaudeWorkerSessions = z.infer<typeof ClaudeWorkerSessions>;
/** `requests` are turns; `latency_ms` is the mean time to the first item of an answer, null: there was none. */
export const ClaudeWorkerMetrics = z.object({ requests: count, latency_ms: count.nullable(), errors: count });
export type ClaudeWorkerMetrics = z.infer<typeof ClaudeWorkerMetrics>;

/** `errors` and `blocked` only if the caller may see everybody's. */
export const ClaudePoolMetrics = z.object({ total_requests: count, errors: count.optional() });
export type ClaudePoolMetrics = z.infer<typeof ClaudePoolMetrics>;
export const ClaudeProxyMetrics = z.object({ requests: count, blocked: count.optional() });
export type ClaudeProxyMetrics = z.infer<typeof ClaudeProxyMetrics>;
export const ClaudeProxyStatus = z.object({
  status: z.literal("healthy"),
  providers: z.record(z.string(), ProviderStatus),
});
export type ClaudeProxyStatus = z.infer<typeof ClaudeProxyStatus>;
