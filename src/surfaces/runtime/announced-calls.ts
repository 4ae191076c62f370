/** Which tool calls a page has been told of: a call must not reach it before the words that led to it. */
export class AnnouncedCalls {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #over = false;

  mark(tool_use_id: string): void {
    this.#seen.add(tool_use_id);
    this.#waiting.get(tool_use_id)?.();
    this.#waiting.delete(tool_use_id);
  }

  /** Resolves when the call was told. At once where an engine does not say which call it is. */
  async of(tool_use_id: string | undefined): Promise<void> {
    if (tool_use_id === undefined || this.#over || this.#seen.has(tool_use_id)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.set(tool_use_id, resolve);
    });
  }

  /** The turn has ended: nobody has anything to wait for. */
  end(): void {
    this.#over = true;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
