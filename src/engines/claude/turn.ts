import { LIMITS, outputText, QUESTION_TOOL, type ErrorDetail, type ToolItem } from "../../protocol/index.ts";
import { errorResult, type ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Verdict } from "../engine.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import { ABORTED, orAborted } from "../loop/turn.ts";
import { Arrivals } from "./arrivals.ts";
import type { VendorDecision, VendorTransport } from "./transport.ts";
import { outcomeOf } from "./outcome.ts";
import { aside, GO_ON, promptContent, stoppedBy } from "./messages.ts";
import { idsFrom, randomIds, type IdFor, type JournaledTurn } from "./replay.ts";
import { promptId } from "./state.ts";
import { VendorTranslator, type AskedCall } from "./translate.ts";
import type { AllowedCall, TurnOptions } from "./turn-options.ts";
import { endWords, withPlainAnswers } from "./turn-words.ts";
import type { ResultMessage, VendorMessage, VendorToolResult } from "./wire.ts";
import type { ProcessEnd } from "../vendor/output.ts";
import type { VendorFields } from "../vendor/fields.ts";
import { VendorTurn } from "../vendor/turn.ts";

const OVER: VendorDecision = { behavior: "deny", message: "The turn is over." };

/** One turn: turns the vendor program's messages into events, answers its questions, and ends exactly once. */
export class TurnRun extends VendorTurn {
  readonly #options: TurnOptions;
  readonly #translator: VendorTranslator;
  /** Calls that may run now, with their permitted input. */
  readonly #allowed = new Map<string, AllowedCall>();
  readonly #arrivals = new Arrivals();
  #transport: VendorTransport | undefined;
  #stopped: ErrorDetail | undefined;
  /** The process is idle: it waits for a message. */
  #idle = true;
  #refusals = 0;
  #wasLost = false;
  /** The turn has produced an event or a question. */
  #fruitful = false;
  #again = false;
  #askingForFunds = false;
  #idFor: IdFor;
  /** What the journal has of the turn, if it began under another server and its process lives on. */
  #journaled: JournaledTurn | undefined;
  #sends = 0;
  #cost: number | undefined;
  /** People sent something into the turn. */
  #isSteered = false;
  /** Our own tools that are running. */
  readonly #offered = new Set<Promise<void>>();
  /** A reason for stopping that the model may not read in this turn, and the call that it is about. */
  #note: { readonly tool_use_id: string; readonly message: string; readonly text: string } | undefined;

  constructor(options: TurnOptions) {
    super(options);
    this.#options = options;
    const { host } = options;
    this.#idFor = randomIds(host.newId);
    this.#translator = new VendorTranslator({ idFor: (...words) => this.#idFor(...words), now: host.elapsed });
  }

  /** Whether this is the second process of the turn. */
  get again(): boolean {
    return this.#again;
  }

  get stopped(): ErrorDetail | undefined {
    return this.#stopped;
  }

  /** From now on messages go to this process. */
  attach(transport: VendorTransport): void {
    this.#transport = transport;
    const { held } = transport;
    if (held !== undefined && this.#journaled === undefined) this.#saltIds(held.salt);
  }

  /** The turn began under another server: its output comes again from the beginning, and the journal has a part of it. */
  replay(journaled: JournaledTurn, salt: string): void {
    this.#journaled = journaled;
    this.#saltIds(salt);
    this.#idle = false;
    this.#fruitful = true;
    this.#sends = 1;
  }

  #saltIds(salt: string): void {
    this.#idFor = idsFrom(salt, this.#options.host.turnId());
  }

