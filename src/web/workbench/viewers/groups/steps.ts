/** Work that gives way: it can stop at each `yield`, and goes on where it stopped. */
export type WorkSteps<Result> = Generator<void, Result>;

/** All at once. */
export function finish<Result>(steps: WorkSteps<Result>): Result {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** Rows after which work gives way: about three milliseconds. */
export const STEP_ROWS = 50_000;
