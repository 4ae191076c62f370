import { refusedModel } from "../gate/index.ts";
import { worstCase, type Claim, type RequestFacts, type Reservation } from "../ledger/index.ts";
import { Failure, LIMITS, type Price, type Shortage } from "../protocol/index.ts";
import { countNames, parseBody } from "./body.ts";
import type { Call, Denial } from "./call.ts";
import type { Stake } from "./charge.ts";
import { countTokens } from "./count.ts";
import { readFacts, unmeterable, type BodyFacts } from "./facts.ts";
import type { Credential, Provider } from "./providers.ts";
import { WIRES, type Standing, type Wire } from "./proxy.ts";
import type { RateSubject } from "./rates.ts";
import { outOfFunds } from "./refusals.ts";
import type { Route } from "./routes.ts";
import type { Upstream } from "./upstream.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A request that may go out. */
export interface Admitted {
  readonly provider: Provider;
  readonly upstream: Upstream;
  readonly credentials: readonly Credential[];
  /** As it is sent on. Absent: it has none. */
  readonly body: Buffer | string | undefined;
  readonly facts: RequestFacts | undefined;
  /** Absent: it costs nothing whatever comes. */
  readonly stake: Stake | undefined;
  /** The caller did not ask for the usage of a stream, and does not get to see it. */
  readonly hideUsage: boolean;
}

/** A body that was read. */
interface Asked {
  readonly fields: Fields;
  readonly sent: Buffer | string;
  readonly facts: BodyFacts;
  readonly hideUsage: boolean;
}

export const MAX_COST_HEADER = "x-sallyport-max-cost-usd";
/** Bytes of a prompt for one token, as a rule; only where nobody counts. */
const BYTES_PER_TOKEN = 4;
/** And for one picture. */
const PICTURE_TOKENS = 1_600;
const ABORTED: Denial = { failure: new Failure("aborted", "the caller is gone") };

/** Whether a request may go out, and with what money. `body`: absent where the route has none. */
export async function admit(call: Call, route: Route, body: Buffer | undefined): Promise<Admitted | Denial> {
  try {
    const judged = judge(call, route, body);
    if ("failure" in judged) return judged;
    const { provider, upstream, asked, price } = judged;
    const credentials = await provider.credentials();
    if (call.isGone) return ABORTED;
    const admitted = { provider, upstream, credentials, body: asked?.sent, facts: asked?.facts };
    if (asked === undefined || price === undefined) return { ...admitted, stake: undefined, hideUsage: false };
    const stake = await reserve(call, judged, { asked, price, credential: credentials[0] });
    return "failure" in stake ? stake : { ...admitted, stake, hideUsage: asked.hideUsage };
  } catch (error) {
    if (error instanceof Failure) return { failure: error };
    throw error;
  }
}

/** A request that may go out if there is money for it. */
interface Judged {
  readonly standing: Standing;
  readonly provider: Provider;
  readonly upstream: Upstream;
  readonly asked: Asked | undefined;
  /** Absent: the route costs nothing. */
  readonly price: Price | undefined;
  /** The provider can say how long a prompt is. */
  readonly mayCount: boolean;
}

/** All that can be said at once. Nothing changes but the count of requests. */
function judge(call: Call, route: Route, body: Buffer | undefined): Judged | Denial {
  const { options, upstreams, rates, prices } = call.house;
  const standing = call.owner.holder.standing();
  if (standing instanceof Failure) return { failure: standing };
  call.owner.standing = standing;
  const provider = options.providers.get(standing.provider);
  const upstream = upstreams.to(speaking(call, route, provider));
  const asked = body === undefined ? undefined : ask(call, route, body);
  if (asked instanceof Failure) return { failure: asked };
  const refused = refusedModel(rulesOf(standing, asked !== undefined), { provider: provider.id, model: call.model });
  if (refused !== undefined) return { failure: refused };
  const price = route.metered ? prices.priceOf(provider, call.model)?.price : undefined;
  if (route.metered && price === undefined) return { failure: unpriced(provider, call.model) };
  const mayCount = route.name === "messages" && !provider.free;
  const long = asked === undefined || mayCount || !route.metered ? undefined : tooLong(standing, asked.facts);
  if (long !== undefined) return { failure: long };
  const subjects = subjectsOf(standing, provider);
  const limited = rates.take(subjects);
  if (limited !== undefined) return limited;
  call.subjects = subjects;
  return { standing, provider, upstream, asked, price, mayCount };
}

/** Where the provider is asked in the request's own format. */
function speaking(call: Call, route: Route, provider: Provider): string {
  if (route.wire === undefined && provider.baseUrl[call.wire] === undefined) {
    call.wire = WIRES.find((wire) => provider.baseUrl[wire] !== undefined) ?? call.wire;
  }
  const url = provider.baseUrl[call.wire];
  if (url !== undefined) return url;
  const spoken = WIRES.filter((wire) => provider.baseUrl[wire] !== undefined);
  throw new Failure(
    "wire_unsupported",
    `the provider ${provider.id} does not speak ${NAMES[call.wire]}, only ${spoken.map((wire) => NAMES[wire]).join(" and ")}: ` +
      "ask it in that format, or use another provider. Requests are never translated.",
  );
}

const NAMES: Readonly<Record<Wire, string>> = {
  anthropic: "Anthropic's Messages (/v1/messages)",
  openai: "OpenAI's Responses and Chat Completions (/v1/responses, /v1/chat/completions)",
};

