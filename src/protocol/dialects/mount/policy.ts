import { z } from "zod";
import { MicroUsd } from "../../models/money.ts";
import { Autonomy, type Profile } from "../../access/policy.ts";
import { NetworkMode, RepoFilterMode } from "../../sessions/walls.ts";

const names = z.array(z.string().min(1).max(500)).max(1_000);

/** The document's modes, and `seatbelt` and `bubblewrap`, which are ours. */
export const IsolationMode = z.enum(["local", "seatbelt", "bubblewrap", "container", "gvisor", "firecracker"]);
export type IsolationMode = z.infer<typeof IsolationMode>;

/** Document 003's policy, as written to `policy` and as a mount has it. Null means absent, except for `max_concurrent`. */
export const ClaudePolicy = z
  .object({
    allowed_providers: names.optional(),
    allowed_models: names.optional(),
    blocked_models: names.optional(),
    /** Empty: all. */
    allowed_tools: names.optional(),
    /** Tools or rules such as `Bash(rm:*)`. */
    blocked_tools: names.optional(),
    /** With `supervised` exactly these are asked. Empty: every file change and every program is. */
    approval_required_tools: names.optional(),
    /** Agents that may answer for sessions that they started; ours, not the document's. Empty: only people answer. */
    approvers: z
      .array(z.enum(["creator", "parent"]))
      .max(2)
      .optional(),
    max_cost_usd_per_tick: MicroUsd.nullable().optional(),
    max_cost_usd_per_day: MicroUsd.nullable().optional(),
    default_max_cost_usd: MicroUsd.nullable().optional(),
    require_max_cost: z.boolean().optional(),
    /** Absent: 3. Null: no limit. */
    max_concurrent: z.number().int().min(1).max(100_000).nullable().optional(),
    max_context_tokens: z.number().int().min(1_000).max(100_000_000).nullable().optional(),
    default_autonomy: Autonomy.optional(),
    require_idempotency: z.boolean().optional(),
    /** Empty: all configured ones. */
    allowed_tunnels: names.optional(),
    isolation_mode: IsolationMode.optional(),
    network_mode: NetworkMode.optional(),
    repo_filter: RepoFilterMode.optional(),
    proxy_allowlist: names.optional(),
  })
  .strict();
export type ClaudePolicy = z.infer<typeof ClaudePolicy>;

export const DEFAULT_MAX_CONCURRENT = 3;

/** The fields of a policy that say where and in what isolation a session runs. */
export const WALLS = ["isolation_mode", "network_mode", "repo_filter", "proxy_allowlist", "allowed_tunnels"] as const;
export type Walls = Pick<ClaudePolicy, (typeof WALLS)[number]>;

/** A profile in document 003's words. `walls`: the isolation in force. */
export function policyOfProfile(profile: Profile, walls: Required<Walls>): Required<ClaudePolicy> {
  return {
    allowed_providers: profile.allowed_providers ?? [],
    allowed_models: profile.allowed_models ?? [],
    blocked_models: profile.blocked_models ?? [],
    allowed_tools: profile.tools ?? [],
    blocked_tools: profile.deny ?? [],
    approval_required_tools: profile.ask ?? [],
    approvers: profile.approvers ?? [],
    max_cost_usd_per_tick: profile.max_cost_microusd_per_tick ?? null,
    max_cost_usd_per_day: profile.max_cost_microusd_per_day ?? null,
    default_max_cost_usd: profile.default_max_cost_microusd ?? null,
    require_max_cost: profile.require_max_cost ?? false,
    max_concurrent: profile.max_concurrent ?? null,
    max_context_tokens: profile.max_context_tokens ?? null,
    default_autonomy: profile.autonomy ?? "supervised",
    require_idempotency: profile.require_idempotency ?? false,
    ...walls,
  };
}

/** A profile in which everything that the policy mentions is replaced, and everything else kept. */
export function profileOfPolicy(policy: ClaudePolicy, base: Profile = {}): Profile {
  const {
    tools: _tools,
    deny: _deny,
    ask: asked = [],
    ask_only_listed: wasOnlyListed,
    approvers: _approvers,
    autonomy: _autonomy,
    allowed_providers: _providers,
    allowed_models: _models,
    blocked_models: _blocked,
    max_cost_microusd_per_tick: _tick,
    max_cost_microusd_per_day: _day,
    default_max_cost_microusd: _cost,
    require_max_cost: _require,
    max_concurrent: _concurrent,
    max_context_tokens: _context,
    require_idempotency: _idempotency,
    ...kept
  } = base;
  const { approval_required_tools: required = [] } = policy;
  // Writing the policy back as it was read changes nothing.
  const isUnchanged = JSON.stringify(required) === JSON.stringify(asked);
  const onlyListed = isUnchanged ? wasOnlyListed === true : required.length > 0;
  const concurrent = policy.max_concurrent === undefined ? DEFAULT_MAX_CONCURRENT : policy.max_concurrent;
  return {
    ...kept,
    ...list("allowed_providers", policy.allowed_providers),
    ...list("provider_hosts", policy.proxy_allowlist),
    ...list("allowed_models", policy.allowed_models),
    ...list("blocked_models", policy.blocked_models),
    ...list("tools", policy.allowed_tools),
    ...list("deny", policy.blocked_tools),
    ...list("ask", required),
    ...(onlyListed ? { ask_only_listed: true } : {}),
    ...list("approvers", policy.approvers),
    ...given("max_cost_microusd_per_tick", policy.max_cost_usd_per_tick),
    ...given("max_cost_microusd_per_day", policy.max_cost_usd_per_day),
    ...given("default_max_cost_microusd", policy.default_max_cost_usd),
    ...given("max_concurrent", concurrent),
    ...given("max_context_tokens", policy.max_context_tokens),
    ...(policy.require_max_cost === true ? { require_max_cost: true } : {}),
    ...(policy.require_idempotency === true ? { require_idempotency: true } : {}),
    autonomy: policy.default_autonomy ?? "supervised",
  };
}

function list(field: keyof Profile, values: readonly string[] | undefined): Partial<Profile> {
  return values === undefined || values.length === 0 ? {} : { [field]: [...values] };
}

function given(field: keyof Profile, value: number | null | undefined): Partial<Profile> {
  return value === undefined || value === null ? {} : { [field]: value };
}
