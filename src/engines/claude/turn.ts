import {
  Failure,
  LIMITS,
  outputText,
  QUESTION_TOOL,
  type ErrorDetail,
  type SessionSettings,
  type ToolItem,
} from "../../protocol/index.ts";
import { errorResult, type ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Host, ToolCall, TurnChannel, Verdict } from "../engine.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import { ABORTED, orAborted } from "../loop/turn.ts";
import type { VendorDecision, VendorTransport, ProcessEnd } from "./transport.ts";
import { outcomeOf } from "./outcome.ts";
import { aside, GO_ON, stoppedBy } from "./messages.ts";
import { VendorTranslator, type AskedCall } from "./translate.ts";
import type { VendorFields, ResultMessage, VendorMessage, VendorToolResult } from "./wire.ts";

const SILENT: ErrorDetail = {
  code: "engine_failed",
  message: "The assistant stopped responding and the turn was cancelled. Please try again.",
};
const OVER: VendorDecision = { behavior: "deny", message: "The turn is over." };

/** What outlives a turn. */
interface VendorTurnResult {
  /** The last message of the turn; absent: nothing was said. */
  readonly lastUuid: string | undefined;
  /** What the model must still be told; absent: nothing. */
  readonly note: string | undefined;
}

export interface TurnOptions {
  readonly host: Host;
  readonly settings: SessionSettings;
  readonly newUuid: () => string;
  readonly channel: TurnChannel;
  /** Called with all events before they are reported. */
  readonly onTell: (events: readonly EngineEvent[]) => void;
  /** Called once, before the last events are reported. */
  readonly onEnd: (end: VendorTurnResult) => void;
  /** The process is unusable from now on. */
  readonly onBroken: () => void;
  /** The vendor's record of the conversation is unusable: start again without it. */
  readonly onLost: () => void;
  /** The process died before the turn produced anything: start again with another one. At most once. */
  readonly onGone: () => void;
}

/** One turn: turns the vendor program's messages into events, answers its questions, and ends exactly once. */
export class TurnRun {
  /** Resolves when the turn has ended, rejects when it crashed. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #rejectEnded: (error: unknown) => void = () => undefined;
  #room: Promise<void> = Promise.resolve();
  readonly #options: TurnOptions;
  readonly #translator: VendorTranslator;
  readonly #controller = new AbortController();
  readonly #over = new AbortController();
  /** Calls that may run now, with their permitted input. */
  readonly #allowed = new Map<string, { readonly item: ToolItem; readonly input: VendorFields }>();
  readonly #arrivals = new Set<() => void>();
  #transport: VendorTransport | undefined;
  #stopped: ErrorDetail | undefined;
  /** The process is idle: it waits for a message. */
  #idle = true;
  #waiting = 0;
  #lastSign: number;
  #refusals = 0;
  #wasLost = false;
  /** The turn has produced an event or a question. */
  #fruitful = false;
  #again = false;
  #askingForFunds = false;
  readonly #notices = new Set<string>();
  #cost: number | undefined;
  /** Our own tools that are running. */
  readonly #offered = new Set<Promise<void>>();
  /** A reason for stopping that the model may not read in this turn, and the call that it is about. */
  #note: { readonly tool_use_id: string; readonly message: string; readonly text: string } | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    const { host } = options;
    this.#translator = new VendorTranslator({ newId: host.newId, now: host.elapsed });
    this.#lastSign = host.elapsed();
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

