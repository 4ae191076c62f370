import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside, matchRule, parseRule } from "../../gate/index.ts";
import { blockOf, loadInstructions, NOTHING_LOADED, type LoadedInstructions } from "../../instructions/index.ts";
import { defined, LIMITS, type Policy, type SessionSettings } from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";
import type { SessionState } from "../core/state.ts";
import type { Dependencies } from "../dependencies.ts";
import { effectiveProfile, type ProfiledSession } from "../permission/effective-profile.ts";
import { instructionReader, type InstructionPlaces } from "./instruction-reader.ts";

/** What must be known of a session to read what its workspace says. */
export interface InstructedSession extends Pick<Session, "environment"> {
  readonly state: Pick<SessionState, "settings" | "created_by" | "token">;
  readonly dependencies: Pick<Dependencies, "policy" | "engines" | "userInstructions">;
}

/** What the workspace of a session says to agents, as it was read for its conversation. */
export class SessionInstructions {
  readonly #session: InstructedSession;
  #current: LoadedInstructions = NOTHING_LOADED;

  constructor(session: InstructedSession) {
    this.#session = session;
  }

  get current(): LoadedInstructions {
    return this.#current;
  }

  /** Reads it again. True: it has changed. */
  async refresh(): Promise<boolean> {
    const loaded = await this.load();
    const isChanged = loaded.digest !== this.#current.digest;
    this.#current = loaded;
    return isChanged;
  }

  /** What a turn would begin with that began now. */
  async load(): Promise<LoadedInstructions> {
    if (!takesInstructions(this.#session)) return NOTHING_LOADED;
    const { state, dependencies } = this.#session;
    const { settings } = state;
    const environment = await this.#session.environment();
    const around = await foldersAround(state, environment.extraRead);
    const { userInstructions: userFile } = dependencies;
    const reader = instructionReader({
      workspace: settings.workspace,
      around,
      exactly: userFile === undefined ? [] : [await realpath(userFile).catch(() => userFile)],
      isHidden: (real) => environment.isHidden(real),
      deniedBy: readDenials(dependencies.policy(), state),
    });
    return loadInstructions(reader, {
      workspace: settings.workspace,
      folders: [...around, settings.workspace],
      // Where a person is asked about each file that is read, nothing is read on top of what has its fixed name.
      followsImports: settings.ask_reads !== true,
      userFile,
    });
  }
}

/** Whether a session's workspace may say anything: not if the session or its profile says `off`, and not to an engine that asks no agent. */
export function takesInstructions({ state, dependencies }: Omit<InstructedSession, "environment">): boolean {
  const { settings } = state;
  const engine = dependencies.engines.get(settings.engine);
  if (settings.instructions === "off" || engine === undefined || engine.instructions === "none") return false;
  return effectiveProfile(dependencies.policy(), state).instructions !== "off";
}

/**
 * The folders around the workspace up to the root of its repository, the outermost first. Only where the session could read them: a sandbox
 * shows nothing but the workspace and the profile's `extra_read`, and agents and visitors have no other folders either.
 */
async function foldersAround(
  { settings, created_by, token }: InstructedSession["state"],
  extraRead: readonly string[],
): Promise<readonly string[]> {
  const { workspace, source, sandbox } = settings;
  const roots = token.bounds.workspace_roots;
  const isFree = sandbox === "local" && (created_by.role === "admin" || created_by.role === "operator");
  const isOpen = (folder: string): boolean => {
    if (extraRead.some((readable) => isInside(readable, folder))) return true;
    return isFree && (roots === undefined || roots.some((one) => isInside(one, folder)));
  };
  if (source !== undefined || !isOpen(dirname(workspace))) return [];
  const root = await rootOf(workspace);
  if (root === undefined || root === workspace) return [];
  const owner = await ownerOf(workspace);
  const folders: string[] = [];
  for (let folder = dirname(workspace); folders.length < LIMITS.instructionFolders; folder = dirname(folder)) {
    // Somebody else's folder, or one that everybody writes, could tell the agent anything.
    if (!isOpen(folder) || owner === undefined || (await ownerOf(folder)) !== owner) break;
    folders.unshift(folder);
    if (folder === root) break;
  }
  return folders;
}

/** Where the repository around a folder begins: nothing of git's own is read. Undefined: there is none, or it is too far away. */
async function rootOf(workspace: string): Promise<string | undefined> {
  let folder = workspace;
  for (let steps = 0; steps <= LIMITS.instructionFolders; steps += 1) {
    if ((await lstat(join(folder, ".git")).catch(() => undefined)) !== undefined) return folder;
    folder = dirname(folder);
  }
  return undefined;
}

/** Undefined: nobody's alone. */
async function ownerOf(folder: string): Promise<number | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found === undefined || (found.mode & 0o002) !== 0 ? undefined : found.uid;
}

/** The rule of the policy that keeps a file from the session's Read. */
export function readDenials(
  policy: Policy,
  session: ProfiledSession & { readonly settings: SessionSettings },
): InstructionPlaces["deniedBy"] {
  const { workspace } = session.settings;
  const rules = (effectiveProfile(policy, session).deny ?? []).flatMap((text) => {
    const rule = parseRule(text);
    return "error" in rule ? [] : [rule];
  });
  return (real) => {
    const call = {
      tool: "Read",
      input: { file_path: real },
      known: true,
      tier: "read",
      alwaysAsks: false,
      paths: [{ given: real, real, access: "read" }],
      hosts: [],
    } as const;
    return rules.find((rule) => matchRule(rule, call, { workspace, effect: "deny" }))?.text;
  };
}

/** The settings that an engine gets: with what the workspace says. */
export function instructedSettings(
  settings: SessionSettings,
  loaded: LoadedInstructions,
  { hasSkillTool, hasAgents }: { readonly hasSkillTool: boolean; readonly hasAgents: boolean },
): SessionSettings {
  const parts = [settings.system_prompt ?? "", blockOf(loaded, { hasSkillTool })].filter((part) => part.trim() !== "");
  const others = Object.entries(loaded.agents).filter(([name]) => !Object.hasOwn(settings.agents ?? {}, name));
  const room = LIMITS.agents - Object.keys(settings.agents ?? {}).length;
  const isMore = hasAgents && others.length > 0;
  return {
    ...settings,
    ...defined({
      system_prompt: parts.length === 0 ? settings.system_prompt : parts.join("\n\n"),
      // The session's own stand for themselves.
      agents: isMore ? { ...Object.fromEntries(others.slice(0, room)), ...settings.agents } : settings.agents,
    }),
  };
}
