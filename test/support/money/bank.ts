import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { Price } from "../../../src/protocol/index.ts";
import { bill, PICO } from "./bill.ts";
import type { Fate, PlannedLimit, PlannedRequest } from "./plan.ts";
import { answerOf, COUNT_PATH, ERROR_EVENTS, PATHS, type Telling } from "./wires.ts";

export interface BankOptions {
  readonly prices: Readonly<Record<string, Price>>;
  readonly requests: ReadonlyMap<string, PlannedRequest>;
  /** The keys that its customer has; whoever comes with another one is noted. */
  readonly keys: readonly string[];
  /** The accounts of a request at this moment, with their limits. */
  readonly spendingLimits: (request: PlannedRequest) => readonly PlannedLimit[];
  /** Called when a request has come whole, before anything is answered. */
  readonly onArrival: (request: PlannedRequest) => void;
}

const STALL_MS = 15;
/** How far its count of tokens is off: less than what every reservation takes into account. */
const COUNT_OFF = 1.05;

/**
 * A provider that keeps its own books. It bills a request whole as soon as it begins to answer it, whether anybody is
 * still there to read the answer or not, and nothing for one that it answers with an error. It knows which session a
 * request is of from the script alone.
 */
export class Bank {
  readonly url: string;
  /** Pico-USD by account. */
  readonly #counts = new Map<string, bigint>();
  /** The same in micro-USD, where each request is rounded up by itself. */
  readonly #rounded = new Map<string, number>();
  readonly #violations: string[] = [];
  readonly #arrived = new Map<string, number>();
  readonly #server: Server;
  readonly #options: BankOptions;
  #open = 0;
  #whenQuiet: (() => void)[] = [];

  private constructor(server: Server, options: BankOptions) {
    this.#server = server;
    this.#options = options;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  static async open(options: BankOptions): Promise<Bank> {
    const server = createServer();
    // Longer than any test: which side ends an idle connection must not depend on the machine.
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Bank(server, options);
  }

  /** Pico-USD. */
  count(account: string): bigint {
    return this.#counts.get(account) ?? 0n;
  }

  get accounts(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** Micro-USD, where each request was rounded up by itself. */
  rounded(account: string): number {
    return this.#rounded.get(account) ?? 0;
  }

  /** Each time that a limit was passed, in words. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Resolves when no request is under way. */
  async quiet(): Promise<void> {
    while (this.#open > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#open += 1;
    response.on("error", () => undefined);
    try {
      await this.#answer(incoming, response);
    } catch (error) {
      if (!incoming.destroyed && !response.destroyed) this.#violations.push(`the provider failed: ${String(error)}`);
    } finally {
      this.#open -= 1;
      if (this.#open === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    }
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(incoming);
    if (body === undefined) return;
    if (incoming.url === COUNT_PATH) {
      this.#countTokens(body, response);
      return;
    }
    const planned = this.#options.requests.get(idOf(body));
    if (planned === undefined || incoming.url !== PATHS[planned.api]) {
      this.#violations.push(`the provider got ${incoming.method} ${incoming.url}, which is not in the script`);
      response.writeHead(404).end();
      return;
    }
    this.#checkKey(incoming, planned);
    const arrival = this.#arrived.get(planned.id) ?? 0;
    this.#arrived.set(planned.id, arrival + 1);
    const fate = planned.fates[arrival] ?? planned.fates.at(-1) ?? planned.fates[0];
    this.#options.onArrival(planned);
    if (fate.is === "error") {
      const headers = { "content-type": "application/json", ...retryAfter(fate) };
      response
        .writeHead(fate.status, headers)
        .end(JSON.stringify({ type: "error", error: { type: "api_error", message: `scripted ${fate.status}` } }));
      return;
    }
    this.#bill(planned);
    await play(planned, fate, response, wantsUsage(body));
  }

  /** Free, a little too low, and not always there. */
  #countTokens({ messages }: Readonly<Record<string, unknown>>, response: ServerResponse): void {
    const [id = ""] = JSON.stringify(messages).match(/r\d+ /) ?? [];
    const planned = this.#options.requests.get(id.trim());
    const all = planned === undefined ? 0 : inputOf(planned);
    if (planned === undefined || Number(planned.id.slice(1)) % 4 === 0) {
      response.writeHead(500, { "content-type": "application/json" }).end('{"type":"error"}');
      return;
    }
    const told = Math.max(0, Math.ceil(all / COUNT_OFF) - 900);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ input_tokens: told }));
  }

