import type { ReactNode } from "react";
import { useTitle } from "./app/page-title.ts";
import { classes } from "./classes.ts";

/** A page's heading with its actions, and its content in a readable width. */
export function Page({
  title,
  intro,
  actions,
  children,
  wide = false,
  isFolded = false,
}: {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly wide?: boolean;
  /** A phone leaves the heading out: one thing of the page is open and needs the room. */
  readonly isFolded?: boolean;
}): ReactNode {
  useTitle(title);
  return (
    <div
      className={classes(
        "mx-auto w-full space-y-5 px-4 py-5 md:px-8 md:py-7 short:space-y-3 short:py-3",
        wide ? "max-w-[90rem]" : "max-w-6xl",
      )}
    >
      <header className={classes("flex flex-wrap items-end justify-between gap-3", isFolded && "max-md:sr-only")}>
        <div>
          <h1 className="text-2xl font-semibold tracking-tight short:text-lg">{title}</h1>
          {intro !== undefined && <p className="mt-1 text-sm text-soft short:hidden">{intro}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="rounded-xl border bg-raised">
      <header className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-3">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </header>
      <div className="p-4">{children}</div>
    </section>
  );
}
