import { useEffect, useState } from "react";

/** So many rows times pictures are drawn at once. */
const AT_ONCE = 200_000;

/** How many of many pictures to show now: with many rows one more each frame, so that the page stays answerable. Begins anew with another key. */
export function useSteps({
  total,
  rows,
  key,
}: {
  readonly total: number;
  readonly rows: number;
  readonly key: object;
}): number {
  const [state, setState] = useState({ key, count: 1 });
  const begun = state.key === key ? state.count : 1;
  const count = rows * total <= AT_ONCE ? total : begun;
  useEffect(() => {
    if (count >= total) return undefined;
    const request = requestAnimationFrame(() => {
      setState({ key, count: count + 1 });
    });
    return () => {
      cancelAnimationFrame(request);
    };
  }, [key, count, total]);
  return count;
}
