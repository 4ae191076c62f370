import { z } from "zod";
import { JobKind } from "../../sessions/jobs.ts";
import { SecretPath, SigningPolicy } from "../../access/identity.ts";
import { LIMITS } from "../../limits.ts";
import { MicroUsd } from "../../models/money.ts";
import type { Profile } from "../../access/policy.ts";
import { PoolSettings } from "../../sessions/workers.ts";
import { ComputePolicyChange, ContainerPolicyChange, withComputePolicy, withContainerPolicy } from "./job-policy.ts";
import { ClaudePolicy, DEFAULT_MAX_CONCURRENT, profileOfPolicy } from "./policy.ts";

/** What a caller may do below a mount. */
export const AccessLevel = z.enum(["read_only", "read_write", "sign_only", "budgeted", "disabled"]);
export type AccessLevel = z.infer<typeof AccessLevel>;

export const TunnelAuth = z.union([
  z.enum(["none", "nostr"]),
  z.object({ type: z.literal("none") }).strict(),
  z.object({ type: z.literal("nostr"), relay: z.string().min(1).max(2_000).optional() }).strict(),
  z.object({ type: z.literal("psk"), secret_path: z.string().min(1).max(LIMITS.pathChars) }).strict(),
]);

export type TunnelAuth = z.infer<typeof TunnelAuth>;

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

/** Whether a host is this machine by its name alone; what DNS says about other names is not asked. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "").toLowerCase();
  return plain === "localhost" || plain === "::1" || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/** What is wrong with a tunnel beyond its form. Undefined: nothing. */
export function tunnelProblem({ url, auth }: Pick<TunnelEndpoint, "url" | "auth">): string | undefined {
  const { hostname, username, password } = new URL(url);
  if (username !== "" || password !== "") return "has a password in its url: agents can read the url";
  const kind = typeof auth === "string" ? auth : auth.type;
  if (kind === "none" && !isLoopbackHost(hostname))
    return "has no authentication: that works on this machine only, so set auth to nostr or psk";
  if (typeof auth !== "string" && auth.type === "psk" && !SecretPath.safeParse(auth.secret_path).success)
    return "has a secret_path that is no path below the secrets folder, such as tunnels/home";
  return undefined;
}

const access = AccessLevel.refine((level) => level === "budgeted", { error: "must be budgeted: agents cost money" });

const MountBudget = z
  .object({
    per_tick_usd: MicroUsd.optional(),
    per_day_usd: MicroUsd.optional(),
    approval_threshold_usd: MicroUsd.min(1).optional(),
    /** Who may approve spending above the threshold, by id or name of the principal. Absent: whoever may approve. */
    approvers: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
  })
  .strict();

/** `/containers` and `/compute`. */
const ContainersSetting = z
  .object({
    type: z.literal("containers", { error: "must be containers" }),
    access,
    budget: MountBudget.optional(),
    policy: ContainerPolicyChange.optional(),
  })
  .strict();
const ComputeSetting = z
  .object({
    type: z.literal("compute", { error: "must be compute" }),
    access,
    budget: MountBudget.optional(),
    policy: ComputePolicyChange.optional(),
  })
  .strict();

const IdentitySetting = z
  .object({
    type: z.literal("identity", { error: "must be identity" }),
    access: AccessLevel.refine((level) => level === "sign_only" || level === "disabled", {
      error: "must be sign_only, or disabled: keys are used and never shown",
    }),
    /** `own`: each principal has a key of its own; `gateway`: all sign with the gateway's. Absent: own. */
    identity: z.enum(["own", "gateway"]).optional(),
    policy: SigningPolicy.optional(),
  })
  .strict();
export type IdentitySetting = z.infer<typeof IdentitySetting>;

const MountSetting = z
  .object({
    type: z.literal("claude", {
      error: "must be claude: /containers, /compute and /identity have a type of their own",
    }),
    access,
    budget: MountBudget.optional(),
    policy: ClaudePolicy.optional(),
    tunnels: z
      .array(TunnelEndpoint)
      .max(LIMITS.mountTunnels)
      .superRefine((tunnels, context) => {
        for (const [index, tunnel] of tunnels.entries()) {
          if (tunnels.findIndex(({ id }) => id === tunnel.id) !== index)
            context.addIssue({ code: "custom", path: [index, "id"], message: "names the same tunnel twice" });
          const message = tunnelProblem(tunnel);
          if (message !== undefined) context.addIssue({ code: "custom", path: [index], message });
        }
      })
      .optional(),
    pool: PoolSettings.optional(),
  })
  .strict();
export type MountSetting = z.infer<typeof MountSetting>;

/** `mounts` of `sallyport.yaml`, by path, as document 003 shows it. */
export const MountSettings = z
  .object({
    "/containers": ContainersSetting.optional(),
    "/compute": ComputeSetting.optional(),
    "/identity": IdentitySetting.optional(),
  })
  .catchall(MountSetting)
  .superRefine((mounts, context) => {
    const paths = Object.keys(mounts);
    if (paths.length > LIMITS.mounts)
      context.addIssue({ code: "custom", path: [], message: `holds more than ${LIMITS.mounts} mounts` });
    for (const path of paths)
      if (!/^\/(claude(-[a-z0-9]+)*|containers|compute|identity)$/.test(path))
        context.addIssue({
          code: "custom",
          path: [path],
          message: "must be /claude, such as /claude-review, /containers, /compute or /identity",
        });
  });
export type MountSettings = z.infer<typeof MountSettings>;

/** The profile name of sessions made through a mount. */
export function mountProfileName(path: string): string {
  return `mount:${path}`;
}

/** What `/containers` or `/compute` may be set to. */
type JobMountSetting = z.infer<typeof ContainersSetting> | z.infer<typeof ComputeSetting>;

function ownProfile(setting: MountSetting | JobMountSetting): Profile {
  switch (setting.type) {
    case "claude":
      return profileOfPolicy(setting.policy ?? {});
    case "containers":
      return withContainerPolicy({ max_concurrent: DEFAULT_MAX_CONCURRENT }, setting.policy ?? {});
    case "compute":
      return withComputePolicy({}, setting.policy ?? {});
  }
}

/** A mount's policy and budget as a profile; if both set a limit, the smaller counts. Absent: it sets neither. */
export function mountProfile(setting: MountSetting | JobMountSetting): Profile | undefined {
  const { policy, budget } = setting;
  if (policy === undefined && budget === undefined) return undefined;
  const profile = ownProfile(setting);
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

/** The same with its siblings, which are always there. */
export const DEFAULT_MOUNT_PROFILES: ReadonlySet<string> = new Set([
  DEFAULT_MOUNT_PROFILE,
  ...JobKind.options.map((kind) => mountProfileName(`/${kind}`)),
]);

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
