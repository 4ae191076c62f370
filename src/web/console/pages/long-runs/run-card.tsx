import { ChevronDown, Pause, Play, Square, Trash2 } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import type { LongRunView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../app/confirm.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { Badge, Note } from "../../../ui/states.tsx";
import { Ago, count, money } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { SessionLink } from "../../app/session-link.tsx";
import { useAct } from "../../app/use-act.ts";
import { RunDetail } from "./run-detail.tsx";
import { percent, runWords } from "./words.ts";
import { t } from "../../../ui/language/t.ts";

/** One long run: how far it is, what it has cost, and the ways to hold or end it. */
export function RunCard({ run }: { readonly run: LongRunView }): ReactNode {
  const mayControl = useMay("session.control");
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { label, tone } = runWords(run);
  const { features, spent_microusd: spent, max_cost_microusd: most } = run;
  return (
    <article
      aria-label={t("Long run {name}", { name: run.name })}
      className="flex min-w-0 flex-col gap-3 rounded-xl border bg-raised p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-base font-semibold break-words">{run.name}</h2>
          <Badge tone={tone} className="mt-1">
            {label}
          </Badge>
        </div>
        {mayControl && <Controls run={run} />}
      </header>
      <p dir="auto" className="line-clamp-3 rtl:text-right text-sm break-words text-soft">
        {run.task}
      </p>
      <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
        <Meter
          label={t("Features that pass")}
          words={features === undefined ? "no list yet" : `${count(features.passing)} of ${count(features.total)}`}
          value={percent(features?.passing ?? 0, features?.total ?? 0)}
        />
        <Meter label={t("Budget")} words={`${money(spent)} of ${money(most)}`} value={percent(spent, most)} />
      </div>
      <Facts
        facts={[
          {
            label: t("Sessions"),
            value: t("{sessions} of at most {max_sessions}", {
              sessions: count(run.sessions),
              max_sessions: count(run.max_sessions),
            }),
          },
          { label: t("Now"), value: run.session_id === undefined ? "" : <SessionLink id={run.session_id} /> },
          { label: t("Next session"), value: run.next_at === undefined ? "" : <Ago at={run.next_at} /> },
          {
            label: t("Folder"),
            value: run.workspace === undefined ? "" : <code className="text-xs">{run.workspace}</code>,
          },
          { label: t("Acts as"), value: run.created_by.name },
          { label: t("Changed"), value: <Ago at={run.updated_at} /> },
        ]}
      />
      {run.message !== undefined && <Note tone={run.status === "ended" ? "plain" : "warn"}>{run.message}</Note>}
      <div>
        <Button
          size="small"
          variant="quiet"
          className="-ms-2.5"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronDown aria-hidden className={isOpen ? "size-4 rotate-180" : "size-4"} /> {t("Features and sessions")}
        </Button>
        <div id={id}>{isOpen && <RunDetail run={run} />}</div>
      </div>
    </article>
  );
}

/** A bar with its words; the words alone are enough. */
function Meter({
  label,
  words,
  value,
}: {
  readonly label: string;
  readonly words: string;
  readonly value: number;
}): ReactNode {
  return (
    <div className="min-w-0 text-sm">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="text-soft">{label}</span>
        <span className="tabular-nums">{words}</span>
      </p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words}
        className="mt-1 h-2 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${value}%` }} />
      </div>
    </div>
  );
}

const ENDING = {
  stop: {
    description: t("The session that works now is ended. It cannot go on afterwards; its files and sessions stay."),
    verb: t("Stop it"),
    keep: t("Let it run"),
    done: (name: string) => t("{name} is stopped.", { name }),
  },
  remove: {
    description: t("It is stopped and forgotten. Its sessions and files stay."),
    verb: t("Delete it"),
    keep: t("Keep it"),
    done: (name: string) => t("{name} is gone.", { name }),
  },
} as const;

function Controls({ run: { id, name, status } }: { readonly run: LongRunView }): ReactNode {
  const { client } = useConnection();
  const { act, perform, isActing } = useAct(KEYS.longRuns);
  const [ending, setEnding] = useState<keyof typeof ENDING>();
  const isPaused = status === "paused";
  const verb = isPaused ? "continue" : "pause";
  const done = isPaused ? t("{name} goes on.", { name }) : t("{name} is paused.", { name });
  const calls = { stop: () => client.longRuns.control(id, "stop"), remove: () => client.longRuns.remove(id) };
  return (
    <div className="flex flex-wrap gap-1">
      {status !== "ended" && (
        <>
          <Button
            size="small"
            busy={isActing}
            aria-label={isPaused ? t("Continue {name}", { name }) : t("Pause {name}", { name })}
            onClick={() => act({ run: () => client.longRuns.control(id, verb), done })}
          >
            {isPaused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
            {isPaused ? t("Continue") : t("Pause")}
          </Button>
          <Button
            size="small"
            variant="danger"
            aria-label={t("Stop {name}", { name })}
            onClick={() => setEnding("stop")}
          >
            <Square aria-hidden className="size-4" /> {t("Stop")}
          </Button>
        </>
      )}
      <Button
        size="small"
        variant="quiet"
        aria-label={t("Delete {name}", { name })}
        onClick={() => setEnding("remove")}
      >
        <Trash2 aria-hidden className="size-4" />
      </Button>
      {ending !== undefined && (
        <Confirm
          title={ending === "stop" ? t("Stop {name}?", { name }) : t("Delete {name}?", { name })}
          description={ENDING[ending].description}
          verb={ENDING[ending].verb}
          keep={ENDING[ending].keep}
          act={() => perform({ run: calls[ending], done: ENDING[ending].done(name) })}
          onClose={() => setEnding(undefined)}
        />
      )}
    </div>
  );
}
