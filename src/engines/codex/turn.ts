import { LIMITS, type ErrorDetail, type SessionSettings, type ToolItem } from "../../protocol/index.ts";
import type { EngineEvent, SteeredPrompt } from "../engine.ts";
import type { CallRunner } from "../loop/engine.ts";
import { describe, retryDelay, type ModelFailure } from "../loop/failure.ts";
import { NOT_STRUCTURED, structuredEnd } from "../loop/structured.ts";
import { ABORTED, orAborted } from "../loop/turn.ts";
import { effortOf } from "../loop/wires/openai.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";
import { VendorTurn, type VendorTurnOptions } from "../vendor/turn.ts";
import type { ProcessEnd } from "../vendor/output.ts";
import { CodexCalls } from "./calls.ts";
import type { AnswerQuestion } from "./connection.ts";
import { asideWords, promptInput, REMINDER, REPEATED, untoldResults, untoldWords } from "./messages.ts";
import { endOf, endWords, errorOf, TOO_MANY, type CodexEnd } from "./outcome.ts";
import { TURN_SAFETY, type OpenThread } from "./process.ts";
import type { CodexTools } from "./tools.ts";
import { CodexTranslator } from "./translate.ts";
import type { CodexError, CodexNotice, CodexQuestion } from "./wire.ts";

type CodexTurnEnd = Extract<EngineEvent, { type: "turn.completed" | "turn.failed" }>;

interface CodexTurnEnding {
  /** Codex's id of its last turn; absent: it began none. */
  readonly turn: string | undefined;
  /** What the model must still be told of this turn; absent: nothing. */
  readonly note: string | undefined;
  readonly isCompleted: boolean;
}

export interface CodexTurnOptions extends VendorTurnOptions {
  readonly settings: SessionSettings;
  /** How often a failed model request is retried. */
  readonly retries: number;
  readonly tools: CodexTools;
  /** Called with what people sent into the turn, before Codex gets it. */
  readonly onSteer: (steered: SteeredPrompt) => void;
  /** Called once, before the last events are reported. */
  readonly onEnd: (end: CodexTurnEnding) => void;
  /** The process died before the turn produced anything: start again with another one. At most once. */
  readonly onGone: () => void;
}

/**
 * One turn of the session: one of Codex's, or more of them, where a request is tried again. Turns what Codex tells into events, runs its
 * calls, and ends exactly once.
 */
export class CodexTurn extends VendorTurn {
  readonly #options: CodexTurnOptions;
  readonly #translator: CodexTranslator;
  readonly #calls: CodexCalls;
  #warnings = 0;
  #open: OpenThread | undefined;
  /** Codex's id of its current or last turn. */
  #turn: string | undefined;
  /** Resolves when Codex has answered the request for its turn. */
  #starting: Promise<void> = Promise.resolve();
  /** Codex has no turn: it waits for a message. */
  #isIdle = true;
  #isEnding = false;
  #stopped: ErrorDetail | undefined;
  #isFruitful = false;
  #isAgain = false;
  /** Messages of the model. */
  #messages = 0;
  /** Requests in a row that failed. */
  #failures = 0;
  #refusals = 0;
  /** Answers that do not have the requested form, and the one that has it. */
  #misses = 0;
  #structured: { readonly value: unknown } | undefined;
  /** What people sent into the turn and Codex did not take. */
  #unsaid: SteeredPrompt[] = [];

