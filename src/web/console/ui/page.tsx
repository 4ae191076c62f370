import type { ReactNode } from "react";
import { classes } from "./classes.ts";

/** A page's heading with its actions, and its content in a readable width. */
export function Page({
  title,
  intro,
  actions,
  children,
  wide = false,
}: {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly wide?: boolean;
}): ReactNode {
  return (
    <div
      className={classes("mx-auto w-full space-y-5 px-4 py-5 md:px-8 md:py-7", wide ? "max-w-[90rem]" : "max-w-6xl")}
    >
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
          {intro !== undefined && <p className="mt-1 text-sm text-soft">{intro}</p>}
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
