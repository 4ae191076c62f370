import { CLIENT_LIMITS } from "../../protocol/limits/client.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Tier } from "../../protocol/index.ts";
import { failureOf, isPassing, type LiveSocket } from "../live-socket.ts";
import { answerWith, fault, wordsOf } from "./page-tools-answer.ts";
import {
  checkInput,
  declarationOf,
  toolsOf,
  type McpTools,
  type PageTool,
  type PageToolCall,
  type ToJsonSchema,
} from "./page-tools-kinds.ts";
import { PageMemory, type PageWindow } from "./page-tools-memory.ts";

type SocketMessage = Readonly<Record<string, unknown>>;

export interface PageOfferStatus {
  /** `waiting`: unknown to the server for now, and declared as soon as possible; `refused`, `withdrawn`: over. */
  readonly state: "waiting" | "offered" | "refused" | "withdrawn";
  /** Why it waits or was refused, if the server has said so. */
  readonly failure?: Failure | undefined;
}

export interface PageOffer {
  /** Letters, digits, - and single _; unique within a session. */
  readonly page: string;
  /** Tools of this page, or a server that offers them. */
  readonly tools?: readonly PageTool<never>[] | undefined;
  readonly server?: McpTools | undefined;
  /** Of a server's tools. Absent: `page`. */
  readonly tier?: Tier | undefined;
  /** The same. Absent: 30 s. */
  readonly timeoutMs?: number | undefined;
  /** For schema objects that cannot convert themselves to JSON Schema: `z.toJSONSchema`. */
  readonly toJSONSchema?: ToJsonSchema | undefined;
  readonly onStatus?: ((status: PageOfferStatus) => void) | undefined;
}

/** One begun call. It is remembered until the server says that it is over, or until long after its deadline. */
interface BegunCall {
  /** Absent: the handler has not asked for its signal. */
  controller?: AbortController;
  /** It is no longer waited for. */
  isLate: boolean;
  timer: ReturnType<typeof setTimeout>;
  /** The answer; absent while it runs. */
  answer?: string;
}

interface OfferWaiter {
  readonly resolve: () => void;
  readonly reject: (failure: Failure) => void;
}

