import {
  canonicalJson,
  headOf,
  LIMITS,
  USER_REJECTED,
  type ClaudeRequest,
  type ErrorDetail,
  type Item,
  type Prompt,
  type TunnelMessage,
} from "../../protocol/index.ts";
import { SERVER_STOPS, type EngineEvent, type Host, type TurnChannel, type TurnMoney } from "../engine.ts";
import { ABORTED } from "../loop/turn.ts";
import type { HomeDoor, HomePort } from "./door.ts";
import { HomeTranslation, usageOf, type HomeChunk } from "./translate.ts";

export interface HomeTurnOptions {
  readonly host: Host;
  readonly channel: TurnChannel;
  readonly door: HomeDoor;
  readonly provider: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly request: ClaudeRequest;
  readonly prompt: Prompt;
  /** The most that home may spend on it, micro-USD. */
  readonly max_cost_usd: number;
  /** Absent: it was paid in full when the last server died. */
  readonly money: TurnMoney | undefined;
  /** The items that the journal has of it. Empty: it is new. */
  readonly known: readonly Item[];
  /** The prompt may have been sent before. */
  readonly isAgain: boolean;
  /** Undefined: home has no session yet. */
  readonly homeSession: () => string | undefined;
  readonly onCreated: (home_session_id: string) => void;
}

type ApprovalMessage = Extract<TunnelMessage, { type: "tool_approval" }>;

/** One turn that home runs: sent once, told from where it was after each cut, ended once, billed once. */
export class HomeTurn {
  /** Resolves when the session knows its end, or the server stops. */
  readonly ended: Promise<void>;
  readonly #options: HomeTurnOptions;
  readonly #translation: HomeTranslation;
  /** Questions here, by home's ids of them. */
  readonly #questions = new Map<string, AbortController>();
  readonly #waiting: { readonly message: TunnelMessage; readonly chars: number }[] = [];
  #waitingChars = 0;
  readonly #over = new AbortController();
  #resolve: () => void = () => undefined;
  #isPumping = false;
  #port: HomePort | undefined = undefined;
  #isCreated = false;
  /** Home may have the prompt. */
  #isSent: boolean;
  #isBilled = false;
  /** Ends with each new link. */
  #waitingFor = new AbortController();

