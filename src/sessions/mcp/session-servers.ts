import type { Host } from "../../engines/index.ts";
import { ServerClient, type ServerPrompt } from "../../mcp-client/index.ts";
import { LIMITS, type McpServerView } from "../../protocol/index.ts";
import type { SessionEnvironment } from "../dependencies.ts";
import type { Session } from "../core/session.ts";
import { RepositoryTrust } from "./repository-trust.ts";
import { serverRequests } from "./server-questions.ts";
import { wantedServers, type WantedMcpServer } from "./definitions.ts";

/** The MCP servers of one session. They start with a turn, and end when the session rests or ends. */
export class SessionServers {
  /** Whether the programs of the repository may be used. */
  readonly trust: RepositoryTrust;
  /** What the engine of the present conversation works with; absent: none has begun. */
  host: Host | undefined;
  readonly #session: Session;
  #clients = new Map<string, ServerClient>();
  /** Where the clients run; absent: there are none. */
  #environment: SessionEnvironment | undefined;
  #told = 0;

  constructor(session: Session) {
    this.#session = session;
    this.trust = new RepositoryTrust(session);
  }

  /** Whether one of them is a program. */
  get haveProgram(): boolean {
    return wantedServers(this.#session).some((wanted) => !("refused" in wanted) && wanted.transport === "stdio");
  }

  /**
   * A turn begins: a person is asked about servers of the repository that nobody approved. Then what does not run is started, all at once. Resolves when each is ready or has failed, or after a while: the others are
   * there when they are. No failure of a server fails the turn.
   */
  async begin(signal: AbortSignal): Promise<void> {
    // What the repository says now counts, not what it said before.
    await this.#session.instructions.refreshed;
    await this.trust.settle(signal);
    const wanted = wantedServers(this.#session);
    if (wanted.length === 0 && this.#clients.size === 0) return;
    this.#told = 0;
    await this.#fitted(wanted);
    const begun = Promise.all([...this.#clients.values()].map((client) => client.begin()));
    let end = (): void => undefined;
    const enough = new Promise<void>((resolve) => {
      end = resolve;
    });
    const cancel = this.#session.dependencies.clock.after(LIMITS.mcpTurnWaitMs, end);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    await Promise.race([begun, enough]);
    signal.removeEventListener("abort", end);
    cancel();
  }

  /** Whether the session has a server of this name that may run. */
  has(name: string): boolean {
    return wantedServers(this.#session).some((wanted) => wanted.name === name && !("refused" in wanted));
  }

  /** The server of this name, started if it does not run. Undefined: there is none, or the signal was aborted before it was ready. */
  async started(name: string, signal: AbortSignal): Promise<ServerClient | undefined> {
    if (!this.has(name)) return undefined;
    await this.#fitted(wantedServers(this.#session));
    const client = this.#clients.get(name);
    if (client === undefined || signal.aborted) return undefined;
    const late = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    return Promise.race([client.begin().then(() => client), late]);
  }

  /** Prompts of servers that run, by server. */
  prompts(): readonly { readonly server: string; readonly prompts: readonly ServerPrompt[] }[] {
    return [...this.#clients].map(([server, { prompts }]) => ({ server, prompts }));
  }

  view(): readonly McpServerView[] {
    return wantedServers(this.#session).map((wanted): McpServerView => {
      const { name, from, transport } = wanted;
      if ("refused" in wanted) return { name, from, transport, state: "refused", tools: [], error: wanted.refused };
      const client = this.#clients.get(name);
      if (client?.definition.key === wanted.key) return client.view;
      return { name, from, transport, state: "waiting", tools: [] };
    });
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients = new Map();
    this.#environment = undefined;
    await Promise.all(clients.map((client) => client.close()));
  }

  async #fitted(wanted: readonly WantedMcpServer[]): Promise<void> {
    const environment = await this.#session.environment();
    if (this.#environment !== environment) await this.close();
    this.#environment = environment;
    await this.#fit(wanted, environment);
  }

  /** Ends clients of servers that are gone or others now, and makes those that are missing. */
  async #fit(wanted: readonly WantedMcpServer[], { toolbox, sandbox }: SessionEnvironment): Promise<void> {
    const before = this.#clients;
    const { clock, addressOf } = this.#session.dependencies;
    this.#clients = new Map(
      wanted.flatMap((definition): [string, ServerClient][] => {
        if ("refused" in definition) return [];
        const { name, key } = definition;
        const known = before.get(name);
        if (known?.definition.key === key) return [[name, known]];
        const client = new ServerClient(definition, {
          sandbox,
          addressOf,
          requests: serverRequests(this.#session, name),
          now: () => clock.now(),
          after: (ms, callback) => clock.after(ms, callback),
          register: (tools, instead) => toolbox.register(tools, instead),
          tell: (message) => this.#tell(message),
        });
        return [[name, client]];
      }),
    );
    const kept = new Set(this.#clients.values());
    await Promise.all([...before.values()].filter((client) => !kept.has(client)).map((client) => client.close()));
  }

  #tell(message: string): void {
    this.#told += 1;
    if (this.#told > LIMITS.mcpNotices) return;
    void this.#session.execute({ type: "notice", message }).catch(() => undefined);
  }
}
