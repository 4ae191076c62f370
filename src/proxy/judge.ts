import { refusedModel } from "../gate/index.ts";
import { isFree } from "../ledger/index.ts";
import { Failure, globMatches, isTunnelProvider, LIMITS, type Price } from "../protocol/index.ts";
import { countNames, parseBody } from "./http/body.ts";
import type { ProxyCall, Denial } from "./call.ts";
import { readFacts, type BodyFacts } from "./facts.ts";
import type { KeyOwner } from "./keys.ts";
import type { Provider } from "./providers.ts";
import { WIRES, type RequestContext, type Wire } from "./proxy.ts";
import type { RateSubject } from "./rates.ts";
import { lookalikeName, refusedField, wrongValue } from "./request/check.ts";
import { isSet } from "./request/values.ts";
import type { Route } from "./http/routes.ts";
import type { Upstream } from "./http/upstream.ts";

type BodyFields = Readonly<Record<string, unknown>>;

/** A request that may go out if there is money for it. */
export interface AdmissibleRequest {
  readonly context: RequestContext;
  readonly provider: Provider;
  readonly upstream: Upstream;
  /** Undefined: it is free in any case. */
  readonly price: Price | undefined;
  /** Undefined: it has no body. */
  readonly asked: ReadBody | undefined;
  /** The provider can count a prompt's tokens. */
  readonly mayCount: boolean;
}

interface ReadBody {
  readonly sent: Buffer | string;
  readonly facts: BodyFacts;
  /** The caller did not ask for a stream's usage, so it is not shown. */
  readonly hideUsage: boolean;
}

/** Estimated bytes per token of a prompt; used only where no provider counts. */
const BYTES_PER_TOKEN = 4;
/** Estimated tokens per image. */
const PICTURE_TOKENS = 1_600;

/** A request with its whole body. */
export interface ReceivedRequest {
  readonly route: Route;
  /** Absent: the route has none. */
  readonly body: Buffer | undefined;
  /** Whose request it is, as of now. */
  readonly context: RequestContext | Failure;
}

/** All checks that need no waiting: whether this session may send this request, and how often. Changes only the count of requests. */
export function judge(call: ProxyCall, { route, body, context }: ReceivedRequest): AdmissibleRequest | Denial {
  const { options, upstreams, rates, prices } = call.state;
  if (context instanceof Failure) return { failure: context };
  call.owner.context = context;
  const provider = options.providers.get(context.provider);
  const address = speaking(call, route, provider);
  const outside = refusedHost(context, address);
  if (outside !== undefined) return { failure: outside };
  const upstream = upstreams.to(address);
  const asked = body === undefined ? undefined : ask(call, { route, provider }, body);
  if (asked instanceof Failure) return { failure: asked };
  const refused = refusedModel(rulesOf(context, asked !== undefined), { provider: provider.id, model: call.model });
  const outsideKey = refused ?? refusedByKey(context, asked === undefined ? undefined : call.model);
  if (outsideKey !== undefined) return { failure: outsideKey };
  const price = route.metered ? prices.priceOf(provider, call.model)?.price : undefined;
  if (route.metered && price === undefined) return { failure: unpriced(provider, call.model) };
  const mayCount = route.name === "messages" && !provider.free && asked?.facts.remote === undefined;
  const long = asked === undefined || mayCount || !route.metered ? undefined : tooLong(context, asked.facts);
  if (long !== undefined) return { failure: long };
  const subjects = subjectsOf(call.owner, context, provider);
  const limited = rates.take(subjects);
  if (limited !== undefined) return limited;
  call.subjects = subjects;
  return { context, provider, upstream, price, asked, mayCount };
}

