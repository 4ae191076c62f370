import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside, matchRule, parseRule } from "../../gate/index.ts";
import {
  blockOf,
  loadInstructions,
  nestedFolders,
  NOTHING_LOADED,
  type LoadedInstructions,
} from "../../instructions/index.ts";
import { defined, LIMITS, type SessionSettings } from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";
import type { SessionState } from "../core/state.ts";
import type { Dependencies, SessionEnvironment } from "../dependencies.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import { DiskLook } from "./disk-look.ts";
import { instructionReader, type InstructionPlaces } from "./instruction-reader.ts";
import { NestedTold } from "./nested-told.ts";
import { RepositoryContext } from "./repository-context.ts";

/** What must be known of a session to read what its workspace says. */
export interface InstructedSession extends Pick<Session, "environment"> {
  readonly state: Pick<SessionState, "settings" | "created_by" | "token" | "grants">;
  readonly dependencies: Pick<Dependencies, "policy" | "engines" | "userInstructions" | "clock">;
}

/** What the workspace of a session says to agents, as it was read for its conversation. */
export class SessionInstructions {
  readonly #session: InstructedSession;
  #current: LoadedInstructions = NOTHING_LOADED;
  #refreshed: Promise<void> = Promise.resolve();
  /** What was read last, under which rules, and what the files were then. */
  #last: { readonly key: string; readonly look: DiskLook; readonly loaded: LoadedInstructions } | undefined;

  readonly #nested = new NestedTold();
  /** Parts of other files, for messages that they fit. */
  readonly repository: RepositoryContext;

  constructor(session: InstructedSession) {
    this.#session = session;
    this.repository = new RepositoryContext(session);
  }

  get current(): LoadedInstructions {
    return this.#current;
  }

