import { LIMITS, NO_USAGE, UNKNOWN_OUTCOME, type ErrorDetail, type SessionSettings } from "../../protocol/index.ts";
import { errorResult, type ToolResult } from "../../tools/tool.ts";
import { aside, GO_ON, stoppedBy } from "../claude/messages.ts";
import type { EngineEvent, MeteredRequest } from "../engine.ts";
import { ABORTED, orAborted } from "../loop/turn.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";
import type { ProcessEnd } from "../vendor/output.ts";
import { VendorTurn, type VendorTurnOptions } from "../vendor/turn.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { AgentProgram } from "./agents.ts";
import type { CallReports } from "./call-reports.ts";
import { TurnCalls } from "./calls.ts";
import { ClientRequests } from "./client-requests.ts";
import { AgentGone, RPC, RpcError } from "./connection.ts";
import type { PromptEnd } from "./known-turns.ts";
import { OwnCalls } from "./own-calls.ts";
import { endWords, failureOf, isDropped, maxTurns, rejectedWords, stopOf, tooMany } from "./outcome.ts";
import { Speech, type SpeechChunk } from "./speech.ts";

export interface AgentTurnOptions extends VendorTurnOptions {
  readonly agent: AgentProgram;
  readonly settings: SessionSettings;
  readonly reports: CallReports;
  /** `note`: what the model must still be told in the next turn; empty: nothing. */
  readonly onEnd: (end: PromptEnd, note: string) => void;
  /** The agent was told to stop, and has not answered yet. */
  readonly onSlow: () => void;
}

/** One turn: what the agent says and does becomes events, its questions are answered, and it ends exactly once. */
export class AgentTurn extends VendorTurn {
  readonly calls: TurnCalls;
  readonly #options: AgentTurnOptions;
  readonly #speech: Speech;
  readonly #own: OwnCalls;
  readonly #client: ClientRequests;
  /** Resolves when what the agent told of its own calls is told. */
  #updates: Promise<unknown> = Promise.resolve();
  #process: AgentProcess | undefined;
  /** How the process ended, if it did. */
  #end: ProcessEnd | undefined;
  #stopped: ErrorDetail | undefined;
  #isPrompting = false;
  /** How it answered its last prompt. */
  #answered: Exclude<PromptEnd, "completed"> = "none";
  /** Something of the turn was told. */
  #hasItems = false;
  /** Calls of our tools that are open. */
  #offered = 0;
  /** The last model request of the turn. */
  #metered: MeteredRequest | undefined;
  #refusals = 0;
  /** Model requests in a row that failed. */
  #failures = 0;
  /** What people are told if the agent asks the model again; absent: the last request did not fail. */
  #retrying: string | undefined;
  /** Model requests of the turn that were answered. */
  #rounds = 0;
  /** What a person said to a call that the agent could only be told no about. */
  #feedback: string[] = [];
  #note = "";

