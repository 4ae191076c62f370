import { useEffect, useMemo, useState } from "react";
import { finish, type WorkSteps } from "../groups/steps.ts";

/** Tables up to here are worked out at once, so that nothing flickers. */
const AT_ONCE_ROWS = 60_000;
/** Of one slice of work, ms: a frame has time for the rest. */
const SLICE_MS = 10;

/**
 * What a viewer shows, worked out anew when one of `parts` changes: at once for small tables, else in slices between the frames, and until
 * it is done what was there before. Absent: the first is not done yet.
 */
export function useModel<Model>(
  rowCount: number,
  make: () => WorkSteps<Model>,
  parts: readonly unknown[],
): Model | undefined {
  const atOnce = rowCount <= AT_ONCE_ROWS;
  const now = useMemo(() => (atOnce ? { model: finish(make()) } : undefined), [atOnce, ...parts]);
  const [later, setLater] = useState<{ readonly model: Model }>();
  useEffect(() => {
    if (atOnce) return undefined;
    const steps = make();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slice = (): void => {
      const until = performance.now() + SLICE_MS;
      while (performance.now() < until) {
        const next = steps.next();
        if (next.done !== true) continue;
        setLater({ model: next.value });
        return;
      }
      timer = setTimeout(slice, 0);
    };
    timer = setTimeout(slice, 0);
    return () => clearTimeout(timer);
  }, [atOnce, ...parts]);
  return (now ?? later)?.model;
}
