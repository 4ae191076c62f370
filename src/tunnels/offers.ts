import {
  authKindOf,
  createTunnelAuthenticator,
  type ReadSecret,
  type TunnelSigner,
  type TwoClocks,
} from "../identity/index.ts";
import {
  LIMITS,
  TUNNEL_MODELS_PATH,
  type Log,
  type TunnelAuth,
  type TunnelLinkState,
  type TunnelModels,
} from "../protocol/index.ts";
import type { CallerRequest, CallerResponse, NetworkProxies } from "../proxy/index.ts";
import type { AcceptedTunnel } from "./accept.ts";
import { TunnelDialer } from "./dial.ts";
import { credentialOf } from "./credential.ts";
import type { LinkBounds, LinkEvents, TunnelLink } from "./link.ts";
import { serveRequests, type TakeConsoleStream } from "./serve.ts";

/** What this machine offers to one remote party. */
export interface TunnelOffer {
  readonly id: string;
  readonly auth: TunnelAuth;
  readonly allowed_agents?: readonly string[] | undefined;
  readonly sessions: boolean;
  /** This machine connects there. Absent: the other side connects. */
  readonly dial?: string | undefined;
  /** The host, and port, of this machine's console at the other side. Absent: it is not reached that way. */
  readonly console?: string | undefined;
}

/** Where a link's messages go. */
export type MessageLink = Pick<TunnelLink, "send" | "room">;

/** Takes document 003's messages of one link. */
export interface MessageHandler {
  message(text: string): void;
  closed(): void;
}

export interface OfferBookOptions {
  readonly secret: ReadSecret;
  readonly signer: () => Promise<TunnelSigner>;
  readonly clocks: TwoClocks;
  /** How long a challenge can be answered. Absent: LIMITS.challengeMs. */
  readonly challengeMs?: number | undefined;
  readonly log: Pick<Log, "info" | "warn">;
  /** The network's proxies for connections to other machines. Absent: none. */
  readonly proxies?: NetworkProxies | undefined;
  /** A model request of an offer's party. */
  answer(id: string, request: CallerRequest, response: CallerResponse): void;
  /** The models that an offer's party may use, and their prices. */
  models(id: string): Promise<TunnelModels>;
  /** Sessions over a link. Absent: there are none. */
  sessions?(id: string, link: MessageLink): MessageHandler;
  /** Takes connections to this machine's console; undefined: nobody does. */
  console(address: string): TakeConsoleStream | undefined;
  readonly bounds?: LinkBounds | undefined;
}

export interface OfferCondition {
  readonly state: TunnelLinkState;
  readonly message?: string | undefined;
  readonly openRequests: number;
  readonly requests: number;
  /** Milliseconds since the epoch. Absent: never. */
  readonly lastRequestAt?: number | undefined;
  /** Who is connected. */
  readonly parties: readonly OfferParty[];
}

interface OfferParty {
  readonly since: string;
  /** Absent: it proved a pre-shared key, or nothing. */
  readonly pubkey?: string | undefined;
}

interface LiveOffer {
  readonly offer: TunnelOffer;
  readonly links: Map<TunnelLink, OfferParty>;
  dialer: TunnelDialer | undefined;
  state: TunnelLinkState;
  message: string | undefined;
  openRequests: number;
  openConsoles: number;
  requests: number;
  lastRequestAt: number | undefined;
}

/** What this machine offers to others, and the links over which they ask. */
export class OfferBook {
  readonly #options: OfferBookOptions;
  readonly #offers = new Map<string, LiveOffer>();
  readonly #authenticator;