  constructor(options: HomeTurnOptions) {
    this.#options = options;
    this.#translation = new HomeTranslation(options.host.newId, options.known);
    this.#isSent = options.isAgain;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { door, provider, session_id, channel } = this.#options;
    const stop = (): void => void this.#stop();
    channel.signal.addEventListener("abort", stop, { once: true });
    try {
      this.#port = await door.open(provider, session_id, {
        message: (message) => this.#take(message),
        linked: () => this.#begin(),
        lost: (reason) => void this.#lost(reason),
      });
      if (channel.signal.aborted) stop();
      else this.#begin();
    } catch (error) {
      this.#fail({ code: "model_unavailable", message: `the machine at home cannot be reached: ${wordsOf(error)}` });
    }
    await this.ended;
    channel.signal.removeEventListener("abort", stop);
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** On the first link, and on each that takes the place of one that ended. */
  #begin(): void {
    const { session_id, request, host, homeSession } = this.#options;
    this.#waitingFor.abort();
    if (this.#isOver) {
      this.#interrupt();
      return;
    }
    this.#isCreated = false;
    this.#translation.restart();
    const home_session_id = homeSession();
    const known = home_session_id === undefined ? {} : { home_session_id };
    this.#port?.send({ type: "create_session", request, session_id, by_turn: true, ...known });
    const waiting = this.#wait();
    void host.sleep(LIMITS.tunnelCreateMs, waiting).then(() => {
      if (waiting.aborted || this.#isCreated) return;
      this.#fail({ code: "model_unavailable", message: "the machine at home does not answer: try again" });
    });
  }

  async #lost(reason: string): Promise<void> {
    if (this.#isOver) return;
    const waiting = this.#wait();
    await this.#options.host.sleep(LIMITS.tunnelTurnLostMs, waiting);
    if (waiting.aborted) return;
    const seconds = LIMITS.tunnelTurnLostMs / 1_000;
    this.#fail({ code: "model_unavailable", message: `the tunnel was lost for ${seconds} s: ${reason}` });
  }

  #wait(): AbortSignal {
    this.#waitingFor.abort();
    this.#waitingFor = new AbortController();
    return AbortSignal.any([this.#waitingFor.signal, this.#over.signal]);
  }

  #take(message: TunnelMessage): void {
    if (this.#isOver) {
      if (message.type === "chunk") this.#bill(message);
      return;
    }
    const chars = JSON.stringify(message).length;
    const isMuch = this.#waitingChars > 0 && this.#waitingChars + chars > LIMITS.tunnelTurnChars;
    if (isMuch || this.#waiting.length >= LIMITS.tunnelTurnMessages) {
      this.#fail({ code: "limit_reached", message: "home tells more than can be written down: the turn was stopped" });
      return;
    }
    this.#waiting.push({ message, chars });
    this.#waitingChars += chars;
    if (!this.#isPumping) void this.#pump();
  }

  /** One message after the other, as fast as the session can take them. */
  async #pump(): Promise<void> {
    this.#isPumping = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#handle(next.message);
      this.#waitingChars -= next.chars;
    }
    this.#isPumping = false;
  }

  async #handle(message: TunnelMessage): Promise<void> {
    if (this.#isOver) {
      if (message.type === "chunk") this.#bill(message);
      return;
    }
    switch (message.type) {
      case "session_created":
        this.#created(message.home_session_id);
        return;
      case "chunk":
        if (message.turn_id === this.#options.turn_id) await this.#chunk(message);
        return;
      case "tool_approval":
        if (message.turn_id === this.#options.turn_id) await this.#ask(message);
        return;
      case "tool_approval_response":
        this.#questions.get(message.request_id ?? "")?.abort();
        return;
      case "error":
        this.#refused(message);
        return;
      case "create_session":
      case "prompt":
      case "stop":
      case "stopped":
      case "pause":
      case "resume":
      case "interrupt":
        return;
    }
  }

  #created(home_session_id: string | undefined): void {
    if (this.#isCreated) return;
    this.#isCreated = true;
    if (home_session_id === undefined) {
      this.#fail({ code: "unsupported", message: UNMETERED });
      return;
    }
    const { onCreated, prompt, session_id, turn_id, max_cost_usd } = this.#options;
    onCreated(home_session_id);
    this.#isSent = true;
    this.#port?.send({ type: "prompt", session_id, content: contentOf(prompt), turn_id, max_cost_usd });
  }

  async #chunk(chunk: HomeChunk): Promise<void> {
    const events = this.#translation.next(chunk);
    if (chunk.chunk_type === "done") {
      this.#end([...events, ...this.#translation.end(NOT_TOLD)], chunk);
      return;
    }
    if (chunk.chunk_type === "error" && chunk.code !== undefined) {
      const error: ErrorDetail = { code: chunk.code, message: chunk.delta ?? chunk.code };
      this.#end([...events, ...this.#translation.end(NOT_TOLD, "interrupted")], chunk, error);
      return;
    }
    if (this.#translation.isBounded) await this.#options.channel.tell(events);
    else this.#fail({ code: "limit_reached", message: "home runs too many calls at once: the turn was stopped" });
  }

  #end(events: readonly EngineEvent[], chunk: HomeChunk, error?: ErrorDetail): void {
    const usage: readonly EngineEvent[] =
      chunk.usage === undefined ? [] : [{ type: "usage", usage: usageOf(chunk.usage) }];
    // The bill first: the turn's end tells its cost.
    this.#bill(chunk);
    const cost = { engine_cost_microusd: chunk.cost_usd };
    this.#finish([
      ...events,
      ...usage,
      error === undefined
        ? { type: "turn.completed", stop_reason: "end_turn", ...cost }
        : { type: "turn.failed", error, ...cost },
    ]);
  }

  /** Somebody here is asked, where the owner of the machine lets them answer. */
  async #ask(message: ApprovalMessage): Promise<void> {
    const { tool, params: input, request_id = "", call_id = request_id, preview, may_answer } = message;
    const { channel } = this.#options;
    const { item, isOver, events } = this.#translation.call(call_id, { tool, input });
    await channel.tell(events);
    if (isOver || this.#questions.has(request_id)) return;
    if (may_answer !== true) {
      const words = `The owner of the machine at home is asked about ${tool}: only they may answer.`;
      await channel.tell([{ type: "notice", message: words }]);
      return;
    }
    const question = new AbortController();
    this.#questions.set(request_id, question);
    const asked = { tool, input, ...(preview === undefined ? {} : { preview }) };
    void this.#answer({ item_id: item.id, call_id, request_id, asked, question });
  }

  async #answer({
    item_id,
    call_id,
    request_id,
    asked,
    question,
  }: {
    readonly item_id: string;
    readonly call_id: string;
    readonly request_id: string;
    readonly asked: Readonly<Record<string, unknown>>;
    readonly question: AbortController;
  }): Promise<void> {
    const { host, channel, session_id } = this.#options;
    const signal = AbortSignal.any([question.signal, channel.signal, this.#over.signal]);
    try {
      // It waits at home, so it has not begun there.
      const verdict = await host.permit({ item_id, input: asked, foreign: true, notRun: true }, signal);
      this.#questions.delete(request_id);
      if (signal.aborted) return;
      const isSame = verdict.effect === "allow" && canonicalJson(verdict.input) === canonicalJson(asked);
      // Home puts its own words before those of the person.
      const feedback =
        verdict.effect === "deny"
          ? verdict.message.replace(USER_REJECTED, "")
          : `run it with this input instead: ${JSON.stringify(verdict.input["input"])}`;
      if (verdict.effect === "deny") this.#translation.refuse(call_id, verdict);
      this.#port?.send({
        type: "tool_approval_response",
        session_id,
        approved: isSame,
        request_id,
        ...(isSame ? {} : { feedback: feedback.slice(0, LIMITS.feedbackChars) }),
        ...(verdict.effect === "deny" && verdict.interrupt ? { interrupt: true } : {}),
      });
      if (verdict.effect === "deny" && verdict.interrupt)
        this.#fail({ code: "rejected_and_stopped", message: verdict.message });
    } catch (error) {
      this.#fail({ code: "engine_failed", message: wordsOf(error) });
    }
  }

  #refused({ code, error, turn_id }: Extract<TunnelMessage, { type: "error" }>): void {
    const isOurs = turn_id === undefined ? !this.#isCreated : turn_id === this.#options.turn_id;
    if (isOurs) {
      // Home took no prompt.
      if (turn_id !== undefined && !this.#options.isAgain) this.#isSent = false;
      this.#fail({ code: code ?? "engine_failed", message: `home refused: ${error}` });
    } else if (turn_id === undefined)
      void this.#options.channel.tell([
        { type: "notice", message: `home: ${error}`.slice(0, LIMITS.engineNoticeChars) },
      ]);
  }

  /** The turn must end here. When the server stops, home goes on: the next server takes the turn up. */
  async #stop(): Promise<void> {
    const { channel, host } = this.#options;
    if (channel.signal.reason === SERVER_STOPS) {
      this.#over.abort();
      this.#port?.close();
      this.#resolve();
      return;
    }
    if (this.#isOver) return;
    this.#interrupt();
    if (this.#isSent) await host.sleep(LIMITS.tunnelInterruptMs, this.#over.signal);
    this.#fail(ABORTED);
  }

  #interrupt(): void {
    const { session_id, turn_id, homeSession } = this.#options;
    const home_session_id = homeSession();
    if (this.#isSent && !this.#isBilled && home_session_id !== undefined)
      this.#port?.send({ type: "interrupt", session_id, home_session_id, turn_id });
  }

  #fail(error: ErrorDetail): void {
    if (this.#isOver) return;
    this.#finish([...this.#translation.end(NOT_TOLD, "interrupted"), { type: "turn.failed", error }]);
  }

  #finish(events: readonly EngineEvent[]): void {
    if (this.#isOver) return;
    this.#over.abort();
    void this.#options.channel.tell(events);
    this.#resolve();
    if (this.#isBilled) this.#port?.close();
    else if (!this.#isSent) {
      this.#options.money?.release();
      this.#isBilled = true;
      this.#port?.close();
    } else void this.#awaitBill();
  }

  /** Home is told to stop, and has a while to say what the turn has cost. Then all that was reserved counts. */
  async #awaitBill(): Promise<void> {
    this.#interrupt();
    const { host, money } = this.#options;
    const billed = new AbortController();
    this.#billed = () => billed.abort();
    await host.sleep(LIMITS.tunnelSettleMs, billed.signal);
    if (!this.#isBilled) money?.settleAll();
    this.#isBilled = true;
    this.#port?.close();
  }

  #billed: () => void = () => undefined;

  #bill(chunk: HomeChunk): void {
    const isEnd = chunk.chunk_type === "done" || (chunk.chunk_type === "error" && chunk.code !== undefined);
    if (!isEnd || chunk.turn_id !== this.#options.turn_id || this.#isBilled) return;
    this.#isBilled = true;
    this.#options.money?.settle({ usage: chunk.usage, cost_microusd: chunk.cost_usd });
    this.#billed();
  }
}

const NOT_TOLD = "Home did not say how it ended.";
const UNMETERED =
  "the machine at home does not say what its turns cost, so nothing limits what they spend: update Sallyport there";

/** Texts that came with a prompt are part of it; pictures are refused before. */
function contentOf({ text, attachments = [] }: Prompt): string {
  const texts = attachments.flatMap((one) =>
    one.type === "text" ? [`${one.name === undefined ? "" : `${one.name}:\n`}${one.text}`] : [],
  );
  return headOf([text, ...texts].join("\n\n"), LIMITS.promptChars);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
