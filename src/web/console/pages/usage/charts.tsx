import { useMemo, useState, type ReactNode } from "react";
import type { UsageLine } from "../../../../protocol/index.ts";
import type { BarChart } from "../../charts/bars.ts";
import { Bars } from "../../charts/chart.tsx";
import { DataTable } from "../../../ui/data-table.tsx";
import { Section } from "../../../ui/page.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { count, money } from "../../../ui/words.tsx";
import { Segment } from "./controls.tsx";
import type { DayRange } from "./range.ts";
import { costChart, GROUPS, rowsOf, tokensByGroup, tokensByKind, type UsageGrouping } from "./series.ts";
import { t } from "../../../ui/language/t.ts";

const MICRO = 1_000_000;
const dollarsWords = (value: number): string => money(value * MICRO);

interface ChartsProps {
  readonly lines: readonly UsageLine[] | undefined;
  readonly range: DayRange;
  readonly group: UsageGrouping;
  readonly nameOf: (id: string) => string;
}

export function Charts({ lines, range, group, nameOf }: ChartsProps): ReactNode {
  const [by, setBy] = useState<"kind" | "group">("kind");
  const hasBounds = lines?.some(({ bound_microusd }) => bound_microusd > 0) === true;
  const groupLabel = GROUPS.find(({ value }) => value === group)?.label ?? group;
  const cost = useMemo(
    () => lines && costChart(lines, group, { range, nameOf, words: dollarsWords }),
    [lines, group, range, nameOf],
  );
  const tokens = useMemo(() => {
    if (lines === undefined) return undefined;
    return by === "kind"
      ? tokensByKind(lines, { range, words: count })
      : tokensByGroup(lines, group, { range, nameOf, words: count });
  }, [lines, by, group, range, nameOf]);
  return (
    <div className="grid grid-cols-1 gap-5 xl:grid-cols-2">
      <Section title={hasBounds ? t("Cost, at most") : t("Cost")}>
        <ChartOrPlace
          chart={cost}
          label={t("Cost by day and {groupLabel}, {from} to {to}. The table below has the figures.", {
            groupLabel,
            from: range.from,
            to: range.to,
          })}
          words={dollarsWords}
          empty={t("Nothing was charged in these days.")}
        />
      </Section>
      <Section
        title={t("Tokens")}
        actions={
          <div role="group" aria-label={t("Split tokens by")} className="-my-2 flex rounded-lg border p-0.5">
            <Segment label={t("By kind")} on={by === "kind"} onPick={() => setBy("kind")} />
            <Segment label={t("By {groupLabel}", { groupLabel })} on={by === "group"} onPick={() => setBy("group")} />
          </div>
        }
      >
        <ChartOrPlace
          chart={tokens}
          label={t("Tokens by day, {from} to {to}. The table below has the figures.", {
            from: range.from,
            to: range.to,
          })}
          words={count}
          empty={t("No tokens were used in these days.")}
        />
      </Section>
    </div>
  );
}

function ChartOrPlace({
  chart,
  label,
  words,
  empty,
}: {
  readonly chart: BarChart | undefined;
  readonly label: string;
  readonly words: (value: number) => string;
  readonly empty: string;
}): ReactNode {
  if (chart === undefined) return <Skeleton className="h-76" />;
  if (chart.bars.length === 0) return <p className="grid h-76 place-items-center text-sm text-soft">{empty}</p>;
  return (
    <Bars label={label} chart={chart}>
      <DataTable
        label={label}
        rows={rowsOf(chart)}
        keyOf={({ at }) => at}
        columns={[
          {
            label: chart.months ? t("Month") : t("Day"),
            cell: ({ at }) => at,
            heading: true,
            className: "whitespace-nowrap",
          },
          ...chart.series.map((name, index) => ({
            label: name,
            figure: true,
            cell: ({ values }: { readonly values: readonly number[] }) => words(values[index] ?? 0),
          })),
        ]}
      />
    </Bars>
  );
}
