import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import { MinuteCounts, type MinuteLimit } from "./minute-counts.ts";
import { OpenConnections } from "./open-connections.ts";
import { AccessLog } from "./request-log.ts";
import { SYSTEM_CLOCK, type SurfaceOptions } from "./surface.ts";

const SUBPROTOCOL = "sallyport.token.";
const SIGN_IN_FAILED = "a sign-in failed: the token or key is not known, was deleted or has expired";
const TOO_MANY_FAILED = "too many wrong tokens: more of them are not logged for up to a minute";

/** The entry check of every surface: is this request for us, from whom, and not too often. */
export class Guard {
  readonly requests: AccessLog;
  readonly connections: OpenConnections;
  readonly #options: SurfaceOptions;
  readonly #perToken: MinuteCounts;
  readonly #perStranger: MinuteCounts;
  readonly #failedLoginLines: MinuteCounts;

  constructor(options: SurfaceOptions) {
    this.#options = options;
    this.requests = new AccessLog(options.accessLog);
    this.connections = new OpenConnections(options.connections ?? LIMITS.socketsOpen);
    const { clock = SYSTEM_CLOCK } = options;
    this.#perToken = new MinuteCounts(() => clock.elapsed());
    this.#perStranger = new MinuteCounts(() => clock.elapsed());
    this.#failedLoginLines = new MinuteCounts(() => clock.elapsed());
  }

