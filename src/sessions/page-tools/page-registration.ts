import {
  LIMITS,
  type AnswerCall,
  type NewId,
  type PageMessage,
  type PageToolDeclaration,
} from "../../protocol/index.ts";
import type { ClientToolEnd, ClientTool, Unregister, ToolResult } from "../../tools/index.ts";
import { pageError, resultOf } from "./page-results.ts";
import type { Clock } from "../dependencies.ts";

/** The part of a connection that calls need. */
export interface PagePeer {
  /** Messages to a closed connection are lost. */
  say(message: PageMessage): void;
}

interface PageCall {
  readonly id: string;
  readonly tool: PageToolDeclaration;
  /** The full name, for messages. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
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
  readonly clock: Clock;
  readonly newId: NewId;
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
        timeoutMs: tool.timeout_ms,
        call: (input, call) => this.#call(tool, input, (listener) => call.onEnd(listener)),
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

  /** The page's connection is gone: without a new one for a while, the registration ends. */
  leave(over: () => void): void {
    this.#peer = undefined;
    this.#stopWaiting();
    this.#stopWaiting = this.#options.clock.after(LIMITS.pageGraceMs, over);
    for (const call of this.#calls.values()) if (call.peers.length >= LIMITS.pageAttempts) this.#lose(call);
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
    this.#unregister(`the page ${this.page} has taken it back`);
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
    input: Readonly<Record<string, unknown>>,
    onEnd: (listener: (why: ClientToolEnd) => void) => void,
  ): Promise<ToolResult> {
    const name = fullName(this.page, tool.name);
    if (this.#calls.size >= LIMITS.pageCalls)
      return Promise.resolve(
        pageError("busy", `the page ${this.page} has ${this.#calls.size} calls to answer; wait for them`),
      );
    return new Promise((resolve) => {
      const { clock, newId } = this.#options;
      const deadline = clock.elapsed() + (tool.timeout_ms ?? LIMITS.pageToolMs);
      const call: PageCall = { id: newId("call"), tool, name, input, deadline, peers: [], resolve };
      this.#calls.set(call.id, call);
      onEnd((why) => this.#drop(call, why));
      this.#send(call);
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
    peer.say({
      type: "tool.call",
      session_id: this.session_id,
      page: this.page,
      call_id: call.id,
      tool: call.tool.name,
      input: call.input,
      deadline_ms: Math.max(0, call.deadline - this.#options.clock.elapsed()),
      attempt: call.peers.length,
    });
  }

  #lose(call: PageCall): void {
    const outcome = call.peers.length === 0 ? "It was not run" : "Whether it was run is not known";
    const words = `the page ${this.page} is gone and did not come back in time. ${outcome}. Ask the user to open the page`;
    this.#settle(call, pageError("page_gone", words), "page_gone");
  }

  /** The call is no longer waited for. */
  #drop(call: PageCall, why: ClientToolEnd): void {
    if (!this.#calls.delete(call.id) || why === "answered") return;
    this.#tell(call, why);
  }

  #settle(call: PageCall, result: ToolResult, how: "answered" | "page_gone"): void {
    this.#calls.delete(call.id);
    call.resolve(result);
    // The agent waits, the page does not: the page is notified after the agent has continued.
    setImmediate(() => this.#tell(call, how));
  }

  #tell(call: PageCall, how: "answered" | "page_gone" | "timed_out" | "cancelled"): void {
    for (const peer of call.peers) peer.say({ type: "tool.settled", call_id: call.id, how });
  }
}

/** A page tool's name as models see it. */
export function fullName(page: string, tool: string): string {
  return `mcp__${page}__${tool}`;
}
