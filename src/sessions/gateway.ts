import { ACCOUNTS, dayOf } from "../ledger/index.ts";
import {
  LIMITS,
  SYSTEM,
  type EngineView,
  type Policy,
  type PoolChange,
  type Profile,
  type RetentionSettings,
  type SandboxView,
  type SessionSettings,
  type WorkerState,
} from "../protocol/index.ts";
import { PairingBook, TunnelAcceptor } from "../tunnels/index.ts";
import type { SessionRow, StoreHealth, TextSearch } from "../store/index.ts";
import { ApprovalService } from "./services/approval-service.ts";
import { AuditService } from "./services/access/audit-service.ts";
import { ChangeComments } from "./services/workspaces/change-comments.ts";
import { ChangeService } from "./services/workspaces/change-service.ts";
import { PublishService } from "./services/workspaces/publish-service.ts";
import { RecordingService } from "./services/workspaces/recording-service.ts";
import { ClientService } from "./services/client-service.ts";
import { ConnectionService } from "./services/models/connection-service.ts";
import { Drain, drainSessions, type DrainOptions } from "./lifecycle/drain.ts";
import { Feed } from "./lifecycle/feed.ts";
import { ExportService } from "./services/export-service.ts";
import { ShareService } from "./services/access/share-service.ts";
import { FileViewer } from "./services/workspaces/file-viewer.ts";
import { FolderService } from "./services/workspaces/folder-service.ts";
import { InboxService } from "./services/inbox-service.ts";
import { IdentityService } from "./services/tunnels/identity-service.ts";
import { InstructionService } from "./services/workspaces/instruction-service.ts";
import { JobService } from "./services/job-service.ts";
import { SetLimits } from "./budget/set-limits.ts";
import { LongRunService } from "./long-runs/service.ts";
import { ScheduleService } from "./triggers/schedules.ts";
import { WebhookService } from "./triggers/webhooks.ts";
import { KeyService } from "./services/access/key-service.ts";
import { NotificationService } from "./notifications/service.ts";
import { PairingService } from "./services/access/pairing-service.ts";
import { PageService } from "./services/page-service.ts";
import { PolicyBook, PolicyService } from "./services/access/policy-service.ts";
import { McpLoginService } from "./services/access/mcp-login-service.ts";
import { ModelService } from "./services/models/model-service.ts";
import { ProviderService } from "./services/models/provider-service.ts";
import { SessionActivityReader } from "./lifecycle/session-activity.ts";
import { describeSandboxes, usualSandbox, type UsualSandbox } from "./settings/walls.ts";
import { SessionModelList } from "./settings/session-models.ts";
import { Receipts } from "./core/receipts.ts";
import { Registry } from "./lifecycle/registry.ts";
import { ReaderTurns } from "./core/reader-turns.ts";
import { Retention } from "./lifecycle/retention.ts";
import { EngineProcesses } from "./lifecycle/resting.ts";
import type { Dependencies } from "./dependencies.ts";
import { QueueService } from "./services/queue-service.ts";
import { SearchService } from "./services/search-service.ts";
import { SessionService } from "./services/session-service.ts";
import { ShellService } from "./services/workspaces/shell-service.ts";
import type { Session } from "./core/session.ts";
import { settingsFor, type WorkspacePlaces } from "./settings/settings.ts";
import { whileStoring } from "./core/storing.ts";
import { ProjectService } from "./services/project-service.ts";
import { TemplateService } from "./services/template-service.ts";
import { TokenService } from "./services/access/token-service.ts";
import { TunnelOfferService } from "./services/tunnels/tunnel-offer-service.ts";
import { TunnelPairingService } from "./services/tunnels/tunnel-pairing-service.ts";
import { TunnelService } from "./services/tunnels/tunnel-service.ts";
import { TunnelAuthService } from "./services/tunnels/tunnel-auth-service.ts";
import { UsageService } from "./services/models/usage-service.ts";
import { WarmSessions } from "./lifecycle/warm.ts";
import { UNBOUNDED } from "./access/token-scope.ts";
import { WorkerService } from "./services/models/worker-service.ts";
import { canRunCommands } from "./workers/health.ts";
import { WorkerPool } from "./workers/pool.ts";
import { ageOf } from "./lifecycle/age.ts";
import { viewEngine } from "./settings/engine-view.ts";
import { PoolScaling } from "./workers/scaling.ts";

