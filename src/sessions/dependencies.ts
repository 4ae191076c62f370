import type { ConnectionBook } from "../connections/index.ts";
import type { Engine } from "../engines/index.ts";
import type { IdentityKeys, ReadSecret, TunnelSigner } from "../identity/index.ts";
import type { Ledger, PriceBook } from "../ledger/index.ts";
import type { EgressTarget, HostAnswer, publicAddress } from "../network/index.ts";
import type {
  BrowserAbility,
  FailoverSettings,
  IdentitySetting,
  JournalEvent,
  NewId,
  Policy,
  PrincipalRef,
  Redactor,
  SandboxChoice,
  SessionSettings,
  ToolHook,
  Log,
} from "../protocol/index.ts";
import type { ModelProxy, NetworkProxies, ProviderBook, ProviderHealth } from "../proxy/index.ts";
import type { Sandbox, SandboxDrivers, Supervisor } from "../sandbox/index.ts";
import type { Store } from "../store/index.ts";
import type { EndpointBook, EndpointSetting, LinkBounds } from "../tunnels/index.ts";
import type { ExtensibleToolbox, FoundParts, PartSearch } from "../tools/index.ts";
import type { SessionTrees } from "../workspaces/index.ts";
import type { ReachCheckpoint } from "./core/checkpoints.ts";
import type { Drain } from "./lifecycle/drain.ts";
import type { SetLimits } from "./budget/set-limits.ts";
import type { ReaderTurns } from "./core/reader-turns.ts";
import type { EngineProcesses } from "./lifecycle/resting.ts";
import type { Session } from "./core/session.ts";
import type { SessionState } from "./core/state.ts";
import type { McpServerBook } from "./mcp/definitions.ts";
import type { McpValues } from "./mcp/values.ts";
import type { WorkerPool } from "./workers/pool.ts";

/** Time, passed in so that tests own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations. It does not jump when the wall clock is set or the machine was suspended. */
  elapsed(): number;
  /** Calls back once after `ms`; call the returned function to cancel. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** For what expires. `now` is never before what an earlier server of the same home has seen. */
export interface ExpiryClock extends Clock {
  /** Whether the wall clock was far behind that at the start. */
  readonly isSetBack: boolean;
}

/** Where sessions' model calls go: always through the proxy. */
export interface Models {
  /** For sessions that name none. */
  readonly defaultProvider: string;
  /** Of the default provider; absent: that provider's own default. */
  readonly defaultModel?: string | undefined;
  readonly providers: ProviderBook;
  /** Other places for models, as an admin listed them; the newest. */
  readonly failover: () => FailoverSettings;
  readonly prices: PriceBook;
  readonly proxy: ModelProxy;
  readonly ledger: Ledger;
  /** Keeps a provider's key if the provider takes it, and says what it answered. Absent: the settings are another program's. */
  readonly keepKey?: ((provider: string, key: string) => Promise<ProviderHealth>) | undefined;
}

/** A session's tools with their shells and working folder. */
export interface SessionEnvironment {
  readonly toolbox: ExtensibleToolbox;
  readonly sandbox: Sandbox;
  /** Where programs in the sandbox reach models; absent: where all others do. */
  readonly modelUrl?: string | undefined;
  /** The same over HTTP. Absent: as above. */
  readonly modelHttpUrl?: string | undefined;
  /** Folders beyond the workspace that may be read. Absolute, real. */
  readonly extraRead: readonly string[];
  /** True for the server's own files, wherever they are. */
  isHidden(real: string): boolean;
  /** Follows symlinks; relative paths start at the workspace. */
  resolve(path: string): Promise<string>;
  /** What an absolute path is on the disk. Never rejects. */
  look(path: string): Promise<{ readonly real: string; readonly exists: boolean }>;
  /** Parts of the workspace's text that fit a query. Absent: the workspace is not searched. */
  readonly findParts?: ((search: PartSearch) => Promise<FoundParts>) | undefined;
  /** True while a process of the session runs, or tools are registered: then it must not rest. */
  readonly busy: boolean;
  /** Ends every process. */
  close(): Promise<void>;
  /** The session has ended for good: its stored output is deleted too. */
  discard(): Promise<void>;
}

export interface EnvironmentRequest {
  readonly session_id: string;
  readonly settings: SessionSettings;
  readonly policy: Policy;
  /** Files and folders that programs of its MCP servers consist of. Absolute. */
  readonly serverFiles: readonly string[];
  /** Hosts that programs in a sandbox may reach now. */
  readonly egressHosts: () => readonly string[];
  /** Asks a person whether programs may reach a host that is none of these. */
  readonly askHost: (target: EgressTarget, signal: AbortSignal) => Promise<HostAnswer>;
  /** What the browser tools may do now. */
  readonly browserAbilities: () => readonly BrowserAbility[];
  /** Told to people, in the session's journal. */
  readonly notice: (message: string) => void;
  /** The only worker that will do; undefined: any. Absent: it has none. */
  readonly worker?: (() => string | undefined) | undefined;
  /** Aborted when the environment need not wait for a worker any longer. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the environment is closed; absent: nobody waits for that. */
  readonly released?: (() => void) | undefined;
}