  /** All that the session's agents were told, that of folders in which they worked included. */
  get told(): Pick<LoadedInstructions, "files" | "left_out" | "digest"> {
    return this.withNested(this.#current);
  }

  /** The same after instructions were read. */
  withNested({ files, left_out, digest }: LoadedInstructions): SessionInstructions["told"] {
    const { files: nested, leftOut, digest: more } = this.#nested;
    if (more === "") return { files, left_out, digest };
    return { files: [...files, ...nested], left_out: [...left_out, ...leftOut], digest: `${digest}${more}` };
  }

  /**
   * What an agent must be told that works at these places: instructions of the folders there that it does not know yet. They are text alone.
   * `agent`: the sub-agent's item; empty: the session's own. Empty: nothing. Never rejects.
   */
  async nested(agent: string, paths: readonly string[]): Promise<string> {
    const { state, dependencies } = this.#session;
    const { workspace, ask_reads } = state.settings;
    const isBelow = paths.some((path) => nestedFolders(workspace, path).length > 0);
    if (!isBelow || ask_reads === true || !takesInstructions(this.#session)) return "";
    try {
      const environment = await this.#session.environment();
      const reader = instructionReader(
        placesOf(this.#session, { environment, around: [], exactly: [] }),
        new DiskLook(() => dependencies.clock.now()),
      );
      const known = this.#current.files.map(({ sha256 }) => sha256);
      return await this.#nested.tell({ agent, paths, workspace, known, reader });
    } catch {
      return "";
    }
  }

  /** The conversation was shortened: folders and parts of files are told again. */
  forgetNested(): void {
    this.#nested.forget();
    this.repository.forget();
  }

  /** Resolves when the last `refresh` has ended. */
  get refreshed(): Promise<void> {
    return this.#refreshed;
  }

  /** Reads it again. True: it has changed. */
  async refresh(): Promise<boolean> {
    this.#nested.begin();
    const loading = this.load().then((loaded) => {
      const isChanged = loaded.digest !== this.#current.digest;
      this.#current = loaded;
      return isChanged;
    });
    this.#refreshed = loading.then(
      () => undefined,
      () => undefined,
    );
    return loading;
  }

  /** What a turn would begin with that began now. Only what has changed since the last time is read. */
  async load(): Promise<LoadedInstructions> {
    if (!takesInstructions(this.#session)) return NOTHING_LOADED;
    const { state, dependencies } = this.#session;
    const { settings } = state;
    const { userInstructions: userFile, clock } = dependencies;
    const environment = await this.#session.environment();
    const deny = effectiveProfile(dependencies.policy(), state).deny ?? [];
    // Where a person is asked about each file that is read, nothing is read on top of what has its fixed name.
    const followsImports = settings.ask_reads !== true;
    const key = JSON.stringify([settings.workspace, environment.extraRead, followsImports, deny]);
    const last = this.#last;
    if (last?.key === key && (await last.look.isSame())) return last.loaded;
    const look = new DiskLook(() => clock.now());
    const around = await foldersAround(state, { extraRead: environment.extraRead, look });
    const exactly = userFile === undefined ? [] : [await realpath(userFile).catch(() => userFile)];
    const places = placesOf(this.#session, { environment, around, exactly });
    const folders = [...around, settings.workspace];
    const request = { workspace: settings.workspace, folders, followsImports, userFile };
    const loaded = await loadInstructions(instructionReader(places, look), request);
    this.#last = { key, look, loaded };
    return loaded;
  }
}

/** What of the disk may tell a session's agents something. */
function placesOf(
  { state, dependencies }: Omit<InstructedSession, "environment">,
  {
    environment,
    ...folders
  }: { readonly environment: Pick<SessionEnvironment, "isHidden"> } & Pick<InstructionPlaces, "around" | "exactly">,
): InstructionPlaces {
  const { settings } = state;
  return {
    ...folders,
    workspace: settings.workspace,
    isHidden: (real) => environment.isHidden(real),
    deniedBy: readDenials(effectiveProfile(dependencies.policy(), state).deny ?? [], settings),
  };
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
  { extraRead, look }: { readonly extraRead: readonly string[]; readonly look: DiskLook },
): Promise<readonly string[]> {
  const { workspace, source, sandbox } = settings;
  const roots = token.bounds.workspace_roots;
  const isFree = sandbox === "local" && (created_by.role === "admin" || created_by.role === "operator");
  const isOpen = (folder: string): boolean => {
    if (extraRead.some((readable) => isInside(readable, folder))) return true;
    return isFree && (roots === undefined || roots.some((one) => isInside(one, folder)));
  };
  if (source !== undefined || !isOpen(dirname(workspace))) return [];
  const chain = ancestors(workspace);
  const root = await rootOf(chain, look);
  if (root === 0) return [];
  const outer = chain.slice(1, root + 1);
  const [owner, ...owners] = await Promise.all([workspace, ...outer].map((folder) => ownerOf(folder, look)));
  // Somebody else's folder, or one that everybody writes, could tell the agent anything.
  const end = outer.findIndex((folder, index) => !isOpen(folder) || owner === undefined || owners[index] !== owner);
  return (end === -1 ? outer : outer.slice(0, end)).toReversed();
}

/** A folder and those around it, the nearest first. */
function ancestors(folder: string): readonly string[] {
  const chain = [folder];
  for (let next = dirname(folder); chain.length <= LIMITS.instructionFolders; next = dirname(next)) {
    if (next === chain.at(-1)) break;
    chain.push(next);
  }
  return chain;
}

/** Which of the folders is the root of the repository: nothing of git's own is read. 0: the first, or none. */
async function rootOf([workspace, ...outer]: readonly string[], look: DiskLook): Promise<number> {
  const isRoot = async (folder = "/"): Promise<boolean> =>
    (await look.at(join(folder, ".git"), "exists")) !== undefined;
  if (await isRoot(workspace)) return 0;
  return (await Promise.all(outer.map((folder) => isRoot(folder)))).indexOf(true) + 1;
}

/** Undefined: nobody's alone. */
async function ownerOf(folder: string, look: DiskLook): Promise<number | undefined> {
  const found = await look.at(folder, "owner");
  return found === undefined || (found.mode & 0o002) !== 0 ? undefined : found.uid;
}

/** The rule of the policy that keeps a file from the session's Read. */
export function readDenials(
  deny: readonly string[],
  { workspace }: Pick<SessionSettings, "workspace">,
): InstructionPlaces["deniedBy"] {
  const rules = deny.flatMap((text) => {
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
