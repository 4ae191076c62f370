import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { MicroUsd } from "../../money.ts";
import type { Profile } from "../../policy.ts";
import { ClaudePolicy, profileOfPolicy } from "./policy.ts";

/** What a caller may do below a mount. */
export const AccessLevel = z.enum(["read_only", "read_write", "sign_only", "budgeted", "disabled"]);
export type AccessLevel = z.infer<typeof AccessLevel>;

export const TunnelAuth = z.union([
  z.enum(["none", "nostr"]),
  z.object({ type: z.literal("none") }).strict(),
  z.object({ type: z.literal("nostr"), relay: z.string().min(1).max(2_000).optional() }).strict(),
  z.object({ type: z.literal("psk"), secret_path: z.string().min(1).max(LIMITS.pathChars) }).strict(),
]);

export const TunnelEndpoint = z
  .object({
    id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, "must be a name of letters, digits, _, . and -"),
    url: z.url({ protocol: /^wss?$/, error: "must be an address that begins with wss:// or ws://" }).max(2_000),
    auth: TunnelAuth,
    allowed_agents: z.array(z.string().min(1).max(200)).max(1_000).optional(),
    rate_limit: z
      .object({
        requests_per_minute: z.number().int().min(1),
        tokens_per_minute: z.number().int().min(1),
      })
      .strict()
      .optional(),
  })
  .strict();
export type TunnelEndpoint = z.infer<typeof TunnelEndpoint>;

export const PoolConfig = z
  .object({
    min_workers: z.number().int().min(0).max(10_000),
    max_workers: z.number().int().min(1).max(10_000),
    idle_timeout_secs: z.number().int().min(1).max(86_400),
    /** Of the busy workers. */
    scale_up_threshold: z.number().gt(0).max(1),
  })
  .strict();
export type PoolConfig = z.infer<typeof PoolConfig>;

const MountSetting = z
  .object({
    type: z.literal("claude", { error: "must be claude: there is no other kind of mount" }),
    access: AccessLevel.refine((access) => access === "budgeted", {
      error: "must be budgeted: agents cost money",
    }),
    budget: z
      .object({
        per_tick_usd: MicroUsd.optional(),
        per_day_usd: MicroUsd.optional(),
        approval_threshold_usd: MicroUsd.min(1).optional(),
        /** Who may approve spending above the threshold, by id or name of the principal. Absent: whoever may approve. */
        approvers: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
      })
      .strict()
      .optional(),
    policy: ClaudePolicy.optional(),
    tunnels: z
      .array(TunnelEndpoint)
      .max(LIMITS.mountTunnels)
      .superRefine((tunnels, context) => {
        for (const [index, { id }] of tunnels.entries())
          if (tunnels.findIndex((other) => other.id === id) !== index)
            context.addIssue({ code: "custom", path: [index, "id"], message: "names the same tunnel twice" });
      })
      .optional(),
    pool: PoolConfig.partial()
      .refine(({ min_workers = 0, max_workers = Infinity }) => min_workers <= max_workers, {
        path: ["min_workers"],
        error: "must not be more than max_workers",
      })
      .optional(),
  })
  .strict();
export type MountSetting = z.infer<typeof MountSetting>;

/** `mounts` of `sallyport.yaml`, by path, as document 003 shows it. */
export const MountSettings = z.record(z.string(), MountSetting).superRefine((mounts, context) => {
  const paths = Object.keys(mounts);
  if (paths.length > LIMITS.mounts)
    context.addIssue({ code: "custom", path: [], message: `holds more than ${LIMITS.mounts} mounts` });
  for (const path of paths)
    if (!/^\/claude(-[a-z0-9]+)*$/.test(path))
      context.addIssue({ code: "custom", path: [path], message: "must be /claude, or such as /claude-review" });
});
export type MountSettings = z.infer<typeof MountSettings>;

/** The profile name of sessions made through a mount. */
export function mountProfileName(path: string): string {
  return `mount:${path}`;
}

/** A mount's policy and budget as a profile; if both set a limit, the smaller counts. Absent: it sets neither. */
export function mountProfile({ policy, budget }: MountSetting): Profile | undefined {
  if (policy === undefined && budget === undefined) return undefined;
  const profile = profileOfPolicy(policy ?? {});
  const { per_tick_usd, per_day_usd, approval_threshold_usd, approvers } = budget ?? {};
  return {
    description: "Sessions that are made through the mount.",
    // Agents use mounts.
    for_agents: true,
    ...profile,
    ...least("max_cost_microusd_per_tick", profile.max_cost_microusd_per_tick, per_tick_usd),
    ...least("max_cost_microusd_per_day", profile.max_cost_microusd_per_day, per_day_usd),
    ...(approval_threshold_usd === undefined ? {} : { approval_threshold_microusd: approval_threshold_usd }),
    ...(approvers === undefined ? {} : { budget_approvers: approvers }),
  };
}

/** The profile of `/claude` if neither settings nor policy mention it. */
export const DEFAULT_MOUNT_PROFILE = mountProfileName("/claude");

/** Document 003's figures, micro-USD. */
const DEFAULT_LIMITS = {
  max_cost_microusd_per_tick: 1_000_000,
  max_cost_microusd_per_day: 100_000_000,
  approval_threshold_microusd: 10_000_000,
} as const satisfies Profile;

/** The default profile with the document's limits where it has none: `/claude` always has a budget. */
export function defaultMountProfile(base: Profile): Profile {
  return { ...DEFAULT_LIMITS, ...base, for_agents: true };
}

function least(field: keyof Profile, left: number | undefined, right: number | undefined): Partial<Profile> {
  const values = [left, right].filter((value) => value !== undefined);
  return values.length === 0 ? {} : { [field]: Math.min(...values) };
}
