import { Clock } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";

/** Prompts that wait until the open turn has ended. */
export function Queue({ session }: { readonly session: SessionView }): ReactNode {
  if (session.queue.length === 0) return null;
  return (
    <section aria-label="Waiting prompts" className="rounded-lg border border-dashed px-3 py-2 text-sm">
      <p className="mb-1 flex items-center gap-1.5 text-xs text-faint">
        <Clock aria-hidden className="size-3.5" /> {session.queue.length} waiting
      </p>
      <ol className="space-y-0.5">
        {session.queue.map(({ turn_id, text }) => (
          <li key={turn_id} className="truncate text-soft">
            {text}
          </li>
        ))}
      </ol>
    </section>
  );
}