/** The provider's address for the request's own format. */
function speaking(call: ProxyCall, route: Route, provider: Provider): string {
  if (route.wire === undefined && provider.baseUrl[call.wire] === undefined) {
    call.wire = WIRES.find((wire) => provider.baseUrl[wire] !== undefined) ?? call.wire;
  }
  const url = provider.baseUrl[call.wire];
  if (url !== undefined) return url;
  const spoken = WIRES.filter((wire) => provider.baseUrl[wire] !== undefined);
  throw new Failure(
    "wire_unsupported",
    `the provider ${provider.id} does not speak ${NAMES[call.wire]}, only ${spoken.map((wire) => NAMES[wire]).join(" and ")}: ` +
      "send the request in that format, or use another provider. Requests are never translated.",
  );
}

/** If the policy lists allowed hosts, requests go to no others. */
function refusedHost({ allowedHosts = [] }: RequestContext, address: string): Failure | undefined {
  // The policy's list of tunnels decides about them.
  if (isTunnelProvider(address)) return undefined;
  const host = address.startsWith("unix:") ? "unix" : new URL(address).hostname;
  if (allowedHosts.length === 0 || allowedHosts.some((glob) => globMatches(glob, host))) return undefined;
  return new Failure(
    "provider_not_allowed",
    `the policy does not allow the host ${host}; it allows: ${allowedHosts.join(", ")} (proxy_allowlist of the mount)`,
  );
}

const NAMES: Readonly<Record<Wire, string>> = {
  anthropic: "Anthropic's Messages (/v1/messages)",
  openai: "OpenAI's Responses, Chat Completions and Embeddings (/v1/responses, /v1/chat/completions, /v1/embeddings)",
};

/** Reads a body. It is forwarded unchanged, unless a stream's usage must be requested, or an answer that nothing bounds. */
function ask(
  call: ProxyCall,
  { route, provider }: { readonly route: Route; readonly provider: Provider },
  body: Buffer,
): ReadBody | Failure {
  const { fields: written } = call.request;
  const fields = written ?? parseBody(body);
  if (fields instanceof Failure) return fields;
  const { model, stream } = fields;
  if (typeof model !== "string" || model === "") {
    return new Failure("invalid_request", "the body names no model: set `model`");
  }
  if (model.length > LIMITS.modelNameChars) {
    return new Failure("invalid_request", `\`model\` is longer than ${LIMITS.modelNameChars} characters`);
  }
  call.model = model;
  call.stream = stream === true;
  const wrong = route.metered ? wrongValue(fields) : undefined;
  if (wrong !== undefined) return wrong;
  const hideUsage = route.name === "chat" && call.stream && !asksForUsage(fields["stream_options"]);
  const price = call.state.prices.priceOf(provider, model)?.price;
  const bound = route.name === "responses" ? answerBound(fields, call.owner.context, price) : undefined;
  const sent = hideUsage ? withUsage(fields) : bounded(body, bound);
  const read = readFacts(route.name, fields, Buffer.byteLength(sent));
  const facts = bound === undefined ? read : { ...read, maxOutput: bound };
  // An object of this process has each name once.
  if (written === undefined && facts.names !== countNames(body)) {
    return new Failure("invalid_request", "an object in the body has the same name twice: send it once");
  }
  if (!route.metered) return { sent, facts, hideUsage };
  if (facts.lookalike !== undefined) return lookalikeName(facts.lookalike);
  // A free request may have fields that are unknown here.
  const unknown = price !== undefined && isFree(price) ? "taken" : "refused";
  return refusedField(route.name, fields, unknown) ?? { sent, facts, hideUsage };
}

/** A program of a vendor may leave out what bounds its answer: then what its session says bounds it. Undefined: it is bounded, or nothing can. */
function answerBound(
  fields: BodyFields,
  context: RequestContext | undefined,
  price: Price | undefined,
): number | undefined {
  const { maxOutputTokens } = context ?? {};
  if (isSet(fields["max_output_tokens"]) || maxOutputTokens === undefined) return undefined;
  return Math.min(maxOutputTokens, price?.output_tokens ?? Infinity);
}

const BRACE = 0x7b;

/** The same object with one field more. */
function bounded(body: Buffer, bound: number | undefined): Buffer {
  if (bound === undefined) return body;
  const inside = body.indexOf(BRACE) + 1;
  return Buffer.concat([body.subarray(0, inside), Buffer.from(`"max_output_tokens":${bound},`), body.subarray(inside)]);
}

