import { Subject } from "rxjs";
import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import type { RuntimeFinal } from "../protocol/index.ts";
import type { TokenSource } from "./token.ts";

/** @ts-ignore RxJS's Subject. RxJS is an optional peer: where it is not installed, this is no error in a program that checks all types. */
// oxlint-disable-next-line typescript/consistent-type-imports -- an import of its own would be an error there
export type RuntimeSubject<Value> = import("rxjs").Subject<Value>;

/** What the page shows; it decides the agent's tools and becomes part of the prompt. */
export interface RuntimeClientContext {
  viewType?: string;
  connectionId?: string;
  repoFiles?: string[];
  metadata?: Record<string, unknown>;
}

export interface RuntimeChunk {
  sessionId: string;
  content: string;
}

export interface RuntimeToolUse {
  sessionId: string;
  tool: string;
  input: unknown;
  /** `running`, then `completed` or `failed`. */
  status: string;
}

export type RuntimeAnswered = { sessionId: string; content: string } & Partial<Omit<RuntimeFinal, "type">>;

export interface RuntimeTrouble {
  sessionId: string;
  message: string;
}

/** Runs the tools of the page: document 000's `BrowserToolExecutor`. */
export interface RuntimeToolExecutor {
  /** `sessionId` is the conversation that it is for: several views may talk over one connection. */
  execute(call: { callId: string; tool: string; args: unknown; sessionId: string }): string | Promise<string>;
}

/** The part of a WebSocket that is used. */
interface RuntimeSocket {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: object) => void): void;
}
type RuntimeSocketConstructor = new (url: string, protocols: string[]) => RuntimeSocket;

export interface RuntimeClientOptions {
  /** Such as `ws://127.0.0.1:5353/ws`. Absent: `/ws` of the server that this page came from. */
  readonly url?: string | undefined;
  /** Absent: the connection itself adds it. */
  readonly token?: TokenSource | undefined;
  /** Without one every tool of the page answers that there is none. */
  readonly toolExecutor?: RuntimeToolExecutor | undefined;
  /** Opens a socket in another way, such as through a platform's own proxy. Absent: a WebSocket to the address. */
  readonly openSocket?: (() => Promise<RuntimeSocket>) | undefined;
  /** Absent: the platform's. */
  readonly WebSocket?: RuntimeSocketConstructor | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Debug messages. Absent: they are dropped. */
  readonly log?: ((message: string) => void) | undefined;
}

export interface RuntimeQuery {
  /** Absent: a new conversation. */
  readonly sessionId?: string | undefined;
  readonly context?: RuntimeClientContext | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

type RuntimeWireMessage = Readonly<Record<string, unknown>>;

const OPEN = 1;
const UNAVAILABLE = "Claude runtime container not available";

/** Document 000's client: one WebSocket to `/ws`, and its messages as four Subjects. */
export class ClaudeRuntimeClient {
  static #instance: ClaudeRuntimeClient | undefined;
  #options: RuntimeClientOptions;
  #socket: RuntimeSocket | undefined;
  #connecting: Promise<void> | undefined;
  /** How often it was disconnected: a connection that opens after that is not wanted. */
  #disconnects = 0;
  /** Conversations with a pending answer. */
  readonly #open = new Set<string>();
  onChunk: RuntimeSubject<RuntimeChunk> = new Subject();
  onToolUse: RuntimeSubject<RuntimeToolUse> = new Subject();
  onFinal: RuntimeSubject<RuntimeAnswered> = new Subject();
  onError: RuntimeSubject<RuntimeTrouble> = new Subject();
  /** Every message as received, including those that document 000 does not have: `queued`, `revision_start`, `approval_request`, … */
  onMessage: RuntimeSubject<Readonly<Record<string, unknown>>> = new Subject();

  constructor(options: RuntimeClientOptions = {}) {
    this.#options = options;
  }

