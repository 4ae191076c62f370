import { isToolItem, LIMITS, PieceRedactor, type Delta, type Item, type Redactor } from "../../protocol/index.ts";
import { Frame } from "./frames.ts";
import type { Outbox } from "./outbox.ts";

interface LiveTextOptions {
  readonly redact: Redactor;
  readonly outbox: Outbox;
  readonly sessionId: () => string;
}

/** Text of open items on its way to the watchers. A secret that comes in pieces is held back until it is whole. */
export class LiveText {
  readonly #options: LiveTextOptions;
  #pieces: PieceRedactor;

  constructor(options: LiveTextOptions) {
    this.#options = options;
    this.#pieces = new PieceRedactor(options.redact);
  }

  /** A turn begins: what an earlier one held back ended with it. */
  reset(): void {
    this.#pieces = new PieceRedactor(this.#options.redact);
  }

  add(event: Pick<Delta, "item_id" | "field" | "delta">): void {
    this.#show(event, this.#pieces.next(event.item_id, event.delta));
  }

  /** The item is complete: what was held back of it is shown. */
  end(item: Item): void {
    this.#show({ item_id: item.id, field: isToolItem(item) ? "output" : "text" }, this.#pieces.end(item.id));
  }

  #show({ item_id, field }: Pick<Delta, "item_id" | "field">, delta: string): void {
    const { outbox, sessionId } = this.#options;
    // The end of the item says it all: output that waits for the disk is not kept without bound.
    const isTooMuch = field === "output" && outbox.liveChars + delta.length > LIMITS.liveOutputChars;
    if (delta === "" || isTooMuch) return;
    outbox.live(Frame.ofLive({ type: "item.delta", session_id: sessionId(), item_id, field, delta }));
  }
}
