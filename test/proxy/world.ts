import { mkdtemp, rm } from "node:fs/promises";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ACCOUNTS, openLedger, openPriceBook, type Ledger } from "../../src/ledger/index.ts";
import { makeNewId, makeRedactor, type Failure, type Price, type RateLimit } from "../../src/protocol/index.ts";
import {
  openProxy,
  ProviderBreaker,
  type Credential,
  type Exchange,
  type KeyLease,
  type ModelProxy,
  type NetworkProxies,
  type Provider,
  type RequestContext,
  type Wire,
} from "../../src/proxy/index.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { storeThread } from "../support/store-thread.ts";

/** What came to the provider. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the proxy has closed this request. */
  readonly closed: Promise<void>;
}

export type Behaviour = (arrival: Arrival, response: ServerResponse) => void | Promise<void>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The connection broke before the answer ended. */
  readonly cut: boolean;
}

export interface Asking {
  readonly path?: string;
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: object | string | Buffer;
  /** Called when the first bytes of the answer's body have come. */
  readonly onBytes?: (bytes: string, close: () => void) => void;
}

/** A dollar is a million; prices are for a million tokens. */
export const PRICE: Price = {
  input: 3_000_000,
  output: 15_000_000,
  cache_read: 300_000,
  cache_write: 3_750_000,
  cache_write_1h: 6_000_000,
  web_search: 10_000,
  context_tokens: 1_000_000,
  output_tokens: 64_000,
};
export const MESSAGE = { model: "claude-test", max_tokens: 1_000, messages: [{ role: "user", content: "hi" }] };
export const SESSION = "ses_1";

interface WorldOptions {
  readonly wires?: readonly Wire[];
  readonly free?: boolean;
  readonly rate?: RateLimit;
  readonly keys?: readonly string[];
  readonly context?: Partial<RequestContext>;
  readonly baseUrl?: string;
  readonly networkProxies?: NetworkProxies;
  readonly bounds?: { readonly headersMs: number; readonly requestMs: number; readonly connections: number };
}

/** The real proxy over the real ledger and store, before a provider that does what the test says. */
export class World {
  readonly exchanges: Exchange[] = [];
  readonly reports: { readonly name: string; readonly status: number; readonly retryAfterMs?: number | undefined }[] =
    [];
  readonly arrivals: Arrival[] = [];
  behaviour: Behaviour = (_, response) => void response.writeHead(500).end();
  now = 1_800_000_000_000;
  elapsed = 1_000;
  context: RequestContext | Failure = {
    session_id: SESSION,
    turn_id: "turn_1",
    agent: "tok_1",
    engine: "loop",
    provider: "test",
    spendingLimits: [{ kind: "session", account: ACCOUNTS.session(SESSION), limit: 10_000_000 }],
  };
  readonly told: Exchange[] = [];
  credentials: () => Promise<readonly Credential[]> = () => Promise.resolve([]);
  readonly #closing: (() => Promise<unknown> | void)[] = [];
  home = "";
  upstreamUrl = "";
  // Set by `open`, which is the only way to make one.
  proxy!: ModelProxy;
  ledger!: Ledger;
  readonly breaker = new ProviderBreaker(() => this.elapsed);
  store!: Store;
  lease!: KeyLease;
  #wake: (() => void) | undefined;

  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World();
    world.home = await mkdtemp(join(tmpdir(), "sallyport-proxy-"));
    world.#closing.push(() => rm(world.home, { recursive: true, force: true }));
    world.store = await openSqliteStore({
      path: join(world.home, "sallyport.db"),
      thread: storeThread(),
      onFatal: (error) => {
        throw error;
      },
    });
    world.#closing.push(() => world.store.close());
    const newId = makeNewId(
      () => world.now,
      (bytes) => crypto.getRandomValues(bytes),
    );
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const now = (): number => world.now;
    world.ledger = await openLedger({ store: world.store, now, newId, log });
    world.#closing.push(() => world.ledger.flush());
    if (options.context !== undefined) world.context = { ...(world.context as RequestContext), ...options.context };
    world.upstreamUrl = options.baseUrl ?? (await world.#openProvider());
    const provider = world.#provider(options);
    const prices = openPriceBook(() => ({ "claude-test": PRICE, "gpt-test": PRICE }));
    world.proxy = await openProxy(
      {
        home: world.home,
        tcpPort: 0,
        ledger: world.ledger,
        prices,
        providers: {
          get: () => provider,
          list: () => [provider],
          test: () => Promise.reject(),
          health: () => Promise.reject(),
          models: () => Promise.resolve({ models: [] }),
          listed: () => undefined,
          status: () => "available",
          condition: (id) => world.breaker.condition(id),
          close: () => undefined,
        },
        breaker: world.breaker,
        networkProxies: options.networkProxies,
        now,
        elapsed: () => world.elapsed,
        newId,
        log: {
          ...log,
          error: (fields) =>
            void process.stderr.write(
              `${JSON.stringify(fields)} ${String((fields as { error?: Error }).error?.stack)}\n`,
            ),
        },
        redact: makeRedactor([]),
        told: (exchange) => {
          world.exchanges.push(exchange);
          world.#wake?.();
        },
      },
      ...(options.bounds === undefined ? [] : [options.bounds]),
    );
    world.#closing.push(() => world.proxy.close());
    world.lease = world.proxy.lease({
      context: () => world.context,
      told: (exchange) => void world.told.push(exchange),
    });
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }

  /** The first exchange that has not been taken yet. */
  async exchange(): Promise<Exchange> {
    while (this.exchanges.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.exchanges.shift()!;
  }

  async balance(): Promise<{ readonly spent: number; readonly reserved: number }> {
    return this.ledger.balance(ACCOUNTS.session(SESSION));
  }

  ask(asking: Asking = {}): Promise<Answer> {
    const { path = "/v1/messages", key = this.lease.key, headers = {}, body = MESSAGE, onBytes } = asking;
    const isText = typeof body === "string" || Buffer.isBuffer(body);
    const method = asking.method ?? (path.startsWith("/v1/models") ? "GET" : "POST");
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        new URL(this.proxy.tcpUrl + path),
        { method, agent: false, headers: { ...(key === "" ? {} : { "x-api-key": key }), ...headers } },
        (response) => void collect(response, () => outgoing.destroy(), onBytes).then(resolve, reject),
      );
      outgoing.on("error", reject);
      outgoing.end(method === "GET" || method === "HEAD" ? undefined : isText ? body : JSON.stringify(body));
    });
  }

  /** Bytes on a connection of their own; answers with all that comes back until it is closed. */
  raw(bytes: string | Buffer, then?: (socket: Socket) => void): Promise<string> {
    const { port } = new URL(this.proxy.tcpUrl);
    return new Promise((resolve) => {
      const pieces: Buffer[] = [];
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(bytes);
        then?.(socket);
      });
      socket.on("data", (piece) => pieces.push(piece));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(Buffer.concat(pieces).toString()));
    });
  }

  async #openProvider(): Promise<string> {
    const server = createServer((request, response) => void this.#arrive(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#closing.push(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    );
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #arrive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const closed = new Promise<void>((resolve) => response.on("close", resolve));
    const arrival: Arrival = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(pieces).toString(),
      closed,
    };
    this.arrivals.push(arrival);
    await this.behaviour(arrival, response);
  }

  #provider(options: WorldOptions): Provider {
    const { wires = ["anthropic", "openai"], free = false, keys = ["secret-key-one-1111"], rate } = options;
    const credentials = keys.map((key, index): Credential => ({
      name: `key${index + 1}`,
      headers: (wire) => (wire === "anthropic" ? { "x-api-key": key } : { authorization: `Bearer ${key}` }),
    }));
    this.credentials = () => Promise.resolve(credentials);
    return {
      id: "test",
      baseUrl: Object.fromEntries(wires.map((wire) => [wire, this.upstreamUrl])),
      api: () => (wires.includes("anthropic") ? "messages" : "responses"),
      isLocal: false,
      openaiApi: "responses",
      free,
      defaultModel: "claude-test",
      ...(rate === undefined ? {} : { rate }),
      credentials: () => this.credentials(),
      report: ({ name }, outcome) => void this.reports.push({ name, ...outcome }),
    };
  }
}

async function collect(response: IncomingMessage, close: () => void, onBytes: Asking["onBytes"]): Promise<Answer> {
  let body = "";
  let cut = false;
  try {
    for await (const piece of response) {
      body += (piece as Buffer).toString("latin1");
      onBytes?.(body, close);
    }
  } catch {
    cut = true;
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.from(body, "latin1").toString(),
    cut: cut || !response.complete,
  };
}

/** An answer that is one piece of JSON. */
export function json(
  response: ServerResponse,
  value: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };

/** Something that a test waits for. */
export function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