/** Reads a body. It is sent on as it came, unless the usage of a stream must be asked for. */
function ask(call: Call, route: Route, body: Buffer): Asked | Failure {
  const fields = parseBody(body);
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
  const complaint = route.metered ? unmeterable(route.name, fields) : undefined;
  if (complaint !== undefined) return new Failure("unsupported", complaint);
  const hideUsage = route.name === "chat" && call.stream && !asksForUsage(fields["stream_options"]);
  const sent = hideUsage ? withUsage(fields) : body;
  const facts = readFacts(route.name, fields, Buffer.byteLength(sent));
  if (facts.names !== countNames(body)) {
    return new Failure("invalid_request", "the body has an object in which the same name stands twice: send it once");
  }
  return { fields, sent, facts, hideUsage };
}

function withUsage(fields: Fields): string {
  const options = fields["stream_options"] as object | null | undefined;
  return JSON.stringify({ ...fields, stream_options: { ...options, include_usage: true } });
}

function asksForUsage(options: unknown): boolean {
  return typeof options === "object" && options !== null && (options as Fields)["include_usage"] === true;
}

function rulesOf(standing: Standing, hasModel: boolean): Parameters<typeof refusedModel>[0] {
  const allowed_providers = standing.allowedProviders;
  if (!hasModel) return { allowed_providers };
  return { allowed_providers, allowed_models: standing.allowedModels, blocked_models: standing.blockedModels };
}

function unpriced(provider: Provider, model: string): Failure {
  return new Failure(
    "model_unpriced",
    `nobody knows what the model ${model} of the provider ${provider.id} costs, so it is refused: ` +
      "an admin can set its price in sallyport.yaml (`prices`), or choose another model",
  );
}

/** The words by which the vendors' own programs know that a conversation must become shorter. */
function tooLong({ maxContextTokens }: Standing, facts: BodyFacts): Failure | undefined {
  if (maxContextTokens === undefined || facts.bytes <= maxContextTokens) return undefined;
  const written = Math.ceil((facts.bytes - facts.pictureBytes) / BYTES_PER_TOKEN) + facts.images * PICTURE_TOKENS;
  const tokens = facts.counted ?? written;
  if (tokens <= maxContextTokens) return undefined;
  return new Failure(
    "context_exceeded",
    `prompt is too long: ${tokens} tokens > ${maxContextTokens} maximum (max_context_tokens of this session's policy); make the conversation shorter`,
  );
}

function subjectsOf(standing: Standing, provider: Provider): readonly RateSubject[] {
  const { sessionRate, agentRate, session_id, agent } = standing;
  const subjects: RateSubject[] = [];
  if (sessionRate !== undefined) {
    subjects.push({ key: `session/${session_id}`, whose: "this session", limit: sessionRate });
  }
  if (agentRate !== undefined)
    subjects.push({ key: `agent/${agent}`, whose: `the principal ${agent}`, limit: agentRate });
  const { rate } = provider;
  if (rate !== undefined && (rate.requests_per_minute !== undefined || rate.tokens_per_minute !== undefined)) {
    subjects.push({ key: `provider/${provider.id}`, whose: `the provider ${provider.id}`, limit: rate });
  }
  return subjects;
}

interface Wish {
  readonly asked: Asked;
  readonly price: Price;
  readonly credential: Credential | undefined;
}

/** Sets the worst case aside. Where that is too much, the provider may say that it is less. */
async function reserve(call: Call, judged: Judged, { asked, price, credential }: Wish): Promise<Stake | Denial> {
  const { standing, upstream, mayCount } = judged;
  const { fields, facts } = asked;
  const count = (): Promise<number | undefined> =>
    countTokens(upstream, {
      body: fields,
      rawHeaders: call.request.rawHeaders,
      credential,
      signal: call.connection.signal,
    });
  const purse = ownPurse(call);
  if (purse instanceof Failure) return { failure: purse };
  const purses = purse === undefined ? standing.purses : [...standing.purses, purse];
  let counted: number | undefined;
  if (mayCount && facts.bytes > (standing.maxContextTokens ?? Infinity)) {
    counted = await count();
    const long = tooLong(standing, { ...facts, counted });
    if (long !== undefined) return { failure: long };
  }
  const first = await attempt(call, {
    standing,
    purses,
    price,
    facts: counted === undefined ? facts : { ...facts, counted },
  });
  if (!("shortage" in first) || !mayCount || counted !== undefined || call.isGone) return first;
  counted = await count();
  if (call.isGone) return ABORTED;
  return counted === undefined ? first : attempt(call, { standing, purses, price, facts: { ...facts, counted } });
}

/** The request's own limit. */
function ownPurse(call: Call): Standing["purses"][number] | Failure | undefined {
  const text = call.request.headers[MAX_COST_HEADER];
  if (text === undefined) return undefined;
  const limit = typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(limit)) {
    return new Failure(
      "invalid_request",
      `${MAX_COST_HEADER} must be a whole number of micro-USD: a dollar is 1000000`,
    );
  }
  return { kind: "request", account: "", limit };
}

async function attempt(
  call: Call,
  claimed: {
    readonly standing: Standing;
    readonly purses: Standing["purses"];
    readonly price: Price;
    readonly facts: BodyFacts;
  },
): Promise<Stake | Denial> {
  const { standing, purses, price, facts } = claimed;
  const worst = worstCase(price, facts);
  if (worst instanceof Failure) return { failure: worst };
  const { session_id, turn_id, agent, engine, provider } = standing;
  const { id, model, connection, house } = call;
  const claim: Claim = { id, session_id, turn_id, agent, engine, provider, model, purses, amount: worst.amount };
  const answer = await house.options.ledger.reserve(claim, connection.signal);
  if (!isReservation(answer)) return { failure: outOfFunds(answer), shortage: answer };
  if (call.isGone) {
    answer.release();
    return ABORTED;
  }
  call.reserved = answer.amount;
  return { reservation: answer, price, facts, maxOutput: worst.output };
}

function isReservation(answer: Reservation | Shortage): answer is Reservation {
  return "settle" in answer;
}