  /** The server stops: the process and the turn belong to the next one. False: they cannot outlive this one. */
  leave(): boolean {
    const { held } = this.#transport ?? {};
    if (held === undefined || this.over || this.#stopped !== undefined || this.#sends !== 1) return false;
    held.leave();
    this.end();
    return true;
  }

  /** What the journal has already is not told again. */
  override tell(events: readonly EngineEvent[]): Promise<void> {
    return super.tell(this.#journaled?.lacks(events) ?? events);
  }

  send(content: readonly VendorFields[], uuid: string = this.#options.newUuid()): void {
    this.#idle = false;
    this.sign();
    this.#sends += 1;
    // Only a turn whose process got one message can be followed from its output alone.
    if (this.#sends > 1) this.#transport?.held?.forfeit();
    this.#transport?.send({ uuid, content }, this.#sends > 1 ? undefined : this.#options.host.turnId());
  }

  protected get isBusy(): boolean {
    return this.#translator.busy;
  }

  /** Asks the process to end the turn. The first reason counts. */
  stop(error: ErrorDetail): void {
    if (!this.#stopping(error)) return;
    if (this.#idle || this.#transport === undefined) this.fail(error);
    else void this.#interrupt();
  }

  /** Our own tools end first, so that their outcome is known; then the process ends the turn. */
  async #interrupt(): Promise<void> {
    if (this.#offered.size > 0) {
      const ended = new AbortController();
      void Promise.allSettled(this.#offered).then(() => ended.abort());
      await this.#options.host.sleep(LIMITS.engineToolEndMs, AbortSignal.any([ended.signal, this.overSignal]));
    }
    if (!this.over) this.#transport?.interrupt();
  }

  heard(said: VendorMessage): void {
    if (this.over) return;
    // It said how long it will wait.
    if (said.type !== "keep_alive") this.sign(said.type === "retry" ? said.delay_ms : 0);
    if (said.type === "stream" && said.event.type === "message_delta") this.#refusals = 0;
    const events = this.#translator.take(said);
    if (events.length > 0) this.#fruitful = true;
    void this.tell(events);
    if (said.type === "assistant") this.#arrivals.tell();
    if (said.type === "user") this.#hasRead(said.outcomes);
    if (said.type === "result") this.#result(said);
  }

  /** The program may replace the reason with its own words. */
  #hasRead(outcomes: readonly VendorToolResult[]): void {
    const note = this.#note;
    const outcome = outcomes.find(({ tool_use_id }) => tool_use_id === note?.tool_use_id);
    if (note !== undefined && outcome !== undefined && outputText(outcome.content).includes(note.message))
      this.#note = undefined;
  }

  noise(line: string): void {
    this.#fruitful = true;
    void this.tell([{ type: "notice", message: `Claude Code says: ${line.slice(0, LIMITS.engineNoticeChars)}` }]);
  }

  /** The process has ended. */
  lost(end: ProcessEnd): void {
    // It existed before the turn, and ended before it was given anything: whoever connects starts another one.
    if (this.over || this.#transport === undefined) return;
    this.#transport = undefined;
    if (end.failure !== undefined || this.#fruitful || this.#again || this.#stopped !== undefined) {
      this.fail({ code: "engine_failed", message: endWords(end) });
      return;
    }
    this.#again = true;
    if (!this.#askingForFunds) this.#options.onGone();
  }

  async permit(call: AskedCall, signal: AbortSignal): Promise<VendorDecision> {
    try {
      return await this.#permit(call, AbortSignal.any([this.signal, signal]));
    } catch (error) {
      this.crash(error);
      return OVER;
    }
  }

  async #permit(call: AskedCall, signal: AbortSignal): Promise<VendorDecision> {
    this.#fruitful = true;
    await this.#messageOf(call.tool_use_id);
    if (this.over) return OVER;
    const { item, events } = this.#translator.begin(call);
    await this.tell(events);
    if (item.parent_id === undefined && !this.#isReading(item)) await this.#options.recorded(call.tool_use_id, signal);
    const verdict = this.#isAnswer(item)
      ? ({ effect: "allow", input: item.input } as const)
      : await this.ask(item, signal, this.#journaled === undefined ? {} : { notRun: true });
    call.onVerdict?.(verdict);
    this.#translator.decided(call.tool_use_id, verdict);
    if (verdict.effect === "allow" || !verdict.interrupt) await this.#steer();
    if (verdict.effect === "allow") return this.#allow(call, item, verdict.input);
    if (!verdict.interrupt) return { behavior: "deny", message: verdict.message };
    this.#note = { tool_use_id: call.tool_use_id, message: verdict.message, text: stoppedBy(item, verdict.message) };
    this.#stopping({ code: "rejected_and_stopped", message: verdict.message });
    return { behavior: "deny", message: verdict.message, interrupt: true };
  }

  /** A call is open, so the program will ask the model again: it reads what people sent into the turn before that. */
  async #steer(): Promise<void> {
    for (const steered of (await this.#options.channel.steered?.()) ?? []) {
      this.#isSteered = true;
      this.#options.onSteer(steered);
      this.send(promptContent(steered.prompt), promptId(steered.id));
    }
  }

  #isReading({ tool }: ToolItem): boolean {
    return this.#options.host.toolbox.traits(tool).tier === "read";
  }

  /** Its final answer in the requested form: there is nothing to decide. */
  #isAnswer({ tool, parent_id }: ToolItem): boolean {
    return tool === STRUCTURED_OUTPUT && parent_id === undefined && this.#options.settings.output_schema !== undefined;
  }

  /** Runs one of our tools, if it was allowed and with the permitted input. */
  async runOfferedTool(call: {
    readonly tool: string;
    readonly tool_use_id: string;
    readonly signal: AbortSignal;
  }): Promise<ToolResult> {
    const allowed = this.#allowed.get(call.tool_use_id);
    this.#allowed.delete(call.tool_use_id);
    if (allowed === undefined || allowed.item.tool !== call.tool || this.over)
      return errorResult("This call was not permitted.");
    const { item, input } = allowed;
    const refused = allowed.recalled === true ? await this.#askAgain(call.tool_use_id, item) : undefined;
    if (refused !== undefined) return errorResult(refused);
    const running = this.#options.host.toolbox.run(item.tool, input, {
      tool_use_id: call.tool_use_id,
      signal: AbortSignal.any([call.signal, this.signal]),
      onOutput: (delta) => void this.tell([{ type: "item.delta", item_id: item.id, field: "output", delta }]),
    });
    const told = running.then((result) => this.#ran(call.tool_use_id, item, result));
    this.#offered.add(told);
    const result = await running;
    await told;
    this.#offered.delete(told);
    // Answering a turn that is being stopped would make the program ask the model once more.
    if (this.signal.aborted) await orAborted(new Promise<never>(() => undefined), this.overSignal);
    await this.#steer();
    return result;
  }

  /** A dead server may have run it: then it is not run again. The reason why it may not run. */
  async #askAgain(tool_use_id: string, item: ToolItem): Promise<string | undefined> {
    const verdict = await this.ask(item, this.signal);
    if (verdict.effect === "allow") return undefined;
    this.#translator.decided(tool_use_id, verdict);
    return verdict.message;
  }

  /** A call that a dead server decided on, and whose program has the answer. */
  recall(call: AskedCall, verdict: Verdict): void {
    const begin = (): void => {
      const { item, events } = this.#translator.begin(call);
      void this.tell(events);
      this.#translator.decided(call.tool_use_id, verdict);
      if (verdict.effect === "allow")
        this.#allowed.set(call.tool_use_id, { item, input: verdict.input, recalled: true });
      else if (verdict.interrupt) this.#stopping({ code: "rejected_and_stopped", message: verdict.message });
    };
    if (!this.over) this.#arrivals.when(() => this.#translator.knows(call.tool_use_id), begin);
  }

  #ran(tool_use_id: string, item: ToolItem, result: ToolResult): void {
    this.#translator.ran(tool_use_id, result);
    const { refusal } = result;
    if (refusal === undefined) return;
    // It was permitted, asked about again just before it ran, and refused.
    const message = outputText(result.content);
    this.#translator.decided(tool_use_id, { effect: "deny", message, ...refusal });
    if (!refusal.interrupt) return;
    this.#note = { tool_use_id, message, text: stoppedBy(item, message) };
    this.stop({ code: "rejected_and_stopped", message });
  }

  fail(error: ErrorDetail): void {
    this.#finish("interrupted", { type: "turn.failed", error: this.#stopped ?? error, ...this.#costs() });
  }

  #allow(call: AskedCall, item: ToolItem, input: VendorFields): VendorDecision {
    this.#allowed.set(call.tool_use_id, { item, input });
    return { behavior: "allow", updatedInput: item.tool === QUESTION_TOOL ? withPlainAnswers(input) : input };
  }

  /** A question may arrive before the message that it is about; the wait for that is bounded. */
  async #messageOf(tool_use_id: string): Promise<void> {
    const known = new AbortController();
    const knows = (): boolean => this.#translator.knows(tool_use_id);
    const stop = this.#arrivals.when(knows, () => known.abort());
    await this.#options.host.sleep(LIMITS.engineMatchMs, AbortSignal.any([known.signal, this.signal]));
    stop();
  }

