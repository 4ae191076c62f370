/** Which tool calls a page knows about: a call must not reach it before the text that led to it. */
export class AnnouncedCalls {
  readonly #seen = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #over = false;

  mark(tool_use_id: string): void {
    this.#seen.add(tool_use_id);
    this.#waiting.get(tool_use_id)?.();
    this.#waiting.delete(tool_use_id);
  }

  /** Resolves when the call was announced. At once if an engine does not identify the call. */
  async of(tool_use_id: string | undefined): Promise<void> {
    if (tool_use_id === undefined || this.#over || this.#seen.has(tool_use_id)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.set(tool_use_id, resolve);
    });
  }

  /** The turn has ended: nothing is left to wait for. */
  end(): void {
    this.#over = true;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
