import { X } from "lucide-react";
import * as Radix from "@radix-ui/react-dialog";
import { useState, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { t } from "./language/t.ts";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

/** A window over the page: keeps the focus, closes with Escape. On a phone it comes from below; a wide one fills the screen. */
export function Dialog({ open, onClose, ...content }: DialogProps): ReactNode {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Content {...content} />
      </Radix.Portal>
    </Radix.Root>
  );
}

function Content({ title, description, children, wide = false }: Omit<DialogProps, "open" | "onClose">): ReactNode {
  // Our windows are opened by state, not by a trigger of Radix's own: where the focus came from must be kept here, before a field in the window takes it.
  const [from] = useState(() => document.activeElement);
  return (
    <Radix.Content
      onCloseAutoFocus={(event) => {
        event.preventDefault();
        if (from instanceof HTMLElement && from.isConnected) from.focus();
      }}
      {...(description === undefined ? { "aria-describedby": undefined } : {})}
      className={classes(
        "fixed z-50 flex flex-col overflow-auto bg-raised p-5 shadow-xl outline-none md:top-1/2 md:left-1/2 md:max-h-[90dvh] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-xl md:border",
        wide
          ? "max-md:inset-0 md:w-[min(72rem,94vw)]"
          : "max-md:inset-x-0 max-md:bottom-0 max-md:max-h-[92dvh] max-md:rounded-t-2xl max-md:pb-[max(1.25rem,env(safe-area-inset-bottom))] md:w-[min(32rem,94vw)]",
      )}
    >
      <div className="mb-3 flex items-start justify-between gap-3">
        <div>
          <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
          {description !== undefined && (
            <Radix.Description className="mt-1 text-sm text-soft">{description}</Radix.Description>
          )}
        </div>
        <Radix.Close aria-label={t("Close")} className="rounded p-1 text-faint hover:bg-sunken hover:text-ink">
          <X aria-hidden className="size-5" />
        </Radix.Close>
      </div>
      {children}
    </Radix.Content>
  );
}
