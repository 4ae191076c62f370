import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { ConnectionBook } from "../connections/index.ts";
import { LIMITS, makeNewId, type NewId, type Redactor, type Log, type ToolHook } from "../protocol/index.ts";
import type { publicAddress } from "../network/index.ts";
import {
  ProcessMarks,
  reapOrphans,
  openWatchdog,
  sandboxUser,
  type Supervisor,
  type Watchdog,
} from "../sandbox/index.ts";
import {
  type ExpiryClock,
  Gateway,
  isStored,
  openEnvironment,
  openInTree,
  sweepWarm,
  sweepEnvironments,
  type Checkpoint,
  type Clock,
  McpValues,
  type EnvironmentOptions,
  type Models,
  type IdentityDependencies,
  type TunnelDependencies,
} from "../sessions/index.ts";
import { startSim } from "../sim/index.ts";
import { openSqliteStore, openTextSearch, type SqliteStoreOptions, type Stall, type Store } from "../store/index.ts";
import { SYSTEM_CLOCK } from "../surfaces/index.ts";
import { openTelemetry, type Telemetry } from "../telemetry/index.ts";
import { searchCodeTool, WorkspaceIndexes, type AnyTool, type ToolModule } from "../tools/index.ts";
import { clearRewinding, SessionTrees } from "../workspaces/index.ts";
import { browserSetup } from "./wiring/browser.ts";
import { homeDoor, openEngines } from "./wiring/engines.ts";
import { TOKEN_FILE, WEBHOOK_KEY_FILE } from "./home/files.ts";
import { makeFolder } from "./home/make-folder.ts";
import { openIdentity } from "./wiring/identity.ts";
import { markerOf } from "./home/home-marker.ts";
import { kept } from "./home/kept-secret.ts";
import { networkProxiesOf, openModels } from "./wiring/models.ts";
import { openNotifications } from "./wiring/notifications.ts";
import { fewOpenFiles, OpenFilesWatch, OWN_OPEN_FILES, type OpenFiles } from "./open-files.ts";
import { openOutside, type OutsideWorld } from "./wiring/outside.ts";
import { loadPolicyFile } from "./settings/policy-file.ts";
import { poolOf } from "./settings/pool.ts";
import { changeParts, RECORDINGS } from "./wiring/publishing.ts";
import { openExpiryClock } from "./home/seen-time.ts";
import type { Environment, NewestSettings, Settings } from "./settings/settings.ts";
import { openSandboxes } from "./wiring/sandboxes.ts";
import { openSupervisor, tellHeld } from "./wiring/supervisor.ts";
import { loadToolModules } from "./wiring/tool-modules.ts";
import { tellReadings } from "./wiring/readings.ts";
import { sessionParts } from "./wiring/session-parts.ts";
import { openTunnels } from "./wiring/tunnels.ts";
import { keyFilesOf, refuseUntrusted, trustedInHome } from "./home/trusted-files.ts";

const DATABASE = "sallyport.db";
const ENGINES = "engines";
/** What session requests gave to MCP servers of their own. */
const MCP = "mcp";
/** What document 003's files showed of unfinished messages. */
const MOUNT = "mount";
/** Files with the passwords of databases. */
const CONNECTIONS = "connections";
/** The part of the server's environment that tool processes get; nothing else is passed on. */
const PASSED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ"] as const;

export interface App {
  readonly gateway: Gateway;
  readonly adminToken: string;
  readonly telemetry: Telemetry;
  /** Where model calls go, for people. */
  readonly modelAddress: string;
  /** From now on the store waits for an unavailable disk for `storeCloseMs` at most; not at all when the signal is aborted. */
  giveUpSoon(hurry?: AbortSignal): void;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly version: string;
  readonly log: Log;
  readonly redact: Redactor;
  readonly reach: (name: Checkpoint) => void;
  /** Absent: the machine's. */
  readonly clock?: Clock | undefined;
  /** Whether a database that lost data is accepted, where it is written, and how a test makes the store slow or faulty. */
  readonly store?: Pick<SqliteStoreOptions, "tuning" | "faults" | "acceptLoss" | "thread"> | undefined;
  /** The process's open files. Absent: the real ones. */
  readonly openFiles?: OpenFiles | undefined;
  /** Where names lead to from sandboxes. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
  /** WebSockets that are open now; absent: there are none. */
  readonly openSockets?: (() => number) | undefined;
  /** Tools and checks of the program that opens it; absent: none. */
  readonly toolModules?: readonly ToolModule[] | undefined;
  readonly hooks?: readonly ToolHook[] | undefined;
  /** Settings that may change while it runs. Absent: those of the home's file. */
  readonly newest?: NewestSettings | undefined;
  /** The store can no longer write: no promise can be kept. */
  readonly onFatal: (error: Error) => void;
}

