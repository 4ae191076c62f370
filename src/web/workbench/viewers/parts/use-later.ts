import { useEffect, useState } from "react";

/**
 * Works something out piece by piece, giving way to the page between the pieces, and begins anew when `key` changes. Pieces that are not
 * done yet are those of the last key.
 */
export function useLater<Piece>(key: string, pieces: () => Generator<Piece, void>): readonly Piece[] {
  const [made, setMade] = useState<readonly Piece[]>([]);
  useEffect(() => {
    const steps = pieces();
    const collected: Piece[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slice = (): void => {
      const until = performance.now() + SLICE_MS;
      while (performance.now() < until) {
        const next = steps.next();
        if (next.done === true) {
          setMade(collected);
          return;
        }
        collected.push(next.value);
      }
      setMade((before) => [...collected, ...before.slice(collected.length)]);
      timer = setTimeout(slice, 0);
    };
    timer = setTimeout(slice, 0);
    return () => {
      clearTimeout(timer);
    };
    // The key says when the work has changed; the function itself is new with each picture.
  }, [key]);
  return made;
}

/** Of one slice, ms. */
const SLICE_MS = 12;