function withUsage(fields: BodyFields): string {
  const options = fields["stream_options"] as object | null | undefined;
  return JSON.stringify({ ...fields, stream_options: { ...options, include_usage: true } });
}

function asksForUsage(options: unknown): boolean {
  return typeof options === "object" && options !== null && (options as BodyFields)["include_usage"] === true;
}

export function rulesOf(context: RequestContext, hasModel: boolean): Parameters<typeof refusedModel>[0] {
  const allowed_providers = context.allowedProviders;
  if (!hasModel) return { allowed_providers };
  return { allowed_providers, allowed_models: context.allowedModels, blocked_models: context.blockedModels };
}

/** An API key may be for some models only. `model` is undefined where the route has none. */
function refusedByKey({ keyModels }: RequestContext, model: string | undefined): Failure | undefined {
  if (keyModels === undefined || model === undefined || keyModels.some((glob) => globMatches(glob, model)))
    return undefined;
  return new Failure("model_not_allowed", `this key is not for the model ${model}, only for: ${keyModels.join(", ")}`);
}

export function unpriced(provider: Provider, model: string): Failure {
  return new Failure(
    "model_unpriced",
    `the price of the model ${model} of the provider ${provider.id} is not known, so it is refused: ` +
      "an admin can set its price in sallyport.yaml (`prices`), or choose another model",
  );
}

/** The wording by which the vendors' programs know that they must shorten a conversation. */
export function tooLong({ maxContextTokens }: RequestContext, facts: BodyFacts): Failure | undefined {
  if (maxContextTokens === undefined) return undefined;
  if (facts.remote !== undefined) {
    return new Failure(
      "unsupported",
      `with \`${facts.remote}\` nobody can say how long the prompt is, and this session's policy limits it to ` +
        `${maxContextTokens} tokens (max_context_tokens): send the whole conversation instead`,
      { field: facts.remote },
    );
  }
  if (facts.bytes <= maxContextTokens) return undefined;
  const written = Math.ceil((facts.bytes - facts.pictureBytes) / BYTES_PER_TOKEN) + facts.images * PICTURE_TOKENS;
  const tokens = facts.counted ?? written;
  if (tokens <= maxContextTokens) return undefined;
  return new Failure(
    "context_exceeded",
    `prompt is too long: ${tokens} tokens > ${maxContextTokens} maximum (max_context_tokens of this session's policy); make the conversation shorter`,
  );
}

/** Reuses the same list as long as nothing changes. */
export function subjectsOf(owner: KeyOwner, context: RequestContext, provider: Provider): readonly RateSubject[] {
  const { sessionRate, agentRate, tokenParents, session_id, key_id, agent } = context;
  const { rate } = provider;
  const known = owner.subjects;
  const isSame = known.sessionRate === sessionRate && known.agentRate === agentRate && known.rate === rate;
  if (isSame && known.tokenParents === tokenParents) return known.list;
  const list: RateSubject[] = [];
  const own =
    key_id === undefined
      ? { key: `session/${session_id}`, whose: "this session" }
      : { key: `key/${key_id}`, whose: "this key" };
  if (sessionRate !== undefined) list.push({ ...own, limit: sessionRate });
  if (agentRate !== undefined) list.push({ key: `agent/${agent}`, whose: `the principal ${agent}`, limit: agentRate });
  for (const { id, bounds } of tokenParents ?? []) {
    if (bounds.model_rate !== undefined)
      list.push({ key: `agent/${id}`, whose: `the token ${id}`, limit: bounds.model_rate });
  }
  if (rate !== undefined && (rate.requests_per_minute !== undefined || rate.tokens_per_minute !== undefined)) {
    list.push({ key: `provider/${provider.id}`, whose: `the provider ${provider.id}`, limit: rate });
  }
  owner.subjects = { sessionRate, agentRate, tokenParents, rate, list };
  return list;
}
