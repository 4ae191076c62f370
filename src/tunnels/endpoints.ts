import type { ClientHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import { request, type Dispatcher } from "undici";
import {
  authKindOf,
  createTunnelAuthenticator,
  isLoopback,
  type ReadSecret,
  type TunnelSigner,
  type TwoClocks,
} from "../identity/index.ts";
import {
  Failure,
  LIMITS,
  TunnelModels,
  TUNNEL_MODELS_PATH,
  TUNNEL_PREFIX,
  type Log,
  type Price,
  type PricedModel,
  type TunnelEndpoint,
  type TunnelLinkState,
} from "../protocol/index.ts";
import type { NetworkProxies, TunnelPlace, TunnelTransport } from "../proxy/index.ts";
import type { AcceptedTunnel } from "./accept.ts";
import { boundedText } from "./bounded-text.ts";
import { openConsoleStream } from "./console-stream.ts";
import { credentialOf } from "./credential.ts";
import { TunnelDialer } from "./dial.ts";
import { openRequests, TunnelDispatcher } from "./dispatcher.ts";
import type { LinkBounds, LinkEvents, TunnelLink } from "./link.ts";
import { SessionPorts, type SessionPort, type SessionPortEvents } from "./session-ports.ts";

/** Another machine that answers model requests. Absent `url`: it connects to this server. */
export interface EndpointSetting extends Omit<TunnelEndpoint, "url"> {
  readonly url?: string | undefined;
}

export interface EndpointBookOptions {
  readonly secret: ReadSecret;
  /** This gateway's own key. */
  readonly signer: () => Promise<TunnelSigner>;
  readonly clocks: TwoClocks;
  /** How long a challenge can be answered. Absent: LIMITS.challengeMs. */
  readonly challengeMs?: number | undefined;
  readonly log: Pick<Log, "info" | "warn">;
  /** The network's proxies for connections to other machines. Absent: none. */
  readonly proxies?: NetworkProxies | undefined;
  readonly bounds?: LinkBounds | undefined;
  readonly random?: (() => number) | undefined;
}

export interface EndpointCondition {
  readonly state: TunnelLinkState;
  readonly message?: string | undefined;
  readonly models: readonly string[];
  readonly openRequests: number;
}

/** The tunnels through which this gateway can send model requests. */
export class EndpointBook implements TunnelTransport {
  readonly #options: EndpointBookOptions;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #authenticator;
  readonly #ports = new SessionPorts();
  #places: readonly TunnelPlace[] = [];

  constructor(options: EndpointBookOptions) {
    this.#options = options;
    const { clocks, secret, challengeMs } = options;
    this.#authenticator = createTunnelAuthenticator({
      clocks,
      lifeMs: challengeMs,
      secret,
      rules: (id) => this.#endpoints.get(id)?.setting,
    });
  }

  /** Replaces all tunnels by these. A tunnel with unchanged settings stays connected. */
  set(settings: readonly EndpointSetting[]): void {
    const wanted = new Map(settings.map((setting) => [setting.id, setting]));
    for (const [id, endpoint] of this.#endpoints) {
      if (JSON.stringify(wanted.get(id)) === JSON.stringify(endpoint.setting)) continue;
      this.#endpoints.delete(id);
      endpoint.close("the tunnel was changed or removed");
    }
    for (const [id, setting] of wanted) {
      if (this.#endpoints.has(id)) continue;
      const endpoint = this.#endpoint(setting);
      this.#endpoints.set(id, endpoint);
      endpoint.start();
    }
    this.#changed();
  }

  /** Ends its links and connects again: its secret has changed. */
  renew(id: string): void {
    const before = this.#endpoints.get(id);
    if (before === undefined) return;
    before.close("the tunnel has a new key");
    const endpoint = this.#endpoint(before.setting);
    this.#endpoints.set(id, endpoint);
    endpoint.start();
    this.#changed();
  }

  get settings(): readonly EndpointSetting[] {
    return [...this.#endpoints.values()].map(({ setting }) => setting);
  }

  /** The same array until something changes. */
  get places(): readonly TunnelPlace[] {
    return this.#places;
  }

  dispatcher(id: string): Dispatcher {
    return this.#of(id).dispatcher;
  }

  /** A connection to the console of the machine at its other end. Rejects where there is none. */
  async openConsole(id: string): Promise<Duplex> {
    return openConsoleStream(await this.#of(id).session());
  }

  /** Joins a session at the other end. Resolves when there is a link; rejects with the reason. */
  async openSession(id: string, session_id: string, events: SessionPortEvents): Promise<SessionPort> {
    const endpoint = this.#of(id);
    await endpoint.session();
    return this.#ports.open(id, session_id, events);
  }

  /** Called with a tunnel's id whenever it has a new link. */
  onLinked(listener: (id: string) => void): void {
    this.#ports.onLinked(listener);
  }

  /** Whether sessions can run at the other end. Undefined: it has not said so yet. */
  hasSessions(id: string): boolean | undefined {
    return this.#of(id).told?.sessions;
  }

  async ready(id: string): Promise<void> {
    await this.#endpoints.get(id)?.ready();
  }

  condition(id: string): EndpointCondition {
    return this.#of(id).condition;
  }

  /** Asks it now, and returns how long that took. Rejects if it cannot be reached. */
  async test(id: string): Promise<{ readonly models: readonly string[]; readonly latencyMs: number }> {
    const endpoint = this.#of(id);
    endpoint.hurry();
    const startedAt = this.#options.clocks.elapsed();
    const { models } = await endpoint.ask();
    return {
      models: models.map(({ id: name }) => name),
      latencyMs: Math.round(this.#options.clocks.elapsed() - startedAt),
    };
  }

  priceOf(provider: string, model: string): Price | undefined {
    if (!provider.startsWith(TUNNEL_PREFIX)) return undefined;
    return this.#endpoints.get(provider.slice(TUNNEL_PREFIX.length))?.priceOf(model);
  }

  list(): readonly PricedModel[] {
    return [...this.#endpoints.values()].flatMap((endpoint) => endpoint.priced);
  }

  /** The endpoint of a machine that connects to this server. Undefined: none may connect under this name. */
  accepted(id: string): AcceptedTunnel | undefined {
    const endpoint = this.#endpoints.get(id);
    if (endpoint === undefined || endpoint.setting.url !== undefined) return undefined;
    return {
      authenticator: this.#authenticator,
      needsProof: authKindOf(endpoint.setting) !== "none",
      open: (link) => endpoint.open(link),
    };
  }

  close(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.close("the server is stopping");
    this.#endpoints.clear();
  }

  #endpoint(setting: EndpointSetting): Endpoint {
    return new Endpoint(setting, this.#options, { changed: () => this.#changed(), ports: this.#ports });
  }

  #of(id: string): Endpoint {
    const found = this.#endpoints.get(id);
    if (found === undefined)
      throw new Failure("not_found", `tunnel not found: ${id}; read auth/tunnels for those that there are`);
    return found;
  }

  #changed(): void {
    this.#places = [...this.#endpoints.values()].map(({ setting, told }) => ({
      id: setting.id,
      rate: setting.rate_limit,
      told,
    }));
  }
}

