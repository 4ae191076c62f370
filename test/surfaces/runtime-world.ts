import { join } from "node:path";
import { WebSocket } from "ws";
import { openApp, type App } from "../../src/cli/app.ts";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { SallyportClient } from "../../src/client/index.ts";
import { makeRedactor, type JournalEvent, type Role, type SessionView } from "../../src/protocol/index.ts";
import type { Clock } from "../../src/sessions/index.ts";
import { listen, type Listening } from "../../src/surfaces/index.ts";
import { makePlace, TEST_TOKEN, type Place } from "../support/server.ts";
import { storeThread } from "../support/store-thread.ts";

export type Message = Record<string, unknown> & { readonly type: string; readonly sessionId?: string };

/** A clock that only the test moves. */
export class TestClock implements Clock {
  #now = 0;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): () => void {
    const alarm = { at: this.#now + ms, ring };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  get alarms(): number {
    return this.#alarms.size;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const alarm of [...this.#alarms].filter(({ at }) => at <= this.#now)) {
      this.#alarms.delete(alarm);
      alarm.ring();
    }
  }
}

export interface RuntimeApp {
  readonly place: Place;
  readonly url: string;
  readonly client: SallyportClient;
  readonly gateway: App["gateway"];
  as(role: Role, name?: string): Promise<string>;
  /** The names of the tools that a session's model is told of, sorted. */
  tools(session_id: string): Promise<readonly string[]>;
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RuntimeAppOptions {
  readonly toolMs?: number;
  readonly clock?: Clock;
  readonly requestsPerMinute?: number;
  /** Hears what the server logs as an error. */
  readonly onError?: (fields: object, message: string) => void;
}

/** The whole product in this process with the scripted model; the surface's clock and times are the test's. */
export async function openRuntimeApp(options: RuntimeAppOptions = {}): Promise<RuntimeApp> {
  const place = await makePlace();
  const { toolMs, clock, requestsPerMinute = 1_000_000, onError = () => undefined } = options;
  const log = { info: () => undefined, warn: () => undefined, error: onError };
  const open = async (): Promise<{ app: App; server: Listening }> => {
    const environment = {
      PATH: process.env["PATH"],
      HOME: place.home,
      SALLYPORT_TOKEN: TEST_TOKEN,
      SALLYPORT_SANDBOX: "local",
    };
    const app = await openApp({
      settings: readSettings({ home: place.home, workspace: place.workspace }, environment, place.workspace),
      environment,
      version: "0.0.0-test",
      log,
      redact: makeRedactor([TEST_TOKEN]),
      reach: () => undefined,
      store: { thread: storeThread() },
      onFatal: (error) => {
        throw error;
      },
    });
    const names: string[] = [];
    const server = await listen({
      gateway: app.gateway,
      log,
      version: "0.0.0-test",
      host: "127.0.0.1",
      port: 0,
      requestsPerMinute,
      allowedHosts: () => names,
      describe: () => ({ demo: true, default_provider: "sim", default_workspace: place.workspace }),
      clock,
      runtime: { toolMs },
    });
    names.push(`127.0.0.1:${server.port}`);
    return { app, server };
  };
  let now = await open();
  const client = (): SallyportClient => new SallyportClient({ url: now.server.url, token: TEST_TOKEN });
  const close = async (): Promise<void> => {
    await now.server.close();
    await now.app.close();
  };
  return {
    place,
    get url() {
      return now.server.url;
    },
    get client() {
      return client();
    },
    get gateway() {
      return now.app.gateway;
    },
    async as(role, name = role) {
      return (await client().createToken({ role, name })).token;
    },
    async tools(session_id) {
      const caller = await now.app.gateway.tokens.authenticate(TEST_TOKEN);
      return (await now.app.gateway.sessions.tools(caller, session_id)).toSorted();
    },
    async restart() {
      await close();
      now = await open();
    },
    async [Symbol.asyncDispose]() {
      await close();
      await place.remove();
    },
  };
}

/** A client of document 000: says messages, remembers every answer, and executes tools where it was told how. */
export class PageClient {
  readonly socket: WebSocket;
  readonly heard: Message[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<number>;
  #changed: () => void = () => undefined;

  constructor(
    url: string,
    token: string = TEST_TOKEN,
    tools: Readonly<Record<string, (args: unknown) => string>> = {},
  ) {
    this.socket = new WebSocket(`${url.replace("http", "ws")}/ws?token=${token}`);
    this.opened = new Promise((resolve, reject) => {
      this.socket.once("open", () => resolve());
      this.socket.once("error", reject);
    });
    this.opened.catch(() => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once("close", resolve);
    });
    this.socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      this.heard.push(message);
      const execute = message.type === "tool_execute" ? tools[String(message["tool"])] : undefined;
      if (execute !== undefined)
        this.say({ type: "tool_result", callId: message["callId"], result: execute(message["args"]) });
      this.#changed();
    });
  }

  say(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  ask(sessionId: string, message: string, more: object = {}): void {
    this.say({ type: "user_message", sessionId, message, ...more });
  }

  /** The next message of a type that was not taken yet; those before it are taken too. */
  async next(type: string): Promise<Message> {
    return (await this.until(type)).at(-1) as Message;
  }

  /** Everything up to and including the next message of one of these types. */
  async until(...types: readonly string[]): Promise<readonly Message[]> {
    for (;;) {
      const at = this.heard.findIndex((message) => types.includes(message.type));
      if (at !== -1) return this.heard.splice(0, at + 1);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

/** Chunks of one answer as one text. */
export function textOf(messages: readonly Message[]): string {
  return messages.flatMap((message) => (message.type === "chunk" ? [String(message["content"])] : [])).join("");
}

/** The messages without chunks, which come in pieces of any size. */
export function withoutChunks(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ type }) => type !== "chunk");
}

export function fileOf(app: RuntimeApp, name: string): string {
  return join(app.place.workspace, name);
}

/** The newest session that a client gave this name. */
export async function sessionOf({ client }: RuntimeApp, name: string): Promise<SessionView> {
  const { sessions } = await client.sessions({ limit: 1_000 });
  const found = sessions.find(({ settings }) => settings.metadata?.["client_session_id"] === name);
  if (found === undefined) throw new Error(`no session is named ${name}`);
  return found;
}

export async function journalOf(app: RuntimeApp, name: string): Promise<readonly JournalEvent[]> {
  const { id } = await sessionOf(app, name);
  return (await app.client.events(id, { limit: 1_000 })).events;
}
