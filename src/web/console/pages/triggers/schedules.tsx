import { useQuery } from "@tanstack/react-query";
import { CalendarClock, CirclePlay, Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ScheduleView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Badge, Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { Ago, money } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { NewSchedule } from "./new-schedule.tsx";
import { History, Result, TriggerButtons } from "./parts.tsx";
import { locale, plural, rich, t } from "../../../ui/language/t.ts";

/** Their times come by themselves. */
const EACH_MS = 10_000;

export function SchedulesPage(): ReactNode {
  const may = useMay("trigger.manage");
  const [isMaking, setMaking] = useState(false);
  return (
    <Page
      title={t("Schedules")}
      intro={t("Sessions that begin at set times, from a template.")}
      {...(may
        ? {
            actions: (
              <Button variant="primary" onClick={() => setMaking(true)}>
                <Plus aria-hidden className="size-4" /> {t("New schedule")}
              </Button>
            ),
          }
        : {})}
    >
      {may ? <Schedules /> : <NotPermitted what={t("Schedules")} roles={t("admin or operator")} />}
      {isMaking && <NewSchedule onClose={() => setMaking(false)} />}
    </Page>
  );
}

function Schedules(): ReactNode {
  const { client } = useConnection();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.schedules,
    queryFn: async () => (await client.schedules.list()).schedules,
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
  return (
    <>
      {error !== null && <Trouble title={t("Can’t load the schedules")} error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-40" />}
      {data?.length === 0 && (
        <Empty icon={CalendarClock} title={t("No schedules")}>
          {t(
            "Let an agent triage issues each morning, or prepare a release on Monday at nine. Results and questions come to Sessions and Approvals.",
          )}
        </Empty>
      )}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {data?.map((schedule) => (
          <ScheduleCard key={schedule.id} schedule={schedule} />
        ))}
      </div>
    </>
  );
}

function ScheduleCard({ schedule }: { readonly schedule: ScheduleView }): ReactNode {
  const { client } = useConnection();
  const { act, isActing } = useAct(KEYS.schedules);
  const { id, name, paused, next, last, max_cost_microusd: most } = schedule;
  const [first, ...further] = next;
  return (
    <article
      aria-label={t("Schedule {name}", { name })}
      className="flex min-w-0 flex-col gap-3 rounded-xl border bg-raised p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 dir="auto" className="truncate rtl:text-right text-base font-semibold">
            {name}
          </h2>
          <Badge tone={paused ? "warn" : first === undefined ? "plain" : "ok"} className="mt-1">
            {paused ? t("paused") : first === undefined ? t("over") : t("active")}
          </Badge>
        </div>
        <div className="flex flex-wrap gap-1">
          <Button
            size="small"
            busy={isActing}
            aria-label={t("Run now: {name}", { name })}
            onClick={() => act({ run: () => client.schedules.run(id), done: t("{name} started a session.", { name }) })}
          >
            <CirclePlay aria-hidden className="size-4" /> {t("Run now")}
          </Button>
          <TriggerButtons
            trigger={schedule}
            calls={{
              list: KEYS.schedules,
              kind: "schedule",
              control: (which, verb) => client.schedules.control(which, verb),
              remove: (which) => client.schedules.remove(which),
            }}
          />
        </div>
      </header>
      <Facts
        facts={[
          { label: t("Next"), value: first === undefined ? t("not due") : <Times first={first} further={further} /> },
          { label: t("When"), value: whenWords(schedule) },
          { label: t("If missed"), value: schedule.missed === "skip" ? t("skip it") : t("run once, late") },
          { label: t("Template"), value: schedule.template },
          { label: t("At most"), value: most === undefined ? "" : t("{amount} a session", { amount: money(most) }) },
          { label: t("Acts as"), value: schedule.created_by.name },
          {
            label: t("Started"),
            value: plural({ one: "{count} session", other: "{count} sessions" }, { count: schedule.started }),
          },
          { label: t("Last"), value: last === undefined ? t("never") : <Result result={last} /> },
        ]}
      />
      <History
        label={t("History")}
        queryKey={[...KEYS.schedules, id, "history", last?.at ?? ""]}
        read={() => client.schedules.history(id)}
      />
    </article>
  );
}

function Times({ first, further }: { readonly first: string; readonly further: readonly string[] }): ReactNode {
  const words = (at: string): string =>
    new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
  return (
    <>
      {words(first)} <span className="text-soft">(</span>
      <Ago at={first} />
      <span className="text-soft">)</span>
      {further.length > 0 && (
        <span className="block text-xs text-soft">{t("then {times}", { times: further.map(words).join(" · ") })}</span>
      )}
    </>
  );
}

function whenWords({ cron, at, time_zone }: ScheduleView): ReactNode {
  if (cron === undefined) return t("once, {at}", { at: at === undefined ? "" : new Date(at).toLocaleString(locale) });
  return <>{rich("{cron} in {time_zone}", { cron: <code className="text-xs">{cron}</code>, time_zone })}</>;
}
