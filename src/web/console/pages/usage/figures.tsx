import type { ReactNode } from "react";
import type { UsageLine } from "../../../../protocol/index.ts";
import { Skeleton } from "../../../ui/states.tsx";
import { count, money } from "../../../ui/words.tsx";
import { t } from "../../../ui/language/t.ts";

/** The totals of the range. */
export function Figures({ total }: { readonly total: UsageLine | undefined }): ReactNode {
  const tokens = total?.tokens;
  const written = tokens === undefined ? 0 : tokens.cache_write + tokens.cache_write_1h;
  const bound = total?.bound_microusd ?? 0;
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Figure
        label={t("Spent")}
        value={total && money(total.cost_microusd - bound)}
        note={
          total !== undefined && bound > 0 ? t("at most {amount}", { amount: money(total.cost_microusd) }) : undefined
        }
        title={t(
          "At most: the stream broke before the provider reported its usage, so the highest possible cost counts.",
        )}
      />
      <Figure label={t("Requests")} value={total && count(total.requests)} />
      <Figure label={t("Input tokens")} value={tokens && count(tokens.input)} />
      <Figure label={t("Output tokens")} value={tokens && count(tokens.output)} />
      <Figure label={t("Cache read")} value={tokens && count(tokens.cache_read)} />
      <Figure label={t("Cache write")} value={tokens && count(written)} />
    </dl>
  );
}

function Figure({
  label,
  value,
  note,
  title,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly note?: string | undefined;
  readonly title?: string;
}): ReactNode {
  return (
    <div className="rounded-xl border bg-raised px-4 py-3">
      <dt className="text-sm text-soft">{label}</dt>
      <dd className="mt-0.5 h-8 text-2xl font-semibold tabular-nums">{value ?? <Skeleton className="h-7 w-24" />}</dd>
      {note !== undefined && (
        <dd className="text-xs text-warn" title={title}>
          {note}
        </dd>
      )}
    </div>
  );
}
