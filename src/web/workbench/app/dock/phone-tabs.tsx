import { useEffect, useRef, type ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { GRID } from "../../model/dock.ts";
import type { View } from "../../model/workbench.ts";

/** A phone shows one at a time. */
export function PhoneTabs({
  view,
  shown,
  onShow,
}: {
  readonly view: View;
  readonly shown: string;
  readonly onShow: (id: string) => void;
}): ReactNode {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown]);
  if (view.viewers.length === 0) return undefined;
  const tabs = [{ id: GRID, title: "Grid" }, ...view.viewers];
  return (
    <nav
      ref={strip}
      aria-label="Viewers"
      className="flex shrink-0 gap-1 overflow-x-auto [scrollbar-width:none] border-b bg-panel p-1.5"
    >
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-current={id === shown ? "true" : undefined}
          onClick={() => onShow(id)}
          className={classes(
            "h-8 max-w-44 shrink-0 scroll-mx-2 truncate rounded-full px-3 text-sm",
            id === shown ? "bg-accent-soft font-medium" : "text-soft",
          )}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