/** What was opened so far, to be closed in reverse order. */
type CloseLater = (() => Promise<unknown>)[];

/** Opens everything behind the surfaces on a home folder, and settles what the last run left there. */
export async function openApp(options: AppOptions): Promise<App> {
  await makeFolder(options.settings.home.value);
  const home = await realpath(options.settings.home.value);
  refuseUntrusted([...trustedInHome(home), ...keyFilesOf(options.settings)], options.environment);
  const extraTools = await loadToolModules(options.settings, options.environment, options.toolModules);
  // The store opens before the metrics that count its commits.
  let counted: ((seconds: number) => void) | undefined;
  const store = await openSqliteStore({
    ...options.store,
    onCommit: ({ ms }) => counted?.(ms / 1_000),
    // Before the database: ends what a dead server left running, even if the disk is full.
    onLocked: () => endLeft(home, options),
    path: join(home, DATABASE),
    onFatal: options.onFatal,
    onStall: (stall) => tellStall(options.log, stall),
    onDamage: ({ session, why }) => options.log.error({ session, why }, DAMAGE_FOUND),
  });
  const opened: CloseLater = [() => store.close()];
  const giveUpSoon = (hurry = new AbortController().signal): void => store.giveUpSoon(hurry);
  const close = async (): Promise<void> => {
    // Some parts that are closed before the store wait for it.
    giveUpSoon();
    for (const end of opened.toReversed()) await end();
  };
  try {
    const app = await assemble(options, { home, store, extraTools }, opened);
    counted = (seconds) => app.telemetry.commit(seconds);
    return { ...app, giveUpSoon, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function endLeft(home: string, { settings, log }: AppOptions): Promise<void> {
  const marker = await markerOf(home);
  const swept = await openSandboxes(settings, { home, marker }).sweep();
  if (swept > 0) log.info({ sandboxes: swept }, "ended sandboxes that the last run left");
  const reaped = await reapOrphans({ marker });
  if (reaped > 0) log.info({ processes: reaped }, "ended processes that the last run left");
}

function tellStall(log: Log, stall: Stall | undefined): void {
  if (stall === undefined) log.warn({}, "the store writes again; nothing that was accepted is lost");
  else
    log.error(
      { cause: stall.cause, why: stall.why },
      stall.cause === "replaced"
        ? "the database's files were removed or replaced: nothing is stored any more. Stop the server, put the files back or restore a backup, and start it again"
        : "the store cannot write: new requests are refused, what runs waits, and it is tried again",
    );
}

const DAMAGE_FOUND =
  "a page of the database is damaged: requests for data on it are refused, everything else works. `sallyport doctor` says what is damaged; restore a backup when you can";

interface AppBase {
  readonly home: string;
  readonly store: Store;
  /** Of the operator's own modules. */
  readonly extraTools: readonly AnyTool[];
}

async function assemble(
  options: AppOptions,
  base: AppBase,
  opened: CloseLater,
): Promise<Omit<App, "giveUpSoon" | "close">> {
  const { settings, log, redact, clock = SYSTEM_CLOCK } = options;
  const { home, store } = base;
  const sim = await startSim({ host: "127.0.0.1", port: 0 });
  opened.push(() => sim.close());
  const telemetry = await telemetryFor(options);
  opened.push(() => telemetry.close());
  const marker = await markerOf(home);
  const adminToken =
    settings.token.value ?? (await kept(join(home, TOKEN_FILE), () => `sp_${randomBytes(32).toString("base64url")}`));
  const { marks, watchdog } = await openMarks(marker, { log, clock }, opened);
  const supervisor = await openSupervisor(options, { home, marker });
  opened.push(() => Promise.resolve(supervisor?.close()));
  await sweepEnvironments(home, { marker, spared: (supervisor?.left ?? []).flatMap(({ folder = [] }) => folder) });
  for (const folder of [ENGINES, "output", MCP, RECORDINGS]) await sweepWarm(join(home, folder), store);
  await clearRewinding(join(home, RECORDINGS));
  const trees = new SessionTrees({ home, now: () => clock.now(), log, owner: sandboxUser() });
  await trees.sweep((id) => isStored(store, id));
  opened.push(() => trees.close());
  const newId = makeNewId(
    () => clock.now(),
    (bytes) => crypto.getRandomValues(bytes),
  );
  const identity = openIdentity({ home, redact, mounts: settings.mounts?.value });
  const proxies = networkProxiesOf(options.environment);
  const tunnels = openTunnels({ settings, home, clock, log, redact, identity, proxies });
  const { models, requests, ...way } = await openModels({
    ...options,
    endpoints: tunnels.endpoints,
    home,
    store,
    simUrl: sim.url,
    clock,
    newId,
    told: (exchange) => telemetry.exchange(exchange),
  });
  opened.push(() => way.close());
  const watched = watchMachine(options, home, opened);
  const outside = openOutside(options, telemetry, opened);
  const known = { ...base, ...outside, ...watched };
  const parts = { ...known, marker, marks, watchdog, supervisor, models, tunnels, identity, trees, newId, telemetry };
  const gateway = await gatewayFor(options, parts);
  if (supervisor !== undefined) void tellHeld(supervisor, log);
  opened.push(() => gateway.close());
  opened.push(watchStrays({ gateway, marker, marks, log, clock }));
  tellReadings(telemetry, { gateway, store, models, requests, openSockets: options.openSockets });
  await gateway.tokens.ensureAdmin(adminToken, "first admin");
  void warnOfMissingKey(models, log);
  return { gateway, adminToken, telemetry, modelAddress: addressOf(models) };
}

/** Not awaited: a key may come from a command. */
async function warnOfMissingKey({ providers, defaultProvider }: Models, log: Log): Promise<void> {
  try {
    await providers.get(defaultProvider).credentials();
  } catch (error) {
    log.warn({ provider: defaultProvider }, (error as Error).message);
  }
}

/** Where model calls go for sessions without a provider. */
function addressOf({ providers, defaultProvider }: Models): string {
  const { id, baseUrl } = providers.get(defaultProvider);
  const places = [...new Set(Object.values(baseUrl))].join(" and ");
  return id === "cloud" ? places : `the provider ${id} (${places})`;
}

interface ProcessGuard {
  readonly marks: ProcessMarks;
  readonly watchdog: Watchdog;
}

/** How this server's processes are identified, and what ends them if it is killed. */
async function openMarks(
  marker: string,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
  opened: CloseLater,
): Promise<ProcessGuard> {
  const marks = await ProcessMarks.open(marker, Math.random);
  if (!marks.lasting)
    log.info({}, "processes are known by their environment alone: one that clears it can outlive its session");
  const watchdog = openWatchdog({
    marker,
    life: marks.life,
    after: (ms, callback) => clock.after(ms, callback),
    onLost: (reason) => log.warn({ reason }, "the watchdog ended and is started again"),
  });
  opened.push(() => Promise.resolve(watchdog.close()));
  return { marks, watchdog };
}

interface StrayWatch {
  readonly gateway: Gateway;
  readonly marker: string;
  readonly marks: ProcessMarks;
  readonly log: Log;
  readonly clock: Clock;
}

/** Regularly ends processes that outlived their session. Returns a function that stops it. */
function watchStrays({ gateway, marker, marks, log, clock }: StrayWatch): () => Promise<void> {
  let look: Promise<unknown> = Promise.resolve();
  let cancel = (): void => undefined;
  const again = (): void => {
    cancel = clock.after(LIMITS.strayProcessMs, () => {
      look = reapOrphans({ marker, marks, living: gateway.living })
        .then((count) => {
          if (count > 0) log.warn({ processes: count }, "ended processes that belonged to no session any more");
        })
        .finally(again);
      look.catch((error: unknown) => log.warn({ err: error }, "stray processes could not be looked for"));
    });
  };
  again();
  return async () => {
    await look.catch(() => undefined);
    cancel();
  };
}

function telemetryFor({ settings, version, log, redact, clock = SYSTEM_CLOCK }: AppOptions): Promise<Telemetry> {
  const { url, headers = {} } = settings.telemetry.value ?? {};
  for (const secret of Object.values(headers)) redact.learn(secret);
  return openTelemetry({ version, endpoint: url, headers, now: () => clock.now(), log, redact });
}

interface AppParts extends AppBase, OutsideWorld, ProcessGuard {
  readonly marker: string;
  readonly supervisor: Supervisor | undefined;
  readonly models: Models;
  readonly tunnels: TunnelDependencies;
  readonly identity: IdentityDependencies;
  readonly newId: NewId;
  readonly trees: SessionTrees;
  readonly telemetry: Telemetry;
  readonly openFiles: OpenFilesWatch;
  readonly expiryClock: ExpiryClock;
}

/** Files that are open, and what the clock says. */
function watchMachine(
  { log, clock = SYSTEM_CLOCK, openFiles: files = OWN_OPEN_FILES }: AppOptions,
  home: string,
  opened: CloseLater,
): Pick<AppParts, "openFiles" | "expiryClock"> {
  const few = fewOpenFiles(files);
  if (few !== undefined) log.warn({ limit: files.limit }, few);
  const openFiles = new OpenFilesWatch({ files, log, after: (ms, callback) => clock.after(ms, callback) });
  opened.push(() => Promise.resolve(openFiles.close()));
  const expiryClock = openExpiryClock({ home, clock, log });
  opened.push(() => expiryClock.close());
  return { openFiles, expiryClock };
}

/** What processes of sessions get of the server's environment. */
function passedOnOf(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

function openConnections(
  { settings, environment, redact, clock = SYSTEM_CLOCK }: AppOptions,
  home: string,
): ConnectionBook {
  return new ConnectionBook({
    started: settings.connections?.value ?? [],
    environment,
    credentials: join(home, CONNECTIONS),
    hidden: [home],
    redact,
    after: (ms, callback) => clock.after(ms, callback),
  });
}

/** What the environments of all sessions share. */
function environmentsOf(
  { settings, environment, redact, clock = SYSTEM_CLOCK }: AppOptions,
  { home, marker, marks, watchdog, supervisor, models, newId, egress, extraTools, outsideTools }: AppParts,
  { engines, sandboxes, engineFolder }: EngineParts,
): EnvironmentOptions {
  const indexes = settings.searchCode.value ? new WorkspaceIndexes() : undefined;
  return {
    home,
    marker,
    marks,
    watchdog,
    supervisor,
    engineMemoryBytes: settings.engineMemoryBytes?.value,
    commandMemoryBytes: settings.commandMemoryBytes?.value,
    sandboxCpus: settings.sandboxCpus?.value,
    environment: passedOnOf(environment),
    drivers: sandboxes,
    egress,
    engineFiles: (engine) => engines.get(engine)?.files?.() ?? [],
    engineFolders: (engine, session_id) => engines.get(engine)?.folders?.(engineFolder(session_id)) ?? [],
    engineTools: (engine) => engines.get(engine)?.ownTools?.() ?? [],
    openModelSocket: (path) => models.proxy.openSocket(path),
    extraTools: [...extraTools, ...outsideTools, ...(indexes === undefined ? [] : [searchCodeTool(indexes)])],
    indexes,
    ...browserSetup(settings, environment, clock),
    redact,
    newId,
    now: () => clock.now(),
  };
}

interface EngineParts {
  readonly engines: ReturnType<typeof openEngines>;
  readonly sandboxes: ReturnType<typeof openSandboxes>;
  readonly engineFolder: (session_id: string) => string;
}

async function gatewayFor(options: AppOptions, parts: AppParts): Promise<Gateway> {
  const { settings, environment, log, redact, clock = SYSTEM_CLOCK } = options;
  const { home, store, marker, models, newId, telemetry, openFiles, trees } = parts;
  const engines = openEngines(settings, environment, homeDoor(parts.tunnels.endpoints));
  const sandboxes = openSandboxes(settings, { home, marker });
  const engineFolder = (session_id: string): string => join(home, ENGINES, session_id);
  const environments = environmentsOf(options, parts, { engines, sandboxes, engineFolder });
  return Gateway.open({
    dependencies: {
      store,
      isShortOfFiles: () => openFiles.isShort,
      engines,
      models,
      sandboxes,
      defaultSandbox: settings.sandbox.value,
      connections: openConnections(options, home),
      identity: parts.identity,
      tunnels: parts.tunnels,
      notifications: await openNotifications({ settings, home, redact, identity: parts.identity }),
      observe: (event, { settings: { engine, provider, model }, created_by }) =>
        telemetry.event(event, { engine, provider, model, agent: created_by.id }),
      trees,
      ...changeParts(options, home),
      mcpServers: parts.mcpServers,
      mcpValues: new McpValues(join(home, MCP), redact),
      addressOf: options.addressOf,
      openEnvironment: (wanted) =>
        openInTree({ trees }, wanted, (release) => openEnvironment({ ...environments, release }, wanted)),
      engineFolder,
      held: parts.supervisor,
      sessionFiles: (session_id) => [
        engineFolder(session_id),
        join(home, "output", session_id),
        join(home, MCP, session_id),
        join(home, RECORDINGS, session_id),
        join(home, MOUNT, `${session_id}.jsonl`),
      ],
      clock,
      expiryClock: parts.expiryClock,
      newId,
      random: Math.random,
      log,
      redact,
      reach: options.reach,
      ...sessionParts(settings),
      hooks: options.hooks ?? [],
      webhookKey: await kept(join(home, WEBHOOK_KEY_FILE), () => randomBytes(32).toString("base64url")),
    },
    places: {
      defaultWorkspace: await realpath(settings.workspace.value),
      roots: await Promise.all(settings.roots.value.map((root) => realpath(root))),
      hidden: [home],
    },
    search: openTextSearch({ path: join(home, DATABASE), acceptLoss: options.store?.acceptLoss }),
    retention: settings.retention?.value,
    pool: poolOf(settings),
    policyFile: loadPolicyFile(home, settings),
  });
}
