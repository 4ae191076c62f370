import type { Duplex } from "node:stream";
import type { z } from "zod";
import {
  defined,
  Failure,
  LIMITS,
  TunnelEndpoint,
  TUNNEL_PREFIX,
  tunnelProblem,
  type SaveTunnel,
  type TunnelReport,
  type TunnelView,
} from "../../../protocol/index.ts";
import type { EndpointBook, EndpointSetting } from "../../../tunnels/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import { StoredList } from "../stored-list.ts";
import { HomeSessions } from "./home-sessions.ts";

const DOCUMENT = "tunnels";
const Stored = TunnelEndpoint.partial({ url: true });

/** Other people's machines that answer model requests of this gateway. */
export class TunnelService {
  /** Sessions of this gateway that run there. */
  readonly homes: HomeSessions;
  readonly #dependencies: Dependencies;
  readonly #book: EndpointBook;
  readonly #stored: StoredList<z.infer<typeof Stored>>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.homes = new HomeSessions(dependencies);
    this.#book = dependencies.tunnels.endpoints;
    this.#stored = new StoredList(dependencies, { document: DOCUMENT, schema: Stored, most: LIMITS.tunnelEndpoints });
  }

  async open(): Promise<void> {
    await this.homes.open();
    this.#apply(await this.#stored.all());
  }

  async list(caller: Caller): Promise<readonly TunnelView[]> {
    authorize(caller, "provider.read");
    return this.#book.settings.map((setting) => this.#view(setting));
  }

  /** Adds it, or replaces the stored one with this id. */
  async save(caller: Caller, id: string, request: SaveTunnel): Promise<TunnelView> {
    authorize(caller, "policy.write");
    const setting = defined({ id, ...request });
    refuseProblem(setting);
    await this.#replaceStored(caller, [{ action: "tunnel.set", id }], (stored) => [
      ...stored.filter((known) => known.id !== id),
      setting,
    ]);
    return this.#view(setting);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "policy.write");
    await this.#replaceStored(caller, [{ action: "tunnel.delete", id }], (stored) => {
      if (!stored.some((known) => known.id === id))
        throw new Failure("not_found", `there is no tunnel ${id} that can be removed here; read auth/tunnels`);
      return stored.filter((known) => known.id !== id);
    });
  }

  /**
   * A connection to the console of the machine behind a tunnel. Whoever asks proves who they are there: what goes over it is TLS that this
   * gateway cannot read.
   */
  openConsole(id: string): Promise<Duplex> {
    return this.#book.openConsole(id);
  }

  /** Connects again with what its secret is now. */
  renew(id: string): void {
    this.#book.renew(id);
  }

  /** Throws for a tunnel of sallyport.yaml: what is stored under its id would not count. */
  refuseSet(id: string): void {
    if (this.#isSet(id))
      throw new Failure("conflict", `the tunnel ${id} is set in sallyport.yaml: change it there, or use another id`);
  }

  /** All stored ones at once, as document 003's file writes them. Those of the settings stay. */
  async replace(caller: Caller, endpoints: readonly z.infer<typeof Stored>[]): Promise<void> {
    authorize(caller, "policy.write");
    for (const endpoint of endpoints) refuseProblem(endpoint);
    await this.#replaceStored(caller, [{ action: "tunnel.set", id: "all" }], () =>
      endpoints.filter(({ id }) => !this.#isSet(id)),
    );
  }

  /** Asks the endpoint for its models now. */
  async test(caller: Caller, id: string): Promise<TunnelReport> {
    authorize(caller, "provider.test");
    this.#known(id);
    await this.#dependencies.store.commit({
      audit: [auditRow(this.#dependencies, caller, { action: "tunnel.test", target: id })],
    });
    try {
      const { models, latencyMs } = await this.#book.test(id);
      const count = models.length === 1 ? "1 model" : `${models.length} models`;
      return { id, status: "ok", message: `it answers and has ${count}`, models: [...models], latency_ms: latencyMs };
    } catch (error) {
      const { state, message } = this.#book.condition(id);
      const status = state === "refused" ? "refused" : "unreachable";
      return { id, status, message: this.#dependencies.redact(message ?? (error as Error).message), models: [] };
    }
  }

  /** The endpoints as they are set, without what they connect with. */
  get settings(): readonly EndpointSetting[] {
    return this.#book.settings;
  }

  condition(id: string): Pick<TunnelView, "state" | "message" | "models"> {
    const { state, message, models } = this.#book.condition(id);
    return { state, models: [...models], ...defined({ message }) };
  }

  /** Resolves when its models are known, or there was time enough to ask. */
  ready(id: string): Promise<void> {
    return this.#book.ready(id);
  }

  close(): void {
    this.homes.close();
    this.#book.close();
  }

  async #replaceStored(
    caller: Caller,
    audited: readonly { readonly action: string; readonly id: string }[],
    change: (stored: readonly z.infer<typeof Stored>[]) => readonly z.infer<typeof Stored>[],
  ): Promise<void> {
    const stored = await this.#stored.change(caller, { audited, change });
    this.#apply(stored);
  }

  #apply(stored: readonly z.infer<typeof Stored>[]): void {
    const own = stored.filter(({ id }) => !this.#isSet(id));
    this.#book.set([...this.#dependencies.tunnels.settings, ...own]);
  }

  #isSet(id: string): boolean {
    return this.#dependencies.tunnels.settings.some((setting) => setting.id === id);
  }

  #known(id: string): EndpointSetting {
    const found = this.#book.settings.find((setting) => setting.id === id);
    if (found === undefined) throw new Failure("not_found", `there is no tunnel ${id}`);
    return found;
  }

  #view(setting: EndpointSetting): TunnelView {
    const { id, url, auth, allowed_agents = [], rate_limit } = setting;
    const { state, message, models, openRequests } = this.#book.condition(id);
    return {
      id,
      ...defined({ url, rate_limit, message }),
      auth_type: typeof auth === "string" ? auth : auth.type,
      provider: TUNNEL_PREFIX + id,
      allowed_agents: [...allowed_agents],
      from: this.#isSet(id) ? "settings" : "stored",
      state,
      models: [...models],
      open_requests: openRequests,
    };
  }
}

/** Throws for what the settings would refuse too. A tunnel that connects to this server has no address to check. */
function refuseProblem(setting: EndpointSetting): void {
  const { id, url = "ws://localhost" } = setting;
  const problem = tunnelProblem({ ...setting, url });
  if (problem !== undefined) throw new Failure("invalid_request", `invalid request: the tunnel ${id} ${problem}`);
}