  /**
   * Refuses pages of unknown sites, and host names that only point here (DNS rebinding). Returns the origin of another site whose
   * pages may make requests; absent: the page is our own, or there is none.
   */
  checkOrigin(request: IncomingMessage): string | undefined {
    refuseDoubled(request);
    const { host, origin } = request.headers;
    if (host === undefined || !this.#options.allowedHosts().includes(host.toLowerCase()))
      throw new Failure("forbidden", "this Host is not served here; name it with --allowed-host");
    if (origin === undefined || this.#isOwn(origin, host)) return undefined;
    if (this.#isNamed(origin) || this.#options.gateway.tokens.namesOrigin(origin)) return origin;
    throw new Failure("forbidden", "requests from this Origin are not taken; an admin can name it as allowed origin");
  }

  /** Refuses a token on pages that it is not for, and pages that are only for other tokens. */
  checkPlace({ role, token }: Caller, request: IncomingMessage): void {
    const { host = "", origin } = request.headers;
    // An issuer is a server: the origins of its token are only for the tokens that it makes.
    const origins = role === "issuer" ? undefined : token.bounds.origins;
    if (origins === undefined) {
      if (origin === undefined || this.#isOwn(origin, host) || this.#isNamed(origin)) return;
      throw new Failure("forbidden", "this token is not for pages of this origin; use one that names it");
    }
    // A browser sends no origin when a page reads from its own server.
    const isSame = origin === undefined && request.headers["sec-fetch-site"] === "same-origin";
    const from = origin === undefined ? (isSame ? [`http://${host}`, `https://${host}`] : []) : [origin];
    if (from.some((place) => origins.includes(place))) return;
    throw new Failure("forbidden", `this token works only from pages of ${origins.join(", ")}`);
  }

  /** Exactly the request's own address, or one of this server's configured names; ports count. */
  #isOwn(origin: string, host: string): boolean {
    const named = this.#options.ownOrigins?.() ?? [];
    return origin === `http://${host}` || origin === `https://${host}` || named.includes(origin);
  }

  #isNamed(origin: string): boolean {
    return this.#options.allowedOrigins?.includes(origin) === true;
  }

  async authenticate(request: IncomingMessage): Promise<Caller> {
    const stranger = request.socket.remoteAddress ?? "unknown";
    const token = tokenOf(request);
    if (token === undefined) throw new Failure("unauthenticated", "send a token: Authorization: Bearer <token>");
    try {
      const caller = await this.#options.gateway.tokens.authenticate(token);
      this.requests.signedIn(request, caller.id);
      return caller;
    } catch (error) {
      this.#tellFailedLogin(request, stranger);
      // Only wrong tokens are counted and delayed. A valid one works, however many wrong ones were tried.
      count(this.#perStranger, [{ key: stranger, limit: LIMITS.failedLoginsPerMinute, what: "too many wrong tokens" }]);
      throw error;
    }
  }

  /**
   * The same for a program with an API key. Throws if the request is not for us, comes too often, or is one of too many with wrong
   * keys; who may ask a model is the proxy's to say.
   */
  checkModelRequest(request: IncomingMessage): void {
    this.connections.checkRoom(request);
    this.checkOrigin(request);
    const caller = this.#options.gateway.keys.callerOf(request);
    if (caller !== undefined) {
      this.requests.signedIn(request, caller.id);
      this.#count(caller);
      return;
    }
    const { authorization, "x-api-key": direct } = request.headers;
    if (authorization === undefined && direct === undefined) return;
    const stranger = request.socket.remoteAddress ?? "unknown";
    this.#tellFailedLogin(request, stranger);
    count(this.#perStranger, [{ key: stranger, limit: LIMITS.failedLoginsPerMinute, what: "too many wrong keys" }]);
  }

  /** The same for a delivery of a webhook, which has a signature in the place of a token. */
  checkDelivery(request: IncomingMessage, { id, isSigned }: { readonly id: string; readonly isSigned: boolean }): void {
    const refusal =
      "no webhook here takes this signature: check the address, the secret, the clock and the signed text";
    this.checkProof(request, { key: `hook/${id}`, isRight: isSigned, refusal });
  }

  /** The same for anything that is authenticated without a token. `key`: by which valid requests are counted. */
  checkProof(
    request: IncomingMessage,
    { key, isRight, refusal }: { readonly key: string; readonly isRight: boolean; readonly refusal: string },
  ): void {
    const stranger = request.socket.remoteAddress ?? "unknown";
    if (isRight) {
      const limit = LIMITS.webhookPerMinute;
      count(this.#perToken, [{ key, limit, what: `more than ${limit} deliveries a minute` }]);
      return;
    }
    this.#tellFailedLogin(request, stranger);
    count(this.#perStranger, [
      { key: stranger, limit: LIMITS.failedLoginsPerMinute, what: "too many wrong signatures" },
    ]);
    throw new Failure("unauthenticated", refusal);
  }

  /** Somebody who guesses tokens appears in the log, but cannot fill it: neither from one address nor from many. */
  #tellFailedLogin(request: IncomingMessage, stranger: string): void {
    const lines = this.#failedLoginLines;
    const { failedLoginsPerMinute: each, failedLoginLinesPerMinute: all } = LIMITS;
    const isOver = (limits: readonly MinuteLimit[]): boolean => lines.take(limits) !== undefined;
    const isSilent = isOver([
      { key: "all", limit: all },
      { key: `each/${stranger}`, limit: each },
    ]);
    const last = [
      { key: "last", limit: each },
      { key: `last/${stranger}`, limit: 1 },
    ];
    if (isSilent && isOver(last)) return;
    this.#options.log.warn(this.requests.about(request), isSilent ? TOO_MANY_FAILED : SIGN_IN_FAILED);
  }

  /** Breaks off a running answer, such as a stream, when the caller's token is deleted. */
  endWithToken(caller: Caller, answer: ServerResponse): void {
    // A caller that deletes its own token still gets the answer.
    if (answer.req.method === "DELETE") return;
    answer.once(
      "close",
      this.#options.gateway.tokens.whenGone(caller, () => answer.destroy()),
    );
  }

  /** Counts one request or message of a caller with a valid token, also on the tokens it was derived from. A refused one counts on none. */
  meter(caller: Caller): void {
    this.#options.gateway.tokens.checkTime(caller);
    this.#count(caller);
  }

  #count(caller: Caller): void {
    const { requestsPerMinute: most } = this.#options;
    const { bounds, parents } = caller.token;
    count(this.#perToken, [
      requests(caller.id, Math.min(bounds.requests_per_minute ?? most, most)),
      ...parents.flatMap(({ id, bounds: { requests_per_minute: limit } }) =>
        limit === undefined ? [] : [requests(`made/${id}`, limit)],
      ),
    ]);
  }
}

/** Headers that identify caller and server: with duplicates, another program on the way might read the other one. */
const SAID_ONCE = ["host", "authorization", "x-api-key", "origin", "content-type", "mcp-session-id", "idempotency-key"];

function refuseDoubled({ rawHeaders }: IncomingMessage): void {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const doubled = SAID_ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (doubled !== undefined) throw new Failure("invalid_request", `the header ${doubled} may be sent only once`);
}

interface CountedLimit extends MinuteLimit {
  /** The limit's name for messages. */
  readonly what: string;
}

function requests(key: string, limit: number): CountedLimit {
  return { key, limit, what: `more than ${limit} requests a minute` };
}

function count(counts: MinuteCounts, limits: readonly CountedLimit[]): void {
  const refused = counts.take(limits);
  if (refused === undefined) return;
  const retry_after_s = Math.ceil(refused.ms / 1_000);
  throw new Failure("rate_limited", `${refused.reached.what}; try again in ${retry_after_s} s`, { retry_after_s });
}

/** From the Authorization header. If a browser cannot set one (WebSocket, EventSource, a link), from `?token=` or the subprotocol. */
function tokenOf(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S{1,500})$/i.exec(authorization)?.[1];
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((word) => word.trim());
  const carried = offered?.find((word) => word.startsWith(SUBPROTOCOL))?.slice(SUBPROTOCOL.length);
  if (carried !== undefined) return carried.slice(0, LIMITS.tokenChars);
  if (request.method !== "GET") return undefined;
  const query = request.url?.split("?", 2)[1];
  return query === undefined
    ? undefined
    : (new URLSearchParams(query).get("token")?.slice(0, LIMITS.tokenChars) ?? undefined);
}
