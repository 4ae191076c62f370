/** Who wants to hear of changes. */
export class ChangeListeners {
  readonly #all = new Set<() => void>();

  /** Calling the answer ends it. */
  readonly add = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  readonly tell = (): void => {
    for (const listener of this.#all) listener();
  };
}