  constructor(options: AgentTurnOptions) {
    super(options);
    this.#options = options;
    const { host, agent, settings, reports } = options;
    this.#speech = new Speech(host.newId);
    const before = (): readonly EngineEvent[] => this.#speech.end("completed");
    this.calls = new TurnCalls({
      host,
      signal: this.signal,
      tell: (events) => this.tell(events),
      onStop: (error) => this.stop(error),
      ask: (item, terms) => this.ask(item, this.signal, terms),
    });
    this.#own = new OwnCalls({
      agent: agent.name,
      calls: this.calls,
      before,
      hasOurs: agent.tools === "sallyport",
      reports,
      sleep: (ms, signal) => host.sleep(ms, signal),
      onFeedback: (item, words) => {
        this.#note = stoppedBy(item, words);
        this.#feedback.push(rejectedWords(item, words));
      },
    });
    this.#client = new ClientRequests({
      host,
      workspace: settings.workspace,
      calls: this.calls,
      own: this.#own,
      before,
    });
  }

  get stopped(): ErrorDetail | undefined {
    return this.#stopped;
  }

  override tell(events: readonly EngineEvent[]): Promise<void> {
    this.#hasItems ||= !this.over && events.some(({ type }) => type === "item.started");
    return super.tell(events);
  }

  noise(line: string): void {
    this.notice(`${this.#options.agent.title} says: ${line.slice(0, LIMITS.engineNoticeChars)}`);
  }

  /**
   * Prompts the agent until the turn has ended. Never rejects. True: its process died before anything came of the turn, so that another one
   * can be prompted; only where that `mayRestart`.
   */
  async run(
    process: AgentProcess,
    first: readonly VendorFields[],
    { mayRestart }: { readonly mayRestart: boolean },
  ): Promise<boolean> {
    this.#process = process;
    let blocks: readonly VendorFields[] | undefined = first;
    while (blocks !== undefined && !this.over && this.#stopped === undefined) {
      this.#isPrompting = true;
      this.#answered = "none";
      this.#metered = undefined;
      this.#failures = 0;
      this.sign();
      const answer: VendorFields | RpcError | AgentGone = await process.prompt(blocks).catch((error: unknown) => {
        if (error instanceof RpcError || error instanceof AgentGone) return error;
        throw error;
      });
      this.#isPrompting = false;
      if (!(answer instanceof AgentGone)) this.#answered = isDropped(answer) ? "failed" : "stopped";
      await this.#updates;
      if (answer instanceof AgentGone && mayRestart && !this.#hasItems && !this.over && this.#stopped === undefined)
        return true;
      blocks = this.over ? undefined : await this.#next(answer);
    }
    if (this.#stopped !== undefined) this.fail(this.#stopped);
    return false;
  }

  /** What the agent is prompted with next. Undefined: the turn has ended. */
  async #next(answer: VendorFields | RpcError | AgentGone): Promise<readonly VendorFields[] | undefined> {
    if (this.#stopped !== undefined) {
      this.fail(this.#stopped);
      return undefined;
    }
    if (answer instanceof AgentGone) {
      this.fail(endWords(this.#options.agent.title, this.#end));
      return undefined;
    }
    const isRefused = this.#metered?.refusal === "budget_exceeded";
    if (isRefused) return this.#funds();
    this.#refusals = 0;
    const failure = failureOf(this.#options.agent.title, answer, this.#metered);
    if (failure !== undefined) {
      this.fail(failure);
      return undefined;
    }
    if (this.#feedback.length > 0) {
      const words = this.#feedback.splice(0).join("\n\n");
      this.#note = "";
      return [aside(words)];
    }
    const stop = stopOf(answer instanceof RpcError ? {} : answer, this.#options.settings);
    if (stop.type === "turn.failed") this.fail(stop.error);
    else this.#finish("completed", stop);
    return undefined;
  }

  async #funds(): Promise<readonly VendorFields[] | undefined> {
    this.#refusals += 1;
    const out: ErrorDetail = { code: "budget_exceeded", message: "the budget is used up; have it raised, then go on" };
    if (this.#refusals > LIMITS.engineFundsRounds) {
      this.fail(out);
      return undefined;
    }
    // What it said about the refusal is no answer.
    void this.tell(this.#speech.end("superseded"));
    const funds = await this.waitFor(async () => orAborted(this.#options.host.funds(this.signal), this.signal));
    if (funds === undefined || this.over) {
      this.fail(this.#stopped ?? ABORTED);
      return undefined;
    }
    if (funds.granted) return [aside(GO_ON)];
    this.fail({ ...out, message: funds.message });
    return undefined;
  }

  /** A model request has ended. */
  metered(request: MeteredRequest): void {
    if (this.over) return;
    this.#metered = request;
    this.sign();
    const { usage, status, completed } = request;
    this.#rounds += usage.model_calls;
    if (JSON.stringify(usage) !== JSON.stringify({ ...NO_USAGE, model_calls: usage.model_calls }))
      void this.tell([{ type: "usage", usage }]);
    // It did ask again.
    if (this.#retrying !== undefined) void this.tell([{ type: "notice", message: this.#retrying }]);
    this.#retrying = undefined;
    if (completed && status < 400) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (request.refusal === "budget_exceeded") {
      // Most end their turn. One that asks again all the same is told to, so that a person is asked for money.
      if (this.#failures > 1) this.#process?.cancel();
      return;
    }
    const words = status >= 400 ? `the model answered ${status}` : "the model's answer broke off";
    if (this.#failures > LIMITS.modelRetries) {
      // Some ask for ever, with longer and longer waits.
      this.stop(failureOf(this.#options.agent.title, {}, request) ?? ABORTED);
      return;
    }
    if (request.refusal !== undefined) return;
    this.#retrying = `${words}; ${this.#options.agent.title} asks again`;
  }

  notified(method: string, params: VendorFields): void {
    if (this.over || method !== "session/update") return;
    this.sign();
    const update = record(params["update"]);
    const said = (): SpeechChunk => ({
      text: text(record(update["content"])["text"]) ?? "",
      message: text(update["messageId"]),
    });
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        if (this.#metered?.refusal === undefined) void this.tell(this.#speech.add("agent_message", said()));
        return;
      case "agent_thought_chunk":
        void this.tell(this.#speech.add("reasoning", said()));
        return;
      case "tool_call":
      case "tool_call_update":
        this.#updates = Promise.all([this.#updates, this.#ownCall(update)]);
        return;
      default:
    }
  }

  async #ownCall(update: VendorFields): Promise<void> {
    try {
      if (await this.#own.update(update)) return;
      this.stop(tooMany(this.#options.agent.title));
    } catch (error) {
      this.crash(error);
    }
  }

  async requested(method: string, params: VendorFields): Promise<VendorFields> {
    this.sign();
    try {
      if (this.over || this.#stopped !== undefined) {
        if (method === "session/request_permission") return { outcome: { outcome: "cancelled" } };
        throw new RpcError(RPC.internal, "The turn is over.");
      }
      if (method === "session/request_permission") return await this.#own.permission(params);
      const answer = this.#client.answer(method, params);
      if (answer === undefined) throw new RpcError(RPC.unknownMethod, `unknown method ${method}`);
      return await answer;
    } catch (error) {
      if (error instanceof RpcError) throw error;
      this.crash(error);
      throw new RpcError(RPC.internal, "The turn is over.");
    }
  }

  /** One of our tools, which the agent calls. */
  async runOfferedTool(call: {
    readonly tool: string;
    readonly input: VendorFields;
    readonly signal: AbortSignal;
  }): Promise<ToolResult> {
    if (this.over || this.#stopped !== undefined) return errorResult("The turn is over.");
    this.sign();
    if (this.#offered >= LIMITS.agentOpenCalls) {
      this.stop(tooMany(this.#options.agent.title));
      return errorResult("The turn is over.");
    }
    this.#offered += 1;
    try {
      await this.#own.served(call, AbortSignal.any([this.signal, call.signal]));
      const result = await this.calls.perform(call, this.#speech.end("completed"), call.signal);
      this.#own.answered(call);
      if (this.#rounds >= this.#options.settings.max_turns) this.stop(maxTurns(this.#options.settings));
      // Answering before the agent has stopped would make it ask the model once more. It takes the call back, or ends its turn.
      const stopped = AbortSignal.any([this.overSignal, call.signal]);
      if (this.signal.aborted) await orAborted(new Promise<never>(() => undefined), stopped);
      return result;
    } catch (error) {
      this.crash(error);
      return errorResult("The turn is over.");
    } finally {
      this.#offered -= 1;
    }
  }

  protected get isBusy(): boolean {
    return this.calls.isBusy;
  }

  /** Ends the turn. The first reason counts. */
  stop(error: ErrorDetail): void {
    if (this.#stopped !== undefined || this.over) return;
    this.#stopped = error;
    if (error.code === "rejected_and_stopped" && this.#note === "")
      this.#note = `Your turn was stopped: ${error.message}`;
    this.abort(error);
    if (!this.#isPrompting) return this.fail(error);
    void this.#cancel();
  }

  /** Our own tools end first, so that their outcome is known; then the agent ends the turn, or is ended. */
  async #cancel(): Promise<void> {
    const { host, onSlow } = this.#options;
    const settled = new AbortController();
    void this.calls.settled().then(() => settled.abort());
    await host.sleep(LIMITS.engineToolEndMs, AbortSignal.any([settled.signal, this.overSignal]));
    if (this.over) return;
    this.#process?.cancel();
    await host.sleep(LIMITS.engineInterruptMs, this.overSignal);
    if (this.over) return;
    onSlow();
    this.fail(ABORTED);
  }

  /** The process has ended; whoever waits for its answer ends the turn. */
  lost(end: ProcessEnd): void {
    this.#end = end;
  }

  fail(error: ErrorDetail): void {
    this.#finish("interrupted", { type: "turn.failed", error: this.#stopped ?? error });
  }

  override crash(error: unknown): void {
    if (!this.over) super.crash(error);
  }

  #finish(
    status: "completed" | "interrupted",
    terminal: Extract<EngineEvent, { type: "turn.completed" | "turn.failed" }>,
  ): void {
    if (this.over) return;
    this.#client.close();
    const events = [...this.#speech.end(status), ...this.calls.close(UNKNOWN_OUTCOME), terminal];
    this.#options.onEnd(terminal.type === "turn.completed" ? "completed" : this.#answered, this.#note);
    void this.tell(events);
    this.end();
  }
}
