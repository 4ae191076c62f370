import { LIMITS, type ErrorDetail, type SessionSettings, type ToolItem } from "../../protocol/index.ts";
import { errorResult, type ToolResult } from "../../tools/tool.ts";
import { aside, GO_ON, stoppedBy } from "../claude/messages.ts";
import type {
  ConversationOptions,
  EngineEvent,
  Host,
  MeteredRequest,
  ToolCall,
  TurnChannel,
  Verdict,
} from "../engine.ts";
import { NOT_STRUCTURED, type StructuredEnd } from "../loop/structured.ts";
import { ABORTED, orAborted } from "../loop/turn.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { ProcessEnd } from "../vendor/output.ts";
import { verdictOn } from "../vendor/verdict.ts";
import { maySucceed, modelOutcome, restOutcome, type RestContext } from "./outcome.ts";
import { OpenCodeCalls } from "./calls.ts";
import { PROVIDER, systemOf } from "./config.ts";
import type { OpenCodeServer } from "./server.ts";
import { calledTool, type McpTool } from "./tools.ts";
import { OpenCodeTranslator } from "./translate.ts";
import type { OpenCodeError, OpenCodeEvent } from "./wire.ts";
import { ANSWER_TAKEN, endWords, maxTurnsReached, REMINDER, retryWords, SILENT, TOO_MANY } from "./words.ts";

interface OpenCodeTurnEnd {
  /** OpenCode's id of the turn's last message; absent: there is none. */
  readonly last: string | undefined;
  /** OpenCode said that it is complete, which it does once its record has it. */
  readonly isRecorded: boolean;
  /** What the model must still be told of this turn; absent: nothing. */
  readonly note: string | undefined;
  /** OpenCode took the last prompt. */
  readonly isTold: boolean;
  readonly isCompleted: boolean;
}

export interface OpenCodeTurnOptions {
  readonly host: Host;
  readonly opening: ConversationOptions;
  readonly channel: TurnChannel;
  /** The tools that OpenCode knows now. */
  readonly tools: () => readonly McpTool[];
  /** How often OpenCode may ask the model again. */
  readonly retries: number;
  /** Called with all events before they are reported. */
  readonly onTell: (events: readonly EngineEvent[]) => void;
  /** A prompt goes out under this id of OpenCode's. */
  readonly newPromptId: () => string;
  /** Called once, before the last events are reported. */
  readonly onEnd: (end: OpenCodeTurnEnd) => void;
  /** The process is unusable from now on. */
  readonly onBroken: () => void;
  /** The process died before the turn produced anything: start again with another one. At most once. */
  readonly onGone: () => void;
}

/** One turn: turns OpenCode's events into ours, runs its tool calls, and ends exactly once. */
export class OpenCodeTurn {
  /** Resolves when the turn has ended, rejects when it crashed. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #rejectEnded: (error: unknown) => void = () => undefined;
  #room: Promise<void> = Promise.resolve();
  readonly #options: OpenCodeTurnOptions;
  readonly #controller = new AbortController();
  readonly #over = new AbortController();
  readonly #calls: OpenCodeCalls;
  #translator: OpenCodeTranslator | undefined;
  #server: OpenCodeServer | undefined;
  #session = "";
  #stopped: ErrorDetail | undefined;
  /** The last prompt of the turn that was sent; empty: none was. */
  #prompt = "";
  /** OpenCode waits for a prompt. */
  #idle = true;
  #failure: OpenCodeError | undefined;
  #waiting = 0;
  /** Calls of tools and questions that OpenCode waits for. */
  #asked = 0;
  #lastSign: number;
  #refusals = 0;
  /** The last model request since the last prompt. */
  #metered: MeteredRequest | undefined;
  /** OpenCode was told not to ask again for what there is no money for; ends when it rests. */
  #withdrawal: { readonly message: string; readonly rested: AbortController } | undefined;
  #unformed = 0;
  /** The turn has produced an event or a question. */
  #fruitful = false;
  #again = false;
  #note: string | undefined;
  /** The model's answer in the requested form. */
  #answer: StructuredEnd | undefined;

  constructor(options: OpenCodeTurnOptions) {
    this.#options = options;
    this.#lastSign = options.host.elapsed();
    this.#calls = new OpenCodeCalls(this, options);
    this.ended = new Promise((resolve, reject) => {
      this.#resolveEnded = resolve;
      this.#rejectEnded = reject;
    });
  }

  /** Aborted when the turn is stopped or over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get over(): boolean {
    return this.#over.signal.aborted;
  }

  /** Whether this is the second process of the turn. */
  get again(): boolean {
    return this.#again;
  }