interface EndpointSurroundings {
  readonly changed: () => void;
  readonly ports: SessionPorts;
}

class Endpoint {
  readonly setting: EndpointSetting;
  readonly dispatcher: TunnelDispatcher;
  readonly #options: EndpointBookOptions;
  readonly #dialer: TunnelDialer | undefined;
  readonly #around: EndpointSurroundings;
  #current: { readonly link: TunnelLink; readonly session: ClientHttp2Session } | undefined = undefined;
  #state: TunnelLinkState = "waiting";
  #message: string | undefined = undefined;
  #told: TunnelModels | undefined = undefined;
  #toldAt = -Infinity;
  #asking: Promise<TunnelModels> | undefined = undefined;
  readonly #waiting = new Set<() => void>();

  constructor(setting: EndpointSetting, options: EndpointBookOptions, around: EndpointSurroundings) {
    this.setting = setting;
    this.#options = options;
    this.#around = around;
    this.dispatcher = new TunnelDispatcher(() => this.session());
    const { id, url } = setting;
    if (url === undefined) return;
    if (authKindOf(setting) === "none" && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""))) {
      this.#state = "refused";
      this.#message = "a tunnel without authentication works on this machine only: set auth to nostr or psk";
      return;
    }
    const { bounds, random, proxies } = options;
    this.#dialer = new TunnelDialer({
      url,
      tunnel_id: id,
      role: "gateway",
      credential: credentialOf(setting, options),
      bounds,
      random,
      proxies,
      open: (link) => this.open(link),
      changed: (state, message) => {
        if (state !== this.#state && message !== undefined) options.log.warn({ tunnel: id, message }, "tunnel down");
        this.#state = state;
        this.#message = message;
        if (state === "refused") this.#wake();
      },
    });
  }

  start(): void {
    this.#dialer?.start();
  }

  /** Tries again now, also after a refusal. */
  hurry(): void {
    if (this.#dialer !== undefined && this.#state === "refused") this.#state = "waiting";
    this.#dialer?.hurry();
  }

  get told(): TunnelModels | undefined {
    return this.#told;
  }

  get condition(): EndpointCondition {
    const message = this.#message ?? (this.setting.url === undefined ? "the other side has not connected" : undefined);
    const isConnected = this.#current?.link.isConnected === true;
    // A link that waits to be resumed is useless after the other side refused.
    const cut = this.#current === undefined || this.#state === "refused" ? this.#state : "interrupted";
    return {
      state: isConnected ? "connected" : cut,
      ...(isConnected || message === undefined ? {} : { message }),
      models: this.#told?.models.map(({ id }) => id) ?? [],
      openRequests: this.dispatcher.openRequests,
    };
  }

  priceOf(model: string): Price | undefined {
    return this.#told?.models.find(({ id }) => id === model)?.price;
  }

  get priced(): readonly PricedModel[] {
    const provider = TUNNEL_PREFIX + this.setting.id;
    return (this.#told?.models ?? []).flatMap(({ id: model, price }) =>
      price === undefined ? [] : [{ provider, model, price, from: "owner" as const }],
    );
  }

  open(link: TunnelLink): LinkEvents {
    // A newer connection of the same machine; what ran over the old one ends.
    this.#current?.link.close("a newer connection took its place");
    this.#current = { link, session: openRequests(link) };
    const { ports } = this.#around;
    let isNew = true;
    return {
      attached: () => {
        this.#wake();
        if (isNew) ports.linked(this.setting.id, link);
        isNew = false;
        void this.ask().catch(() => undefined);
      },
      message: (text) => ports.take(this.setting.id, text),
      cut: () => undefined,
      closed: (reason) => {
        ports.lost(this.setting.id, link, reason);
        if (this.#current?.link === link) this.#current = undefined;
      },
    };
  }

  /** Its models, from the endpoint itself. */
  ask(): Promise<TunnelModels> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Resolves when its models are known, or after the time for asking is over. */
  async ready(): Promise<void> {
    const isOld = this.#options.clocks.elapsed() - this.#toldAt >= LIMITS.tunnelModelsMs;
    if (this.#told !== undefined && !isOld) return;
    const asked = this.ask().then(
      () => undefined,
      () => undefined,
    );
    if (this.#told === undefined) await asked;
  }

  close(reason: string): void {
    this.#dialer?.close(reason);
    this.#current?.link.close(reason);
    this.#wake();
  }

  async #ask(): Promise<TunnelModels> {
    const { statusCode, body } = await request(`http://tunnel${TUNNEL_MODELS_PATH}`, {
      dispatcher: this.dispatcher,
      signal: AbortSignal.timeout(LIMITS.tunnelReadyMs),
    });
    const text = await boundedText(body, LIMITS.tunnelModelsBytes);
    const parsed = statusCode === 200 ? TunnelModels.safeParse(JSON.parse(text)) : undefined;
    if (parsed?.success !== true)
      throw new Failure("model_unavailable", `the tunnel ${this.setting.id} does not tell its models (${statusCode})`);
    const isSame = JSON.stringify(parsed.data) === JSON.stringify(this.#told);
    this.#told = parsed.data;
    this.#toldAt = this.#options.clocks.elapsed();
    if (!isSame) this.#around.changed();
    return parsed.data;
  }

  /** Waits until it is connected. Rejects with the reason when the time is over. */
  async session(): Promise<ClientHttp2Session> {
    const until = performance.now() + LIMITS.tunnelReadyMs;
    for (;;) {
      const { link, session } = this.#current ?? {};
      if (link?.isConnected === true && session?.closed === false) return session;
      const left = until - performance.now();
      if (left <= 0 || this.#state === "refused")
        throw new NotConnected(this.condition.message ?? "it is not connected");
      this.#dialer?.hurry();
      await this.#attached(left);
    }
  }

  async #attached(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    clearTimeout(timer);
  }

  #wake(): void {
    for (const next of this.#waiting) next();
    this.#waiting.clear();
  }
}

/** Nothing was sent. */
class NotConnected extends Error {
  readonly code = "ERR_TUNNEL_NOT_CONNECTED";
}
