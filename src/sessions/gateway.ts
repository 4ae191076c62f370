import type { Engine } from "../engines/index.ts";
import { ACCOUNTS, dayOf } from "../ledger/index.ts";
import { LIMITS, type EngineView, type Policy, type RetentionSettings, type SandboxView } from "../protocol/index.ts";
import type { SessionRow, StoreHealth } from "../store/index.ts";
import { ApprovalService } from "./services/approval-service.ts";
import { AuditService } from "./services/audit-service.ts";
import { ChangeService } from "./services/change-service.ts";
import { ClientService } from "./services/client-service.ts";
import { ConnectionService } from "./services/connection-service.ts";
import { Drain, drainSessions, type DrainOptions } from "./lifecycle/drain.ts";
import { Feed } from "./lifecycle/feed.ts";
import { FolderService } from "./services/folder-service.ts";
import { SetLimits } from "./budget/set-limits.ts";
import { PageService } from "./services/page-service.ts";
import { PolicyBook, PolicyService } from "./services/policy-service.ts";
import { ProviderService } from "./services/provider-service.ts";
import { SessionActivityReader } from "./lifecycle/session-activity.ts";
import { describeSandboxes, usualSandbox, type UsualSandbox } from "./settings/walls.ts";
import { SessionModelList } from "./settings/session-models.ts";
import { Receipts } from "./core/receipts.ts";
import { Registry } from "./lifecycle/registry.ts";
import { ReaderTurns } from "./core/reader-turns.ts";
import { Retention } from "./lifecycle/retention.ts";
import { EngineProcesses } from "./lifecycle/resting.ts";
import type { Dependencies } from "./dependencies.ts";
import { SessionService } from "./services/session-service.ts";
import type { Session } from "./core/session.ts";
import type { WorkspacePlaces } from "./settings/settings.ts";
import { whileStoring } from "./core/storing.ts";
import { TemplateService } from "./services/template-service.ts";
import { TokenService } from "./services/token-service.ts";
import { UsageService } from "./services/usage-service.ts";
import { WarmSessions } from "./lifecycle/warm.ts";

export interface GatewayOptions {
  readonly dependencies: Omit<Dependencies, "policy" | "limits" | "processes" | "reload" | "readers" | "drain">;
  readonly places: WorkspacePlaces;
  /** Which sessions are deleted automatically; absent: none. */
  readonly retention?: RetentionSettings | undefined;
  /** The policy from the file in the home folder; absent: there is none. */
  readonly policyFile?: Policy | undefined;
}

/** Everything behind the surfaces. They call these services and nothing else. */
export class Gateway {
  readonly sessions: SessionService;
  readonly clients: ClientService;
  readonly pages: PageService;
  readonly approvals: ApprovalService;
  readonly policy: PolicyService;
  readonly tokens: TokenService;
  readonly usage: UsageService;
  readonly providers: ProviderService;
  readonly sessionModels: SessionModelList;
  readonly activity: SessionActivityReader;
  readonly feed: Feed;
  readonly folders: FolderService;
  readonly changes: ChangeService;
  readonly templates: TemplateService;
  readonly connections: ConnectionService;
  readonly audit: AuditService;
  readonly retention: Retention;
  readonly readers: ReaderTurns;
  /** The ids of the engines that sessions can have. */
  readonly engines: readonly string[];
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;
  readonly #warm: WarmSessions;
  #stopSweep: () => void = () => undefined;

  private constructor(
    dependencies: Dependencies,
    parts: { readonly book: PolicyBook; readonly feed: Feed } & Pick<GatewayOptions, "places" | "retention">,
  ) {
    const { book, places } = parts;
    this.#dependencies = dependencies;
    this.feed = parts.feed;
    this.readers = dependencies.readers;
    this.#registry = new Registry(dependencies);
    this.#warm = new WarmSessions(dependencies);
    const receipts = new Receipts(dependencies);
    const shared = { dependencies, registry: this.#registry, receipts, places, book, warm: this.#warm };
    this.sessions = new SessionService(shared);
    this.clients = new ClientService(dependencies, this.sessions);
    this.pages = new PageService({ sessions: this.sessions, clock: dependencies.clock, newId: dependencies.newId });
    this.approvals = new ApprovalService(dependencies, this.#registry);
    this.policy = new PolicyService(shared);
    this.tokens = new TokenService(dependencies, shared.receipts);
    this.usage = new UsageService(dependencies);
    this.providers = new ProviderService(dependencies);
    this.sessionModels = new SessionModelList(dependencies, this.#registry);
    this.activity = new SessionActivityReader(this.#registry);
    this.folders = new FolderService(shared);
    this.changes = new ChangeService(shared);
    this.templates = new TemplateService(dependencies);
    this.connections = new ConnectionService(dependencies);
    this.audit = new AuditService(dependencies);
    this.retention = new Retention({ dependencies, registry: this.#registry, settings: parts.retention });
    this.engines = [...dependencies.engines.values()]
      .filter((engine) => engine.missing?.() === undefined)
      .map(({ id }) => id);
  }

  /** Opens the store and settles what the last run left, before the first command is accepted. */
  static async open(options: GatewayOptions): Promise<Gateway> {
    const book = await PolicyBook.open(options.dependencies.store, options.policyFile);
    const limits = new SetLimits(options.dependencies.store);
    const processes = new EngineProcesses(options.dependencies.clock);
    const feed = new Feed(options.dependencies);
    const dependencies: Dependencies = {
      ...options.dependencies,
      limits,
      processes,
      readers: new ReaderTurns(),
      drain: new Drain(),
      policy: () => book.current(),
      reload: (session) => gateway.#registry.reload(session),
      observe: (event, state) => {
        options.dependencies.observe(event, state);
        feed.observe(event, state);
      },
    };
    const gateway: Gateway = new Gateway(dependencies, { ...options, book, feed });
    await gateway.tokens.open();
    await gateway.#reconcile();
    gateway.#sweep();
    return gateway;
  }

  /** All engines that this server knows. Those that cannot be used here say what to do about it. */
  describeEngines(): readonly EngineView[] {
    return [...this.#dependencies.engines.values()].map(viewEngine);
  }

  /** All kinds of sandboxes, and which one sessions get that name none. */
  describeSandboxes(): Promise<readonly SandboxView[]> {
    return describeSandboxes(this.#dependencies);
  }

  /** What sessions get that name no sandbox. */
  usualSandbox(): Promise<UsualSandbox> {
    return usualSandbox(this.#dependencies);
  }

  /** Sessions that may have processes. */
  get living(): readonly string[] {
    return [...this.#registry.inMemory.map(({ state }) => state.id), ...this.#warm.ids];
  }

  /** Engine processes that work, that wait for their session's next turn, and that wait for a session. */
  get pool(): { readonly working: number; readonly idle: number; readonly warm: number } {
    return { ...this.#dependencies.processes.counts, warm: this.#warm.ids.length };
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
    this.#registry.stop();
    await Promise.all([this.#warm.close(), this.#dependencies.connections.close()]);
    await Promise.allSettled(this.#registry.inMemory.map((session) => session.halt()));
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

function viewEngine(engine: Engine): EngineView {
  const { id, wires, capabilities } = engine;
  const advice = engine.missing?.();
  return {
    id,
    available: advice === undefined,
    ...(advice === undefined ? {} : { advice }),
    wires: [...wires],
    capabilities: { ...capabilities },
  };
}

/** Seconds since the earliest of these times; 0: there is none. */
function ageOf(times: readonly (number | undefined)[], now: number): number {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? 0 : Math.max(0, now - Math.min(...known)) / 1_000;
}
