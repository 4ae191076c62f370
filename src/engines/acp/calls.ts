import { isDeepStrictEqual } from "node:util";
import {
  endToolItem,
  outputText,
  startToolItem,
  type ErrorDetail,
  type ToolCallEnd,
  type ToolItem,
} from "../../protocol/index.ts";
import { errorResult, textResult, type ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Host, ToolCall, Verdict } from "../engine.ts";
import { asApproved } from "../loop/tool-phase.ts";
import { verdictOn } from "../vendor/verdict.ts";
import type { NamedCall } from "./tool-names.ts";

interface TurnCallsOptions {
  readonly host: Host;
  /** Aborted when the turn must end. */
  readonly signal: AbortSignal;
  readonly tell: (events: readonly EngineEvent[]) => Promise<void>;
  /** A person's no ended the turn. */
  readonly onStop: (error: ErrorDetail) => void;
  /** Somebody is waited for, or not any more. */
  readonly onWait: (change: 1 | -1) => void;
}

/** A call that a dead server left open, and what became of it. */
export interface SettledCall extends NamedCall {
  /** For the model. */
  readonly message: string;
}

interface RunOptions {
  /** Absent: only the end of the turn stops it. */
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((delta: string) => void) | undefined;
}

/** Tool calls of one turn: told, permitted, run with our tools, ended. Each item ends once. */
export class TurnCalls {
  readonly #options: TurnCallsOptions;
  readonly #open = new Map<string, ToolItem>();
  readonly #running = new Set<Promise<unknown>>();
  /** When the last call that may not run beside others has ended. */
  #alone: Promise<unknown> = Promise.resolve();
  #settledBefore: readonly SettledCall[] = [];

  constructor(options: TurnCallsOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get openCount(): number {
    return this.#open.size;
  }

  isOpen({ id }: ToolItem): boolean {
    return this.#open.has(id);
  }

  /**
   * The agent may have died before it wrote these calls down, so that its model makes them again: then it reads what became of them, and
   * nothing runs twice. Only the first calls count: after another one the model goes on with its work.
   */
  resume(settled: readonly SettledCall[]): void {
    this.#settledBefore = settled;
  }

  #madeAgain({ tool, input }: NamedCall): ToolResult | undefined {
    const known = this.#settledBefore.find((one) => one.tool === tool && isDeepStrictEqual(one.input, input));
    this.#settledBefore = known === undefined ? [] : this.#settledBefore.filter((one) => one !== known);
    return known === undefined ? undefined : textResult(known.message);
  }

  async begin({ tool, input }: NamedCall, before: readonly EngineEvent[] = []): Promise<ToolItem> {
    const { newId } = this.#options.host;
    const item = startToolItem({ id: newId("item"), tool, tool_use_id: newId("item"), input });
    this.#open.set(item.id, item);
    await this.#options.tell([...before, { type: "item.started", item }]);
    return item;
  }

  async ask(item: ToolItem, terms: Pick<ToolCall, "ready" | "foreign"> = {}): Promise<Verdict> {
    const { host, signal, onWait } = this.#options;
    onWait(1);
    try {
      return await verdictOn(host, { item_id: item.id, input: item.input, ...terms }, signal);
    } finally {
      onWait(-1);
    }
  }

  /** Ends a call that was refused. */
  refuse(item: ToolItem, { message, status, interrupt }: Extract<Verdict, { effect: "deny" }>): void {
    this.end(item, { status, output: [{ type: "text", text: message }], is_error: true });
    if (interrupt) this.#options.onStop({ code: "rejected_and_stopped", message });
  }

  /** Asks about a call and runs it with our tool. Never rejects. */
  async perform(call: NamedCall, before: readonly EngineEvent[], given: AbortSignal): Promise<ToolResult> {
    const known = this.#madeAgain(call);
    if (known !== undefined) {
      await this.#options.tell(before);
      return known;
    }
    const item = await this.begin(call, before);
    const isAlone = !this.#options.host.toolbox.traits(item.tool).concurrent;
    const earlier = isAlone ? this.#alone : Promise.resolve();
    const work = this.#perform(item, earlier, given);
    if (isAlone) this.#alone = work.catch(() => undefined);
    return work;
  }

  async #perform(item: ToolItem, ready: Promise<unknown>, given: AbortSignal): Promise<ToolResult> {
    const verdict = await this.ask(item, { ready });
    if (verdict.effect === "allow") {
      await ready;
      return this.run(item, verdict.input, { signal: given });
    }
    this.refuse(item, verdict);
    return errorResult(verdict.message);
  }

  /** Runs a permitted call with our tool, and ends it. */
  async run(item: ToolItem, input: ToolItem["input"], more: RunOptions = {}): Promise<ToolResult> {
    const { host, signal, tell } = this.#options;
    const started = host.elapsed();
    const running = host.toolbox.run(item.tool, input, {
      tool_use_id: item.tool_use_id,
      signal: more.signal === undefined ? signal : AbortSignal.any([signal, more.signal]),
      onOutput: (delta) => {
        more.onOutput?.(delta);
        void tell([{ type: "item.delta", item_id: item.id, field: "output", delta }]);
      },
    });
    this.#running.add(running);
    const result = await running;
    this.#running.delete(running);
    const { content, is_error, refusal, changed: _changed, ...details } = result;
    // It was permitted, asked about again just before it ran, and refused.
    if (refusal !== undefined) this.refuse(item, { effect: "deny", message: outputText(content), ...refusal });
    else {
      const failed = signal.aborted ? "interrupted" : "failed";
      const duration_ms = Math.max(0, Math.round(host.elapsed() - started));
      const status = is_error ? failed : "completed";
      this.end(asApproved(item, input), { status, output: content, is_error, duration_ms, ...details });
    }
    return result;
  }

  /** Resolves when our own tools have ended. */
  settled(): Promise<unknown> {
    return Promise.allSettled(this.#running);
  }

  end(item: ToolItem, end: ToolCallEnd): void {
    if (!this.#open.delete(item.id)) return;
    void this.#options.tell([{ type: "item.completed", item: endToolItem(item, end) }]);
  }

  /** Ends whatever is open. */
  close(words: string): readonly EngineEvent[] {
    const events = [...this.#open.values()].map((item): EngineEvent => {
      const output = [{ type: "text" as const, text: words }];
      return { type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) };
    });
    this.#open.clear();
    return events;
  }
}
