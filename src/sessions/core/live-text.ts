import { isToolItem, LIMITS, PieceRedactor, type Delta, type Item, type Redactor } from "../../protocol/index.ts";
import { Frame } from "./frames.ts";
import type { Outbox } from "./outbox.ts";
import { UnfinishedItems } from "./unfinished-items.ts";

interface LiveTextOptions {
  readonly redact: Redactor;
  readonly outbox: Outbox;
  readonly sessionId: () => string;
}

/** Text of open items on its way to the watchers. A secret that arrives in pieces is held back until it is complete. */
export class LiveText {
  readonly #options: LiveTextOptions;
  readonly #unfinished = new UnfinishedItems();
  #pieces: PieceRedactor;

  constructor(options: LiveTextOptions) {
    this.#options = options;
    this.#pieces = new PieceRedactor(options.redact);
  }

  /** A turn begins: text held back for an earlier one is dropped. */
  reset(): void {
    this.#pieces = new PieceRedactor(this.#options.redact);
    this.#unfinished.reset();
  }

  /** An item is open. Throws a Failure where the engine has too much open; so do `add` and `end`. */
  begin(item: Item): void {
    this.#unfinished.begin(item);
  }

  add(event: Pick<Delta, "item_id" | "field" | "delta">): void {
    this.#unfinished.add(event);
    this.#show(event, this.#pieces.next(event.item_id, event.delta));
  }

  /** The item is complete: text held back is shown. */
  end(item: Item): void {
    this.#unfinished.end(item);
    this.#show({ item_id: item.id, field: isToolItem(item) ? "output" : "text" }, this.#pieces.end(item.id));
  }

  #show({ item_id, field }: Pick<Delta, "item_id" | "field">, delta: string): void {
    const { outbox, sessionId } = this.#options;
    // The item's end repeats the whole output, so deltas that wait for the disk can be dropped.
    const isTooMuch = field === "output" && outbox.liveChars + delta.length > LIMITS.liveOutputChars;
    if (delta === "" || isTooMuch) return;
    outbox.live(Frame.ofLive({ type: "item.delta", session_id: sessionId(), item_id, field, delta }));
  }
}
