import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Clock, Play, X } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { sessionChanged } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { useControl } from "./use-control.ts";

/** Waiting prompts: for the open turn, or, after a stop, until somebody resumes them. Collapsed while a question needs the room. */
export function Queue({ session }: { readonly session: SessionView }): ReactNode {
  const control = useControl(session.id);
  const remove = useRemove(session.id);
  const [first] = session.queue;
  if (first === undefined) return null;
  const held = session.queue.filter((queued) => queued.held === true).length;
  return (
    <section aria-label="Queued prompts">
      <details
        open={session.pending_approvals.length === 0}
        className="group/queue rounded-lg border border-dashed px-3 py-1.5 text-sm"
      >
        <summary className="flex min-h-7 cursor-pointer items-center gap-1.5 text-xs text-soft">
          <Clock aria-hidden className="size-3.5 shrink-0" />
          <span className="shrink-0">{queueWords(session.queue.length, held)}</span>
          <span className="min-w-0 truncate text-faint group-open/queue:hidden">{first.text}</span>
        </summary>
        <ol className="max-h-[20dvh] space-y-0.5 overflow-y-auto pb-1">
          {session.queue.map(({ turn_id, text }) => (
            <li key={turn_id} className="flex items-center gap-1 text-soft">
              <span className="min-w-0 flex-1 truncate">{text}</span>
              <Button
                size="icon"
                variant="quiet"
                className="size-7! shrink-0"
                aria-label={`Remove “${(text.split("\n")[0] ?? "").slice(0, NAME_CHARS)}” from the queue`}
                onClick={() => remove(turn_id)}
              >
                <X aria-hidden className="size-4" />
              </Button>
            </li>
          ))}
        </ol>
        {held > 0 && (
          <p className="flex flex-wrap items-center gap-2 pb-1 text-xs text-soft">
            <span className="mr-auto">Held because the turn was stopped.</span>
            <Button size="small" busy={control.busy} onClick={() => control.run("resume")}>
              <Play aria-hidden className="size-3.5" /> Run the queue
            </Button>
          </p>
        )}
      </details>
    </section>
  );
}

/** Of a prompt, to name its button. */
const NAME_CHARS = 60;

function queueWords(count: number, held: number): string {
  if (held === 0) return `${String(count)} queued`;
  return held === count ? `${String(held)} held` : `${String(count)} queued, ${String(held)} held`;
}

function useRemove(id: string): (turn: string) => void {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const { mutate } = useMutation({
    mutationFn: (turn: string) => client.removePrompt(id, turn),
    onSuccess: (session) => {
      sessionChanged(queries, session);
      tell.ok("Removed from the queue");
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  return mutate;
}
