import { randomBytes } from "node:crypto";
import { z } from "zod";
import { ACCOUNTS } from "../../../ledger/index.ts";
import {
  CreateTunnelOffer,
  defined,
  Failure,
  globMatches,
  isTunnelProvider,
  LIMITS,
  TUNNEL_ENGINE,
  TunnelAuth,
  type KeyBounds,
  type KeyView,
  type TunnelModels,
  type TunnelOfferCreated,
  type TunnelOfferView,
} from "../../../protocol/index.ts";
import { WIRES } from "../../../proxy/index.ts";
import {
  OfferBook,
  type MessageHandler,
  type MessageLink,
  type PairingBook,
  type TakeConsoleStream,
} from "../../../tunnels/index.ts";
import { authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import { checkEngine } from "../../settings/engine-view.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import type { KeyService } from "../access/key-service.ts";
import { StoredList } from "../stored-list.ts";
import type { TokenService } from "../access/token-service.ts";

const DOCUMENT = "tunnel-offers";
const SECRET_BYTES = 32;

const StoredOffer = z.object({
  id: z.string(),
  auth: TunnelAuth,
  allowed_agents: z.array(z.string()).optional(),
  sessions: z.boolean(),
  engine: z.string().optional(),
  profile: z.string().optional(),
  dial: z.string().optional(),
  console: z.string().optional(),
  created_at: z.string(),
  token_id: z.string(),
  key_id: z.string(),
  /** Nobody may connect for now. */
  paused: z.boolean().optional(),
});
type StoredOffer = z.infer<typeof StoredOffer>;

type OfferRequest = z.infer<typeof CreateTunnelOffer>;

interface OfferServices {
  readonly pairings: PairingBook;
  readonly keys: KeyService;
  readonly tokens: TokenService;
  readonly registry: Pick<Registry, "inMemory">;
}

/** What the owner of this machine allows sessions of a party. */
export interface SessionTerms extends Pick<KeyBounds, "provider" | "models"> {
  /** Of sessions that name none. Absent: `loop`. */
  readonly engine?: string | undefined;
}

/** Runs the sessions that an offer's party asks for. */
export type OpenTunnelSessions = (
  caller: Caller,
  link: MessageLink,
  /** Undefined: nothing is allowed any more. */
  terms: () => Promise<SessionTerms | undefined>,
) => MessageHandler;

/** Ends TLS of people who reach the console through a tunnel. Addresses are hosts with their ports. */
export interface ConsoleDoor {
  /** Undefined: there is no certificate for it. */
  take(address: string): TakeConsoleStream | undefined;
  fingerprint(address: string): string | undefined;
}

/** What this machine offers to remote parties. Each has a principal of its own: its limits, usage and sessions are found there. */
export class TunnelOfferService {
  readonly book: OfferBook;
  readonly #dependencies: Dependencies;
  readonly #services: OfferServices;
  readonly #stored: StoredList<StoredOffer>;
  /** By offer. */
  readonly #keys = new Map<string, string>();
  #openSessions: OpenTunnelSessions | undefined = undefined;
  #consoleDoor: ConsoleDoor | undefined = undefined;

  constructor(dependencies: Dependencies, services: OfferServices) {
    this.#dependencies = dependencies;
    this.#services = services;
    this.#stored = new StoredList(dependencies, { document: DOCUMENT, schema: StoredOffer, most: LIMITS.tunnelOffers });
    const { secret, signer, bounds, proxies } = dependencies.tunnels;
    this.book = new OfferBook({
      secret,
      signer,
      bounds,
      proxies,
      clocks: dependencies.clock,
      challengeMs: dependencies.bounds.challengeMs,
      log: dependencies.log,
      answer: (id, request, response) => services.keys.answer(this.#keys.get(id) ?? "", request, response),
      models: (id) => this.#models(id),
      sessions: (id, link) => this.#sessions(id, link),
      console: (address) => this.#consoleDoor?.take(address),
    });
  }

  async open(): Promise<void> {
    for (const offer of await this.#stored.all()) this.#start(offer);
  }

  /** Who runs sessions of parties; they are refused until somebody does. */
  serveSessions(open: OpenTunnelSessions): void {
    this.#openSessions = open;
  }

  /** Who takes connections to the console; they are refused until somebody does. */
  serveConsole(door: ConsoleDoor): void {
    this.#consoleDoor = door;
  }

  /** The hosts, with ports, at which others reach the console through tunnels. */
  get consoles(): readonly string[] {
    return this.book.consoles;
  }

  async list(caller: Caller): Promise<readonly TunnelOfferView[]> {
    authorize(caller, "provider.read");
    return Promise.all((await this.#stored.all()).map((offer) => this.#view(offer)));
  }

  async get(caller: Caller, id: string): Promise<TunnelOfferView> {
    authorize(caller, "provider.read");
    return this.#view(await this.#find(id));
  }

  /** Cuts its links at once, and lets nobody connect until it continues. Key, limits and principal stay. */
  async pause(caller: Caller, id: string): Promise<TunnelOfferView> {
    authorize(caller, "policy.write");
    const { token_id } = await this.#find(id);
    this.book.cut(id, "the owner of this machine paused it");
    this.#stopSessions(token_id, "interrupt");
    return this.#set(caller, { id, action: "tunnel.pause" }, (offer) => ({ ...offer, paused: true }));
  }

  async continue(caller: Caller, id: string): Promise<TunnelOfferView> {
    authorize(caller, "policy.write");
    return this.#set(caller, { id, action: "tunnel.continue" }, ({ paused: _before, ...offer }) => offer);
  }

  /** Who has the old pre-shared key is cut off. */
  async rekey(caller: Caller, id: string, auth: TunnelAuth): Promise<void> {
    await this.#set(caller, { id, action: "tunnel.paired" }, (offer) => ({ ...offer, auth }));
  }

  /** Makes a principal, its limits and, for a pre-shared key without a file, the key: that is shown this once. */
  async create(caller: Caller, request: CreateTunnelOffer): Promise<TunnelOfferCreated> {
    authorize(caller, "policy.write");
    const parsed = CreateTunnelOffer.parse(request);
    const { id, auth: asked, sessions, engine, profile, dial, console: address, allowed_agents, ...bounds } = parsed;
    if (engine !== undefined) this.#checkEngine(engine, parsed);
    if ((await this.#stored.all()).some((known) => known.id === id))
      throw new Failure("conflict", `there is an offer ${id} already: revoke it first`);
    const { auth, secret } = await this.#secretFor(id, asked);
    const { tokens, keys } = this.#services;
    const name = `tunnel ${id}`;
    const { rate: model_rate, max_cost_microusd, max_cost_microusd_per_day } = bounds;
    // Sessions are the principal's and not the key's: the same limits hold for both together.
    const limits = defined({ profile, model_rate, max_cost_microusd, max_cost_microusd_per_day });
    const token = await tokens.create(caller, { role: "agent", name, ...limits }, undefined);
    let offer: StoredOffer;
    try {
      const key = await keys.create(caller, { ...bounds, name, token_id: token.id }, undefined);
      const created_at = new Date(this.#dependencies.clock.now()).toISOString();
      const rest = defined({ allowed_agents, engine, profile, dial, console: address });
      offer = { id, auth, sessions, created_at, token_id: token.id, key_id: key.id, ...rest };
      const audited = [{ action: "tunnel.offer", id, details: { sessions, ...rest, ...bounds } }];
      await this.#stored.change(caller, { audited, change: (offers) => [...offers, offer] });
    } catch (error) {
      await tokens.remove(caller, token.id).catch(() => undefined);
      throw error;
    }
    this.#start(offer);
    return { ...(await this.#view(offer)), ...defined({ secret }) };
  }

  #checkEngine(engine: string, { sessions, provider }: Pick<OfferRequest, "sessions" | "provider">): void {
    if (!sessions)
      throw new Failure("invalid_request", "engine is for whole sessions: allow them (sessions), or leave engine out");
    checkEngine(this.#dependencies.engines, engine);
    if (engine === TUNNEL_ENGINE && !isTunnelProvider(provider ?? this.#dependencies.models.defaultProvider))
      throw new Failure("invalid_request", "the engine tunnel needs a provider behind a tunnel; name another engine");
  }

  /** Cuts it at once: its links end, its requests are broken off, and its principal is gone. */
  async revoke(caller: Caller, id: string): Promise<void> {
    authorize(caller, "policy.write");
    const offer = await this.#find(id);
    this.book.cut(id, "the owner of this machine revoked it");
    this.#stopSessions(offer.token_id, "close");
    this.#services.pairings.cancel(id, "gateway");
    await this.#stored.change(caller, {
      audited: [{ action: "tunnel.revoke", id }],
      change: (offers) => offers.filter((known) => known.id !== id),
    });
    await this.#services.tokens.remove(caller, offer.token_id).catch((error: unknown) => {
      // It may have been deleted as a token.
      if (!(error instanceof Failure && error.code === "not_found")) throw error;
    });
    this.#keys.delete(id);
  }

  close(): void {
    this.book.close();
  }

  /** Ends what sessions of a party do, or the sessions themselves. Not awaited: the party is cut off already. */
  #stopSessions(principal_id: string, how: "interrupt" | "close"): void {
    for (const session of this.#services.registry.inMemory)
      if (session.state.created_by.id === principal_id) session[how]().catch(() => undefined);
  }

  #start(offer: StoredOffer): void {
    this.#keys.set(offer.id, offer.key_id);
    if (offer.paused !== true) this.book.add(offer);
  }

  async #find(id: string): Promise<StoredOffer> {
    const offer = (await this.#stored.all()).find((known) => known.id === id);
    if (offer === undefined) throw new Failure("not_found", `there is no offer ${id}`);
    return offer;
  }

  async #set(
    caller: Caller,
    { id, action }: { readonly id: string; readonly action: string },
    change: (offer: StoredOffer) => StoredOffer,
  ): Promise<TunnelOfferView> {
    const stored = await this.#stored.change(caller, {
      audited: [{ action, id }],
      change: (offers) => offers.map((offer) => (offer.id === id ? change(offer) : offer)),
    });
    const offer = stored.find((known) => known.id === id);
    if (offer === undefined) throw new Failure("not_found", `there is no offer ${id}`);
    this.#start(offer);
    return this.#view(offer);
  }

  #sessions(id: string, link: MessageLink): MessageHandler {
    const caller = this.#services.keys.callerOfKey(this.#keys.get(id) ?? "");
    const terms = async (): Promise<SessionTerms | undefined> => {
      const bounds = this.#services.keys.boundsOf(this.#keys.get(id) ?? "");
      return bounds === undefined ? undefined : { ...bounds, ...defined({ engine: (await this.#find(id)).engine }) };
    };
    if (caller !== undefined && this.#openSessions !== undefined) return this.#openSessions(caller, link, terms);
    return {
      message: () => link.send({ type: "error", session_id: "", error: "this tunnel's principal is gone" }),
      closed: () => undefined,
    };
  }

  async #secretFor(
    id: string,
    auth: z.infer<typeof CreateTunnelOffer>["auth"],
  ): Promise<{ readonly auth: TunnelAuth; readonly secret?: string | undefined }> {
    if (auth !== "psk") return { auth };
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    const secret_path = await this.#dependencies.tunnels.keepSecret(id, secret);
    return { auth: { type: "psk", secret_path }, secret };
  }

  /** The models that the key's provider has, as far as the key may ask for them, at our prices. */
  async #models(id: string): Promise<TunnelModels> {
    const bounds = this.#services.keys.boundsOf(this.#keys.get(id) ?? "");
    if (bounds === undefined) throw new Failure("not_found", `there is no offer ${id}`);
    const { providers, prices } = this.#dependencies.models;
    const provider = providers.get(bounds.provider);
    const listed = (await providers.models(provider.id)).models.map((model) => model.id);
    const priced = prices.list().filter((known) => known.provider === provider.id);
    // What the owner names without a glob is offered, whether or not the provider lists it.
    const named = (bounds.models ?? []).filter((glob) => !glob.includes("*"));
    const names = new Set([provider.defaultModel, ...named, ...listed, ...priced.map(({ model }) => model)]);
    const models = [...names]
      .filter((name) => name !== "" && (bounds.models ?? ["*"]).some((glob) => globMatches(glob, name)))
      .slice(0, LIMITS.tunnelModels)
      .map((name) => defined({ id: name, price: prices.priceOf(provider, name)?.price }));
    const wires = WIRES.filter((wire) => provider.baseUrl[wire] !== undefined);
    const { defaultModel, free, openaiApi } = provider;
    const sessions = (await this.#find(id)).sessions;
    return { default_model: defaultModel, free, wires, openai_api: openaiApi, models, sessions };
  }

  async #view(offer: StoredOffer): Promise<TunnelOfferView> {
    const { auth, allowed_agents = [], paused = false, ...rest } = offer;
    const { state, message, openRequests, requests, lastRequestAt, parties } = this.book.condition(offer.id);
    const pairingUntil = this.#services.pairings.openUntil(offer.id, "gateway");
    const key: KeyView | undefined = await this.#services.keys.viewOf(offer.key_id);
    const balance = await this.#dependencies.models.ledger.balance(ACCOUNTS.agent(offer.token_id));
    return {
      ...rest,
      auth_type: typeof auth === "string" ? auth : auth.type,
      allowed_agents,
      paused,
      parties: [...parties],
      bounds: key?.bounds ?? { provider: "" },
      spent_microusd: balance.spent,
      reserved_microusd: balance.reserved,
      state: key === undefined ? "refused" : state,
      ...defined({ message: key === undefined ? "its token was deleted: revoke the offer" : message }),
      open_requests: openRequests,
      requests,
      ...defined({ console_fingerprint: offer.console && this.#consoleDoor?.fingerprint(offer.console) }),
      ...defined({ last_request_at: timeOf(lastRequestAt), pairing_until: timeOf(pairingUntil) }),
    };
  }
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