/** The tools of this page at one session. Made by `LiveConnection.offer`. */
export class OfferedPage {
  readonly #session_id: string;
  readonly #offer: PageOffer;
  readonly #socket: LiveSocket;
  readonly #over: () => void;
  readonly #memory: PageMemory;
  readonly #begun = new Map<string, BegunCall>();
  #tools = new Map<string, PageTool>();
  /** Absent: the server's tools are not known yet. */
  #declaration: object[] | undefined;
  /** The pending command; answers to earlier ones are ignored. */
  #asked = "";
  #commands = 0;
  #waiters: OfferWaiter[] = [];
  #status: PageOfferStatus = { state: "waiting" };
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    session_id: string,
    offer: PageOffer,
    parts: { readonly socket: LiveSocket; readonly window: PageWindow | undefined; readonly over: () => void },
  ) {
    this.#session_id = session_id;
    this.#offer = offer;
    this.#socket = parts.socket;
    this.#over = parts.over;
    this.#memory = new PageMemory({
      name: `${session_id} ${offer.page}`,
      window: parts.window,
      begun: () => [...this.#begun.keys()],
      back: () => this.begin(),
    });
    this.update(offer.tools).catch((error: unknown) =>
      this.fail(error instanceof Failure ? error : new Failure("invalid_request", wordsOf(error))),
    );
  }

  get status(): PageOfferStatus {
    return this.#status;
  }

  /** Resolves when the server has these tools; rejects with its refusal. */
  async ready(): Promise<void> {
    if (this.#status.state === "offered") return;
    if (this.#status.state !== "waiting") throw this.#status.failure ?? gone();
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /**
   * Replaces the tools; without an argument, a server is asked again for its list. Resolves when the server has them: models see them
   * from their next turn on. Running calls continue.
   */
  async update(tools?: readonly PageTool<never>[]): Promise<void> {
    if (this.#isOver) throw gone();
    const { server, toJSONSchema } = this.#offer;
    const known = tools ?? (server === undefined ? [] : await toolsOf(server, this.#offer));
    const declaration = (known as readonly PageTool[]).map((tool) => declarationOf(tool, toJSONSchema));
    if (this.#isOver) throw gone();
    this.#tools = new Map((known as readonly PageTool[]).map((tool) => [tool.name, tool]));
    this.#declaration = declaration;
    this.#tell({ state: "waiting" });
    this.begin();
    await this.ready();
  }

  /** Removes these tools from the session. Running calls may finish. */
  async withdraw(): Promise<void> {
    if (this.#isOver) return;
    this.#command("tools.withdraw", {});
    this.#end({ state: "withdrawn" }, gone());
    this.#leave();
  }

  /** Declares the page to a server that does not know it, or not its current tools. */
  begin(): void {
    clearTimeout(this.#retry);
    if (this.#declaration === undefined || !this.#socket.open || this.#isOver) return;
    this.#asked = this.#command("tools.declare", { instance: this.#memory.instance, tools: this.#declaration });
  }

  /** A message of the server that may concern this page. */
  take(message: SocketMessage): void {
    switch (message["type"]) {
      case "tool.call":
        if (message["session_id"] === this.#session_id && message["page"] === this.#offer.page) this.#call(message);
        return;
      case "tool.settled":
        this.#settled(String(message["call_id"]));
        return;
      case "receipt":
        if (message["command_id"] === this.#asked) this.#declared();
        return;
      case "refused":
        if (message["command_id"] === this.#asked) this.#refused(failureOf(message));
    }
  }

  /** The server refuses this connection. */
  fail(failure: Failure): void {
    this.#end({ state: "refused", failure }, failure);
    this.#drop();
  }

  /** The connection is closed for good. */
  stop(): void {
    this.#end({ state: "withdrawn" }, gone());
    this.#drop();
  }

  get #isOver(): boolean {
    return this.#status.state === "refused" || this.#status.state === "withdrawn";
  }

  #command(type: string, more: object): string {
    this.#commands += 1;
    const command_id = `${this.#memory.instance}-${this.#offer.page}-${this.#commands}`;
    const { page } = this.#offer;
    this.#say(JSON.stringify({ type, command_id, session_id: this.#session_id, page, ...more }));
    return command_id;
  }

  #declared(): void {
    this.#tries = 0;
    this.#tell({ state: "offered" });
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { resolve } of waiters) resolve();
  }

  /** A page of this name may be about to go: then it is tried again. */
  #refused(failure: Failure): void {
    if (!isPassing(failure) && failure.code !== "conflict") {
      this.#end({ state: "refused", failure }, failure);
      this.#leave();
      return;
    }
    this.#tell({ state: "waiting", failure });
    const wait = Math.min(CLIENT_LIMITS.liveRetryCapMs, CLIENT_LIMITS.liveRetryMs * 2 ** Math.min(this.#tries, 20));
    this.#tries += 1;
    this.#retry = setTimeout(() => this.begin(), wait * (0.5 + Math.random() / 2));
  }

  #call(message: SocketMessage): void {
    const id = String(message["call_id"]);
    const known = this.#begun.get(id);
    // It runs, and will answer over the current connection; or it has answered, and the answer was lost.
    if (known !== undefined) {
      if (known.answer !== undefined) this.#say(known.answer);
    } else if (this.#memory.interrupted.has(id))
      this.#say(fault(id, "interrupted", "interrupted by a reload of the page; its outcome is unknown"));
    else if (this.#memory.away) this.#say(fault(id, "not_run", "the page is being left; it was not run"));
    else void this.#run(id, message);
  }

  async #run(id: string, message: SocketMessage): Promise<void> {
    const name = String(message["tool"]);
    const tool = this.#tools.get(name);
    const input = message["input"] as Readonly<Record<string, unknown>>;
    if (tool === undefined) {
      this.#say(fault(id, "unknown_tool", `this page has no tool ${name}; it was not run`));
      return;
    }
    const checked = checkInput(tool, input);
    if (typeof checked === "string") {
      this.#say(fault(id, "invalid_input", checked));
      return;
    }
    const begun: BegunCall = { isLate: false, timer: quietly(() => this.#late(id), Number(message["deadline_ms"])) };
    this.#begun.set(id, begun);
    try {
      const value = checked.value as Record<string, unknown>;
      begun.answer = answerWith(id, await tool.handler(value, callOf(id, begun)));
    } catch (error) {
      begun.answer = fault(id, "failed", wordsOf(error));
    }
    if (this.#begun.get(id) === begun) this.#say(begun.answer);
  }

  /** The server no longer asks for it, but might have just before. */
  #late(id: string): void {
    const begun = this.#begun.get(id);
    if (begun === undefined) return;
    cancel(begun);
    begun.timer = quietly(() => this.#settled(id), CLIENT_LIMITS.pageMemoryMs);
  }

  #settled(id: string): void {
    this.#memory.interrupted.delete(id);
    const begun = this.#begun.get(id);
    if (begun === undefined) return;
    clearTimeout(begun.timer);
    this.#begun.delete(id);
    cancel(begun);
    this.#leave();
  }

  #drop(): void {
    for (const id of this.#begun.keys()) this.#settled(id);
    this.#leave();
  }

  /** It may still answer what it has begun. */
  #leave(): void {
    if (this.#isOver && this.#begun.size === 0) this.#over();
  }

  #say(text: string): void {
    if (this.#socket.open) this.#socket.sendText(text);
  }

  #end(status: PageOfferStatus, failure: Failure): void {
    if (this.#isOver) return;
    clearTimeout(this.#retry);
    this.#memory.forget();
    this.#tell(status);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { reject } of waiters) reject(failure);
  }

  #tell(status: PageOfferStatus): void {
    this.#status = status;
    this.#offer.onStatus?.(status);
  }
}

/** The signal is made on demand: it costs more than a short call. */
function callOf(callId: string, begun: BegunCall): PageToolCall {
  return {
    callId,
    get signal() {
      begun.controller ??= new AbortController();
      if (begun.isLate) begun.controller.abort();
      return begun.controller.signal;
    },
  };
}

function cancel(begun: BegunCall): void {
  begun.isLate = true;
  begun.controller?.abort();
}

/** Node: a finished program need not wait for this. */
function quietly(act: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(act, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

function gone(): Failure {
  return new Failure("conflict", "these tools were withdrawn; offer them again");
}