  /** One for the whole page; the options of the first call count. */
  static getInstance(options: RuntimeClientOptions = {}): ClaudeRuntimeClient {
    ClaudeRuntimeClient.#instance ??= new ClaudeRuntimeClient(options);
    return ClaudeRuntimeClient.#instance;
  }

  get connected(): boolean {
    return this.#socket?.readyState === OPEN;
  }

  /** Sets who runs the page's tools from now on: another view has another executor. */
  set toolExecutor(executor: RuntimeToolExecutor | undefined) {
    this.#options = { ...this.#options, toolExecutor: executor };
  }

  /** Resolves when messages can be sent. Concurrent calls share one connection; after a loss it opens a new one. */
  connect(url?: string): Promise<void> {
    if (this.connected) return Promise.resolve();
    if (this.#connecting !== undefined) return this.#connecting;
    const connecting = this.#connect(url).finally(() => {
      if (this.#connecting === connecting) this.#connecting = undefined;
    });
    this.#connecting = connecting;
    return connecting;
  }

  send(sessionId: string, message: string, context?: RuntimeClientContext): void {
    this.#say({ type: "user_message", sessionId, message, context: context ?? {} });
    this.#open.add(sessionId);
  }

  /** Ends the pending answer. */
  abort(sessionId: string): void {
    this.#say({ type: "abort", sessionId });
  }

  /** Forgets the conversation; the next message begins another one. */
  newChat(sessionId: string): void {
    this.#say({ type: "new_chat", sessionId });
  }

  /** Closes the connection. Current listeners get the end; later listeners hear the next connection. */
  disconnect(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#connecting = undefined;
    this.#disconnects += 1;
    this.#open.clear();
    socket?.close(1000);
    const subjects = [this.onChunk, this.onToolUse, this.onFinal, this.onError, this.onMessage];
    this.onChunk = new Subject();
    this.onToolUse = new Subject();
    this.onFinal = new Subject();
    this.onError = new Subject();
    this.onMessage = new Subject();
    for (const subject of subjects) subject.complete();
  }

