import { mkdirSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { browserTools, type BrowserProgram, type MissingBrowser } from "../../browser/index.ts";
import { isInside, openedHosts } from "../../gate/index.ts";
import type { EgressSetup } from "../../network/index.ts";
import type { NewId, Redactor, SessionSettings } from "../../protocol/index.ts";
import {
  sweepSandboxFolders,
  type ProcessMarks,
  type SandboxDrivers,
  type Supervisor,
  type Watchdog,
} from "../../sandbox/index.ts";
import type { ModelSocket } from "../../proxy/index.ts";
import {
  createToolbox,
  lookUp,
  openToolSession,
  resolvePath,
  sweepUnfinished,
  type AnyTool,
  type WorkspaceIndexes,
} from "../../tools/index.ts";
import { profileOf } from "../permission/profile.ts";
import type { SessionEnvironment, EnvironmentRequest } from "../dependencies.ts";
import { openSessionBrowser, sweepBrowserProfiles } from "./session-browser.ts";
import { openSessionSandbox } from "./session-sandbox.ts";

const OUTPUT = "output";

export interface EnvironmentOptions {
  /** The server's own folder, absolute and real. Hidden from tools, except for the session's output. */
  readonly home: string;
  /** Marks every process that sessions of this home start. */
  readonly marker: string;
  /** Marks that no process can remove; absent: only a process's environment identifies it. */
  readonly marks?: ProcessMarks | undefined;
  /** Ends the processes of sessions if the server is killed; absent: the next start does. */
  readonly watchdog?: Watchdog | undefined;
  /** Holds vendors' programs; absent: they end with the server. */
  readonly supervisor?: Supervisor | undefined;
  /** Memory limit of an engine's process and its children; absent: LIMITS.engineMemoryBytes. */
  readonly engineMemoryBytes?: number | undefined;
  /** The same of a command that a session runs; absent: LIMITS.commandMemoryBytes. */
  readonly commandMemoryBytes?: number | undefined;
  /** Processors' worth of time of one sandbox; absent: not bounded. */
  readonly sandboxCpus?: number | undefined;
  /** What a process gets of the server's environment; nothing else is passed on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly drivers: SandboxDrivers;
  /** Files and folders of this machine that an engine's program consists of; empty: it starts none. */
  readonly engineFiles: (engine: string) => readonly string[];
  /** Folders that the program of a session's engine writes, beside the workspace. Absolute. */
  readonly engineFolders: (engine: string, session_id: string) => readonly string[];
  /** Tools that an engine's program runs itself, for questions about them. */
  readonly engineTools: (engine: string) => readonly AnyTool[];
  /** Lets programs reach models at one more path. */
  readonly openModelSocket: (path: string) => Promise<ModelSocket>;
  /** Absent: programs in sandboxes get no credentials, and refusals are not counted. */
  readonly egress?: EgressSetup | undefined;
  /** Additional tools for every session; absent: none. */
  readonly extraTools?: readonly AnyTool[] | undefined;
  /** For searches in workspaces. Absent: there are none. */
  readonly indexes?: WorkspaceIndexes | undefined;
  /** What browser tools need of this machine. Absent: they say that they are switched off. */
  readonly browser?: BrowserSetup | undefined;
  /** Applied to output before it is stored in a file; absent: stored unchanged. */
  readonly redact?: Redactor | undefined;
  /** Called when the session uses its workspace no longer; absent: nobody waits for it. */
  readonly release?: (() => Promise<void>) | undefined;
  readonly newId: NewId;
  readonly now: () => number;
}

interface BrowserSetup {
  readonly program: BrowserProgram | MissingBrowser;
  /** Whether models are told of the browser tools. */
  readonly isOffered: boolean;
  /** Calls back once after `ms`; the answer cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** How long one browser tool may take. Absent: LIMITS.browserToolMs. */
  readonly toolMs?: number | undefined;
}

/** Opens a session's tools on its workspace. */
export async function openEnvironment(
  options: EnvironmentOptions,
  wanted: EnvironmentRequest,
): Promise<SessionEnvironment> {
  const { session_id, settings } = wanted;
  const { indexes } = options;
  const outputFolder = join(options.home, OUTPUT, session_id);
  // Synchronous: a turn waits for it, and going through the thread pool takes twenty times as long as the work.
  mkdirSync(outputFolder, { recursive: true, mode: 0o700 });
  const profile = profileOf(wanted.policy, settings.profile);
  const extraRead = [outputFolder, ...(profile.extra_read ?? [])];
  const place = await openSessionSandbox(options, wanted, extraRead);
  const { sandbox, modelUrl, modelHttpUrl } = place;
  const tools = openToolSession({
    workspace: settings.workspace,
    sandbox,
    outputFolder,
    extraRead,
    hidden: [options.home],
    webHosts: openedHosts(profile),
    redact: options.redact,
    newId: options.newId,
    now: options.now,
  });
  const browser = openSessionBrowser(options, wanted, place);
  const toolbox = createToolbox(tools, {
    extra: [
      ...(options.extraTools ?? []),
      ...options.engineTools(settings.engine),
      ...browserTools(browser, { isOffered: options.browser?.isOffered ?? false }),
    ],
  });
  const close = async (): Promise<void> => {
    try {
      await Promise.all([toolbox.close(), browser.close()]);
      await place.close();
      await options.release?.();
    } finally {
      wanted.released?.();
    }
  };
  return {
    toolbox,
    sandbox,
    modelUrl,
    modelHttpUrl,
    extraRead,
    isHidden: (real) => isInside(options.home, real) && !isInside(outputFolder, real) && !isOwnTree(settings, real),
    resolve: (path) => resolvePath(settings.workspace, path),
    look: (path) => lookUp(settings.workspace, path),
    ...(indexes === undefined ? {} : { findParts: (search) => indexes.find(tools, search) }),
    get busy() {
      return sandbox.busy || toolbox.clientToolCount > 0;
    },
    close,
    discard: async () => {
      await close();
      await rm(outputFolder, { recursive: true, force: true });
    },
  };
}

/** A worktree or snapshot lies below the server's own folder, and is the session's. */
function isOwnTree({ source, workspace }: SessionSettings, real: string): boolean {
  return source !== undefined && isInside(workspace, real);
}

/** At start: deletes what a server left that died, such as a file half written by Write. `spared`: folders of programs that outlived it. */
export async function sweepEnvironments(
  home: string,
  { marker, spared }: { readonly marker: string; readonly spared: readonly string[] },
): Promise<number> {
  await sweepSandboxFolders(marker, spared);
  await sweepBrowserProfiles(home);
  const folder = join(home, OUTPUT);
  let swept = 0;
  for (const name of await readdir(folder).catch(() => [])) swept += await sweepUnfinished(join(folder, name));
  return swept;
}
