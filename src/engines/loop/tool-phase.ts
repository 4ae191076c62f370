import { resolve } from "node:path";
import {
  endToolItem,
  Failure,
  LIMITS,
  outputText,
  type ContentBlock,
  type ToolCallEnd,
  type ToolItem,
  UNKNOWN_OUTCOME,
  NOT_RUN,
} from "../../protocol/index.ts";
import type { SubagentRequest, ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Verdict } from "../engine.ts";
import { orAborted, type LoopTurn } from "./turn.ts";

/** The agent whose calls are run. */
export interface CallingAgent {
  readonly turn: LoopTurn;
  emit(events: readonly EngineEvent[]): void;
  /** Absent if sub-agents may not have sub-agents of their own. */
  readonly subagent: ((item: ToolItem, request: SubagentRequest) => Promise<ToolResult>) | undefined;
  /** Ends what a call that will not run left open before a restart. */
  abandon(item: ToolItem): readonly EngineEvent[];
}

type ToolInput = Readonly<Record<string, unknown>>;

/** Runs the calls of one message. */
export async function runTools(caller: CallingAgent, items: readonly ToolItem[]): Promise<void> {
  const phase = new ToolPhase(caller);
  const ends = await Promise.allSettled(items.map((item) => phase.call(item)));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
}

/**
 * Calls that were made together. All are asked about at once, so that a person sees them together, except one whose
 * preview depends on an earlier call. Calls that may run in parallel do; each other one runs alone, in order.
 */
