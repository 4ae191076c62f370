import { X } from "lucide-react";
import * as Toast from "@radix-ui/react-toast";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { t } from "./language/t.ts";
import type { TextToTell } from "./toasts.tsx";

const BORDERS = { ok: "border-ok/60", warn: "border-warn/60", bad: "border-bad/60" } as const;
const SHOWN_MS = 6_000;

/** The toasts that are shown, which `Toasts` loads. */
export function ToastList({
  told,
  top,
  onDrop,
}: {
  readonly told: readonly TextToTell[];
  readonly top: string;
  readonly onDrop: (id: number) => void;
}): ReactNode {
  return (
    <Toast.Provider label={t("Notification")} duration={SHOWN_MS} swipeDirection="right">
      {told.map(({ id, tone, text }) => (
        <Toast.Root
          key={id}
          onOpenChange={(open) => !open && onDrop(id)}
          className={classes(
            "pointer-events-auto flex items-start gap-2 rounded-lg border bg-raised p-3 text-sm shadow-lg",
            BORDERS[tone],
          )}
        >
          <Toast.Description className="min-w-0 flex-1 break-words">{text}</Toast.Description>
          <Toast.Close aria-label={t("Dismiss")} className="text-faint hover:text-ink">
            <X aria-hidden className="size-4" />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport
        label={t("Notifications ({hotkey})")}
        className={classes(
          "pointer-events-none fixed end-3 z-50 flex w-80 max-w-[calc(100vw-1.5rem)] flex-col gap-2 outline-none",
          top,
        )}
      />
    </Toast.Provider>
  );
}
