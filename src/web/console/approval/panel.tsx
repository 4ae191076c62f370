import { useState, type ReactNode } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { usePendingApprovals } from "../app/feed.tsx";
import { ApprovalCard } from "./card.tsx";
import { summaryOf } from "./summary.ts";
import { ToolIcon } from "./tool-icon.tsx";
import { visible } from "../../ui/visible.ts";
import { plural, t } from "../../ui/language/t.ts";

const LINE_CHARS = 200;

/** The open questions of one session: one expanded, the others after it. Empty without questions. */
export function ApprovalPanel({ sessionId }: { readonly sessionId: string }): ReactNode {
  const { approvals } = usePendingApprovals();
  const [wanted, setWanted] = useState<string>();
  const mine = approvals.filter(({ session_id }) => session_id === sessionId);
  const open = mine.find(({ id }) => id === wanted) ?? mine[0];
  if (open === undefined) return null;
  const others = mine.filter(({ id }) => id !== open.id);
  return (
    <section aria-label={t("Waiting for you")} className="flex min-h-0 flex-col">
      <ApprovalCard key={open.id} approval={open} withSession={false} keys docked />
      {others.length > 0 && (
        <details className="shrink-0 border-t bg-raised">
          <summary className="cursor-pointer px-4 py-1.5 text-sm font-medium">
            {plural({ one: "{count} more", other: "{count} more" }, { count: others.length })}
          </summary>
          <ul className="max-h-32 divide-y overflow-y-auto border-t">
            {others.map((approval) => (
              <li key={approval.id}>
                <Waiting approval={approval} onOpen={() => setWanted(approval.id)} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Waiting({ approval, onOpen }: { readonly approval: Approval; readonly onOpen: () => void }): ReactNode {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex min-h-10 w-full items-center gap-2 px-4 py-1.5 text-start text-sm hover:bg-sunken"
    >
      <ToolIcon tool={approval.tool} className="size-4" />
      <span className="font-medium">{visible(approval.tool)}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-xs text-soft">
        {visible(summaryOf(approval).slice(0, LINE_CHARS))}
      </span>
    </button>
  );
}
