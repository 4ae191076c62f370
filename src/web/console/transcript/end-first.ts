import type { JournalEvent, StreamFrame } from "../../../protocol/index.ts";
import { ConsoleTranscript, type TranscriptView } from "./transcript.ts";

/** Events that are read before anything is shown. */
export const TAIL_EVENTS = 600;
/** What is read behind the reader's back, at most; older ones come when the reader goes there. */
export const BACKGROUND_EVENTS = 40_000;

/** A conversation that is read from its end: the newest events first, older ones in front of them later. */
export class EndFirstTranscript {
  #transcript = new ConsoleTranscript();
  /** Events that are here, in order; empty once the conversation is whole. */
  #events: JournalEvent[] = [];
  #from: number;

  /** `seq`: the last event of the journal, as far as known. */
  constructor(seq: number) {
    this.#from = Math.max(0, seq - TAIL_EVENTS);
  }

  /** The event before the first one that is here; 0: the conversation is whole. */
  get from(): number {
    return this.#from;
  }

  get view(): TranscriptView {
    return this.#transcript.view;
  }

  /** How many events are read next: as many as there are, so that all of them are folded twice on average. */
  get next(): number {
    return Math.min(this.#from, Math.max(TAIL_EVENTS, this.#events.length));
  }

  apply(frame: StreamFrame): void {
    this.#transcript.apply(frame);
    if (this.#from > 0 && "seq" in frame) this.#events.push(frame);
  }

  /** Older events, which end where the others begin. */
  prepend(events: readonly JournalEvent[]): void {
    const [first] = events;
    if (first === undefined || events.at(-1)?.seq !== this.#from) return;
    const running = this.view.running;
    this.#from = first.seq - 1;
    this.#events = [...events, ...this.#events];
    this.#transcript = new ConsoleTranscript();
    for (const event of this.#events) this.#transcript.apply(event);
    // What is being written now was told piece by piece, and is in no event yet.
    for (const { item } of running)
      this.#transcript.apply({ type: "item.updated", session_id: first.session_id, item });
    if (this.#from === 0) this.#events = [];
  }
}
