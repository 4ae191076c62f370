import { Failure, LIMITS, type ErrorDetail, type ToolItem } from "../../protocol/index.ts";
import type { EngineEvent, Host, ToolCall, TurnChannel, Verdict } from "../engine.ts";
import { orAborted } from "../loop/turn.ts";

export const SILENT: ErrorDetail = {
  code: "engine_failed",
  message: "The assistant stopped responding and the turn was cancelled. Please try again.",
};

export interface VendorTurnOptions {
  readonly host: Host;
  readonly channel: TurnChannel;
  /** Called with all events before they are reported. */
  readonly onTell: (events: readonly EngineEvent[]) => void;
  /** The process is unusable from now on. */
  readonly onBroken: () => void;
}

/** What the turns of all vendors' programs share: events reach the session in order, silence ends the turn, and it ends exactly once. */
export abstract class VendorTurn {
  /** Resolves when the turn has ended, rejects when it crashed. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #rejectEnded: (error: unknown) => void = () => undefined;
  readonly #shared: VendorTurnOptions;
  readonly #controller = new AbortController();
  readonly #over = new AbortController();
  readonly #notices = new Set<string>();
  #room: Promise<void> = Promise.resolve();
  #waiting = 0;
  #lastSign: number;

  constructor(options: VendorTurnOptions) {
    this.#shared = options;
    this.#lastSign = options.host.elapsed();
    this.ended = new Promise((resolve, reject) => {
      this.#resolveEnded = resolve;
      this.#rejectEnded = reject;
    });
  }

  /** Ends the turn as failed. */
  abstract fail(error: ErrorDetail): void;

  /** The program waits for our own tools. */
  protected abstract get isBusy(): boolean;

  /** Aborted when the turn is stopped or over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get over(): boolean {
    return this.#over.signal.aborted;
  }

  protected get overSignal(): AbortSignal {
    return this.#over.signal;
  }

  /** Somebody else than the program is waited for. */
  protected get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** A bug, not a failure of the outside world. */
  crash(error: unknown): void {
    this.#shared.onBroken();
    this.close();
    this.#rejectEnded(error);
  }

  /** The session knows the events when this returns; resolves when it can take more. */
  tell(events: readonly EngineEvent[]): Promise<void> {
    if (this.over || events.length === 0) return this.#room;
    try {
      this.#shared.onTell(events);
      this.#room = this.#shared.channel.tell(events);
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

  /** Resolves when the session can take more. */
  drained(): Promise<void> {
    return this.#room;
  }

  /** Watches over the process until the turn is over. */
  async watch(): Promise<void> {
    const { host } = this.#shared;
    while (!this.over) {
      if (this.isWaiting || this.isBusy) this.sign();
      const leftMs = LIMITS.engineSilenceMs - (host.elapsed() - this.#lastSign);
      if (leftMs <= 0) return this.breakOff(SILENT);
      await host.sleep(this.quiet(leftMs), this.#over.signal);
    }
  }

  /** The program does not do what it must. */
  protected breakOff(error: ErrorDetail): void {
    this.#shared.onBroken();
    this.fail(error);
  }

  /** Called while the program is silent. Answers when to look again, ms from now. */
  protected quiet(leftMs: number): number {
    return leftMs;
  }

  /** The program showed that it is alive, or said for how long it will be silent. */
  protected sign(silentMs = 0): void {
    this.#lastSign = this.#shared.host.elapsed() + silentMs;
  }

  /** Decides on a call whose item was reported. */
  async ask(
    item: ToolItem,
    signal: AbortSignal,
    terms: Pick<ToolCall, "ready" | "notRun" | "foreign"> = {},
  ): Promise<Verdict> {
    const { host } = this.#shared;
    const call = { item_id: item.id, input: item.input, ...terms };
    try {
      const verdict = signal.aborted
        ? undefined
        : await this.waitFor(async () => orAborted(host.permit(call, signal), signal));
      return verdict ?? { effect: "deny", message: "Interrupted.", status: "interrupted", interrupt: false };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { effect: "deny", message: `Error: ${error.message}`, status: "failed", interrupt: false };
    }
  }

  /** The program's silence does not count meanwhile. */
  protected async waitFor<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
      this.sign();
    }
  }

  protected abort(reason: ErrorDetail): void {
    this.#controller.abort(reason);
  }

  /** Nothing is told any more. */
  protected close(): void {
    this.#over.abort("over");
    this.#controller.abort("over");
  }

  /** The turn is over. */
  protected end(): void {
    this.close();
    this.#resolveEnded();
  }
}
