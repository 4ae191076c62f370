import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChartColumn } from "lucide-react";
import { useState, type ReactNode } from "react";
import { LIMITS, type UsageReport } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page, Section } from "../../../ui/page.tsx";
import { Empty, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { Breakdown } from "./breakdown.tsx";
import { Budgets } from "./budgets.tsx";
import { Charts } from "./charts.tsx";
import { Controls, type RangeChoice } from "./controls.tsx";
import { ExportCsv } from "./export-csv.tsx";
import { Figures } from "./figures.tsx";
import { useNames, useNewestSessions } from "./names.ts";
import { lastDays, type DayRange } from "./range.ts";
import type { UsageGrouping } from "./series.ts";
import { SessionLimits } from "./session-limits.tsx";
import { t } from "../../../ui/language/t.ts";

const EACH_MS = 20_000;
const DEFAULT_DAYS = 30;

export function UsagePage(): ReactNode {
  const may = useMay("usage.read");
  if (!may) {
    return (
      <Page title={t("Usage")}>
        <NotPermitted what={t("Usage")} roles={t("admin, operator, viewer or agent")} />
      </Page>
    );
  }
  return <Usage />;
}

function useReport(by: readonly ("day" | UsageGrouping)[], range: DayRange): UseQueryResult<UsageReport> {
  const { client } = useConnection();
  return useQuery({
    queryKey: [...KEYS.usage, by, range],
    queryFn: () => client.usage({ by, ...range, limit: LIMITS.usageLines }),
    refetchInterval: EACH_MS,
    placeholderData: keepPreviousData,
  });
}

function Usage(): ReactNode {
  const { me } = useConnection();
  const [choice, setChoice] = useState<RangeChoice>(DEFAULT_DAYS);
  const [range, setRange] = useState<DayRange>(() => lastDays(DEFAULT_DAYS, Date.now()));
  const [group, setGroup] = useState<UsageGrouping>("model");
  const daily = useReport(["day", group], range);
  const sums = useReport([group], range);
  const newest = useNewestSessions();
  const { sessions } = newest;
  const nameOf = useNames(sessions);
  const trouble = daily.error ?? sums.error ?? newest.error;
  const retry = (): void => void Promise.all([daily.refetch(), sums.refetch(), newest.refetch()]);
  const pick = (next: RangeChoice, days: DayRange): void => {
    setChoice(next);
    setRange(days);
  };
  return (
    <Page
      title={t("Usage")}
      intro={
        me.rights["usage.read"] === "own"
          ? t("What your own sessions used.")
          : t("What models were asked, and what it cost.")
      }
      actions={<ExportCsv range={range} group={group} />}
    >
      <Controls choice={choice} range={range} group={group} onRange={pick} onGroup={setGroup} />
      {trouble !== null && <Trouble title={t("Usage could not be read")} error={trouble} onRetry={retry} />}
      {daily.data?.truncated === true && (
        <Note tone="warn" role="status">
          {t(
            "There are more than {lines} lines: the charts show the first days only. The figures count everything. Choose fewer days.",
            { lines: LIMITS.usageLines },
          )}
        </Note>
      )}
      <Figures total={sums.data?.total} />
      {sums.data?.total.requests === 0 ? (
        <NothingUsed />
      ) : (
        <>
          <Charts lines={daily.data?.lines} range={range} group={group} nameOf={nameOf} />
          <Breakdown report={sums.data} group={group} nameOf={nameOf} />
        </>
      )}
      <Section title={t("Budgets")}>
        {sums.data === undefined ? (
          <Skeleton className="h-24" />
        ) : (
          <Budgets budgets={sums.data.budgets} nameOf={nameOf} />
        )}
      </Section>
      <SessionLimits sessions={newest.isKnown ? sessions : undefined} />
    </Page>
  );
}

function NothingUsed(): ReactNode {
  const maySetUp = useMay("session.create");
  return (
    <section className="rounded-xl border bg-raised">
      <Empty icon={ChartColumn} title={t("Nothing was used in these days")}>
        {t("Every model request of every session is counted here, with its tokens and its cost.")}{" "}
        {maySetUp && (
          <Link to="/new" className="font-medium text-accent underline">
            {t("Start a session")}
          </Link>
        )}
      </Empty>
    </section>
  );
}
