import { Failure, isToolItem, LIMITS, type Delta, type Item } from "../../protocol/index.ts";

/** What of a turn has begun and not ended. It is in memory until it ends, so an engine may have only so much of it. */
export class UnfinishedItems {
  /** Characters of text or input, by item. */
  readonly #items = new Map<string, number>();
  #chars = 0;

  /** A turn begins. */
  reset(): void {
    this.#items.clear();
    this.#chars = 0;
  }

  /** Throws a Failure where there are too many, or what they are called with is too much. */
  begin(item: Item): void {
    this.#count(item.id, isToolItem(item) ? JSON.stringify(item.input).length : 0);
    if (this.#items.size > LIMITS.openItems) throw tooMuch(`${LIMITS.openItems} messages and calls open`);
  }

  /** Throws a Failure where it is too much. Output of tools has bounds of its own. */
  add({ item_id, field, delta }: Pick<Delta, "item_id" | "field" | "delta">): void {
    if (field === "text") this.#count(item_id, delta.length);
  }

  /** Throws a Failure where its text is too long. */
  end(item: Item): void {
    this.#chars -= this.#items.get(item.id) ?? 0;
    this.#items.delete(item.id);
    if ("text" in item && item.text.length > LIMITS.openTextChars)
      throw tooMuch(`${LIMITS.openTextChars} characters in one message`);
  }

  #count(id: string, chars: number): void {
    this.#items.set(id, (this.#items.get(id) ?? 0) + chars);
    this.#chars += chars;
    if (this.#chars > LIMITS.openTextChars)
      throw tooMuch(`${LIMITS.openTextChars} characters of unfinished messages and calls`);
  }
}

function tooMuch(what: string): Failure {
  return new Failure("engine_failed", `The turn was ended because its engine had more than ${what}.`);
}
