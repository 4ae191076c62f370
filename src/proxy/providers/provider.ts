import {
  Failure,
  globMatches,
  LIMITS,
  type ModelApi,
  type OpenAiApi,
  type ProviderAuth,
  type RateLimit,
  type Log,
} from "../../protocol/index.ts";
import type { Credential, Provider } from "../providers.ts";
import type { Wire } from "../proxy.ts";
import type { ResolvedProvider, SourceSetting } from "./resolve.ts";
import { openSource, type Secret, type KeySource, type SourceContext } from "./sources.ts";

/** Anthropic's OAuth tokens begin so; they go into another header than keys. */
const OAUTH_PREFIX = "sk-ant-oat";

/** Anthropic accepts its OAuth tokens only with this. The caller's own betas are kept. */
const OAUTH_BETA = "oauth-2025-04-20";

export interface ProviderContext extends Omit<SourceContext, "owner"> {
  /** Receives each key before anything could log it. */
  readonly learn: (secret: string) => void;
  readonly log: Pick<Log, "warn">;
}

/** A source and the keys that it last returned. */
interface KeySlot {
  readonly setting: SourceSetting;
  readonly source: KeySource;
  keys: readonly Key[];
  /** The last problem with it; reported once. */
  told: string | undefined;
}

/** One key with its pause. The same object as long as the key is the same. */
class Key implements Credential {
  readonly name: string;
  /** Milliseconds since the epoch; 0: it is not paused. */
  restUntil = 0;
  // Private, so that no log or inspection shows them.
  readonly #value: string;
  readonly #headers: Readonly<Record<Wire, Readonly<Record<string, string>>>>;

  constructor({ name, value }: Secret, headers: Readonly<Record<Wire, Readonly<Record<string, string>>>>) {
    this.name = name;
    this.#value = value;
    this.#headers = headers;
  }

  is({ name, value }: Secret): boolean {
    return this.name === name && this.#value === value;
  }

  sameAs(other: Key): boolean {
    return this.#value === other.#value;
  }

  headers(wire: Wire): Readonly<Record<string, string>> {
    return this.#headers[wire];
  }
}

export class OpenProvider implements Provider {
  readonly id: string;
  readonly baseUrl: ResolvedProvider["baseUrl"];
  readonly isLocal: boolean;
  readonly free: boolean;
  readonly defaultModel: string;
  readonly rate: RateLimit;
  readonly login: ResolvedProvider["login"];
  readonly #resolved: ResolvedProvider;
  readonly #oauth: boolean;
  readonly #context: ProviderContext;
  readonly #slots: readonly KeySlot[];

