import { ChevronsDownUp, ChevronsUpDown } from "lucide-react";
import { Suspense, useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { usePendingApprovals } from "../../app/feed.tsx";
import { classes } from "../../../ui/classes.ts";
import { lazyPart } from "../../../ui/load.ts";
import { t } from "../../../ui/language/t.ts";

const ApprovalPanel = lazyPart(async () => (await import("../../approval/panel.tsx")).ApprovalPanel);

/** The session's questions, above the prompt box. Their content scrolls inside, so that the answers and the conversation stay visible. */
export function ApprovalDock({ sessionId }: { readonly sessionId: string }): ReactNode {
  const { approvals } = usePendingApprovals();
  const [large, setLarge] = useState(false);
  const first = approvals.find(({ session_id }) => session_id === sessionId)?.id;
  const place = useKeptFocus(first);
  if (first === undefined) return null;
  const Icon = large ? ChevronsDownUp : ChevronsUpDown;
  return (
    <div
      ref={place}
      className={classes(
        "mx-auto flex min-h-44 w-full max-w-4xl flex-col px-4 pt-1 max-sm:px-2 short:min-h-0 short:max-h-none",
        large ? "max-h-[80dvh]" : "max-h-[54dvh]",
      )}
    >
      <button
        type="button"
        aria-pressed={large}
        onClick={() => setLarge(!large)}
        className="mx-auto flex h-7 shrink-0 items-center gap-1.5 rounded px-3 text-xs text-soft hover:bg-sunken hover:text-ink short:hidden"
      >
        <Icon aria-hidden className="size-3.5" /> {large ? t("Shrink") : t("Expand")}
      </button>
      <div className="flex min-h-0 flex-col overflow-hidden rounded-xl border border-warn/50 bg-raised shadow-md [&_article]:border-0">
        <Suspense fallback={null}>
          <ApprovalPanel sessionId={sessionId} />
        </Suspense>
      </div>
    </div>
  );
}

/** An answered question disappears: its focus moves to the next one, or to the conversation. */
function useKeptFocus(first: string | undefined): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const held = useRef(false);
  useEffect(() => {
    const note = ({ target }: FocusEvent): void => {
      held.current = place.current?.contains(target as Node) === true;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
  useEffect(() => {
    if (!held.current || document.activeElement !== document.body) return;
    const next =
      place.current?.querySelector<HTMLElement>("article") ?? document.querySelector<HTMLElement>("[role=log]");
    next?.focus({ preventScroll: true });
  }, [first]);
  return place;
}