  /** One question and its whole answer. */
  async query(prompt: string, options: RuntimeQuery = {}): Promise<RuntimeAnswered> {
    const { sessionId = newSessionId(), context, timeoutMs = CLIENT_LIMITS.runtimeQueryMs, signal } = options;
    signal?.throwIfAborted();
    await this.connect();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = (act: () => void): void => {
        clearTimeout(timer);
        for (const subscription of subscriptions) subscription.unsubscribe();
        signal?.removeEventListener("abort", stop);
        act();
      };
      const give = (error: Error): void => {
        if (this.connected) this.abort(sessionId);
        end(() => reject(error));
      };
      const stop = (): void => give(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      const timer = setTimeout(() => give(new Error(`there was no answer within ${timeoutMs / 1_000}s`)), timeoutMs);
      const lost = (): void => end(() => reject(new Error("disconnected")));
      const subscriptions = [
        this.onFinal.subscribe({
          next: (final) => final.sessionId === sessionId && end(() => resolve(final)),
          complete: lost,
        }),
        this.onError.subscribe((error) => {
          if (error.sessionId === sessionId) end(() => reject(new Error(error.message)));
        }),
      ];
      signal?.addEventListener("abort", stop, { once: true });
      try {
        this.send(sessionId, prompt, context);
      } catch (error) {
        end(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    });
  }

  async #connect(url: string | undefined): Promise<void> {
    const { connectTimeoutMs = CLIENT_LIMITS.runtimeConnectMs } = this.#options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${UNAVAILABLE}: no connection within ${connectTimeoutMs / 1_000}s; is it deployed?`)),
        connectTimeoutMs,
      );
    });
    const disconnects = this.#disconnects;
    const opening = this.#openSocket(url);
    try {
      const socket = await Promise.race([opening, late]);
      if (disconnects !== this.#disconnects) throw new Error("disconnected");
      this.#attach(socket);
    } catch (error) {
      opening.then(
        (socket) => socket.close(1000),
        () => undefined,
      );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #openSocket(url: string | undefined): Promise<RuntimeSocket> {
    const { openSocket, token } = this.#options;
    if (url === undefined && openSocket !== undefined) return openSocket();
    const address = url ?? this.#options.url ?? ownAddress();
    const { WebSocket = (globalThis as { readonly WebSocket?: RuntimeSocketConstructor }).WebSocket } = this.#options;
    if (WebSocket === undefined)
      throw new Error("there is no WebSocket here: pass one, such as that of the package ws");
    const shown = token === undefined ? [] : [`sallyport.token.${typeof token === "string" ? token : await token()}`];
    const socket = new WebSocket(address, shown);
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(new Error(UNAVAILABLE));
      socket.addEventListener("open", () => resolve(socket));
      socket.addEventListener("error", refuse);
      socket.addEventListener("close", refuse);
    });
  }

  #attach(socket: RuntimeSocket): void {
    this.#socket = socket;
    socket.addEventListener("message", (event) => {
      if (this.#socket === socket) this.#take(String((event as { readonly data: unknown }).data));
    });
    socket.addEventListener("error", () => this.#options.log?.("the connection to the Claude runtime failed"));
    socket.addEventListener("close", () => {
      if (this.#socket !== socket) return;
      this.#options.log?.("the connection to the Claude runtime is closed");
      this.#socket = undefined;
      const waiting = [...this.#open];
      this.#open.clear();
      // A caller that waits for an answer must not wait forever.
      for (const sessionId of waiting) this.onError.next({ sessionId, message: "Connection to Claude runtime lost" });
    });
  }

  #take(text: string): void {
    let data: RuntimeWireMessage;
    try {
      data = JSON.parse(text) as RuntimeWireMessage;
    } catch {
      // A platform's proxy sends its own message when both sides are connected.
      this.#options.log?.("a message of the Claude runtime is not JSON and was ignored");
      return;
    }
    this.onMessage.next(data);
    switch (data["type"]) {
      case "chunk":
        this.onChunk.next(data as unknown as RuntimeChunk);
        return;
      case "tool_use":
        this.onToolUse.next(data as unknown as RuntimeToolUse);
        return;
      case "tool_execute":
        void this.#execute(data);
        return;
      case "final":
        this.#open.delete(String(data["sessionId"]));
        this.onFinal.next(data as unknown as RuntimeAnswered);
        return;
      case "error":
        this.#open.delete(String(data["sessionId"]));
        this.onError.next(data as unknown as RuntimeTrouble);
        return;
      case "aborted":
        this.#open.delete(String(data["sessionId"]));
        this.onError.next({ sessionId: String(data["sessionId"]), message: "aborted" });
    }
  }

  async #execute(data: RuntimeWireMessage): Promise<void> {
    const { toolExecutor } = this.#options;
    const callId = String(data["callId"]);
    const tool = String(data["tool"]);
    const input = data["args"];
    const socket = this.#socket;
    const sessionId = typeof data["sessionId"] === "string" ? data["sessionId"] : "";
    let result: string;
    try {
      if (toolExecutor === undefined) throw new Error("this page has no tools");
      result = await toolExecutor.execute({ callId, tool, args: input, sessionId });
    } catch (error) {
      result = `Error: ${error instanceof Error ? error.message : String(error)}`;
    }
    // The answer belongs to the connection that asked.
    if (socket?.readyState === OPEN) socket.send(JSON.stringify({ type: "tool_result", callId, result }));
    this.onToolUse.next({ sessionId, tool, input, status: "completed" });
  }

  #say(message: object): void {
    if (this.#socket === undefined || !this.connected)
      throw new Error("the Claude runtime is not connected: call connect() first");
    this.#socket.send(JSON.stringify(message));
  }
}

function ownAddress(): string {
  const { location } = globalThis as { readonly location?: { readonly protocol: string; readonly host: string } };
  if (location === undefined) throw new Error("say where the Claude runtime is: connect(url)");
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
}

function newSessionId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