  constructor(resolved: ResolvedProvider, context: ProviderContext) {
    this.id = resolved.id;
    this.baseUrl = resolved.baseUrl;
    this.isLocal = resolved.isLocal;
    this.free = resolved.free;
    this.defaultModel = resolved.defaultModel;
    this.rate = resolved.rate;
    this.login = resolved.login;
    this.#resolved = resolved;
    this.#oauth = resolved.oauth;
    this.#context = context;
    this.#slots = resolved.sources.map((setting) => ({
      setting,
      source: openSource(setting, { ...context, owner: `the provider ${resolved.id}` }),
      keys: [],
      told: undefined,
    }));
    // Available keys are registered now: an agent may find one in a file before its first use.
    for (const slot of this.#slots) this.#look(slot);
  }

  get openaiApi(): OpenAiApi {
    return this.#resolved.openaiApi;
  }

  api(model: string): ModelApi {
    const { baseUrl, openaiApi, anthropicModels = "*" } = this.#resolved;
    if (baseUrl.openai === undefined) return "messages";
    return baseUrl.anthropic !== undefined && globMatches(anthropicModels, model) ? "messages" : openaiApi;
  }

  async credentials(): Promise<readonly Credential[]> {
    if (this.#slots.length === 0) return [];
    let failure: Failure | undefined;
    let hasFresh = false;
    for (const slot of this.#slots) {
      const looked = this.#look(slot);
      if (looked instanceof Failure) failure ??= looked;
      else if (looked === "unknown") {
        // With a usable key nobody waits for a command; its key is ready for the next request.
        if (hasFresh) void this.#read(slot);
        else failure = (await this.#read(slot)) ?? failure;
      }
      hasFresh ||= slot.keys.some((key) => !this.#rests(key));
    }
    const keys = this.#inOrder();
    if (keys.length > 0) return keys;
    throw failure ?? this.#missing();
  }

  report(
    credential: Credential,
    { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs?: number | undefined },
  ): void {
    const slot = this.#slots.find(({ keys }) => keys.some((key) => key === credential));
    const key = slot?.keys.find((one) => one === credential);
    if (slot === undefined || key === undefined) return;
    if (status === 429 || status === 529) {
      const wanted = retryAfterMs ?? LIMITS.credentialRestMs;
      key.restUntil = this.#context.now() + Math.min(Math.max(wanted, 0), LIMITS.credentialRestMaxMs);
    } else if (status === 401 || status === 403) {
      key.restUntil = this.#context.now() + LIMITS.credentialRefusedMs;
      slot.source.refused();
    } else if (status >= 200 && status < 300) key.restUntil = 0;
  }

  #rests({ restUntil }: Key): boolean {
    return restUntil > this.#context.now();
  }

  /** Takes what the source has available. */
  #look(slot: KeySlot): Failure | "unknown" | undefined {
    try {
      const secrets = slot.source.ready();
      if (secrets === undefined) return "unknown";
      this.#keep(slot, secrets);
      return undefined;
    } catch (error) {
      return this.#lost(slot, error);
    }
  }

  async #read(slot: KeySlot): Promise<Failure | undefined> {
    try {
      this.#keep(slot, await slot.source.read());
      return undefined;
    } catch (error) {
      return this.#lost(slot, error);
    }
  }

  #keep(slot: KeySlot, secrets: readonly Secret[]): void {
    slot.told = undefined;
    const before = slot.keys;
    if (before.length === secrets.length && secrets.every((secret, index) => before[index]?.is(secret))) return;
    slot.keys = secrets.map((secret) => {
      const known = before.find((key) => key.is(secret));
      if (known !== undefined) return known;
      this.#context.learn(secret.value);
      return new Key(secret, headersOf(secret, slot.setting.auth, this.#oauth));
    });
  }

  #lost(slot: KeySlot, error: unknown): Failure {
    if (!(error instanceof Failure)) throw error;
    slot.keys = [];
    if (slot.told !== error.message)
      this.#context.log.warn({ provider: this.id, source: slot.source.name, problem: error.message }, "no credential");
    slot.told = error.message;
    return error;
  }

  /** Usable keys in the order of the settings, then paused ones, soonest first. Each key once. */
  #inOrder(): readonly Key[] {
    const all = this.#slots.flatMap((slot) => slot.keys);
    const keys = all.filter((key, index) => all.findIndex((other) => other.sameAs(key)) === index);
    if (!keys.some((key) => this.#rests(key))) return keys;
    const until = (key: Key): number => (this.#rests(key) ? key.restUntil : 0);
    return keys.toSorted((one, other) => until(one) - until(other));
  }

  #missing(): Failure {
    const [first] = this.#slots;
    return new Failure(
      "model_unauthenticated",
      `${first?.source.name ?? "its key"} not set: set it and start the server again, name a file with \`sallyport provider add ${this.id} --credential-file <file>\`, or use the provider sim`,
    );
  }
}

function headersOf(
  { value, headers = {} }: Secret,
  auth: ProviderAuth | undefined,
  isOauthHost: boolean,
): Readonly<Record<Wire, Readonly<Record<string, string>>>> {
  const isOauth = value.startsWith(OAUTH_PREFIX);
  const bearer = { authorization: `Bearer ${value}` };
  const byKey = auth === undefined ? !isOauth : auth === "api_key";
  const beta = isOauth || isOauthHost ? { "anthropic-beta": OAUTH_BETA } : {};
  const anthropic = byKey ? { "x-api-key": value } : { ...bearer, ...beta };
  return { anthropic: { ...headers, ...anthropic }, openai: { ...headers, ...bearer } };
}
