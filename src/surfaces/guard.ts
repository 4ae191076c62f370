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

  /** Refuses a page of another site, and a name that only points here (DNS rebinding). */
  checkOrigin(request: IncomingMessage): void {
    const ours = this.#options.allowedHosts();
    const { host, origin } = request.headers;
    if (host === undefined || !ours.includes(host.toLowerCase())) {
      throw new Failure("forbidden", "this Host is not served here; name it with --allowed-host");
    }
    if (
      origin !== undefined &&
      !ours.some((ourHost) => origin === `http://${ourHost}` || origin === `https://${ourHost}`)
    ) {
      throw new Failure("forbidden", "requests from this Origin are not taken");
    }
  }

  async authenticate(request: IncomingMessage): Promise<Caller> {
    const stranger = request.socket.remoteAddress ?? "unknown";
    const token = tokenOf(request);
    if (token === undefined) throw new Failure("unauthenticated", "send a token: Authorization: Bearer <token>");
    try {
      return await this.#options.gateway.tokens.authenticate(token);
    } catch (error) {
      // Only wrong tokens are counted and held back: a right one works however many others were tried.
      await consume(this.#perStranger, stranger, "too many wrong tokens");
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

  /** Counts one request or message of a caller. */
  async meter(caller: Caller): Promise<void> {
    await consume(this.#perToken, caller.id, `more than ${this.#options.requestsPerMinute} requests a minute`);
  }
}

async function consume(limiter: RateLimiterMemory, key: string, what: string): Promise<void> {
  try {
    await limiter.consume(key);
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