  get stopped(): ErrorDetail | undefined {
    return this.#stopped;
  }

  get translator(): OpenCodeTranslator | undefined {
    return this.#translator;
  }

  get #settings(): SessionSettings {
    return this.#options.opening.settings;
  }

  /** From now on prompts go to this session of this process. */
  attach(server: OpenCodeServer, session: string): void {
    const { host, tools } = this.#options;
    this.#server = server;
    this.#session = session;
    this.#translator = new OpenCodeTranslator({
      session,
      newId: host.newId,
      now: host.elapsed,
      toolName: (called) => calledTool(called, tools()),
    });
  }

  /** A bug, not a failure of the outside world. */
  crash(error: unknown): void {
    this.#options.onBroken();
    this.#over.abort("over");
    this.#controller.abort("over");
    this.#rejectEnded(error);
  }

  /** The session knows the events when this returns; resolves when it can take more. */
  tell(events: readonly EngineEvent[]): Promise<void> {
    if (this.over || events.length === 0) return this.#room;
    try {
      this.#options.onTell(events);
      this.#room = this.#options.channel.tell(events);
    } catch (error) {
      this.crash(error);
    }
    return this.#room;
  }

  notice(message: string): void {
    void this.tell([{ type: "notice", message }]);
  }

  /** Resolves when the session can take more. */
  drained(): Promise<void> {
    return this.#room;
  }

  async send(parts: readonly VendorFields[], id: string = this.#options.newPromptId()): Promise<void> {
    const { host } = this.#options;
    const server = this.#server;
    if (server === undefined || this.over) return;
    this.#prompt = id;
    this.#idle = false;
    this.#failure = undefined;
    this.#metered = undefined;
    this.#lastSign = host.elapsed();
    this.#translator?.prompted(id);
    server.begin();
    const answer = await server.request("POST", `/session/${this.#session}/prompt_async`, {
      messageID: id,
      model: { providerID: PROVIDER, modelID: host.model.name },
      system: systemOf(this.#settings),
      parts,
    });
    if (answer.status >= 200 && answer.status < 300) return;
    // Its end says more than its silence.
    if (answer.status === 0 && (this.#server !== server || this.over)) return;
    this.#options.onBroken();
    // Its connection may break before its end is seen.
    if (answer.status === 0 && this.#beginsAgain()) return;
    this.fail({ code: "engine_failed", message: `OpenCode did not take the prompt: ${JSON.stringify(answer.body)}` });
  }

  /** A model request of the session has ended. */
  metered(request: MeteredRequest): void {
    this.#metered = request;
  }

  /** Watches over the process until the turn is over. */
  async watch(): Promise<void> {
    const { host } = this.#options;
    while (!this.over) {
      if (this.#waiting > 0 || this.#calls.busy) this.#lastSign = host.elapsed();
      const left = LIMITS.engineSilenceMs - (host.elapsed() - this.#lastSign);
      if (left <= 0) return this.#breakOff(SILENT);
      await host.sleep(left, this.#over.signal);
    }
  }

  /** Asks OpenCode to end the turn. The first reason counts. */
  stop(error: ErrorDetail): void {
    if (this.#stopped !== undefined || this.over) return;
    this.#stopped = error;
    this.#controller.abort(error);
    if (this.#idle || this.#server === undefined) this.fail(error);
    else void this.#interrupt(this.#server);
  }

  /** Our own tools end first, so that their outcome is known; then OpenCode ends the turn, in a bounded time. */
  async #interrupt(server: OpenCodeServer): Promise<void> {
    const { host, onBroken } = this.#options;
    if (this.#calls.busy) {
      const ended = new AbortController();
      void this.#calls.settled().then(() => ended.abort());
      await host.sleep(LIMITS.engineToolEndMs, AbortSignal.any([ended.signal, this.#over.signal]));
    }
    void server.request("POST", `/session/${this.#session}/abort`);
    await host.sleep(LIMITS.engineInterruptMs, this.#over.signal);
    if (this.over) return;
    onBroken();
    this.fail(ABORTED);
  }

  heard(event: OpenCodeEvent): void {
    if (this.over || !("session" in event) || event.session !== this.#session || this.#prompt === "") return;
    this.#lastSign = this.#options.host.elapsed();
    const events = this.#translator?.take(event) ?? [];
    if (events.length > 0) this.#fruitful = true;
    void this.tell(events);
    switch (event.type) {
      case "message":
        if (event.finish !== undefined) this.#refusals = 0;
        this.#bound();
        return;
      case "retry":
        this.#retry(event);
        return;
      case "failed":
        this.#failure = event.error;
        return;
      case "permission":
        void this.#permission(event).catch((error: unknown) => this.crash(error));
        return;
      case "idle":
        this.#rests();
        return;
      case "call":
        this.#calls.arrived();
        if ((this.#translator?.openCalls ?? 0) > LIMITS.engineOpenCalls) this.#breakOff(TOO_MANY);
        return;
      case "words":
      case "delta":
      case "usage":
    }
  }

  /**
   * Nothing of OpenCode's own may run. The model's answer in a requested form is asked about too: a refusal ends OpenCode's turn without
   * another request to the model, once the answer is here.
   */
  #permission(question: Extract<OpenCodeEvent, { type: "permission" }>): Promise<void> {
    return this.#bounded(() => this.#reply(question)).then(() => undefined);
  }

  async #reply({ id, call }: Extract<OpenCodeEvent, { type: "permission" }>): Promise<void> {
    const given = await this.#calls.answer(call);
    if (given?.fits === true) this.#answer = given;
    if (given !== undefined && !given.fits && this.#isUnformed()) this.stop(NOT_STRUCTURED);
    const reply = given?.fits === false ? "once" : "reject";
    if (!this.signal.aborted) await this.#server?.request("POST", `/permission/${id}/reply`, { reply });
  }

  /** Counts an answer that is not in the requested form. True: there were enough of them. */
  #isUnformed(): boolean {
    this.#unformed += 1;
    return this.#unformed >= LIMITS.structuredOutputTries;
  }

  /** The process has ended. */
  lost(end: ProcessEnd): void {
    if (this.over || this.#server === undefined) return;
    if (end.failure === undefined && this.#beginsAgain()) return;
    this.#server = undefined;
    this.fail({ code: "engine_failed", message: endWords(end) });
  }

  /** The process is gone. True: nothing had come of the turn, so that another one begins it again; once. */
  #beginsAgain(): boolean {
    this.#server = undefined;
    this.#withdrawal?.rested.abort();
    this.#withdrawal = undefined;
    if (this.#fruitful || this.#again || this.#stopped !== undefined) return false;
    this.#again = true;
    // Whoever waits for money begins again after that.
    if (this.#waiting === 0) this.#options.onGone();
    return true;
  }

  /** Runs one of our tools for OpenCode. */
  runTool(tool: McpTool, input: VendorFields): Promise<ToolResult> {
    this.#fruitful = true;
    return this.#bounded(() => this.#calls.run(tool, input))
      .catch((error: unknown) => this.crash(error))
      .then((result) => result ?? errorResult("The turn is over."));
  }

  /** Undefined: OpenCode waits for too much at once, and is ended. */
  async #bounded<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#asked >= LIMITS.engineOpenCalls) {
      this.#breakOff(TOO_MANY);
      return undefined;
    }
    this.#asked += 1;
    return work().finally(() => {
      this.#asked -= 1;
    });
  }

  /** The process does not do what it must. */
  #breakOff(error: ErrorDetail): void {
    this.#options.onBroken();
    this.fail(error);
  }

  /** Never resolves while the turn is being stopped: an answer would make OpenCode ask the model once more. */
  untilOver(): Promise<void> {
    return orAborted(new Promise<never>(() => undefined), this.#over.signal).then(() => undefined);
  }

  /** Decides on a call whose item was reported. */
  async ask(item: ToolItem, signal: AbortSignal, terms: Pick<ToolCall, "ready" | "notRun"> = {}): Promise<Verdict> {
    this.#waiting += 1;
    try {
      return await verdictOn(this.#options.host, { item_id: item.id, input: item.input, ...terms }, signal);
    } finally {
      this.#waiting -= 1;
      this.#lastSign = this.#options.host.elapsed();
    }
  }

  /** A person's no that also ends the turn. */
  refused(item: ToolItem, message: string): void {
    this.#note = stoppedBy(item, message);
    this.stop({ code: "rejected_and_stopped", message });
  }

  fail(error: ErrorDetail): void {
    this.#finish("interrupted", { type: "turn.failed", error: this.#stopped ?? error });
  }

  #bound(): void {
    const { max_turns } = this.#settings;
    if ((this.#translator?.answers ?? 0) > max_turns) this.stop(maxTurnsReached(max_turns));
  }

  #retry({ attempt, message, next }: Extract<OpenCodeEvent, { type: "retry" }>): void {
    const waitMs = Math.max(0, next - this.#options.host.now());
    const isWorth = this.#metered === undefined || maySucceed(this.#metered);
    if (isWorth && attempt <= this.#options.retries && waitMs <= LIMITS.engineRetryWaitMs) {
      this.notice(retryWords({ attempt, message, waitMs, dropped: (this.#translator?.deadStreams ?? 0) > 0 }));
      // It said how long it will wait.
      this.#lastSign += waitMs;
      return;
    }
    const outcome = modelOutcome({ name: "APIError", message }, this.#context());
    if (outcome.type === "failed") this.stop(outcome.error);
    else this.#withdraw(outcome.message).catch((error: unknown) => this.crash(error));
  }

  /** OpenCode stops asking for what there is no money for, before a person is asked for some; in a bounded time. */
  async #withdraw(message: string): Promise<void> {
    if (this.#withdrawal !== undefined || this.#stopped !== undefined) return;
    const rested = new AbortController();
    this.#withdrawal = { message, rested };
    void this.#server?.request("POST", `/session/${this.#session}/abort`);
    await this.#options.host.sleep(LIMITS.engineInterruptMs, AbortSignal.any([rested.signal, this.signal]));
    if (!rested.signal.aborted && !this.signal.aborted) this.#breakOff(SILENT);
  }

  #context(): RestContext {
    return {
      cut: (this.#translator?.deadStreams ?? 0) > 0,
      refusal: this.#metered?.refusal,
      status: this.#metered?.status,
      structured: this.#settings.output_schema !== undefined,
    };
  }

  /** OpenCode rests. It says so twice after an error, and may say it of the turn before: only with an end of its own does it count. */
  #rests(): void {
    const last = this.#translator?.last;
    if (this.#idle) return;
    if (this.#stopped !== undefined) {
      this.#idle = true;
      this.fail(this.#stopped);
      return;
    }
    const withdrawal = this.#withdrawal;
    if (last?.completed !== true && this.#failure === undefined && withdrawal === undefined) return;
    this.#idle = true;
    if (withdrawal !== undefined) {
      this.#withdrawal = undefined;
      withdrawal.rested.abort();
      this.#askForFunds(withdrawal.message);
      return;
    }
    if (this.#answer !== undefined) {
      this.#note = ANSWER_TAKEN;
      const structured_output = this.#answer.item.input;
      this.#finish("completed", { type: "turn.completed", stop_reason: "end_turn", structured_output });
      return;
    }
    const outcome = restOutcome(last, this.#failure, this.#context());
    switch (outcome.type) {
      case "completed":
        this.#finish("completed", { ...outcome, type: "turn.completed" });
        return;
      case "failed":
        this.fail(outcome.error);
        return;
      case "funds":
        this.#askForFunds(outcome.message);
        return;
      case "unformed":
        if (this.#isUnformed()) this.fail(NOT_STRUCTURED);
        else this.send([aside(REMINDER)]).catch((error: unknown) => this.crash(error));
    }
  }

  #askForFunds(message: string): void {
    this.#funds(message).catch((error: unknown) => this.crash(error));
  }

  async #funds(message: string): Promise<void> {
    this.#refusals += 1;
    if (this.#refusals > LIMITS.engineFundsRounds) {
      this.fail({ code: "budget_exceeded", message });
      return;
    }
    this.#waiting += 1;
    const funds = await orAborted(this.#options.host.funds(this.signal), this.signal);
    this.#waiting -= 1;
    this.#lastSign = this.#options.host.elapsed();
    if (funds === undefined || this.over) return;
    if (!funds.granted) this.fail({ code: "budget_exceeded", message: funds.message });
    // The process died meanwhile.
    else if (this.#server === undefined) this.#options.onGone();
    else await this.send([aside(GO_ON)]);
  }

  #finish(
    status: "completed" | "interrupted",
    terminal: Extract<EngineEvent, { type: "turn.completed" | "turn.failed" }>,
  ): void {
    if (this.over) return;
    const events = [...(this.#translator?.close(status) ?? []), terminal];
    try {
      const last = this.#translator?.last;
      this.#options.onEnd({
        last: last?.id ?? (this.#prompt === "" ? undefined : this.#prompt),
        isRecorded: last?.completed === true,
        note: this.#note,
        isTold: last !== undefined,
        isCompleted: status === "completed",
      });
    } catch (error) {
      this.crash(error);
      return;
    }
    void this.tell(events);
    this.#over.abort("over");
    this.#controller.abort("over");
    this.#resolveEnded();
  }
}
