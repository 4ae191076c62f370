import { LIMITS, OutputText, type SessionView } from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import { journalOf } from "./journal.ts";
import { waitsForPrompt } from "./output.ts";
import type { ShownTexts } from "./shown.ts";
import type { Measured } from "./tree.ts";

/** One output, counted up to an event. */
interface OutputCounter {
  seq: number;
  size: number;
  readonly output: OutputText;
  /** Set while events are being counted. */
  settle: (item_id: string, text: string) => string;
}

/**
 * How many bytes an `output` has so far. A journal is counted once: later calls count only what was added. The length is of what is
 * stored; a reader may get a little more, never less.
 */
export class OutputSizes {
  readonly #gateway: Gateway;
  readonly #shown: ShownTexts;
  /** Least recently used first. */
  readonly #counters = new Map<string, Promise<OutputCounter>>();

  constructor(gateway: Gateway, shown: ShownTexts) {
    this.#gateway = gateway;
    this.#shown = shown;
  }

  async measure(caller: Caller, id: string): Promise<Measured> {
    const view = await this.#gateway.sessions.get(caller, id);
    const { size } = await this.#count(caller, view);
    const ended = view.status === "complete" || view.status === "failed";
    return { size, growing: !waitsForPrompt(view) || (size === 0 && !ended) };
  }

  /** One count per session at a time; a failed one is restarted by the next call. */
  #count(caller: Caller, view: SessionView): Promise<OutputCounter> {
    const before = this.#counters.get(view.id);
    const counting = (async () =>
      this.#advance(caller, view, (await before?.catch(() => undefined)) ?? newCounter()))();
    this.#counters.delete(view.id);
    this.#counters.set(view.id, counting);
    counting.catch(() => {
      if (this.#counters.get(view.id) === counting) this.#counters.delete(view.id);
    });
    const [oldest] = this.#counters.keys();
    if (oldest !== undefined && this.#counters.size > LIMITS.mountOutputSizes) this.#counters.delete(oldest);
    return counting;
  }

  async #advance(caller: Caller, { id, seq }: SessionView, counter: OutputCounter): Promise<OutputCounter> {
    if (counter.seq >= seq) return counter;
    const session = await this.#shown.open(id);
    counter.settle = (item_id, text) => session.settle(item_id, text);
    try {
      for await (const page of journalOf(this.#gateway, caller, { id, seq, from: counter.seq }))
        for (const event of page) {
          counter.size += Buffer.byteLength(counter.output.next(event));
          counter.seq = event.seq;
        }
      return counter;
    } finally {
      session.close();
    }
  }
}

function newCounter(): OutputCounter {
  const counter: OutputCounter = {
    seq: 0,
    size: 0,
    output: new OutputText({ settle: (item_id, text) => counter.settle(item_id, text) }),
    settle: (_item_id, text) => text,
  };
  return counter;
}
