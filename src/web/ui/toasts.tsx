import { X } from "lucide-react";
import * as Toast from "@radix-ui/react-toast";
import { createContext, use, useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { t } from "./language/t.ts";

interface Toast {
  readonly id: number;
  readonly tone: "ok" | "warn" | "bad";
  readonly text: string;
}

export interface Tell {
  readonly ok: (text: string) => void;
  /** Something happened that nobody here did. */
  readonly warn: (text: string) => void;
  readonly bad: (text: string) => void;
}

const BORDERS = { ok: "border-ok/60", warn: "border-warn/60", bad: "border-bad/60" } as const;
const KEPT = 5;
const SHOWN_MS = 6_000;
const Context = createContext<Tell | undefined>(undefined);

/** Short words about something that was done; read out by screen readers. */
export function Toasts({
  top = "top-16",
  children,
}: {
  /** The class of its distance from the top: below the page's bars, so that it covers no button. */
  readonly top?: string;
  readonly children: ReactNode;
}): ReactNode {
  const [told, setTold] = useState<readonly Toast[]>([]);
  const next = useRef(0);
  const add = useCallback((tone: Toast["tone"], text: string) => {
    next.current += 1;
    const id = next.current;
    setTold((before) => [...before, { id, tone, text }].slice(-KEPT));
  }, []);
  const tell = useMemo<Tell>(
    () => ({
      ok: (text) => add("ok", text),
      warn: (text) => add("warn", text),
      bad: (text) => add("bad", text),
    }),
    [add],
  );
  const drop = (id: number): void => setTold((before) => before.filter((toast) => toast.id !== id));
  return (
    <Context value={tell}>
      <Toast.Provider label={t("Notification")} duration={SHOWN_MS} swipeDirection="right">
        {children}
        {told.map(({ id, tone, text }) => (
          <Toast.Root
            key={id}
            onOpenChange={(open) => !open && drop(id)}
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
    </Context>
  );
}

export function useTell(): Tell {
  const tell = use(Context);
  if (tell === undefined) throw new Error("no toasts around this component");
  return tell;
}
