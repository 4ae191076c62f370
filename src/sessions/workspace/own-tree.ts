import type { Profile, RepoFilterMode, SessionSettings } from "../../protocol/index.ts";
import type { Dependencies, EnvironmentRequest, SessionEnvironment } from "../dependencies.ts";
import { filtersOf } from "../settings/workspace-mode.ts";

export interface PlacedSession {
  /** Absent: any id will do. */
  readonly id?: string | undefined;
  readonly settings: SessionSettings;
  /** The session was not begun after all. */
  undo(): Promise<void>;
}

interface NewPlace {
  readonly profile: Profile;
  /** The session that it continues. */
  readonly parent?: string | undefined;
  /** Absent: a new one. */
  readonly id?: string | undefined;
}

/** Whether a session's tree can be made before the session comes. */
export function canBeMadeAhead({ workspace_mode }: SessionSettings): boolean {
  return workspace_mode === "worktree" || workspace_mode === "snapshot";
}

/** Whether the tree that was made ahead is what a new session with these settings would get now. */
export async function isStillCurrent(
  { trees }: Pick<Dependencies, "trees">,
  settings: SessionSettings,
  { profile, id }: { readonly profile: Profile; readonly id: string },
): Promise<boolean> {
  const { workspace_mode: mode, workspace: source } = settings;
  if (mode !== "worktree" && mode !== "snapshot") return false;
  return trees.isCurrent(id, { mode, source, filters: treeFilters(settings, profile) });
}

function treeFilters({ workspace_mode, repo_filter }: SessionSettings, profile: Profile): readonly RepoFilterMode[] {
  return workspace_mode === "snapshot" ? filtersOf(profile, repo_filter) : [];
}

/** Gives a new session its own tree, if its settings ask for one. */
export async function placeSession(
  { trees, newId }: Pick<Dependencies, "trees" | "newId">,
  settings: SessionSettings,
  { profile, parent, id = newId("ses") }: NewPlace,
): Promise<PlacedSession> {
  const { workspace_mode: mode = "direct", workspace: source } = settings;
  if (mode === "direct") return { settings, undo: () => Promise.resolve() };
  if (mode === "empty") {
    const workspace = await trees.makeEmpty(id);
    return { id, settings: { ...settings, workspace, source: workspace }, undo: () => trees.remove(id) };
  }
  const { workspace, withheld } = await trees.make(
    id,
    { mode, source, filters: treeFilters(settings, profile) },
    parent,
  );
  return {
    id,
    settings: { ...settings, workspace, source, ...(withheld === 0 ? {} : { withheld }) },
    undo: () => trees.remove(id),
  };
}

/** Opens an environment on a session's files, which are there until it is closed. */
export async function openInTree(
  { trees }: Pick<Dependencies, "trees">,
  { session_id, settings }: EnvironmentRequest,
  open: (release: (() => Promise<void>) | undefined) => Promise<SessionEnvironment>,
): Promise<SessionEnvironment> {
  if (settings.source === undefined) return open(undefined);
  const { release } = await trees.use(session_id);
  try {
    return await open(release);
  } catch (error) {
    await release();
    throw error;
  }
}
