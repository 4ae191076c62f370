import { aborted } from "./abort.ts";

/** Callers that wait for a pause to end. */
export class Pauses {
  #end: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  end(): void {
    this.#end?.resolve();
    this.#end = undefined;
  }

  /** Resolves when it is over, or the signal is aborted. */
  async over(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isOver() && !signal.aborted) {
      this.#end ??= pending();
      await Promise.race([this.#end.promise, aborted(signal)]);
    }
  }
}

function pending(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