  #checkKey({ headers }: IncomingMessage, { id }: PlannedRequest): void {
    const given = [headers["x-api-key"], headers.authorization?.replace(/^Bearer /, "")].filter(
      (key) => key !== undefined,
    );
    const known = given.length === 1 && this.#options.keys.some((key) => key === given[0]);
    if (!known) this.#violations.push(`${id} came with a key that is not the provider's`);
  }

  #bill(request: PlannedRequest): void {
    const price = this.#options.prices[request.model];
    if (price === undefined) throw new Error(`no price for ${request.model}`);
    const amount = bill(price, request.used);
    const rounded = Number((amount + PICO - 1n) / PICO);
    for (const { account, limit } of this.#options.spendingLimits(request)) {
      const count = this.count(account) + amount;
      this.#counts.set(account, count);
      this.#rounded.set(account, this.rounded(account) + rounded);
      if (limit !== undefined && count > BigInt(limit) * PICO)
        this.#violations.push(`${account} is at ${Number(count) / 1e6} of ${limit} after ${request.id}`);
    }
  }
}

async function play(
  planned: PlannedRequest,
  fate: Exclude<Fate, { is: "error" }>,
  response: ServerResponse,
  chunkWanted: boolean,
): Promise<void> {
  if (fate.is === "reset") {
    response.destroy();
    return;
  }
  const { head, pieces, tail } = answerOf(planned, tellingOf(planned, fate, chunkWanted));
  response.writeHead(200, { "content-type": planned.stream ? "text/event-stream" : "application/json" });
  response.flushHeaders();
  const breaksAt = "pieces" in fate ? Math.min(fate.pieces, pieces.length) : pieces.length;
  for (const piece of [head, ...pieces.slice(0, breaksAt)]) {
    if (piece !== "") response.write(piece);
    await nextTurn();
  }
  switch (fate.is) {
    case "cut":
      response.destroy();
      return;
    case "stall":
      await wait(STALL_MS);
      response.destroy();
      return;
    case "garbage":
      response.end(Buffer.from([0, 255, 254, 123, 10, 100, 97, 116, 97, 58, 32, 123, 91, 10, 10]));
      break;
    case "error_event":
      response.end(ERROR_EVENTS[planned.api]);
      break;
    case "whole":
    case "usage_half":
    case "usage_missing":
      response.end(tail);
      break;
  }
  await ended(response);
}

function inputOf({ used }: PlannedRequest): number {
  return used.input + used.cacheRead + used.cacheWrite + used.cacheWrite1h;
}

/** Chat completions tell their usage in a stream only to those who ask for it. */
function tellingOf({ api, stream }: PlannedRequest, { is }: Fate, chunkWanted: boolean): Telling {
  if (is === "usage_missing" || (api === "chat" && stream && !chunkWanted)) return "nothing";
  return is === "usage_half" ? "half" : "all";
}

function ended(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.writableFinished) resolve();
    response.once("close", resolve).once("finish", resolve);
  });
}

function retryAfter({ retryAfter: seconds }: Extract<Fate, { is: "error" }>): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { "retry-after": String(seconds) };
}

/** Nothing when the caller left in the middle. */
async function readJson(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  if (!incoming.complete) return undefined;
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Readonly<Record<string, unknown>>;
}

function idOf({ metadata }: Readonly<Record<string, unknown>>): string {
  return String((metadata as { readonly user_id?: unknown } | undefined)?.user_id);
}

function wantsUsage({ stream_options }: Readonly<Record<string, unknown>>): boolean {
  return (stream_options as { readonly include_usage?: unknown } | undefined)?.include_usage === true;
}
