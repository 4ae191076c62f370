import { z } from "zod";
import { defined } from "../../defined.ts";
import { LIMITS } from "../../limits.ts";
import { MicroUsd } from "../../models/money.ts";
import { Autonomy, type Profile } from "../../access/policy.ts";
import { SandboxKind } from "../../sessions/walls.ts";

const names = z.array(z.string().min(1).max(500)).max(1_000);

/** What both say about money and number. Null: no limit. */
const money = {
  max_cost_usd_per_tick: MicroUsd.nullable(),
  max_cost_usd_per_day: MicroUsd.nullable(),
  default_max_cost_usd: MicroUsd.nullable(),
  require_max_cost: z.boolean(),
  require_idempotency: z.boolean(),
  max_concurrent: z.number().int().min(1).max(100_000).nullable(),
};

/** The policy of `/containers`. `min_sandbox` and `default_autonomy` are ours. */
export const ContainerPolicy = z
  .object({
    allow_network: z.boolean(),
    max_execution_time_secs: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.jobTimeMaxMs / 1_000),
    /** Null: what the sandbox has. */
    max_memory_mb: z.number().int().min(LIMITS.jobMemoryLeastMib).max(LIMITS.jobMemoryMaxMib).nullable(),
    min_sandbox: SandboxKind,
    default_autonomy: Autonomy,
    ...money,
  })
  .strict();
export type ContainerPolicy = z.infer<typeof ContainerPolicy>;
/** What an admin writes: the fields that change. */
export const ContainerPolicyChange = ContainerPolicy.partial();

/** The policy of `/compute`. `max_timeout_ms` is ours. */
export const ComputePolicy = z
  .object({
    /** Empty: all. */
    allowed_providers: names,
    allowed_models: names,
    blocked_models: names,
    max_timeout_ms: z.number().int().min(1_000).max(LIMITS.jobTimeMaxMs),
    ...money,
  })
  .strict();
export type ComputePolicy = z.infer<typeof ComputePolicy>;
export const ComputePolicyChange = ComputePolicy.partial();

type MoneyPolicy = Pick<ContainerPolicy, keyof typeof money>;

function moneyOf(profile: Profile): MoneyPolicy {
  return {
    max_cost_usd_per_tick: profile.max_cost_microusd_per_tick ?? null,
    max_cost_usd_per_day: profile.max_cost_microusd_per_day ?? null,
    default_max_cost_usd: profile.default_max_cost_microusd ?? null,
    require_max_cost: profile.require_max_cost ?? false,
    require_idempotency: profile.require_idempotency ?? false,
    max_concurrent: profile.max_concurrent ?? null,
  };
}

/** A profile in the words of `/containers`. */
export function containerPolicyOf(profile: Profile): ContainerPolicy {
  return {
    allow_network: profile.network !== "none",
    max_execution_time_secs: Math.floor((profile.max_job_time_ms ?? LIMITS.jobTimeMaxMs) / 1_000),
    max_memory_mb: profile.max_job_memory_mib ?? null,
    min_sandbox: profile.min_sandbox ?? "local",
    default_autonomy: profile.autonomy ?? "supervised",
    ...moneyOf(profile),
  };
}

/** A profile in the words of `/compute`. */
export function computePolicyOf(profile: Profile): ComputePolicy {
  return {
    allowed_providers: profile.allowed_providers ?? [],
    allowed_models: profile.allowed_models ?? [],
    blocked_models: profile.blocked_models ?? [],
    max_timeout_ms: profile.max_job_time_ms ?? LIMITS.jobTimeMaxMs,
    ...moneyOf(profile),
  };
}

/** The fields that a policy sets of a profile: each one that it names, and no other. Null takes a limit away. */
type ProfileChange = { readonly [Field in keyof Profile]?: Profile[Field] | null };

function changed(profile: Profile, change: ProfileChange): Profile {
  const kept = Object.entries({ ...profile, ...defined(change) }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept);
}

function moneyChange(policy: {
  readonly [Field in keyof MoneyPolicy]?: MoneyPolicy[Field] | undefined;
}): ProfileChange {
  return {
    max_cost_microusd_per_tick: policy.max_cost_usd_per_tick,
    max_cost_microusd_per_day: policy.max_cost_usd_per_day,
    default_max_cost_microusd: policy.default_max_cost_usd,
    require_max_cost: policy.require_max_cost,
    require_idempotency: policy.require_idempotency,
    max_concurrent: policy.max_concurrent,
  };
}

/** A profile with what the policy names of it. */
export function withContainerPolicy(profile: Profile, policy: z.infer<typeof ContainerPolicyChange>): Profile {
  const { allow_network, max_execution_time_secs: seconds, max_memory_mb, min_sandbox, default_autonomy } = policy;
  // A network that another rule chose stays.
  const open = profile.network === "none" ? null : undefined;
  return changed(profile, {
    ...moneyChange(policy),
    network: allow_network === undefined ? undefined : allow_network ? open : "none",
    max_job_time_ms: seconds === undefined ? undefined : seconds * 1_000,
    max_job_memory_mib: max_memory_mb,
    min_sandbox,
    autonomy: default_autonomy,
  });
}

export function withComputePolicy(profile: Profile, policy: z.infer<typeof ComputePolicyChange>): Profile {
  const { allowed_providers, allowed_models, blocked_models, max_timeout_ms } = policy;
  return changed(profile, {
    ...moneyChange(policy),
    allowed_providers,
    allowed_models,
    blocked_models,
    max_job_time_ms: max_timeout_ms,
  });
}