/** What tunnels need of this machine. */
export interface TunnelDependencies {
  readonly endpoints: EndpointBook;
  /** The endpoints of sallyport.yaml. */
  readonly settings: readonly EndpointSetting[];
  readonly secret: ReadSecret;
  readonly signer: () => Promise<TunnelSigner>;
  /** Stores a new pre-shared key, and says where. */
  readonly keepSecret: (id: string, secret: string) => Promise<string>;
  /** Absent: the usual ones. */
  readonly bounds?: LinkBounds | undefined;
  /** Of the network, for connections to other machines. Absent: none. */
  readonly proxies?: NetworkProxies | undefined;
}

/** Keys that this gateway keeps. */
export interface IdentityDependencies {
  readonly keys: IdentityKeys;
  /** Pre-shared keys, by path. */
  readonly secret: ReadSecret;
  /** Of `/identity` in sallyport.yaml. Absent: the defaults. */
  readonly setting?: IdentitySetting | undefined;
}

/** What telling people outside of the console needs of this machine. */
export interface NotificationDependencies {
  /** The private number of the key with which push services know this server, base64url. */
  readonly vapidSecret: string;
  /** Hosts that may be on the local network, and without TLS. */
  readonly hosts: readonly string[];
  /** Addresses and secrets of targets, one file each. */
  readonly secrets: {
    readonly read: ReadSecret;
    readonly keep: (path: string, value: string) => Promise<void>;
    readonly remove: (path: string) => Promise<void>;
  };
}

/** Bounds that the settings may change. */
export interface ChosenBounds {
  /** How long the answer to an idempotent command is kept. */
  readonly idempotencyMs: number;
  /** Names of client sessions that are remembered for one principal. */
  readonly clientSessions: number;
  /** How long a tunnel's challenge can be answered. */
  readonly challengeMs: number;
}

/** What every session needs. */
export interface Dependencies {
  readonly store: Store;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly models: Models;
  readonly connections: ConnectionBook;
  readonly identity: IdentityDependencies;
  readonly tunnels: TunnelDependencies;
  readonly notifications: NotificationDependencies;
  readonly policy: () => Policy;
  /** Why a principal may not use the tunnel behind a provider now. Undefined: it may, or it is no tunnel. */
  readonly unproved: (principal: Pick<PrincipalRef, "id" | "role">, provider: string) => Promise<string | undefined>;
  readonly limits: SetLimits;
  readonly processes: EngineProcesses;
  /** Where the environments of all sessions are. */
  readonly workers: WorkerPool;
  readonly readers: ReaderTurns;
  readonly drain: Drain;
  /** Whether the process is about to run out of file descriptors. */
  readonly isShortOfFiles: () => boolean;
  /** Called for every event once it is on the disk, in its session's order. Must be fast and never throw. */
  readonly observe: (event: JournalEvent, state: SessionState) => void;
  /** Replaces a session object whose state the store refused. The new one continues from what is stored. */
  readonly reload: (session: Session) => void;
  /** The sandboxes of this machine. */
  readonly sandboxes: SandboxDrivers;
  /** For sessions that name none, and whose profile does not. */
  readonly defaultSandbox: SandboxChoice;
  readonly openEnvironment: (wanted: EnvironmentRequest) => Promise<SessionEnvironment>;
  /** The files of sessions that work in a worktree or a snapshot. */
  readonly trees: SessionTrees;
  /** Where the files of sessions are recorded as they change, and the server's own folder. Absolute, real. */
  readonly recordings: {
    readonly folder: (session_id: string) => string;
    readonly home: string;
    /** False: nothing is recorded. */
    readonly isOn: boolean;
  };
  /** What git, gh and glab get of the server's environment when a person pushes. */
  readonly publishing: Readonly<Record<string, string>>;
  /** The MCP servers of the settings. */
  readonly mcpServers: McpServerBook;
  /** What session requests gave to MCP servers of their own. */
  readonly mcpValues: McpValues;
  /** Where names of MCP servers lead. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
  /** Where a session's engine keeps what its own program needs. Absolute. */
  readonly engineFolder: (session_id: string) => string;
  /** Files and folders that exist for one session alone. Absolute. */
  readonly sessionFiles: (session_id: string) => readonly string[];
  /** Programs that outlived the last server; absent: none can. */
  readonly held?: Pick<Supervisor, "claim" | "of" | "endLeft"> | undefined;
  /** A file whose instructions all sessions get; absolute. Absent: none. */
  readonly userInstructions?: string | undefined;
  /** Checks of the program that opened the gateway, in order. */
  readonly hooks: readonly ToolHook[];
  /** Of this home: secrets of webhooks are derived from it. */
  readonly webhookKey: string;
  readonly clock: Clock;
  readonly expiryClock: ExpiryClock;
  readonly newId: NewId;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Applied to every event before it is written or sent. */
  readonly redact: Redactor;
  readonly reach: ReachCheckpoint;
  /** False: no engine starts before a session needs it. */
  readonly startAhead: boolean;
  readonly bounds: ChosenBounds;
}
