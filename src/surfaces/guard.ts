import type { IncomingMessage, ServerResponse } from "node:http";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Failure, LIMITS } from "../protocol/index.ts";
import type { Caller } from "../sessions/index.ts";
import type { SurfaceOptions } from "./surface.ts";

const TOKEN_CHARS = 500;
const SUBPROTOCOL = "sallyport.token.";

/** The door of every surface: is this request for us, from whom, and not too often. */
export class Guard {
  readonly #options: SurfaceOptions;
  readonly #perToken: RateLimiterMemory;
  readonly #perStranger = new RateLimiterMemory({ points: LIMITS.failedLoginsPerMinute, duration: 60 });

  constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#perToken = new RateLimiterMemory({ points: options.requestsPerMinute, duration: 60 });
  }

  /**
   * Refuses a page of a site that nobody named, and a name that only points here (DNS rebinding). Answers the origin of another site
   * whose pages may ask; absent: the page is our own, or there is none.
   */
  checkOrigin(request: IncomingMessage): string | undefined {
    const { host, origin } = request.headers;
    if (host === undefined || !this.#options.allowedHosts().includes(host.toLowerCase()))
      throw new Failure("forbidden", "this Host is not served here; name it with --allowed-host");
    if (origin === undefined || this.#isOwn(origin, host)) return undefined;
    if (this.#isNamed(origin) || this.#options.gateway.tokens.namesOrigin(origin)) return origin;
    throw new Failure("forbidden", "requests from this Origin are not taken; an admin can name it as allowed origin");
  }

  /** Refuses a token away from the pages that it is for, and pages that only other tokens are for. */
  checkPlace({ role, token }: Caller, request: IncomingMessage): void {
    const { host = "", origin } = request.headers;
    // An issuer is a server: the origins of its token are only for those that it makes.
    const origins = role === "issuer" ? undefined : token.bounds.origins;
    if (origins === undefined) {
      if (origin === undefined || this.#isOwn(origin, host) || this.#isNamed(origin)) return;
      throw new Failure("forbidden", "this token is not for pages of this origin; use one that names it");
    }
    // A browser names no origin when a page reads from where it came itself.
    const isSame = origin === undefined && request.headers["sec-fetch-site"] === "same-origin";
    const from = origin === undefined ? (isSame ? [`http://${host}`, `https://${host}`] : []) : [origin];
    if (from.some((place) => origins.includes(place))) return;
    throw new Failure("forbidden", `this token works only from pages of ${origins.join(", ")}`);
  }

  /** Exactly where the request went, or a name of this server that the settings have; ports count. */
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
      return await this.#options.gateway.tokens.authenticate(token);
    } catch (error) {
      // Only wrong tokens are counted and held back: a right one works however many others were tried.
      await consume(this.#perStranger, { key: stranger, points: 1, what: "too many wrong tokens" });
      throw error;
    }
  }

  /** An answer that is still being given when the caller's token is deleted breaks off, a stream above all. */
  endWithToken(caller: Caller, answer: ServerResponse): void {
    // Who deletes its own token is told that it did.
    if (answer.req.method === "DELETE") return;
    answer.once(
      "close",
      this.#options.gateway.tokens.whenGone(caller, () => answer.destroy()),
    );
  }

  /** Counts one request or message of a caller whose token still lives, and on the tokens that it was made with. */
  async meter(caller: Caller): Promise<void> {
    this.#options.gateway.tokens.checkTime(caller);
    const { requestsPerMinute: most } = this.#options;
    const { bounds, parents } = caller.token;
    for (const { id, limit } of [
      ...parents.map((parent) => ({ id: `made/${parent.id}`, limit: parent.bounds.requests_per_minute })),
      { id: caller.id, limit: Math.min(bounds.requests_per_minute ?? most, most) },
    ]) {
      // A request of a token with a lower limit weighs more.
      if (limit !== undefined)
        await consume(this.#perToken, { key: id, points: most / limit, what: `more than ${limit} requests a minute` });
    }
  }
}

interface Consumed {
  readonly key: string;
  readonly points: number;
  readonly what: string;
}

async function consume(limiter: RateLimiterMemory, { key, points, what }: Consumed): Promise<void> {
  try {
    await limiter.consume(key, points);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const retry_after_s = Math.ceil(error.msBeforeNext / 1_000);
    throw new Failure("rate_limited", `${what}; try again in ${retry_after_s} s`, { retry_after_s });
  }
}

/** From the Authorization header, or, where a browser cannot set one (WebSocket, EventSource, a link), from `?token=` or the subprotocol. */
function tokenOf(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S{1,500})$/i.exec(authorization)?.[1];
  const offered = request.headers["sec-websocket-protocol"]?.split(",").map((word) => word.trim());
  const carried = offered?.find((word) => word.startsWith(SUBPROTOCOL))?.slice(SUBPROTOCOL.length);
  if (carried !== undefined) return carried.slice(0, TOKEN_CHARS);
  if (request.method !== "GET") return undefined;
  const query = request.url?.split("?", 2)[1];
  return query === undefined
    ? undefined
    : (new URLSearchParams(query).get("token")?.slice(0, TOKEN_CHARS) ?? undefined);
}
