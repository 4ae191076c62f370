/** Milliseconds that the page may be kept busy at once. */
const BUSY_MS = 20;

/** For long work on the page's own thread: waits, when it has gone on for long enough, until the page has done what else it has to do. */
export function newRest(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < BUSY_MS) return undefined;
    return new Promise((resolve) => {
      setTimeout(() => {
        since = performance.now();
        resolve();
      }, 0);
    });
  };
}
