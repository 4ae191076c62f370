import {
  Failure,
  WorkspaceMode,
  type CreateSession,
  type Profile,
  type RepoFilterMode,
  type SessionSettings,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";

/** What a profile has a snapshot leave out that names nothing. */
const USUAL_FILTER = "standard";
const FILTERS = ["none", "standard", "strict"] as const;

/** In which files a new session works. Absent fields: in the folder itself. */
export function chooseWorkspaceMode(
  { role }: Pick<Caller, "role">,
  profile: Profile,
  { request, base }: { readonly request: CreateSession; readonly base: SessionSettings | undefined },
): Pick<SessionSettings, "workspace_mode" | "repo_filter"> {
  const usual = profile.workspace_mode ?? "direct";
  const mode = request.workspace_mode ?? (base === undefined ? usual : (base.workspace_mode ?? "direct"));
  const isFree = role === "admin" || role === "operator";
  if (!isFree && WorkspaceMode.options.indexOf(mode) < WorkspaceMode.options.indexOf(usual))
    throw new Failure("forbidden", `${role}s work in a ${usual} here, as the profile says; leave workspace_mode out`);
  if (mode !== "snapshot" && request.repo_filter !== undefined)
    throw new Failure("invalid_request", "repo_filter is for workspace_mode snapshot alone; ask for both");
  if (mode !== "snapshot") return mode === "direct" ? {} : { workspace_mode: mode };
  return { workspace_mode: mode, repo_filter: narrowFilter(profile, request.repo_filter ?? base?.repo_filter) };
}

/** The stricter one of what is asked and what the profile wants at least. Of lists, what was asked: both count. */
function narrowFilter(profile: Profile, asked: RepoFilterMode | undefined): RepoFilterMode {
  const least = profile.repo_filter ?? USUAL_FILTER;
  if (asked === undefined || asked === "none") return least;
  if (typeof asked !== "string" || typeof least !== "string") return asked;
  return FILTERS.indexOf(asked) < FILTERS.indexOf(least) ? least : asked;
}

/** The filters of a snapshot: a file is in it if all of them show it. */
export function filtersOf(profile: Profile, chosen: RepoFilterMode | undefined): readonly RepoFilterMode[] {
  const least = profile.repo_filter ?? USUAL_FILTER;
  if (chosen === undefined) return [least];
  // The stricter one has everything of the other.
  if (typeof chosen === "string" && typeof least === "string") return [chosen];
  return JSON.stringify(chosen) === JSON.stringify(least) ? [chosen] : [least, chosen];
}
