import { useQuery } from "@tanstack/react-query";
import { Plus, Repeat } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { NewLongRun } from "./new-run.tsx";
import { RunCard } from "./run-card.tsx";
import { t } from "../../../ui/language/t.ts";

/** Their sessions begin and end by themselves. */
const EACH_MS = 5_000;

export function LongRunsPage(): ReactNode {
  const may = useMay("session.read");
  const mayStart = useMay("session.create");
  const [isMaking, setMaking] = useState(false);
  return (
    <Page
      title={t("Long runs")}
      intro={t(
        "One large task, session after session in one folder, until every feature passes or the budget is used up.",
      )}
      {...(mayStart
        ? {
            actions: (
              <Button variant="primary" onClick={() => setMaking(true)}>
                <Plus aria-hidden className="size-4" /> {t("New long run")}
              </Button>
            ),
          }
        : {})}
    >
      {may ? <LongRuns /> : <NotPermitted what={t("Long runs")} roles={t("admin, operator, agent or viewer")} />}
      {isMaking && <NewLongRun onClose={() => setMaking(false)} />}
    </Page>
  );
}

function LongRuns(): ReactNode {
  const { client } = useConnection();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.longRuns,
    queryFn: async () => (await client.longRuns.list()).long_runs,
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
  return (
    <>
      {error !== null && <Trouble title={t("Can’t load the long runs")} error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-48" />}
      {data?.length === 0 && (
        <Empty icon={Repeat} title={t("No long runs")}>
          {t(
            "A first session plans the task as a list of features. Those after it build one feature at a time, by themselves and within one budget.",
          )}
        </Empty>
      )}
      <div className="grid grid-cols-1 gap-4">
        {data?.map((run) => (
          <RunCard key={run.id} run={run} />
        ))}
      </div>
    </>
  );
}
