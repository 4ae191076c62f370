import { useEffect, useRef, type ReactNode } from "react";

/** A formula; as it is written until what draws it is there, and where it cannot be drawn. */
export function Formula({ tex, display }: { readonly tex: string; readonly display: boolean }): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let left = false;
    const draw = async (): Promise<void> => {
      const [{ default: katex }] = await Promise.all([import("katex"), import("katex/dist/katex.min.css")]);
      if (left || place.current === null) return;
      katex.render(tex, place.current, { displayMode: display, throwOnError: false, errorColor: "var(--bad)" });
    };
    void draw().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [tex, display]);
  // A formula reads from left to right in every language. The key gives each formula an element of its own: what is drawn into it is not React's.
  return (
    <span key={tex} ref={place} dir="ltr" className={display ? "my-3 block overflow-x-auto overflow-y-hidden" : ""}>
      {tex}
    </span>
  );
}
