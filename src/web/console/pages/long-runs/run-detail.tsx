import { useQuery } from "@tanstack/react-query";
import { Check, Circle } from "lucide-react";
import type { ReactNode } from "react";
import type { LongRunStep, LongRunView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Badge, Skeleton, Trouble } from "../../../ui/states.tsx";
import { Ago, money } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { SessionLink } from "../../app/session-link.tsx";
import { percent } from "./words.ts";
import { t } from "../../../ui/language/t.ts";

const COLUMNS: readonly TableColumn<LongRunStep>[] = [
  { label: t("Session"), heading: true, cell: ({ index }) => t("Session {index}", { index: String(index) }) },
  { label: t("Ended"), cell: ({ ended_at }) => <Ago at={ended_at} /> },
  {
    label: t("Result"),
    cell: ({ outcome, message }) => (
      <>
        <Badge tone={outcome === "completed" ? "ok" : "bad"}>{outcome}</Badge>
        {message !== undefined && <span className="block text-xs break-words text-soft">{message}</span>}
      </>
    ),
  },
  {
    label: t("Features"),
    figure: true,
    cell: ({ features }) =>
      features === undefined
        ? "–"
        : t("{passing} of {total}", { passing: String(features.passing), total: String(features.total) }),
  },
  { label: t("Spent until then"), figure: true, cell: ({ spent_microusd }) => money(spent_microusd) },
  { label: t("Conversation"), cell: ({ session_id }) => <SessionLink id={session_id} /> },
];

/** Its features, and how many passed after each session. */
export function RunDetail({ run }: { readonly run: LongRunView }): ReactNode {
  const { client } = useConnection();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...KEYS.longRuns, run.id, run.updated_at],
    queryFn: () => client.longRuns.get(run.id),
    placeholderData: (before) => before,
  });
  if (error !== null)
    return <Trouble title={t("Can’t load this long run")} error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton className="h-32" />;
  return (
    <div className="space-y-4 pt-2">
      {data.steps.length > 1 && <Progress steps={data.steps} />}
      <section aria-label={t("Features")}>
        <h3 className="text-sm font-medium">{t("Features")}</h3>
        {data.feature_list.length === 0 ? (
          <p className="text-sm text-soft">{t("The first session has not written the list yet.")}</p>
        ) : (
          <ol
            className="mt-1 max-h-80 space-y-1 overflow-auto text-sm"
            tabIndex={0}
            aria-label={t("Features of the task")}
          >
            {data.feature_list.map(({ description, passes }, index) => (
              <li key={`${String(index)} ${description}`} className="flex items-start gap-2">
                {passes ? (
                  <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
                ) : (
                  <Circle aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
                )}
                <span className="min-w-0 break-words">
                  {description}
                  <span className="sr-only">: {passes ? t("passes") : t("does not pass yet")}</span>
                </span>
              </li>
            ))}
          </ol>
        )}
      </section>
      <section aria-label={t("Sessions")}>
        <h3 className="text-sm font-medium">{t("Sessions")}</h3>
        {data.steps.length === 0 ? (
          <p className="text-sm text-soft">{t("None has ended yet.")}</p>
        ) : (
          <DataTable
            label={t("Sessions of {name}", { name: run.name })}
            columns={COLUMNS}
            rows={data.steps.toReversed()}
            keyOf={({ index }) => String(index)}
          />
        )}
      </section>
    </div>
  );
}

/** One column for each session; the table below says the same in words. */
function Progress({ steps }: { readonly steps: readonly LongRunStep[] }): ReactNode {
  return (
    <div aria-hidden className="flex h-16 items-end gap-0.5">
      {steps.map(({ index, features }) => (
        <div key={index} className="flex h-full min-w-0 flex-1 items-end rounded-sm bg-sunken">
          <div
            className="w-full rounded-sm bg-accent"
            style={{ height: `${percent(features?.passing ?? 0, features?.total ?? 0)}%` }}
          />
        </div>
      ))}
    </div>
  );
}
