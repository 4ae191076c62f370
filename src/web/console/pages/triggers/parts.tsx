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
import { t } from "../../../ui/language/t.ts";

/** What schedules and webhooks have in common. */
interface TriggerControl {
  readonly id: string;
  readonly name: string;
  readonly paused: boolean;
}

const KINDS = {
  schedule: {
    removed: t("The schedule starts nothing any more. Sessions that it has started stay."),
    remove: t("Delete the schedule"),
  },
  webhook: {
    removed: t("The webhook starts nothing any more. Sessions that it has started stay."),
    remove: t("Delete the webhook"),
  },
} as const;

/** What can be done with each of them. */
interface TriggerCalls {
  readonly list: QueryKey;
  readonly kind: keyof typeof KINDS;
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
  const done = paused
    ? t("{name} goes on.", { name })
    : t("{name} is paused. Nothing begins until you continue it.", { name });
  return (
    <>
      <Button
        size="small"
        busy={isActing}
        aria-label={paused ? t("Continue {name}", { name }) : t("Pause {name}", { name })}
        onClick={() => act({ run: () => control(id, verb), done })}
      >
        {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
        {paused ? t("Continue") : t("Pause")}
      </Button>
      <Button size="small" variant="quiet" aria-label={t("Delete {name}", { name })} onClick={() => setDoomed(true)}>
        <Trash2 aria-hidden className="size-4" />
      </Button>
      {isDoomed && (
        <Confirm
          title={t("Delete {name}?", { name })}
          description={KINDS[kind].removed}
          verb={KINDS[kind].remove}
          keep={t("Keep it")}
          act={() => perform({ run: () => remove(id), done: t("{name} is gone.", { name }) })}
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
        className="-ms-2.5"
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronDown aria-hidden className={isOpen ? "size-4 rotate-180" : "size-4"} /> {label}
      </Button>
      <div id={id}>
        {isOpen && history.isPending && <Skeleton className="h-16" />}
        {isOpen && history.error !== null && (
          <Trouble title={t("Can’t load the history")} error={history.error} onRetry={() => void history.refetch()} />
        )}
        {isOpen && history.data?.results.length === 0 && <p className="text-sm text-soft">{t("Nothing so far.")}</p>}
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
        <span className="min-w-0 break-words text-bad">{message ?? t("no session was started")}</span>
      ) : (
        <SessionLink id={session_id} />
      )}
    </span>
  );
}