  /** From now on messages go to this process. */
  attach(transport: VendorTransport): void {
    this.#transport = transport;
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

  /** Each is reported once. */
  notice(message: string): void {
    if (this.#notices.has(message)) return;
    this.#notices.add(message);
    void this.tell([{ type: "notice", message }]);
  }

  send(content: readonly VendorFields[], uuid: string = this.#options.newUuid()): void {
    this.#idle = false;
    this.#lastSign = this.#options.host.elapsed();
    this.#transport?.send({ uuid, content });
  }

  /** Watches over the process until the turn is over. */
  async watch(): Promise<void> {
    const { host } = this.#options;
    while (!this.over) {
      if (this.#waiting > 0 || this.#translator.busy) this.#lastSign = host.elapsed();
      const left = LIMITS.engineSilenceMs - (host.elapsed() - this.#lastSign);
      if (left <= 0) {
        this.#options.onBroken();
        this.fail(SILENT);
        return;
      }
      await host.sleep(left, this.#over.signal);
    }
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
      await this.#options.host.sleep(LIMITS.engineToolEndMs, AbortSignal.any([ended.signal, this.#over.signal]));
    }
    if (!this.over) this.#transport?.interrupt();
  }

  heard(said: VendorMessage): void {
    if (this.over) return;
    if (said.type !== "keep_alive") this.#lastSign = this.#options.host.elapsed();
    // It said how long it will wait.
    if (said.type === "retry") this.#lastSign += said.delay_ms;
    if (said.type === "stream" && said.event.type === "message_delta") this.#refusals = 0;
    const events = this.#translator.take(said);
    if (events.length > 0) this.#fruitful = true;
    void this.tell(events);
    if (said.type === "assistant") for (const arrived of this.#arrivals) arrived();
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

  /** Resolves when the session can take more. */
  drained(): Promise<void> {
    return this.#room;
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
    const verdict = this.#isAnswer(item)
      ? ({ effect: "allow", input: item.input } as const)
      : await this.ask(item, signal);
    this.#translator.decided(call.tool_use_id, verdict);
    if (verdict.effect === "allow") return this.#allow(call, item, verdict.input);
    if (!verdict.interrupt) return { behavior: "deny", message: verdict.message };
    this.#note = { tool_use_id: call.tool_use_id, message: verdict.message, text: stoppedBy(item, verdict.message) };
    this.#stopping({ code: "rejected_and_stopped", message: verdict.message });
    return { behavior: "deny", message: verdict.message, interrupt: true };
  }

  /** Its final answer in the requested form: there is nothing to decide. */
  #isAnswer({ tool, parent_id }: ToolItem): boolean {
    return tool === STRUCTURED_OUTPUT && parent_id === undefined && this.#options.settings.output_schema !== undefined;
  }

  /** Decides on a call whose item was reported. */
  async ask(item: ToolItem, signal: AbortSignal, terms: Pick<ToolCall, "ready"> = {}): Promise<Verdict> {
    this.#waiting += 1;
    try {
      const verdict = signal.aborted
        ? undefined
        : await orAborted(this.#options.host.permit({ item_id: item.id, input: item.input, ...terms }, signal), signal);
      return verdict ?? { effect: "deny", message: "Interrupted.", status: "interrupted", interrupt: false };
    } catch (error) {
      if (error instanceof Failure)
        return { effect: "deny", message: `Error: ${error.message}`, status: "failed", interrupt: false };
      throw error;
    } finally {
      this.#waiting -= 1;
      this.#lastSign = this.#options.host.elapsed();
    }
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
    if (this.signal.aborted) await orAborted(new Promise<never>(() => undefined), this.#over.signal);
    return result;
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
    if (this.#translator.knows(tool_use_id)) return;
    const known = new AbortController();
    const arrived = (): void => {
      if (this.#translator.knows(tool_use_id)) known.abort();
    };
    this.#arrivals.add(arrived);
    await this.#options.host.sleep(LIMITS.engineOrderMs, AbortSignal.any([known.signal, this.signal]));
    this.#arrivals.delete(arrived);
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
    this.#refusals += 1;
    if (this.#refusals > LIMITS.engineFundsRounds) {
      this.fail({ code: "budget_exceeded", message });
      return;
    }
    this.#waiting += 1;
    this.#askingForFunds = true;
    const funds = await orAborted(this.#options.host.funds(this.signal), this.signal);
    this.#askingForFunds = false;
    this.#waiting -= 1;
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
    this.#translator.stop();
    this.#controller.abort(error);
    void this.#grace();
    return true;
  }

  /** The time that the process has to end the turn by itself. */
  async #grace(): Promise<void> {
    await this.#options.host.sleep(LIMITS.engineInterruptMs, this.#over.signal);
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
    const events = [...this.#translator.close(status), terminal];
    try {
      this.#options.onEnd({ lastUuid: this.#translator.lastUuid, note: this.#note?.text });
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

function endWords({ code, signal, complaint, failure }: ProcessEnd): string {
  if (failure !== undefined) return `Claude Code was ended because ${failure}. Send the prompt again.`;
  const how = signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
  const said = complaint.trim();
  return `Claude Code ended unexpectedly, ${how}${said === "" ? "" : `: ${said}`}. Send the prompt again.`;
}

/** The vendor's program accepts one text for each question. */
function withPlainAnswers(input: VendorFields): VendorFields {
  const { answers } = input;
  if (typeof answers !== "object" || answers === null) return input;
  const plain = Object.entries(answers).map(([question, answer]): [string, string] => [
    question,
    Array.isArray(answer) ? answer.join(", ") : String(answer),
  ]);
  return { ...input, answers: Object.fromEntries(plain) };
}
