export interface FirstAbort {
  /** Aborted with the reason of the first of them. */
  readonly signal: AbortSignal;
  /** Called once nobody needs the signal any more: nothing is left at its sources. */
  readonly release: () => void;
}

/**
 * For sources that outlive what waits: of each `AbortSignal.any` Node 20 leaves a reference at every source for as long as the source
 * lives.
 */
export function firstAbort(...sources: readonly AbortSignal[]): FirstAbort {
  const either = new AbortController();
  const abort = (): void => either.abort(sources.find(({ aborted }) => aborted)?.reason);
  for (const source of sources) source.addEventListener("abort", abort, { once: true });
  if (sources.some(({ aborted }) => aborted)) abort();
  return {
    signal: either.signal,
    release: () => {
      for (const source of sources) source.removeEventListener("abort", abort);
    },
  };
}