  constructor(options: CodexTurnOptions) {
    super(options);
    this.#options = options;
    this.#translator = new CodexTranslator(options.host.newId);
    this.#calls = new CodexCalls({
      newId: options.host.newId,
      tools: options.tools,
      messageId: () => this.#translator.message_id,
      tell: (events) => this.tell(events),
      isAwaited: (turn) => this.#isCurrent(turn),
      beforeAnswer: (turn) => this.#steer(turn),
      spent: () => this.#spent(),
      stop: (reason) => this.stop(reason),
      crash: (reason) => this.crash(reason),
    });
  }

  get stopped(): ErrorDetail | undefined {
    return this.#stopped;
  }

  /** Must be set before anything is sent. */
  runWith(runner: CallRunner): void {
    this.#calls.runWith(runner);
    if (this.#stopped !== undefined) runner.stop(this.#stopped);
  }

  /** From now on messages go to this thread. */
  attach(open: OpenThread): void {
    this.#open = open;
    this.#calls.beginAt(open.path);
    open.connection.begin();
  }

  override crash(error: unknown): void {
    this.#calls.runner?.stop(ABORTED);
    super.crash(error);
  }

  override tell(events: readonly EngineEvent[]): Promise<void> {
    if (!this.over && events.length > 0) this.#calls.heard(events);
    return super.tell(events);
  }

  /** Begins a turn of Codex. An empty input asks the model again. `turn_id`: this is the prompt. */
  send(input: readonly VendorFields[], turn_id?: string): void {
    if (this.over || this.#open === undefined) return;
    if (this.#stopped !== undefined) {
      this.fail(this.#stopped);
      return;
    }
    const { host, settings } = this.#options;
    const { connection, thread } = this.#open;
    const { thinking_tokens } = settings;
    this.#isIdle = false;
    this.#turn = undefined;
    this.sign();
    const begun = connection.request("turn/start", {
      ...TURN_SAFETY,
      threadId: thread,
      model: host.model.name,
      ...(thinking_tokens === undefined ? { summary: "none" } : { effort: effortOf(thinking_tokens), summary: "auto" }),
      ...(turn_id === undefined ? {} : { clientUserMessageId: turn_id }),
      input,
    });
    this.#starting = begun.then(
      (answer) => {
        this.#turn ??= text(record(answer["turn"])["id"]);
      },
      (error: Error) => {
        // A process that ended tells it by itself.
        if (this.#open === undefined || this.over) return;
        this.#isIdle = true;
        this.fail({ code: "engine_failed", message: `Codex did not take the prompt: ${error.message}` });
      },
    );
  }

  protected get isBusy(): boolean {
    return this.#isIdle || this.#calls.isRunning;
  }

  /** While a model thinks, an answer is a sign of life; else Codex does nothing, however alive. */
  protected override quiet(leftMs: number): number {
    const half = LIMITS.engineSilenceMs / 2;
    if (leftMs <= half) this.#ping();
    return Math.min(leftMs, half);
  }

  #ping(): void {
    const { host } = this.#options;
    const alive = (): void => {
      if (host.isAsking?.() !== false) this.sign();
    };
    this.#open?.connection.request("thread/loaded/list", {}).then(alive, () => undefined);
  }

  heard(notice: CodexNotice): void {
    if (this.over) return;
    this.sign();
    if (notice.type === "turn_started" && !this.#isIdle) this.#turn ??= notice.turn;
    if ("turn" in notice && !this.#isCurrent(notice.turn)) return;
    if (notice.type === "warning") this.#warnings += 1;
    if (this.#warnings > LIMITS.engineNotices && notice.type === "warning") return;
    if (notice.type === "usage") {
      this.#messages += 1;
      this.#failures = 0;
      this.#refusals = 0;
    }
    const events = this.#translator.take(notice);
    if (events.length > 0) this.#isFruitful = true;
    void this.tell(events);
    if (notice.type === "call_done") this.#calls.forget(notice.call_id);
    if (notice.type === "turn_ended") this.#work(() => this.#turnEnded(notice));
  }

  /** When it continues a thread, it repeats what it told of the last turn. */
  #isCurrent(turn: string): boolean {
    return !this.#isIdle && turn === this.#turn;
  }

  /** Codex waits for the result of a call. */
  asked(call: Extract<CodexQuestion, { type: "call" }>, answer: AnswerQuestion): void {
    if (this.over || !this.#isCurrent(call.turn)) return;
    this.sign();
    this.#isFruitful = true;
    if (this.#calls.isOpen(call.call_id)) return answer(REPEATED);
    if (this.#calls.areTooMany) return this.breakOff(TOO_MANY);
    const item = this.#calls.begin(call, answer);
    const { output_schema } = this.#options.settings;
    if (output_schema !== undefined && item.tool === STRUCTURED_OUTPUT)
      this.#answered(output_schema, call.call_id, item);
    else this.#calls.run(call.call_id, item);
  }

  refused(method: string): void {
    this.notice(`Codex wanted to do something by itself (${method}), and was refused: only tools of the session may.`);
  }

  noise(line: string): void {
    this.#isFruitful = true;
    void this.tell([{ type: "notice", message: `Codex says: ${line.slice(0, LIMITS.engineNoticeChars)}` }]);
  }

  /** The process has ended. */
  lost(end: ProcessEnd): void {
    // It existed before the turn, and ended before it was given anything: whoever connects starts another one.
    if (this.over || this.#open === undefined) return;
    this.#open = undefined;
    this.#isIdle = true;
    if (end.failure !== undefined || this.#isFruitful || this.#isAgain || this.#stopped !== undefined) {
      this.fail({ code: "engine_failed", message: endWords(end) });
      return;
    }
    this.#isAgain = true;
    // Whoever waits for money, or to ask the model again, begins again after that.
    if (!this.isWaiting) this.#options.onGone();
  }

  /** Ends the turn. The first reason counts. */
  stop(error: ErrorDetail): void {
    if (this.#stopped !== undefined || this.over) return;
    this.#stopped = error;
    this.#calls.runner?.stop(error);
    if (this.#isIdle || this.#open === undefined) this.fail(error);
    else this.#work(() => this.#interrupt(error));
  }

  fail(error: ErrorDetail): void {
    this.#calls.runner?.stop(error);
    this.#work(() => this.#finish({ type: "turn.failed", error: this.#stopped ?? error }));
  }

  /** Runs calls that a dead server left open. They end with results that the model must be told. */
  async settle(open: readonly ToolItem[]): Promise<readonly ToolItem[]> {
    const ended = await this.waitFor(async () => this.#calls.settle(open));
    const { stopped } = this.#calls.runner ?? {};
    if (stopped !== undefined) this.stop(stopped);
    return ended;
  }

  #work(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.crash(error));
  }

  /** After the last call of the last message that the session allows. */
  #spent(): ErrorDetail | undefined {
    const { max_turns } = this.#options.settings;
    // The message that made these calls is not counted yet.
    if (this.#messages + 1 < max_turns) return undefined;
    return {
      code: "max_turns",
      message: `stopped after ${max_turns} messages of the model (max_turns); send another prompt to go on`,
    };
  }

  /** The model gave its answer in the requested form: there is nothing to decide. */
  #answered(schema: NonNullable<SessionSettings["output_schema"]>, call_id: string, item: ToolItem): void {
    const { item: ended, fits } = structuredEnd(schema, item);
    void this.tell([{ type: "item.completed", item: ended }]);
    if (fits) this.#structured = { value: item.input };
    else this.#misses += 1;
    if (this.#misses >= LIMITS.structuredOutputTries) this.stop(NOT_STRUCTURED);
    else this.#calls.answer(call_id, ended);
  }

  async #turnEnded({ status, error }: Extract<CodexNotice, { type: "turn_ended" }>): Promise<void> {
    this.#isIdle = true;
    this.#calls.forget();
    await this.#calls.tellOwnAnswers(this.#open?.path);
    if (this.#stopped !== undefined) this.fail(this.#stopped);
    else if (status === "completed") await this.#completed();
    else if (error === undefined) this.fail(ABORTED);
    else await this.#failed(error);
  }

  async #completed(): Promise<void> {
    const { output_schema } = this.#options.settings;
    if (output_schema === undefined) return this.#finish({ type: "turn.completed", stop_reason: "end_turn" });
    if (this.#structured !== undefined) {
      const { value } = this.#structured;
      return this.#finish({ type: "turn.completed", stop_reason: "end_turn", structured_output: value });
    }
    this.#misses += 1;
    if (this.#misses >= LIMITS.structuredOutputTries) this.fail(NOT_STRUCTURED);
    else this.send([asideWords(REMINDER)]);
  }

  async #failed(failed: CodexError): Promise<void> {
    // Codex does not wait for them any more; what comes of them is told with the next request.
    await this.#calls.ended();
    const end = endOf(failed, this.#options.host.refusal());
    if (this.#stopped !== undefined) return this.fail(this.#stopped);
    if (end.decision === "stopped") return this.fail(end.error);
    this.#failures += 1;
    if (end.decision === "funds") return this.#funds(end);
    if (end.decision === "retry" && this.#failures <= this.#options.retries) return this.#retry(end.failure);
    this.fail(errorOf(end, this.#failures));
  }

  async #retry(failure: ModelFailure): Promise<void> {
    const { host, retries } = this.#options;
    const delay = retryDelay(failure, this.#failures, host.random());
    const when = `${(delay / 1_000).toFixed(1)} s (${this.#failures} of ${retries})`;
    void this.tell([
      ...this.#translator.close("superseded"),
      { type: "notice", message: `${describe(failure)}; trying again in ${when}` },
    ]);
    await this.waitFor(async () => host.sleep(delay, this.overSignal));
    this.#goOn();
  }

  async #funds(end: Extract<CodexEnd, { failure: unknown }>): Promise<void> {
    this.#refusals += 1;
    if (this.#refusals > LIMITS.engineFundsRounds)
      return this.fail({ code: "budget_exceeded", message: end.failure.message });
    const signal = this.#calls.runner?.signal ?? this.overSignal;
    void this.tell(this.#translator.close("superseded"));
    const funds = await this.waitFor(async () => orAborted(this.#options.host.funds(signal), signal));
    this.#failures = 0;
    if (funds === undefined || this.over) return;
    if (funds.granted) this.#goOn();
    else this.fail({ code: "budget_exceeded", message: funds.message });
  }

  /** The same request once more. */
  #goOn(): void {
    if (this.over) return;
    // The process died meanwhile.
    if (this.#open === undefined) return this.#options.onGone();
    const untold = this.#calls.takeUntold();
    const unsaid = this.#unsaid.splice(0).flatMap(({ prompt }) => promptInput(prompt));
    this.send([...(untold.length === 0 ? [] : [asideWords(untoldResults(untold))]), ...unsaid]);
  }

  /** What people sent into the turn goes to Codex before the results of the calls that the model waits for, and is read after them. */
  async #steer(turn: string): Promise<void> {
    for (const steered of (await this.#options.channel.steered?.()) ?? []) {
      const { id, prompt } = steered;
      this.#options.onSteer(steered);
      const { connection, thread } = this.#open ?? {};
      const input = promptInput(prompt);
      const params = { threadId: thread, expectedTurnId: turn, clientUserMessageId: id, input };
      const refused = (): void => void this.#unsaid.push(steered);
      if (connection === undefined) refused();
      // A process that does not answer is ended for its silence.
      const taken = connection?.request("turn/steer", params).catch(refused);
      await Promise.race([taken, this.#options.host.sleep(LIMITS.engineSilenceMs, this.overSignal)]);
    }
  }

  /** Our own tools end first, so that their outcome is known; then Codex ends its turn. The time for that is bounded. */
  async #interrupt(reason: ErrorDetail): Promise<void> {
    const { host, onBroken } = this.#options;
    await Promise.race([this.#calls.ended(), host.sleep(LIMITS.engineToolEndMs, this.overSignal)]);
    await Promise.race([this.#starting, host.sleep(LIMITS.engineInterruptMs, this.overSignal)]);
    const { connection, thread } = this.#open ?? {};
    if (this.over || connection === undefined || this.#isIdle) return;
    connection.request("turn/interrupt", { threadId: thread, turnId: this.#turn ?? "" }).catch(() => undefined);
    await host.sleep(LIMITS.engineInterruptMs, this.overSignal);
    if (this.over) return;
    onBroken();
    this.fail(reason);
  }

  async #finish(end: CodexTurnEnd): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    await this.#calls.ended();
    if (this.over) return;
    const status = end.type === "turn.completed" ? "completed" : "interrupted";
    const untold = this.#calls.takeUntold();
    const notes = [
      ...(untold.length === 0 ? [] : [untoldResults(untold)]),
      ...this.#unsaid.map(({ prompt }) => untoldWords(prompt)),
    ];
    const note = notes.length === 0 ? undefined : notes.join("\n\n");
    this.#options.onEnd({ turn: this.#turn, note, isCompleted: status === "completed" });
    void this.tell([...this.#translator.close(status), end]);
    this.end();
  }
}