export interface GatewayOptions {
  readonly dependencies: Omit<
    Dependencies,
    "policy" | "unproved" | "limits" | "processes" | "reload" | "readers" | "drain" | "workers"
  >;
  readonly places: WorkspacePlaces;
  /** Finds words in journals; absent: there is no search in conversations. */
  readonly search?: TextSearch | undefined;
  /** Prepared workers; absent: there are none. */
  readonly pool?: PoolOptions | undefined;
  /** Which sessions are deleted automatically; absent: none. */
  readonly retention?: RetentionSettings | undefined;
  /** The policy from the file in the home folder; absent: there is none. */
  readonly policyFile?: Policy | undefined;
}

interface PoolOptions {
  readonly config: PoolChange;
  /** Profiles of the first sessions that are expected; empty: the default one. */
  readonly profiles: readonly string[];
}

interface GatewayParts extends Pick<GatewayOptions, "places" | "retention" | "pool" | "search"> {
  readonly book: PolicyBook;
  readonly feed: Feed;
}

/** Everything behind the surfaces. They call these services and nothing else. */
export class Gateway {
  readonly sessions: SessionService;
  readonly instructions: InstructionService;
  readonly jobs: JobService;
  readonly clients: ClientService;
  readonly pages: PageService;
  readonly approvals: ApprovalService;
  readonly inbox: InboxService;
  readonly policy: PolicyService;
  readonly tokens: TokenService;
  readonly keys: KeyService;
  readonly usage: UsageService;
  readonly providers: ProviderService;
  readonly models: ModelService;
  readonly mcpLogins: McpLoginService;
  readonly sessionModels: SessionModelList;
  readonly activity: SessionActivityReader;
  readonly feed: Feed;
  readonly folders: FolderService;
  readonly changes: ChangeService;
  readonly changeComments: ChangeComments;
  readonly recordings: RecordingService;
  readonly publishing: PublishService;
  readonly fileViewer: FileViewer;
  readonly templates: TemplateService;
  readonly projects: ProjectService;
  readonly exports: ExportService;
  readonly search: SearchService;
  readonly queue: QueueService;
  readonly shells: ShellService;
  readonly shares: ShareService;
  readonly longRuns: LongRunService;
  readonly schedules: ScheduleService;
  readonly webhooks: WebhookService;
  readonly notifications: NotificationService;
  readonly pairings: PairingService;
  readonly connections: ConnectionService;
  readonly audit: AuditService;
  readonly identity: IdentityService;
  readonly tunnelAuth: TunnelAuthService;
  readonly tunnels: TunnelService;
  readonly offers: TunnelOfferService;
  readonly pairing: TunnelPairingService;
  /** Takes the connections of tunnels' other sides. */
  readonly acceptor: TunnelAcceptor;
  readonly retention: Retention;
  readonly readers: ReaderTurns;
  readonly workers: WorkerService;
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;
  readonly #warm: WarmSessions;
  readonly #scaling: PoolScaling;
  #stopSweep: () => void = () => undefined;

