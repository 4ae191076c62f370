import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { Download, ScrollText } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { download } from "../../../ui/download.ts";
import { LoadMore } from "../../../ui/load-more.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Empty, Skeleton, Trouble, wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { Entries } from "./entries.tsx";
import { peopleOf, type Filter } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { t } from "../../../ui/language/t.ts";

const PAGE = 100;
const EACH_MS = 15_000;

export function AuditPage(): ReactNode {
  const may = useMay("audit.read");
  const [filter, setFilter] = useState<Filter>({});
  return (
    <Page
      wide
      title={t("Audit")}
      intro={t("Every decision and change, newest first. Entries cannot be edited or removed.")}
      {...(may ? { actions: <ExportCsv filter={filter} /> } : {})}
    >
      {may ? (
        <Audit filter={filter} onFilter={setFilter} />
      ) : (
        <NotPermitted what={t("The audit log")} roles={t("admin, operator or viewer")} />
      )}
    </Page>
  );
}

function Audit({
  filter,
  onFilter,
}: {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}): ReactNode {
  const { client } = useConnection();
  const mayList = useMay("token.manage");
  const tokens = useQuery({ queryKey: KEYS.tokens, queryFn: () => client.tokens(), enabled: mayList });
  const log = useInfiniteQuery({
    queryKey: [...KEYS.audit, filter],
    queryFn: ({ pageParam }) =>
      client.audit({ ...filter, limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    // Only while just the newest page is shown: a long list must not reload under the reader.
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) > 1 ? false : EACH_MS),
    staleTime: 0,
  });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      <Filters filter={filter} people={peopleOf(tokens.data?.tokens ?? [], entries)} onChange={onFilter} />
      {log.error !== null && (
        <Trouble title={t("Can’t load the audit log")} error={log.error} onRetry={() => void log.refetch()} />
      )}
      {log.isPending && <Skeleton className="h-96" />}
      {log.data !== undefined && entries.length === 0 && <NothingDone isFiltered={Object.keys(filter).length > 0} />}
      {entries.length > 0 && (
        <div className="md:rounded-xl md:border md:bg-raised md:px-1 md:py-1">
          <Entries entries={entries} onPerson={(by) => onFilter({ ...filter, by })} />
        </div>
      )}
      {log.hasNextPage && (
        <LoadMore label={t("Older entries")} isBusy={log.isFetchingNextPage} onMore={() => void log.fetchNextPage()} />
      )}
    </>
  );
}

function NothingDone({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  return (
    <Empty icon={ScrollText} title={isFiltered ? t("No matching entries") : t("Nothing yet")}>
      {isFiltered
        ? t("Choose another action or person.")
        : t("Started sessions, approval decisions, and changes to policy, tokens and limits appear here.")}
    </Empty>
  );
}

function ExportCsv({ filter }: { readonly filter: Filter }): ReactNode {
  const { client } = useConnection();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () => client.auditCsv(filter),
    onSuccess: ({ csv, truncated }) => {
      download("sallyport-audit.csv", csv, "text/csv");
      if (truncated) tell.bad(t("Too many entries for one file; it was cut off. Filter by action or person."));
    },
    onError: (error) => tell.bad(t("Can’t create the file. {words}", { words: wordsOf(error) })),
  });
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      <Download aria-hidden className="size-4" /> {t("Export CSV")}
    </Button>
  );
}
