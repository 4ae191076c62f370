import type { Profile, SessionSettings } from "../../protocol/index.ts";
import type { Dependencies, EnvironmentRequest, SessionEnvironment } from "../dependencies.ts";
import { filtersOf } from "../settings/workspace-mode.ts";

interface PlacedSession {
  /** Absent: any id will do. */
  readonly id?: string | undefined;
  readonly settings: SessionSettings;
  /** The session was not begun after all. */
  undo(): Promise<void>;
}

/** Gives a new session its own tree, if its settings ask for one. `parent`: the session that it continues. */
export async function placeSession(
  { trees, newId }: Pick<Dependencies, "trees" | "newId">,
  settings: SessionSettings,
  { profile, parent }: { readonly profile: Profile; readonly parent: string | undefined },
): Promise<PlacedSession> {
  const { workspace_mode: mode = "direct", workspace: source, repo_filter } = settings;
  if (mode === "direct") return { settings, undo: () => Promise.resolve() };
  const id = newId("ses");
  if (mode === "empty") {
    const workspace = await trees.makeEmpty(id);
    return { id, settings: { ...settings, workspace, source: workspace }, undo: () => trees.remove(id) };
  }
  const filters = mode === "snapshot" ? filtersOf(profile, repo_filter) : [];
  const { workspace, withheld } = await trees.make(id, { mode, source, filters }, parent);
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
