import { Clock } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";

/** Prompts that wait until the open turn has ended. Folded while a question needs the room. */
export function Queue({ session }: { readonly session: SessionView }): ReactNode {
  const [first] = session.queue;
  if (first === undefined) return null;
  return (
    <section aria-label="Waiting prompts">
      <details
        open={session.pending_approvals.length === 0}
        className="group/queue rounded-lg border border-dashed px-3 py-1.5 text-sm"
      >
        <summary className="flex min-h-7 cursor-pointer items-center gap-1.5 text-xs text-faint">
          <Clock aria-hidden className="size-3.5 shrink-0" />
          <span className="shrink-0">{session.queue.length} waiting</span>
          <span className="min-w-0 truncate group-open/queue:hidden">{first.text}</span>
        </summary>
        <ol className="max-h-[20dvh] space-y-0.5 overflow-y-auto pb-1">
          {session.queue.map(({ turn_id, text }) => (
            <li key={turn_id} className="truncate text-soft">
              {text}
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