  constructor(options: OfferBookOptions) {
    this.#options = options;
    const { clocks, secret, challengeMs } = options;
    this.#authenticator = createTunnelAuthenticator({
      clocks,
      lifeMs: challengeMs,
      secret,
      rules: (id) => {
        const { offer } = this.#offers.get(id) ?? {};
        return offer === undefined ? undefined : { ...offer, allowed_agents: [...(offer.allowed_agents ?? [])] };
      },
    });
  }

  add(offer: TunnelOffer): void {
    this.cut(offer.id, "the offer was changed");
    const live: LiveOffer = {
      offer,
      links: new Map(),
      dialer: undefined,
      state: "waiting",
      message: undefined,
      openRequests: 0,
      openConsoles: 0,
      requests: 0,
      lastRequestAt: undefined,
    };
    this.#offers.set(offer.id, live);
    const { dial } = offer;
    if (dial === undefined) return;
    live.dialer = new TunnelDialer({
      url: dial,
      tunnel_id: offer.id,
      role: "home",
      credential: credentialOf(offer, this.#options),
      bounds: this.#options.bounds,
      proxies: this.#options.proxies,
      open: (link) => this.#open(live, link),
      changed: (state, message) => {
        live.state = state;
        live.message = message;
      },
    });
    live.dialer.start();
  }

  /** Ends an offer: new connections are refused, and what runs is broken off. */
  cut(id: string, reason: string): void {
    const live = this.#offers.get(id);
    if (live === undefined) return;
    this.#offers.delete(id);
    live.dialer?.close(reason);
    for (const link of live.links.keys()) link.close(reason);
  }

  condition(id: string): OfferCondition {
    const live = this.#offers.get(id);
    if (live === undefined) return { state: "waiting", openRequests: 0, requests: 0, parties: [] };
    const { openRequests, requests, lastRequestAt, message } = live;
    const links = [...live.links.keys()];
    const isConnected = links.some((link) => link.isConnected);
    const idle = links.length > 0 ? "interrupted" : live.state === "refused" ? "refused" : "waiting";
    return {
      state: isConnected ? "connected" : idle,
      ...(isConnected || message === undefined ? {} : { message }),
      openRequests,
      requests,
      parties: [...live.links].flatMap(([link, party]) => (link.isConnected ? [party] : [])),
      ...(lastRequestAt === undefined ? {} : { lastRequestAt }),
    };
  }

  /** For the other side that connects here. Undefined: there is no such offer. */
  accepted(id: string): AcceptedTunnel | undefined {
    const live = this.#offers.get(id);
    if (live === undefined || live.offer.dial !== undefined) return undefined;
    return {
      authenticator: this.#authenticator,
      needsProof: authKindOf(live.offer) !== "none",
      open: (link, { isPlain, party: { pubkey } }) => this.#open(live, link, { isPlain, pubkey }),
    };
  }

  close(): void {
    for (const id of this.#offers.keys()) this.cut(id, "the server is stopping");
  }

  #open(
    live: LiveOffer,
    link: TunnelLink,
    { isPlain = false, pubkey }: { readonly isPlain?: boolean; readonly pubkey?: string | undefined } = {},
  ): LinkEvents {
    const { id, sessions } = live.offer;
    const since = new Date(this.#options.clocks.now()).toISOString();
    live.links.set(link, { since, ...(pubkey === undefined ? {} : { pubkey }) });
    this.#options.log.info({ tunnel: id, link: link.id }, "a tunnel was connected");
    if (!isPlain)
      serveRequests(link, {
        answer: (request, response) => this.#answer(live, request, response),
        console: () => this.#console(live),
      });
    const handler = sessions ? this.#options.sessions?.(id, link) : undefined;
    return {
      message: (text) => {
        if (handler === undefined)
          link.send({ type: "error", session_id: sessionOf(text), error: NO_SESSIONS, code: "forbidden" });
        else handler.message(text);
      },
      cut: () => undefined,
      closed: (reason) => {
        live.links.delete(link);
        handler?.closed();
        this.#options.log.info({ tunnel: id, link: link.id, reason }, "a tunnel ended");
      },
    };
  }

  #console(live: LiveOffer): TakeConsoleStream | undefined {
    const { id, console: address } = live.offer;
    if (address === undefined || this.#offers.get(id) !== live) return undefined;
    const take = live.openConsoles < LIMITS.tunnelConsoleStreams ? this.#options.console(address) : undefined;
    if (take === undefined) return undefined;
    return (stream) => {
      live.openConsoles += 1;
      stream.once("close", () => {
        live.openConsoles -= 1;
      });
      take(stream);
    };
  }

  /** Addresses at which this machine's console is reached. */
  get consoles(): readonly string[] {
    return [...this.#offers.values()].flatMap(({ offer }) => (offer.console === undefined ? [] : [offer.console]));
  }

  #answer(live: LiveOffer, request: CallerRequest, response: CallerResponse): void {
    const { id } = live.offer;
    if (this.#offers.get(id) !== live) {
      response.destroy();
      return;
    }
    if (request.url === TUNNEL_MODELS_PATH) {
      void this.#tellModels(id, response);
      return;
    }
    live.requests += 1;
    live.openRequests += 1;
    live.lastRequestAt = this.#options.clocks.now();
    response.once("close", () => {
      live.openRequests -= 1;
    });
    this.#options.answer(id, request, response);
  }

  async #tellModels(id: string, response: CallerResponse): Promise<void> {
    try {
      const text = JSON.stringify(await this.#options.models(id));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(text.length > LIMITS.tunnelModelsBytes ? undefined : text);
    } catch (error) {
      this.#options.log.warn({ tunnel: id, err: error }, "the models of an offer cannot be told");
      response.writeHead(503, {});
      response.end();
    }
  }
}

const NO_SESSIONS = "this tunnel is for models only: its owner can allow sessions with --sessions";

/** The session that a message names; empty: none. */
function sessionOf(text: string): string {
  try {
    const { session_id } = JSON.parse(text) as { readonly session_id?: unknown };
    return typeof session_id === "string" ? session_id.slice(0, 200) : "";
  } catch {
    return "";
  }
}
