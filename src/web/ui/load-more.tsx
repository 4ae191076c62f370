import { useEffect, useRef, type ReactNode } from "react";
import { Button } from "./button.tsx";

/** Loads more when its end becomes visible. */
export function LoadMore({
  label,
  isBusy,
  onMore,
}: {
  readonly label: string;
  readonly isBusy: boolean;
  readonly onMore: () => void;
}): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  useEffect(() => {
    const element = place.current;
    if (element === null || isBusy) return;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) more.current();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <div ref={place} className="flex justify-center">
      <Button busy={isBusy} onClick={onMore}>
        {label}
      </Button>
    </div>
  );
}
