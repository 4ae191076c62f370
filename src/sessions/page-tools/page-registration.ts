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

/** One connection, as far as calls need it. */
export interface PagePeer {
  /** What is said to a connection that is gone is lost. */
  say(message: PageMessage): void;
}

interface PageCall {
  readonly id: string;
  readonly tool: PageToolDeclaration;
  /** The whole name, for words. */
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
  /** Whose it is: nobody else can take it while it is in use, nor its calls ever. */
  readonly principal: string;
  readonly instance: string;
  readonly clock: Clock;
  readonly newId: NewId;
}

/**
 * The place of one page at one session: the tools that it offers and the calls that it has not answered. A call goes to the page's connection,
 * once more to the next one when the page came back, and ends once: with an answer, with the time, or because the page is gone.
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

  /** True where these are the tools that it offers already. */
  isSame(tools: readonly PageToolDeclaration[]): boolean {
    return this.#declared === JSON.stringify(tools);
  }

  /** The tools as a session takes them. */
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

  /** What it declared is offered now. */
  took(tools: readonly PageToolDeclaration[], unregister: Unregister): void {
    this.#declared = JSON.stringify(tools);
    this.#unregister = unregister;
  }

  /** The page is here: calls that wait go to it. */
  arrive(peer: PagePeer): void {
    this.#stopWaiting();
    if (this.#peer === peer) return;
    this.#peer = peer;
    for (const call of this.#calls.values()) this.#send(call);
  }

  /** The page's connection is gone: after a while without another one it is over. */
  leave(over: () => void): void {
    this.#peer = undefined;
    this.#stopWaiting();
    this.#stopWaiting = this.#options.clock.after(LIMITS.pageGraceMs, over);
    for (const call of this.#calls.values()) if (call.peers.length >= LIMITS.pageAttempts) this.#lose(call);
  }

  /** Nobody comes back: its tools are taken back and its calls end. */
  end(): void {
    this.#stopWaiting();
    this.#unregister(`the page ${this.page}, which had it, is gone`);
    for (const call of this.#calls.values()) this.#lose(call);
    this.#peer = undefined;
  }

  /** The page wants it no more. Calls that it has begun may end by themselves, as long as its connection is there. */
  withdraw(): void {
    this.#unregister(`the page ${this.page} has taken it back`);
  }

  /** False where this connection has no such call, or it is over. */
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

  /** Nobody waits for it any more. */
  #drop(call: PageCall, why: ClientToolEnd): void {
    if (!this.#calls.delete(call.id) || why === "answered") return;
    this.#tell(call, why);
  }

  #settle(call: PageCall, result: ToolResult, how: "answered" | "page_gone"): void {
    this.#calls.delete(call.id);
    call.resolve(result);
    // The agent waits, the page does not: it is told when the agent has gone on.
    setImmediate(() => this.#tell(call, how));
  }

  #tell(call: PageCall, how: "answered" | "page_gone" | "timed_out" | "cancelled"): void {
    for (const peer of call.peers) peer.say({ type: "tool.settled", call_id: call.id, how });
  }
}

/** How models see a page's tool. */
export function fullName(page: string, tool: string): string {
  return `mcp__${page}__${tool}`;
}