  private constructor(dependencies: Dependencies, parts: GatewayParts) {
    const { book, places } = parts;
    this.#dependencies = dependencies;
    this.feed = parts.feed;
    this.readers = dependencies.readers;
    this.#registry = new Registry(dependencies);
    this.#warm = new WarmSessions(dependencies);
    const receipts = new Receipts(dependencies);
    this.#scaling = new PoolScaling({ dependencies, warm: this.#warm, first: () => this.#expected(parts) });
    const expect = (settings: SessionSettings): void => this.#expect(settings);
    const shared = { dependencies, registry: this.#registry, receipts, places, book, warm: this.#warm, expect };
    this.instructions = new InstructionService(shared);
    this.tunnelAuth = new TunnelAuthService(dependencies, () => dependencies.tunnels.endpoints.settings);
    this.identity = new IdentityService(dependencies, this.tunnelAuth);
    this.sessions = new SessionService({ ...shared, instructions: this.instructions, tunnelAuth: this.tunnelAuth });
    this.queue = new QueueService({ ...shared, instructions: this.instructions });
    this.shells = new ShellService(shared);
    this.clients = new ClientService(dependencies, this.sessions);
    this.pages = new PageService({ sessions: this.sessions, clock: dependencies.clock, newId: dependencies.newId });
    this.changes = new ChangeService(shared);
    this.changeComments = new ChangeComments({ ...shared, sessions: this.sessions });
    this.recordings = new RecordingService(shared);
    this.publishing = new PublishService(shared);
    this.fileViewer = new FileViewer(shared);
    this.approvals = new ApprovalService({ ...shared, changes: this.changes });
    this.inbox = new InboxService({ ...shared, approvals: this.approvals, sessions: this.sessions });
    this.policy = new PolicyService(shared);
    this.keys = new KeyService(dependencies, receipts);
    this.tokens = new TokenService(dependencies, receipts, this.keys);
    this.pairings = new PairingService(dependencies, this.tokens);
    this.notifications = new NotificationService({ ...shared, approvals: this.approvals });
    this.usage = new UsageService(dependencies);
    this.providers = new ProviderService(dependencies);
    this.models = new ModelService(dependencies);
    this.mcpLogins = new McpLoginService(dependencies);
    this.sessionModels = new SessionModelList(dependencies, this.#registry);
    this.activity = new SessionActivityReader(this.#registry);
    this.folders = new FolderService(shared);
    this.templates = new TemplateService(dependencies);
    this.projects = new ProjectService(dependencies);
    this.exports = new ExportService(dependencies, this.#registry);
    this.search = new SearchService({ ...shared, search: parts.search });
    this.shares = new ShareService(dependencies, this.#registry, this.exports);
    const unattended = { dependencies, sessions: this.sessions, template: (id: string) => this.templates.find(id) };
    this.longRuns = new LongRunService(unattended);
    this.schedules = new ScheduleService(unattended);
    this.webhooks = new WebhookService(unattended);
    this.connections = new ConnectionService(dependencies);
    this.audit = new AuditService(dependencies);
    this.tunnels = new TunnelService(dependencies);
    const pairings = new PairingBook(dependencies.clock);
    this.offers = new TunnelOfferService(dependencies, { ...shared, keys: this.keys, tokens: this.tokens, pairings });
    this.pairing = new TunnelPairingService(dependencies, { pairings, tunnels: this.tunnels, offers: this.offers });
    this.acceptor = this.#acceptorWith(pairings);
    this.workers = new WorkerService(dependencies);
    this.retention = new Retention({ ...shared, settings: parts.retention, deleted: (id) => this.search.changed(id) });
    this.jobs = new JobService(this.sessions, this.retention);
  }

  #acceptorWith(pairings: PairingBook): TunnelAcceptor {
    const { endpoints, bounds } = this.#dependencies.tunnels;
    const books = { home: endpoints, gateway: this.offers.book };
    return new TunnelAcceptor({ bounds, pairings, find: (id, role) => books[role].accepted(id) });
  }

  /** Opens the store and settles what the last run left, before the first command is accepted. */
  static async open(options: GatewayOptions): Promise<Gateway> {
    const book = await PolicyBook.open(options.dependencies.store, options.policyFile);
    const limits = new SetLimits(options.dependencies.store);
    const processes = new EngineProcesses(options.dependencies.clock);
    const feed = new Feed(options.dependencies);
    const workers = new WorkerPool({
      clock: options.dependencies.clock,
      config: options.pool?.config,
      prepared: (id) => gateway.#warm.of(id),
      isWorking: (id) => gateway.#registry.peek(id)?.state.turn !== undefined,
      end: (id) => gateway.#endWorker(id),
      suspect: (id) => void gateway.#checkWorker(id),
      changed: () => gateway.#scaling.soon(),
    });
    const dependencies: Dependencies = {
      ...options.dependencies,
      limits,
      processes,
      readers: new ReaderTurns(),
      drain: new Drain(),
      policy: () => book.current(),
      unproved: (principal, provider) => gateway.tunnelAuth.unproved(principal, provider),
      workers,
      openEnvironment: (wanted) => workers.open(wanted, options.dependencies.openEnvironment),
      reload: (session) => gateway.#registry.reload(session),
      observe: (event, state) => {
        options.dependencies.observe(event, state);
        workers.observe(event, state);
        feed.observe(event, state);
        gateway.longRuns.observe(event);
        gateway.search.changed(event.session_id);
        for (const service of [gateway.notifications, gateway.tunnels.homes]) service.observe(event, state);
      },
    };
    const gateway: Gateway = new Gateway(dependencies, { ...options, book, feed });
    for (const name of ["tokens", "keys", "tunnels", "offers", "notifications"] as const) await gateway[name].open();
    await gateway.shells.settle();
    await gateway.#reconcile();
    for (const service of [gateway.longRuns, gateway.webhooks, gateway.schedules]) await service.open();
    await gateway.notifications.resume();
    gateway.#sweep();
    gateway.#scaling.start();
    return gateway;
  }

  /** The ids of the engines that sessions can have now: a program may be installed while the server runs. */
  get engines(): readonly string[] {
    return [...this.#dependencies.engines.values()]
      .filter((engine) => engine.missing?.() === undefined)
      .map(({ id }) => id);
  }

  /** All engines that this server knows. Those that cannot be used here say what to do about it. */
  describeEngines(): readonly EngineView[] {
    return [...this.#dependencies.engines.values()].map(viewEngine);
  }

  /** All kinds of sandboxes, and which one sessions get that name none. */
  describeSandboxes(): Promise<readonly SandboxView[]> {
    return describeSandboxes(this.#dependencies);
  }

  /** What sessions of a profile, or of the default one, get that name no sandbox. */
  usualSandbox(profile?: Profile): Promise<UsualSandbox> {
    return usualSandbox(this.#dependencies, profile);
  }

  /** Sessions that may have processes. */
  get living(): readonly string[] {
    return [...this.#registry.inMemory.map(({ state }) => state.id), ...this.#warm.ids];
  }

  /** Engine processes that work, that wait for their session's next turn, and that wait for a session. */
  get pool(): { readonly working: number; readonly idle: number; readonly warm: number } {
    return { ...this.#dependencies.processes.counts, warm: this.#warm.programs };
  }

  /** Workers by state, and sessions that wait for one. */
  get workerCounts(): Readonly<Record<WorkerState | "waiting", number>> {
    const { starting, idle, busy, unhealthy, waiting } = this.#dependencies.workers.view();
    return { starting, idle, busy, unhealthy, waiting };
  }

  /** Figures for monitoring. */
  async readings(): Promise<{
    readonly sessionsInMemory: number;
    readonly openTurns: number;
    readonly pendingApprovals: number;
    readonly oldestQuestionSeconds: number;
    readonly watchers: number;
    readonly queuedPrompts: number;
    readonly reservedMicrousd: number;
    readonly spentTodayMicrousd: number;
  }> {
    const { models, clock } = this.#dependencies;
    const sessions = this.#registry.inMemory;
    const sum = (count: (session: Session) => number): number =>
      sessions.reduce((total, session) => total + count(session), 0);
    const [all, today] = await Promise.all([
      models.ledger.balance(ACCOUNTS.total),
      models.ledger.balance(ACCOUNTS.day(dayOf(clock.now()))),
    ]);
    return {
      sessionsInMemory: sessions.length,
      openTurns: sum(({ state }) => (state.turn === undefined ? 0 : 1)),
      pendingApprovals: sum(({ state }) => state.pending.length),
      oldestQuestionSeconds: ageOf(
        sessions.map(({ questions }) => questions.oldest),
        clock.now(),
      ),
      watchers: sum(({ stream }) => stream.watchers),
      queuedPrompts: sum(({ state }) => state.queue.length),
      reservedMicrousd: all.reserved,
      spentTodayMicrousd: today.spent,
    };
  }

  /** Whether new requests can be stored at the moment. */
  get storeHealth(): StoreHealth {
    return this.#dependencies.store.health();
  }

  /** Whether the server is about to stop: new sessions and prompts are refused. */
  get isDraining(): boolean {
    return this.#dependencies.drain.isStarted;
  }

  /** Whether the wall clock was set back since the last run. */
  get isClockSetBack(): boolean {
    return this.#dependencies.expiryClock.isSetBack;
  }

  /** Whether the process can hardly open any more files and connections: new sessions and prompts are refused. */
  get isShortOfFiles(): boolean {
    return this.#dependencies.isShortOfFiles();
  }

  /** The answer of a request; a Failure when nothing could be written for `storeWaitMs`. */
  whileStoring<Answer>(work: Promise<Answer>): Promise<Answer> {
    return whileStoring(this.#dependencies, work);
  }

  /** Refuses new work, and gives running calls time to end. What is still open then waits for the next start. */
  drain(options: DrainOptions): Promise<void> {
    return drainSessions({ dependencies: this.#dependencies, registry: this.#registry }, options);
  }

  /** Stops without ending anything: open turns and questions wait for the next start. The store stays open. */
  async close(): Promise<void> {
    this.#stopSweep();
    this.offers.close();
    this.tunnels.close();
    await Promise.all([this.longRuns.close(), this.schedules.close(), this.notifications.close()]);
    this.#registry.stop();
    await this.#scaling.close();
    await Promise.all([this.#warm.close(), this.#dependencies.connections.close()]);
    await Promise.allSettled(this.#registry.inMemory.map((session) => session.halt()));
    await this.search.close();
  }

  /** With a pool, it decides what is prepared; otherwise one engine follows the last. */
  #expect(settings: SessionSettings): void {
    if (this.#dependencies.workers.config.min_workers === 0) {
      this.#warm.follow(settings);
      return;
    }
    this.#scaling.expect(settings);
    this.#scaling.soon();
  }

  /** The settings of the sessions that are expected before one has come. */
  async #expected({ pool, places }: Pick<GatewayOptions, "pool" | "places">): Promise<readonly SessionSettings[]> {
    const profiles = pool?.profiles ?? [];
    // A profile may want a limit with each session. It is not part of what makes a worker fit.
    const max_cost_microusd = 1;
    const requests =
      profiles.length === 0 ? [{ max_cost_microusd }] : profiles.map((profile) => ({ profile, max_cost_microusd }));
    const caller = { ...SYSTEM, role: "admin", token: { id: SYSTEM.id, ...UNBOUNDED } } as const;
    const found: SessionSettings[] = [];
    for (const request of requests) {
      try {
        found.push(await settingsFor({ dependencies: this.#dependencies, places }, caller, request));
      } catch (error) {
        this.#dependencies.log.info({ err: error }, "no worker can be prepared before the first session");
      }
    }
    return found;
  }

  async #endWorker(session_id: string): Promise<void> {
    await (this.#warm.of(session_id) === undefined
      ? this.#registry.peek(session_id)?.rest()
      : this.#warm.end(session_id));
  }

  /** If no command can be run on a session's worker any more, its next turn gets another one and continues from the journal. */
  async #checkWorker(session_id: string): Promise<void> {
    const session = this.#registry.peek(session_id);
    if (session === undefined || session.state.turn !== undefined || (await canRunCommands(session))) return;
    this.#dependencies.workers.condemn(session_id);
    await session.rest().catch(() => undefined);
  }

  /** First writes down everything that the last run left open, then continues it. */
  async #reconcile(): Promise<void> {
    const rows = await this.#dependencies.store.read.unsettled();
    const restored = await Promise.all(rows.map((row) => this.#restore(row)));
    const sessions = restored.filter((session) => session !== undefined);
    await Promise.all(sessions.map((session) => session.recover()));
    for (const session of sessions) session.start();
    if (sessions.length > 0)
      this.#dependencies.log.info({ sessions: sessions.length }, "resumed what the last run left");
  }

  /** Undefined if the row is damaged: the others are restored nevertheless. */
  async #restore(row: SessionRow): Promise<Session | undefined> {
    try {
      return await this.#registry.restore(row);
    } catch (error) {
      this.#dependencies.log.error({ session: row.id, err: error }, "a session could not be taken up");
      return undefined;
    }
  }

  #sweep(): void {
    const { clock, log } = this.#dependencies;
    this.#stopSweep = clock.after(LIMITS.sweepMs, () => {
      this.retention.tend().catch((error: unknown) => log.warn({ err: error }, "old rows could not be deleted"));
      this.#sweep();
    });
  }
}
