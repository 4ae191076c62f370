const LATE = Symbol("late");

/** Waits for work, but not longer than `ms`: `undefined` when it was late or failed. The work itself continues. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms);
  });
  try {
    const first = await Promise.race([work, late]);
    return first === LATE ? undefined : first;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
