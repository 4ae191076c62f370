import { isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { hostName, isPrivateAddress, looksPublic, publicAddress } from "../../network/index.ts";
import { Failure, LIMITS } from "../../protocol/index.ts";

const SETTING = "notification_hosts of sallyport.yaml";

/** One message on its way out. */
export interface OutgoingMessage {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** `gone`: the place does not exist any more. `later`: another try may help, after `waitMs` at least if that is said. */
export type SendResult =
  | { readonly type: "sent" }
  | { readonly type: "gone"; readonly why: string }
  | { readonly type: "later"; readonly why: string; readonly waitMs?: number | undefined }
  | { readonly type: "refused"; readonly why: string };

export interface SenderOptions {
  /** Hosts that may be on the local network, and without TLS. */
  readonly hosts: readonly string[];
  readonly addressOf?: typeof publicAddress | undefined;
}

/** Refuses an address that is not on the open internet, or not protected by TLS, unless an admin named its host. */
export function checkAddress(text: string, { hosts }: Pick<SenderOptions, "hosts">): URL {
  const url = new URL(text);
  const host = hostName(url);
  if (url.username !== "" || url.password !== "")
    throw new Failure("invalid_request", "the address holds a user name or password; leave them out");
  if (hosts.includes(host)) return url;
  if (url.protocol !== "https:")
    throw new Failure(
      "invalid_request",
      `the address must begin with https://, or an admin names ${host} in ${SETTING}`,
    );
  if (!looksPublic(host))
    throw new Failure("invalid_request", `${host} is not on the open internet; an admin can name it in ${SETTING}`);
  return url;
}

/** Posts messages. A name is resolved here, and the connection goes to the address that was judged; redirects are not followed. */
export class MessageSender {
  readonly #options: SenderOptions;
  readonly #agent: Agent;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { addressOf = publicAddress } = options;
    const lookup: LookupFunction = (host, { all }, answer) => {
      void addressOf(host, this.#ruleOf(host), SETTING).then((found) => {
        if ("refused" in found) answer(new Error(found.refused), "");
        else if (all === true) answer(null, [found]);
        else answer(null, found.address, found.family);
      });
    };
    this.#agent = new Agent({ connect: { lookup, timeout: LIMITS.notificationSendMs }, connections: 4 });
  }

  /** Never rejects. */
  async send({ url, headers, body }: OutgoingMessage): Promise<SendResult> {
    const host = hostName(url);
    if (isIP(host) !== 0 && this.#ruleOf(host) !== "named" && isPrivateAddress(host))
      return { type: "refused", why: `${host} is not on the open internet` };
    try {
      const response = await request(url, {
        method: "POST",
        headers,
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(LIMITS.notificationSendMs),
      });
      // What it says beyond its status is not needed, and may be long.
      await response.body.dump({ limit: 16_384 });
      return resultOf(response.statusCode, response.headers["retry-after"]);
    } catch (error) {
      return { type: "later", why: causeOf(error) };
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #ruleOf(host: string): "named" | "matched" {
    return this.#options.hosts.includes(host) ? "named" : "matched";
  }
}

function resultOf(status: number, retryAfter: string | string[] | undefined): SendResult {
  if (status >= 200 && status < 300) return { type: "sent" };
  if (status === 404 || status === 410) return { type: "gone", why: `it answered ${status}` };
  if (status !== 408 && status !== 429 && status < 500) return { type: "refused", why: `it answered ${status}` };
  const seconds = Number(retryAfter);
  const waitMs = Number.isFinite(seconds) ? Math.min(seconds * 1_000, LIMITS.notificationRetryMaxMs) : undefined;
  return { type: "later", why: `it answered ${status}`, waitMs };
}

/** Neither address nor message: some errors repeat them. */
function causeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  if (name === "TimeoutError") return "it did not answer in time";
  return typeof code === "string" ? `it could not be reached (${code})` : "it could not be reached";
}
