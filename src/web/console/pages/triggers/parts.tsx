import { useQuery, type QueryKey } from "@tanstack/react-query";
import { ChevronDown, Pause, Play, Trash2 } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import type { TriggerHistory, TriggerResult } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../app/confirm.tsx";
import { Skeleton, Trouble } from "../../../ui/states.tsx";
import { Ago } from "../../../ui/words.tsx";
import { SessionLink } from "../../app/session-link.tsx";
import { useAct } from "../../app/use-act.ts";

/** What schedules and webhooks have in common. */
interface TriggerControl {
  readonly id: string;
  readonly name: string;
  readonly paused: boolean;
}

/** What can be done with each of them. */
interface TriggerCalls {
  readonly list: QueryKey;
  readonly kind: "schedule" | "webhook";
  readonly control: (id: string, verb: "pause" | "continue") => Promise<unknown>;
  readonly remove: (id: string) => Promise<void>;
}

/** Pause or continue, and delete. */
export function TriggerButtons({
  trigger: { id, name, paused },
  calls: { list, kind, control, remove },
}: {
  readonly trigger: TriggerControl;
  readonly calls: TriggerCalls;
}): ReactNode {
  const { act, perform, isActing } = useAct(list);
  const [isDoomed, setDoomed] = useState(false);
  const verb = paused ? "continue" : "pause";
  const done = paused ? `${name} goes on.` : `${name} is paused. Nothing begins until you continue it.`;
  return (
    <>
      <Button
        size="small"
        busy={isActing}
        aria-label={`${paused ? "Continue" : "Pause"} ${name}`}
        onClick={() => act({ run: () => control(id, verb), done })}
      >
        {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
        {paused ? "Continue" : "Pause"}
      </Button>
      <Button size="small" variant="quiet" aria-label={`Delete ${name}`} onClick={() => setDoomed(true)}>
        <Trash2 aria-hidden className="size-4" />
      </Button>
      {isDoomed && (
        <Confirm
          title={`Delete ${name}?`}
          description={`The ${kind} starts nothing any more. Sessions that it has started stay.`}
          verb={`Delete the ${kind}`}
          keep="Keep it"
          act={() => perform({ run: () => remove(id), done: `${name} is gone.` })}
          onClose={() => setDoomed(false)}
        />
      )}
    </>
  );
}

/** What became of it, behind a fold: read when it is opened. */
export function History({
  label,
  queryKey,
  read,
}: {
  readonly label: string;
  readonly queryKey: QueryKey;
  readonly read: () => Promise<TriggerHistory>;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const history = useQuery({ queryKey, queryFn: read, enabled: isOpen, staleTime: 0 });
  return (
    <div>
      <Button
        size="small"
        variant="quiet"
        aria-expanded={isOpen}
        aria-controls={id}
        className="-ml-2.5"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronDown aria-hidden className={isOpen ? "size-4 rotate-180" : "size-4"} /> {label}
      </Button>
      <div id={id}>
        {isOpen && history.isPending && <Skeleton className="h-16" />}
        {isOpen && history.error !== null && (
          <Trouble title="Can’t load the history" error={history.error} onRetry={() => void history.refetch()} />
        )}
        {isOpen && history.data?.results.length === 0 && <p className="text-sm text-soft">Nothing so far.</p>}
        {isOpen && history.data !== undefined && (
          <ol className="divide-y text-sm">
            {history.data.results.map((result) => (
              <li key={`${result.at} ${result.session_id ?? ""}`} className="py-1.5">
                <Result result={result} />
              </li>
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

/** One time at which something was due, and what became of it. */
export function Result({ result: { at, session_id, message } }: { readonly result: TriggerResult }): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-3">
      <span className="text-soft">
        <Ago at={at} />
      </span>
      {session_id === undefined ? (
        <span className="min-w-0 break-words text-bad">{message ?? "no session was started"}</span>
      ) : (
        <SessionLink id={session_id} />
      )}
    </span>
  );
}