export class ToolPhase {
  readonly #caller: CallingAgent;
  readonly #turn: LoopTurn;
  readonly #items: ToolItem[] = [];
  readonly #ends: Promise<void>[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(caller: CallingAgent) {
    this.#caller = caller;
    this.#turn = caller.turn;
  }

  /** Resolves when the call has ended, whatever came of it. Rejects for a bug. */
  call(item: ToolItem): Promise<void> {
    const index = this.#items.push(item) - 1;
    const end = this.#call(item, index);
    this.#ends.push(end);
    return end;
  }

  async #call(item: ToolItem, index: number): Promise<void> {
    try {
      await this.#earlier(index, (before) => this.#prepares(before, item));
      const alone = !this.#isConcurrent(item);
      // Marked as running only when its turn has come: after a crash a marked call counts as one that may have run.
      const ready = this.#earlier(index, (before) => alone || !this.#isConcurrent(before));
      const verdict = await this.#permit(item, ready);
      if (verdict === undefined) return this.#refuse(item, NOT_RUN, "interrupted");
      if (verdict.effect === "deny") {
        this.#refuse(item, verdict.message, verdict.status);
        if (verdict.interrupt) this.#turn.stop({ code: "rejected_and_stopped", message: verdict.message });
        return;
      }
      await ready;
      await this.#enter();
      try {
        if (this.#turn.signal.aborted) this.#refuse(item, NOT_RUN, "interrupted");
        else await this.#execute(asApproved(item, verdict.input), verdict.input);
      } finally {
        this.#leave();
      }
    } catch (error) {
      // A bug: nothing else may start, and the session is told.
      this.#turn.stop({ code: "engine_failed", message: "the engine failed; the server's log says why" });
      throw error;
    }
  }

  /** Waits for the calls before this one that it depends on. */
  async #earlier(index: number, matters: (before: ToolItem) => boolean): Promise<void> {
    const before = this.#ends.filter((_, at) => {
      const item = this.#items[at];
      return at < index && item !== undefined && matters(item);
    });
    if (before.length > 0) await Promise.allSettled(before);
  }

  #isConcurrent(item: ToolItem): boolean {
    return this.#turn.host.toolbox.traits(item.tool).concurrent;
  }

  /** True when `before` writes a file that `item` names: the preview of `item` must show the file after that. */
  #prepares(before: ToolItem, item: ToolItem): boolean {
    const written = this.#paths(before, "write");
    return written.length > 0 && this.#paths(item).some((path) => written.includes(path));
  }

  #paths(item: ToolItem, access?: "write"): readonly string[] {
    const { host, surroundings } = this.#turn;
    return host.toolbox
      .facts(item.tool, item.input)
      .paths.filter((use) => access === undefined || use.access === access)
      .map((use) => resolve(surroundings.settings.workspace, use.path));
  }

  /** Undefined when the turn was stopped. */
  async #permit(item: ToolItem, ready: Promise<void>): Promise<Verdict | undefined> {
    const { host, signal } = this.#turn;
    if (signal.aborted) return undefined;
    const call = { item_id: item.id, input: item.input, ready };
    try {
      return await orAborted(host.permit(call, signal), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof Failure)
        return { effect: "deny", message: `Error: ${error.message}`, status: "failed", interrupt: false };
      throw error;
    }
  }

  async #enter(): Promise<void> {
    while (this.#running >= LIMITS.parallelTools) {
      await new Promise<void>((free) => {
        this.#waiting.push(free);
      });
    }
    this.#running += 1;
  }

  #leave(): void {
    this.#running -= 1;
    this.#waiting.shift()?.();
  }

  async #execute(item: ToolItem, input: ToolInput): Promise<void> {
    const { host, signal } = this.#turn;
    const started = host.elapsed();
    const output = new ToolOutput(this.#turn, item.id);
    const { subagent } = this.#caller;
    const children: Promise<unknown>[] = [];
    const delegate = (request: SubagentRequest, to: NonNullable<CallingAgent["subagent"]>): Promise<ToolResult> => {
      const child = to(item, request);
      children.push(child);
      return child;
    };
    const running = host.toolbox.run(item.tool, input, {
      signal,
      onOutput: (text) => output.add(text),
      tool_use_id: item.tool_use_id,
      subagent: subagent === undefined ? undefined : (request) => delegate(request, subagent),
    });
    const ended = await orAborted(running, signal);
    // A sub-agent ends its own items first.
    await Promise.allSettled(children);
    const result = ended ?? (await this.#grace(running));
    output.end();
    const duration_ms = Math.max(0, Math.round(host.elapsed() - started));
    if (result === undefined) {
      this.#finish(item, {
        status: "interrupted",
        output: [...output.blocks(), text(UNKNOWN_OUTCOME)],
        is_error: true,
        duration_ms,
      });
      return;
    }
    const { content, is_error, changed: _changed, refusal, ...details } = result;
    if (refusal !== undefined) {
      this.#finish(item, { status: refusal.status, output: content, is_error, duration_ms });
      if (refusal.interrupt) this.#turn.stop({ code: "rejected_and_stopped", message: outputText(content) });
      return;
    }
    const failed = signal.aborted ? "interrupted" : "failed";
    this.#finish(item, { status: is_error ? failed : "completed", output: content, is_error, duration_ms, ...details });
  }

  /** A tool that stops at once may still report what it did. */
  async #grace(running: Promise<ToolResult>): Promise<ToolResult | undefined> {
    const over = new AbortController();
    try {
      return await Promise.race([
        running,
        this.#turn.host.sleep(LIMITS.interruptGraceMs, over.signal).then(() => undefined),
      ]);
    } finally {
      over.abort("over");
      running.catch(() => undefined);
    }
  }

  #refuse(item: ToolItem, message: string, status: Extract<Verdict, { effect: "deny" }>["status"]): void {
    this.#finish(item, { status, output: [text(message)], is_error: true });
  }

  #finish(item: ToolItem, end: ToolCallEnd): void {
    this.#caller.emit([...this.#caller.abandon(item), { type: "item.completed", item: endToolItem(item, end) }]);
  }
}

/** A completed item is the truth, so it shows the input that really ran. */
export function asApproved(item: ToolItem, input: ToolInput): ToolItem {
  return JSON.stringify(input) === JSON.stringify(item.input) ? item : { ...item, approved_input: { ...input } };
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

/** A running tool's output: shown as it arrives, and its end kept for a call that is interrupted. */
class ToolOutput {
  readonly #turn: LoopTurn;
  readonly #itemId: string;
  #kept = "";
  #ended = false;

  constructor(turn: LoopTurn, item_id: string) {
    this.#turn = turn;
    this.#itemId = item_id;
  }

  add(output: string): void {
    if (this.#ended) return;
    this.#kept += output;
    if (this.#kept.length > 2 * LIMITS.bashOutputChars) this.#kept = this.#kept.slice(-LIMITS.bashOutputChars);
    this.#turn.tell([{ type: "item.delta", item_id: this.#itemId, field: "output", delta: output }]);
  }

  end(): void {
    this.#ended = true;
  }

  blocks(): readonly ContentBlock[] {
    return this.#kept === "" ? [] : [text(this.#kept.slice(-LIMITS.bashOutputChars))];
  }
}
