import type { ClaudePolicy, Profile } from "../../protocol/index.ts";
import type { MountContext } from "./context.ts";

type WantedWalls = Pick<ClaudePolicy, "isolation_mode" | "network_mode" | "repo_filter">;

/**
 * The walls that an admin wants for a mount, with document 003's defaults: who names an isolation gets `proxy_only` and `standard` with
 * it. Absent: the server's. `profile`: the mount's; where it says in which files sessions work, that counts.
 */
export function wantedWalls({ setting }: MountContext, profile: Profile): WantedWalls {
  const { isolation_mode, network_mode, repo_filter } = setting?.policy ?? {};
  const isWalled = isolation_mode !== undefined && isolation_mode !== "local";
  const mayCopy = isWalled && profile.workspace_mode === undefined;
  return {
    isolation_mode,
    // A program without walls has this machine's network.
    network_mode: network_mode ?? (isWalled ? "proxy_only" : undefined),
    repo_filter: repo_filter ?? (mayCopy ? (profile.repo_filter ?? "standard") : undefined),
  };
}
