import {
  endToolItem,
  isToolItem,
  LIMITS,
  startToolItem,
  type ErrorDetail,
  type NewId,
  type ToolItem,
} from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";
import { readCallInput } from "../loop/call-input.ts";
import type { CallRunner } from "../loop/engine.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { AnswerQuestion } from "./connection.ts";
import { callAnswer } from "./messages.ts";
import { ownAnswers, recordSize, type OwnAnswer } from "./records.ts";
import type { CodexTools } from "./tools.ts";
import type { CodexQuestion } from "./wire.ts";

type CodexCall = Extract<CodexQuestion, { type: "call" }>;

interface CodexCallsOptions {
  readonly newId: NewId;
  readonly tools: CodexTools;
  /** Our id of the model's message that is coming in. */
  readonly messageId: () => string;
  readonly tell: (events: readonly EngineEvent[]) => unknown;
  /** Whether Codex still waits for results in this turn of its own. */
  readonly isAwaited: (turn: string) => boolean;
  /** Before the last result of a message is given to Codex, which then asks the model again. */
  readonly beforeAnswer: (turn: string) => Promise<void>;
  /** Why the model may not be asked again after the last of its calls; undefined: it may. */
  readonly spent: () => ErrorDetail | undefined;
  readonly stop: (reason: ErrorDetail) => void;
  /** A bug. */
  readonly crash: (reason: unknown) => void;
}

/** The calls of the model in one turn: each is told, decided on, run, and answered as long as Codex waits for it. */
export class CodexCalls {
  readonly #options: CodexCallsOptions;
  #runner: CallRunner | undefined;
  /** Calls that came to us, by Codex's ids. */
  readonly #known = new Set<string>();
  /** Those that Codex waits for. */
  readonly #awaited = new Map<string, { readonly answer: AnswerQuestion; readonly turn: string }>();
  readonly #running = new Set<Promise<void>>();
  /** Calls as they ended, by our ids of their items. */
  readonly #ends = new Map<string, ToolItem>();
  /** Calls whose results the model does not know. */
  #untold: ToolItem[] = [];
  /** Bytes of Codex's record that have been looked at for calls that it answered by itself. */
  #recorded = 0;

  constructor(options: CodexCallsOptions) {
    this.#options = options;
  }

  /** Must be set before anything is asked. */
  runWith(runner: CallRunner): void {
    this.#runner = runner;
  }

  get runner(): CallRunner | undefined {
    return this.#runner;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Whether Codex has more of them open than it may. */
  get areTooMany(): boolean {
    return Math.max(this.#awaited.size, this.#running.size) >= LIMITS.engineOpenCalls;
  }

  /** Whether Codex waits for a call with this id. */
  isOpen(call_id: string): boolean {
    return this.#awaited.has(call_id);
  }

  /** Resolves when none runs. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Everything that is told. */
  heard(events: readonly EngineEvent[]): void {
    for (const event of events)
      if (event.type === "item.completed" && isToolItem(event.item)) this.#ends.set(event.item.id, event.item);
  }

  /** What is in Codex's record already is of earlier turns. */
  beginAt(path: string | undefined): void {
    this.#recorded = path === undefined ? 0 : recordSize(path);
  }

  /** Tells a call that Codex waits for. */
  begin({ call_id, tool, input, turn }: CodexCall, answer: AnswerQuestion): ToolItem {
    this.#known.add(call_id);
    this.#awaited.set(call_id, { answer, turn });
    const item = this.#newItem(tool, call_id, input);
    this.#options.tell([{ type: "item.started", item }]);
    return item;
  }

  run(call_id: string, item: ToolItem): void {
    const runner = this.#runner;
    if (runner === undefined) return;
    const run = runner.call(item).then(
      () => this.#hasRun(call_id, item),
      (reason: unknown) => this.#options.crash(reason),
    );
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Gives Codex the result of a call that was told. */
  answer(call_id: string, ended: ToolItem): void {
    this.#awaited.get(call_id)?.answer(callAnswer(ended));
    this.#awaited.delete(call_id);
  }

  /** Codex does not wait for it any more. Absent: for none. */
  forget(call_id?: string): void {
    if (call_id === undefined) this.#awaited.clear();
    else this.#awaited.delete(call_id);
  }

  /** Results that the model must be told in another way. */
  takeUntold(): readonly ToolItem[] {
    const untold = this.#untold;
    this.#untold = [];
    return untold;
  }

  /** Runs calls that a dead server left open. */
  async settle(open: readonly ToolItem[]): Promise<readonly ToolItem[]> {
    const runner = this.#runner;
    if (runner !== undefined) await Promise.all(open.map((item) => runner.call(item)));
    return open.map((item) => this.#ends.get(item.id) ?? item);
  }

  /** Calls of tools that there are not: Codex answers them without asking anybody. */
  async tellOwnAnswers(path: string | undefined): Promise<void> {
    if (path === undefined) return;
    const start = this.#recorded;
    this.#recorded = recordSize(path);
    for (const answer of await ownAnswers(path, { start, known: this.#known })) this.#tellOwnAnswer(answer);
  }

  #tellOwnAnswer({ tool, call_id, input, output }: OwnAnswer): void {
    const item = this.#newItem(tool, call_id, readCallInput(input).input ?? {});
    const ended = endToolItem(item, { status: "failed", output: [{ type: "text", text: output }], is_error: true });
    this.#options.tell([
      { type: "item.started", item },
      { type: "item.completed", item: ended },
    ]);
  }

  async #hasRun(call_id: string, item: ToolItem): Promise<void> {
    const { isAwaited, spent, stop, beforeAnswer } = this.#options;
    const ended = this.#ends.get(item.id) ?? item;
    const awaited = this.#awaited.get(call_id);
    const isLast = this.#awaited.size === (awaited === undefined ? 0 : 1);
    const why = (): ErrorDetail | undefined => this.#runner?.stopped ?? (isLast ? spent() : undefined);
    if (isLast && awaited !== undefined && isAwaited(awaited.turn) && why() === undefined)
      await beforeAnswer(awaited.turn);
    const reason = why();
    // Answering a turn that is being stopped would make Codex ask the model once more.
    if (reason === undefined && awaited !== undefined && isAwaited(awaited.turn)) this.answer(call_id, ended);
    else this.#untold.push(ended);
    this.#awaited.delete(call_id);
    if (reason !== undefined) stop(reason);
  }

  #newItem(written: string, call_id: string, input: VendorFields): ToolItem {
    const { newId, tools, messageId } = this.#options;
    return startToolItem({
      id: newId("item"),
      tool: tools.nameOf(written),
      tool_use_id: this.#runner?.claimId(call_id) ?? call_id,
      input: { ...input },
      message_id: messageId(),
    });
  }
}
