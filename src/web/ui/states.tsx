import { CircleAlert, LoaderCircle, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Failure } from "../../protocol/index.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { t } from "./language/t.ts";

export type Tone = "plain" | "info" | "ok" | "warn" | "bad" | "accent";

const TONES: Readonly<Record<Tone, string>> = {
  plain: "bg-sunken text-soft",
  info: "bg-info-soft text-info",
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-accent-soft text-accent",
};

/** A word with a colour. The word alone must be enough. */
export function Badge({
  tone = "plain",
  children,
  className,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly className?: string;
}): ReactNode {
  return (
    <span
      className={classes(
        "inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

export function Note({
  tone = "plain",
  children,
  role,
  className,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
  readonly role?: "alert" | "status";
  readonly className?: string;
}): ReactNode {
  return (
    <div role={role} className={classes("rounded-lg px-3.5 py-2.5 text-sm", TONES[tone], className)}>
      {children}
    </div>
  );
}

/** Nothing is here yet: what this place is for, and the way to fill it. */
export function Empty({
  icon: Icon,
  title,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-14 text-center">
      <Icon aria-hidden className="size-8 text-faint" />
      <p className="font-medium">{title}</p>
      <div className="text-sm text-soft">{children}</div>
    </div>
  );
}

export function Loading({ label, page = false }: { readonly label: string; readonly page?: boolean }): ReactNode {
  return (
    <div
      role="status"
      className={classes("flex items-center justify-center gap-2 text-sm text-soft", page ? "min-h-[60dvh]" : "py-6")}
    >
      <LoaderCircle aria-hidden className="size-4 animate-spin" /> {label} …
    </div>
  );
}

/** Keeps the place of what is about to come, so that nothing jumps. */
export function Skeleton({ className }: { readonly className?: string }): ReactNode {
  return <div aria-hidden className={classes("animate-pulse rounded-md bg-sunken", className)} />;
}

/** What went wrong, in the server's own words, and the way on. */
export function Trouble({
  title,
  error,
  onRetry,
}: {
  readonly title: string;
  readonly error: unknown;
  readonly onRetry?: () => void;
}): ReactNode {
  return (
    <div role="alert" className="rounded-lg border border-bad/40 bg-bad-soft p-4 text-sm">
      <p className="flex items-center gap-2 font-medium text-bad">
        <CircleAlert aria-hidden className="size-4" /> {title}
      </p>
      <p className="mt-1 break-words text-ink">{wordsOf(error)}</p>
      {onRetry !== undefined && (
        <Button size="small" className="mt-3" onClick={onRetry}>
          {t("Try again")}
        </Button>
      )}
    </div>
  );
}

/** An error as a person reads it. */
export function wordsOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (error instanceof TypeError) return t("The server can’t be reached.");
  return error instanceof Error ? error.message : String(error);
}
