import { z } from "zod";
import {
  ClaudePolicy,
  Failure,
  policyOfProfile,
  profileOfPolicy,
  WALLS,
  type Profile,
  type Walls,
} from "../../protocol/index.ts";
import type { Caller, OfferedProvider } from "../../sessions/index.ts";
import { profileOfMount, type MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import { wantedWalls } from "./walls.ts";

/** What is written to `proxy/allowlist`: hosts without ports; globs; `unix` is a socket of this machine. */
export const ProxyAllowlist = z.array(z.string().min(1).max(500)).min(1, "name at least one host").max(1_000);

function hostsOf(offered: readonly OfferedProvider[]): readonly string[] {
  return [...new Set(offered.flatMap(({ hosts }) => hosts))].filter((host) => host !== "unix").toSorted();
}

/** The hosts that sessions of this mount may reach: those of the policy, else those of all providers. */
export async function readAllowlist(context: MountContext, caller: Caller): Promise<readonly string[]> {
  const { provider_hosts = [] } = profileOfMount(context, caller).profile;
  return provider_hosts.length > 0 ? provider_hosts : hostsOf(await context.gateway.providers.offered(caller));
}

/** Takes effect at once, even for running sessions: each model request is checked. */
export async function writeAllowlist(context: MountContext, caller: Caller, text: string): Promise<void> {
  const provider_hosts = parseWritten(ProxyAllowlist, json(text));
  await setProfile(context, caller, (profile) => ({ ...profile, provider_hosts }));
}

/** The walls in force: those of the mount's settings, else what its sessions get without asking. */
async function wallsOf(context: MountContext, caller: Caller): Promise<Required<Walls>> {
  const { profile } = profileOfMount(context, caller);
  const wanted = wantedWalls(context, profile);
  const isolation_mode = wanted.isolation_mode ?? (await context.gateway.usualSandbox(profile)).kind ?? "local";
  const network = profile.network === "none" ? "none" : "proxy_only";
  const filter = profile.workspace_mode === "snapshot" ? (profile.repo_filter ?? "standard") : "none";
  return {
    allowed_tunnels: context.setting?.policy?.allowed_tunnels ?? [],
    isolation_mode,
    network_mode: wanted.network_mode ?? (isolation_mode === "local" ? "host" : network),
    repo_filter: wanted.repo_filter ?? filter,
    proxy_allowlist: [...(await readAllowlist(context, caller))],
  };
}

export async function readPolicy(context: MountContext, caller: Caller): Promise<ClaudePolicy> {
  return policyOfProfile(profileOfMount(context, caller).profile, await wallsOf(context, caller));
}

export async function writePolicy(context: MountContext, caller: Caller, text: string): Promise<void> {
  const { proxy_allowlist, ...others } = parseWritten(ClaudePolicy, json(text));
  const walls = await wallsOf(context, caller);
  for (const field of WALLS) {
    const wanted = field === "proxy_allowlist" ? undefined : others[field];
    if (wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(walls[field]))
      throw new Failure(
        "unsupported",
        `${field} is set under mounts in sallyport.yaml; here it can only stay as it is`,
      );
  }
  // Writing back what was read must not turn the current providers into a fixed list.
  const isSame = JSON.stringify(proxy_allowlist) === JSON.stringify(walls.proxy_allowlist);
  const wanted = proxy_allowlist === undefined || isSame ? others : { ...others, proxy_allowlist };
  await setProfile(context, caller, (profile) => profileOfPolicy(wanted, profile));
}

/** Only what was set through the API overrides the file: everything else stays the file's. */
export async function setProfile(
  context: MountContext,
  caller: Caller,
  change: (profile: Profile) => Profile,
): Promise<void> {
  const { gateway } = context;
  const { name, profile } = profileOfMount(context, caller);
  const current = gateway.policy.get(caller);
  const [newest] = await gateway.policy.history(caller);
  await gateway.policy.set(caller, {
    default_profile: current.default_profile,
    ...(newest?.policy.budget === undefined ? {} : { budget: newest.policy.budget }),
    profiles: { ...newest?.policy.profiles, [name]: change(profile) },
  });
}
