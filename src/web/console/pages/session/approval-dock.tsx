import { ChevronsDownUp, ChevronsUpDown } from "lucide-react";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { usePendingApprovals } from "../../app/feed.tsx";
import { classes } from "../../ui/classes.ts";

const ApprovalPanel = lazy(async () => ({ default: (await import("../../approval/panel.tsx")).ApprovalPanel }));

/** The session's questions, over the prompt box. It scrolls in itself, so that the conversation which led to it stays in sight. */
export function ApprovalDock({ sessionId }: { readonly sessionId: string }): ReactNode {
  const { approvals } = usePendingApprovals();
  const [large, setLarge] = useState(false);
  if (!approvals.some(({ session_id }) => session_id === sessionId)) return null;
  const Icon = large ? ChevronsDownUp : ChevronsUpDown;
  return (
    <div className="mx-auto flex min-h-40 w-full max-w-4xl flex-col px-4 pt-1">
      <button
        type="button"
        aria-pressed={large}
        onClick={() => setLarge(!large)}
        className="mx-auto flex h-7 items-center gap-1.5 rounded px-3 text-xs text-soft hover:bg-sunken hover:text-ink"
      >
        <Icon aria-hidden className="size-3.5" /> {large ? "Smaller" : "Larger"}
      </button>
      <div
        className={classes(
          "min-h-0 overflow-y-auto overscroll-contain rounded-xl border border-warn/50 bg-raised shadow-md [&_article]:border-0",
          large ? "max-h-[72dvh]" : "max-h-[42dvh] md:max-h-[46dvh]",
        )}
      >
        <Suspense fallback={null}>
          <ApprovalPanel sessionId={sessionId} />
        </Suspense>
      </div>
    </div>
  );
}
