import { useQuery } from "@tanstack/react-query";
import { Boxes, SlidersHorizontal } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { PoolView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { count } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { PoolSettingsDialog } from "./pool-settings.tsx";
import { WorkerTable } from "./worker-table.tsx";
import { t } from "../../../ui/language/t.ts";

const EACH_MS = 3_000;

export function WorkersPage(): ReactNode {
  const may = useMay("metrics.read");
  const mayChange = useMay("policy.write");
  return (
    <Page
      wide
      title={t("Workers")}
      intro={t("Where sessions run: each worker is one sandbox, in use or prepared for the next session.")}
      {...(mayChange ? { actions: <ChangePool /> } : {})}
    >
      {may ? <Workers /> : <NotPermitted what={t("The list of workers")} roles={t("admin, operator or viewer")} />}
    </Page>
  );
}

function usePool() {
  const { client } = useConnection();
  return useQuery({
    queryKey: [...KEYS.workers, "pool"],
    queryFn: () => client.pool(),
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
}

function ChangePool(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { data } = usePool();
  return (
    <>
      <Button disabled={data === undefined} onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden className="size-4" /> {t("Change the pool")}
      </Button>
      {isOpen && data !== undefined && <PoolSettingsDialog config={data.config} onClose={() => setOpen(false)} />}
    </>
  );
}

function Workers(): ReactNode {
  const { client } = useConnection();
  const pool = usePool();
  const list = useQuery({
    queryKey: [...KEYS.workers, "list"],
    queryFn: () => client.workers(),
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
  const workers = list.data?.workers ?? [];
  return (
    <>
      {pool.data !== undefined && <Figures pool={pool.data} />}
      {list.error !== null && (
        <Trouble title={t("Can’t load the workers")} error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <Skeleton className="h-64" />}
      {list.data !== undefined && workers.length === 0 && (
        <Empty icon={Boxes} title={t("No workers")}>
          {pool.data?.config.min_workers === 0
            ? t("None is prepared ahead of time. One appears with each session that runs something.")
            : t("The first ones are being prepared.")}
        </Empty>
      )}
      {workers.length > 0 && (
        <div className="md:rounded-xl md:border md:bg-raised md:px-1 md:py-1">
          <WorkerTable workers={workers} />
        </div>
      )}
    </>
  );
}

function Figures({ pool }: { readonly pool: PoolView }): ReactNode {
  const { config } = pool;
  const figures: readonly (readonly [label: string, value: string, hint: string])[] = [
    [
      t("Workers"),
      count(pool.workers),
      t("{min_workers} to {max_workers} may exist", {
        min_workers: count(config.min_workers),
        max_workers: count(config.max_workers),
      }),
    ],
    [
      t("Ready"),
      count(pool.idle),
      pool.starting === 0 ? t("for the next sessions") : t("{starting} starting", { starting: count(pool.starting) }),
    ],
    [t("Sessions waiting"), count(pool.waiting), t("for a free worker")],
    [
      t("Started ready"),
      count(pool.taken),
      t("of {taken} since the server started", { taken: count(pool.taken + pool.opened) }),
    ],
    [t("Replaced"), count(pool.replaced), t("because they failed")],
  ];
  return (
    <dl aria-label={t("The pool")} className="grid grid-cols-2 gap-3 md:grid-cols-5">
      {figures.map(([label, value, hint]) => (
        <div key={label} className="rounded-xl border bg-raised px-4 py-3 max-md:last:col-span-2">
          <dt className="text-sm text-soft">{label}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          <dd className="text-xs text-faint">{hint}</dd>
        </div>
      ))}
    </dl>
  );
}
