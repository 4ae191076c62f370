import type { LucideIcon } from "lucide-react";
import * as Tooltip from "@radix-ui/react-tooltip";
import type { ComponentProps, ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";

interface IconButtonProps extends ComponentProps<"button"> {
  readonly icon: LucideIcon;
  /** What it does; shown where there is room, else when it is pointed at. */
  readonly label: string;
  readonly isPressed?: boolean;
  /** From which width on the label is shown beside the icon; absent: never. */
  readonly labelled?: "lg" | "xl" | "always";
}

const LABELS = { lg: "hidden lg:inline", xl: "hidden xl:inline", always: "" } as const;
/** Where the label is to be seen, nobody needs it twice. */
const TIPS = { lg: "lg:hidden", xl: "xl:hidden", always: "hidden" } as const;

/** A button of a bar: 32 px high. */
export function IconButton({ icon: Icon, label, isPressed, labelled, className, ...rest }: IconButtonProps): ReactNode {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger
        asChild
        onFocus={(event) => {
          // A menu that closes gives the focus back: nobody asked for words then.
          if (!event.currentTarget.matches(":focus-visible")) event.preventDefault();
        }}
      >
        <button
          type="button"
          aria-label={label}
          {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
          {...rest}
          className={classes(
            "inline-flex h-8 min-w-8 items-center justify-center gap-1.5 rounded-md px-2 text-sm whitespace-nowrap text-soft hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-45 data-[state=open]:bg-sunken data-[state=open]:text-ink",
            isPressed === true && "bg-accent-soft text-ink",
            className,
          )}
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          {labelled !== undefined && <span className={LABELS[labelled]}>{label}</span>}
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          side="bottom"
          sideOffset={6}
          collisionPadding={8}
          className={classes(
            "z-50 rounded-md bg-ink px-2 py-1 text-xs text-paper shadow-lg",
            labelled !== undefined && TIPS[labelled],
          )}
        >
          {label}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
