import type { ReactNode } from "react";
import type { UsageLine, UsageReport } from "../../../../protocol/index.ts";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Section } from "../../../ui/page.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { count, money } from "../../../ui/words.tsx";
import { GROUPS, type UsageGrouping } from "./series.ts";
import { t } from "../../../ui/language/t.ts";

/** The sums of the range, most expensive first. */
export function Breakdown({
  report,
  group,
  nameOf,
}: {
  readonly report: UsageReport | undefined;
  readonly group: UsageGrouping;
  readonly nameOf: (id: string) => string;
}): ReactNode {
  const label = GROUPS.find(({ value }) => value === group)?.label ?? group;
  const isTotal = (line: UsageLine): boolean => line === report?.total;
  const columns: readonly TableColumn<UsageLine>[] = [
    {
      label: capital(label),
      heading: true,
      cell: (line) => (isTotal(line) ? "total" : nameOf(line[group] ?? "")),
    },
    { label: t("Spent"), figure: true, cell: (line) => money(line.cost_microusd - line.bound_microusd) },
    ...(report === undefined || report.total.bound_microusd === 0
      ? []
      : [{ label: t("At most"), figure: true, cell: (line: UsageLine) => money(line.cost_microusd) }]),
    { label: t("Requests"), figure: true, cell: (line) => count(line.requests) },
    { label: t("Input"), figure: true, cell: ({ tokens }) => count(tokens.input) },
    { label: t("Output"), figure: true, cell: ({ tokens }) => count(tokens.output) },
    { label: t("Cache read"), figure: true, cell: ({ tokens }) => count(tokens.cache_read) },
    { label: t("Cache write"), figure: true, cell: ({ tokens }) => count(tokens.cache_write + tokens.cache_write_1h) },
  ];
  return (
    <Section title={t("By {label}", { label })}>
      {report === undefined ? (
        <Skeleton className="h-24" />
      ) : (
        <DataTable
          label={t("Usage by {label}", { label })}
          columns={columns}
          rows={report.lines.toSorted((left, right) => right.cost_microusd - left.cost_microusd)}
          keyOf={(line) => line[group] ?? ""}
          foot={report.total}
        />
      )}
    </Section>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