  #result(result: ResultMessage): void {
    this.#idle = true;
    if (result.cost_microusd !== undefined) this.#cost = (this.#cost ?? 0) + result.cost_microusd;
    if (this.#stopped !== undefined) {
      this.fail(this.#stopped);
      return;
    }
    const outcome = outcomeOf(result, {
      apiError: this.#translator.apiError,
      cut: this.#translator.deadStreams > 0,
      refusal: this.#options.host.refusal(),
      max_turns: this.#options.settings.max_turns,
      structured: this.#options.settings.output_schema !== undefined,
    });
    switch (outcome.type) {
      case "completed":
        this.#finish("completed", { ...outcome, type: "turn.completed", ...this.#costs() });
        return;
      case "failed":
        this.fail(outcome.error);
        return;
      case "funds":
        this.#funds(outcome.message).catch((error: unknown) => this.crash(error));
        return;
      case "lost":
        this.#lost(outcome.message);
    }
  }

  #lost(message: string): void {
    if (this.#wasLost) {
      this.fail({ code: "engine_failed", message: `Claude Code could not begin: ${message}` });
      return;
    }
    this.#wasLost = true;
    this.#transport = undefined;
    this.#options.onLost();
  }

  async #funds(message: string): Promise<void> {
    // Its output does not tell why the request was refused.
    this.#transport?.held?.forfeit();
    this.#sends += 1;
    this.#refusals += 1;
    if (this.#refusals > LIMITS.engineFundsRounds) {
      this.fail({ code: "budget_exceeded", message });
      return;
    }
    this.#askingForFunds = true;
    const funds = await this.waitFor(async () => orAborted(this.#options.host.funds(this.signal), this.signal));
    this.#askingForFunds = false;
    if (funds === undefined || this.over) return;
    if (!funds.granted) this.fail({ code: "budget_exceeded", message: funds.message });
    // The process died meanwhile.
    else if (this.#transport === undefined) this.#options.onGone();
    else this.send([aside(GO_ON)]);
  }

  /** Starts the end of the turn. False if it has already begun. */
  #stopping(error: ErrorDetail): boolean {
    if (this.#stopped !== undefined || this.over) return false;
    this.#stopped = error;
    this.#transport?.held?.forfeit();
    this.#translator.stop();
    this.abort(error);
    void this.#grace();
    return true;
  }

  /** The time that the process has to end the turn by itself. */
  async #grace(): Promise<void> {
    await this.#options.host.sleep(LIMITS.engineInterruptMs, this.overSignal);
    if (this.over) return;
    this.#options.onBroken();
    this.fail(ABORTED);
  }

  #costs(): { readonly engine_cost_microusd?: number } {
    return this.#cost === undefined ? {} : { engine_cost_microusd: this.#cost };
  }

  #finish(
    status: "completed" | "interrupted",
    terminal: Extract<EngineEvent, { type: "turn.completed" | "turn.failed" }>,
  ): void {
    if (this.over) return;
    // The program may still have it in its own queue, and would begin a turn with it. The next process is told what its record lacks.
    if (this.#isSteered && status === "interrupted") this.#options.onBroken();
    const events = [...this.#translator.close(status), terminal];
    try {
      this.#options.onEnd({ lastUuid: this.#translator.lastUuid, note: this.#note?.text });
    } catch (error) {
      this.crash(error);
      return;
    }
    void this.tell(events);
    this.end();
  }
}
