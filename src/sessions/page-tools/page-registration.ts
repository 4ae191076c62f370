import { LIMITS, type AnswerCall, type PageMessage, type PageToolDeclaration } from "../../protocol/index.ts";
import type { ClientTool, ClientToolEnd, ToolResult, Unregister } from "../../tools/index.ts";
import { pageError, resultOf } from "./page-results.ts";
import type { PageProtocol } from "./page-protocol.ts";

/** The part of a connection that calls need. */
export interface PagePeer {
  /** What is said to a connection that is gone is lost. `tool_use_id`: of a call, where the engine tells it. */
  say(message: PageMessage, tool_use_id?: string): void;
}

interface PageCall {
  readonly id: string;
  readonly tool: PageToolDeclaration;
  /** The full name, for messages. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string | undefined;
  /** By the clock of durations. */
  readonly deadline: number;
  stopClock: () => void;
  /** The connections that it was sent to, in order: only they may answer it. */
  readonly peers: PagePeer[];
  readonly resolve: (result: ToolResult) => void;
}

export interface PageRegistrationOptions {
  readonly session_id: string;
  readonly page: string;
  /** The owner: nobody else can take it while it is in use, nor ever answer its calls. */
  readonly principal: string;
  readonly instance: string;
  readonly protocol: PageProtocol;
}

/**
 * One page at one session: the tools that it offers and the calls that it has not answered. A call goes to the page's connection, and again to
 * the next one when the page reconnects. It ends once: with an answer, a timeout, or because the page is gone.
 */
export class PageRegistration {
  readonly session_id: string;
  readonly page: string;
  readonly #options: PageRegistrationOptions;
  readonly #calls = new Map<string, PageCall>();
  #peer: PagePeer | undefined;
  #unregister: Unregister = () => undefined;
  #declared = "";
  #stopWaiting: () => void = () => undefined;

  constructor(options: PageRegistrationOptions) {
    this.session_id = options.session_id;
    this.page = options.page;
    this.#options = options;
  }

  get peer(): PagePeer | undefined {
    return this.#peer;
  }

  /** No call waits for it. */
  get idle(): boolean {
    return this.#calls.size === 0;
  }

  get unregister(): Unregister {
    return this.#unregister;
  }

  isOf({ principal, instance }: { readonly principal: string; readonly instance: string }): boolean {
    return this.#options.principal === principal && this.#options.instance === instance;
  }

  /** Whether these are the tools that it already offers. */
  isSame(tools: readonly PageToolDeclaration[]): boolean {
    return this.#declared === JSON.stringify(tools);
  }

  /** The tools in the form that a session takes. */
  clientTools(tools: readonly PageToolDeclaration[]): readonly ClientTool[] {
    return tools.map((tool): ClientTool => {
      const name = fullName(this.page, tool.name);
      return {
        name,
        description: tool.description,
        input_schema: tool.input_schema,
        tier: tool.tier ?? "page",
        timeoutMs: "own",
        call: (input, call) => this.#call(tool, input, call),
      };
    });
  }

  /** Its declared tools are registered now. */
  took(tools: readonly PageToolDeclaration[], unregister: Unregister): void {
    this.#declared = JSON.stringify(tools);
    this.#unregister = unregister;
  }

