import type { ComponentProps, ReactNode } from "react";
import { LoaderCircle } from "lucide-react";
import { classes } from "./classes.ts";

type ButtonVariant = "primary" | "secondary" | "quiet" | "danger" | "ok";

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: "bg-accent text-accent-ink hover:brightness-110",
  secondary: "border border-line-strong/60 bg-raised text-ink hover:bg-sunken",
  quiet: "text-soft hover:bg-sunken hover:text-ink",
  danger: "border border-bad/50 bg-bad-soft text-bad hover:brightness-95 dark:hover:brightness-125",
  ok: "border border-ok/50 bg-ok-soft text-ok hover:brightness-95 dark:hover:brightness-125",
};

interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: ButtonVariant;
  readonly size?: "small" | "normal" | "icon";
  /** At work: cannot be pressed again, and keeps the focus. */
  readonly busy?: boolean;
}

const SIZES = { small: "h-8 px-2.5 text-sm", normal: "h-10 px-4 text-sm", icon: "size-9 justify-center" } as const;

/** A button of 40 px, or 32 px where space is short. An icon alone needs an `aria-label`. */
export function Button({
  variant = "secondary",
  size = "normal",
  busy = false,
  className,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonProps): ReactNode {
  const isOff = busy || rest["aria-disabled"] === true;
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isOff}
      aria-busy={busy}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
      className={classes(
        "inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55",
        VARIANTS[variant],
        SIZES[size],
        className,
      )}
    >
      {busy && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {children}
    </button>
  );
}
