import { Failure, LIMITS, type Delta, type Item } from "../../protocol/index.ts";

/** What of a turn has begun and not ended. It is in memory until it ends, so an engine may have only so much of it. */
export class OpenItems {
  /** Characters of text, by item. */
  readonly #items = new Map<string, number>();
  #chars = 0;

  /** A turn begins. */
  reset(): void {
    this.#items.clear();
    this.#chars = 0;
  }

  /** Throws a Failure where there are too many. */
  begin({ id }: Item): void {
    this.#items.set(id, 0);
    if (this.#items.size > LIMITS.openItems) throw tooMuch(`${LIMITS.openItems} messages and calls open`);
  }

  /** Throws a Failure where it is too much. Output of tools has bounds of its own. */
  add({ item_id, field, delta }: Pick<Delta, "item_id" | "field" | "delta">): void {
    if (field !== "text") return;
    this.#items.set(item_id, (this.#items.get(item_id) ?? 0) + delta.length);
    this.#chars += delta.length;
    if (this.#chars > LIMITS.openTextChars) throw tooMuch(`${LIMITS.openTextChars} characters of unfinished messages`);
  }

  /** Throws a Failure where its text is too long. */
  end(item: Item): void {
    this.#chars -= this.#items.get(item.id) ?? 0;
    this.#items.delete(item.id);
    if ("text" in item && item.text.length > LIMITS.openTextChars)
      throw tooMuch(`${LIMITS.openTextChars} characters in one message`);
  }
}

function tooMuch(what: string): Failure {
  return new Failure("engine_failed", `The turn was ended because its engine had more than ${what}.`);
}