  /** The page is connected: waiting calls go to it. */
  arrive(peer: PagePeer): void {
    this.#stopWaiting();
    if (this.#peer === peer) return;
    this.#peer = peer;
    for (const call of this.#calls.values()) this.#send(call);
  }

  /** The page's connection is gone: after a while without another one it is over. Where none can come, its tools stay and only say so. */
  leave(over: () => void): void {
    const { clock, returns } = this.#options.protocol;
    this.#peer = undefined;
    this.#stopWaiting();
    if (returns) this.#stopWaiting = clock.after(LIMITS.pageGraceMs, over);
    for (const call of this.#calls.values()) if (!returns || call.peers.length >= LIMITS.pageAttempts) this.#lose(call);
  }

  /** The page does not come back: its tools are unregistered and its calls end. */
  end(): void {
    this.#stopWaiting();
    this.#unregister(`the page ${this.page}, which had it, is gone`);
    for (const call of this.#calls.values()) this.#lose(call);
    this.#peer = undefined;
  }

  /** The page withdraws it. Calls that have begun may finish while its connection is open. */
  withdraw(): void {
    this.#unregister(this.#options.protocol.withdrawn(this.page));
  }

  /** False if this connection has no such call, or it is over. */
  answer(peer: PagePeer, answer: AnswerCall): boolean {
    const call = this.#calls.get(answer.call_id);
    if (call === undefined || !call.peers.includes(peer)) return false;
    this.#settle(call, resultOf({ name: call.name, output_schema: call.tool.output_schema }, answer), "answered");
    return true;
  }

  /** The same for an answer that cannot be read. */
  garble(peer: PagePeer, call_id: string, why: string): boolean {
    const call = this.#calls.get(call_id);
    if (call === undefined || !call.peers.includes(peer)) return false;
    const words = `${call.name} ran, but its answer cannot be read: ${why}`;
    this.#settle(call, pageError("invalid_output", words), "answered");
    return true;
  }

  awaits(peer: PagePeer, call_id: string): boolean {
    return this.#calls.get(call_id)?.peers.includes(peer) === true;
  }

  #call(
    tool: PageToolDeclaration,
    input: PageCall["input"],
    asked: Parameters<ClientTool["call"]>[1],
  ): Promise<ToolResult> {
    const { clock, newCallId, returns, words } = this.#options.protocol;
    const name = fullName(this.page, tool.name);
    if (this.#calls.size >= LIMITS.pageCalls) return Promise.resolve(words.busy(this.page, this.#calls.size));
    if (this.#peer === undefined && !returns) return Promise.resolve(words.gone(this.page, { isSent: false }));
    const ms = tool.timeout_ms ?? LIMITS.pageToolMs;
    return new Promise((resolve) => {
      const call: PageCall = {
        id: newCallId(),
        tool,
        name,
        input,
        tool_use_id: asked.tool_use_id,
        deadline: clock.elapsed() + ms,
        stopClock: noClock,
        peers: [],
        resolve,
      };
      this.#calls.set(call.id, call);
      asked.onEnd((why) => this.#drop(call, why));
      this.#send(call);
      if (!this.#calls.has(call.id)) return;
      // After it was sent: the page works meanwhile.
      const late = (): void => this.#settle(call, words.late({ tool: tool.name, name, ms }), "timed_out");
      call.stopClock = clock.after(ms, late);
    });
  }

  #send(call: PageCall): void {
    const peer = this.#peer;
    if (peer === undefined) return;
    if (call.peers.length >= LIMITS.pageAttempts) {
      this.#lose(call);
      return;
    }
    call.peers.push(peer);
    const message: PageMessage = {
      type: "tool.call",
      session_id: this.session_id,
      page: this.page,
      call_id: call.id,
      tool: call.tool.name,
      input: call.input,
      deadline_ms: Math.max(0, call.deadline - this.#options.protocol.clock.elapsed()),
      attempt: call.peers.length,
    };
    peer.say(message, call.tool_use_id);
  }

  #lose(call: PageCall): void {
    const { words } = this.#options.protocol;
    this.#settle(call, words.gone(this.page, { isSent: call.peers.length > 0 }), "page_gone");
  }

  /** The call is no longer waited for. */
  #drop(call: PageCall, why: ClientToolEnd): void {
    if (!this.#calls.delete(call.id)) return;
    call.stopClock();
    if (why !== "answered") this.#tell(call, why);
  }

  #settle(call: PageCall, result: ToolResult, how: "answered" | "page_gone" | "timed_out"): void {
    this.#calls.delete(call.id);
    call.stopClock();
    call.resolve(result);
    // The agent waits, the page does not: the page is notified after the agent has continued.
    setImmediate(() => this.#tell(call, how));
  }

  #tell(call: PageCall, how: "answered" | "page_gone" | "timed_out" | "cancelled"): void {
    for (const peer of call.peers) peer.say({ type: "tool.settled", call_id: call.id, how });
  }
}

function noClock(): void {
  // It does not run yet.
}

/** A page tool's name as models see it. */
export function fullName(page: string, tool: string): string {
  return `mcp__${page}__${tool}`;
}
