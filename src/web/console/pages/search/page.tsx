import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search, SearchX } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { LoadMore } from "../../../ui/load-more.tsx";
import { Page } from "../../../ui/page.tsx";
import { Empty, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { SearchBox } from "../../app/search-box.tsx";
import { HitLine } from "./hit-line.tsx";
import { plural, t } from "../../../ui/language/t.ts";

const HITS = 30;
/** How soon an index that is behind is asked again. */
const BEHIND_MS = 2_000;

export function SearchResultsPage(): ReactNode {
  const { q = "" } = useSearch({ from: "/search" });
  const navigate = useNavigate({ from: "/search" });
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <Page
      title={t("Search")}
      intro={t("Prompts, answers, tool calls and the beginning of their results, in all conversations.")}
    >
      <div role="search" aria-label={t("Conversations")}>
        <SearchBox
          label={t("Search all conversations")}
          placeholder={t("Words, or “words in quotation marks” that follow each other")}
          text={q}
          onText={(text) => void navigate({ search: text === "" ? {} : { q: text }, replace: true })}
          box={box}
        />
      </div>
      {q === "" ? (
        <Empty icon={Search} title={t("Find what was said or done")}>
          {t(
            "A word, a file name, a command: all words must be in the same message. The beginning of a word is enough.",
          )}
        </Empty>
      ) : (
        <Results q={q} />
      )}
    </Page>
  );
}

function Results({ q }: { readonly q: string }): ReactNode {
  const { client } = useConnection();
  const results = useInfiniteQuery({
    queryKey: ["search", q],
    queryFn: ({ pageParam }) =>
      client.searchText({ q, limit: HITS, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.complete === false ? BEHIND_MS : false,
    staleTime: 0,
    retry: false,
  });
  const hits = results.data?.pages.flatMap((page) => page.hits) ?? [];
  const isComplete = results.data?.pages.every(({ complete }) => complete) ?? true;
  return (
    <>
      {results.error !== null && (
        <Trouble title={t("Can’t search")} error={results.error} onRetry={() => void results.refetch()} />
      )}
      {results.isPending && <Skeleton className="h-96" />}
      {!isComplete && (
        <Note tone="info">{t("The newest messages are still being read. Results follow by themselves.")}</Note>
      )}
      <p role="status" className="sr-only">
        {results.data === undefined
          ? ""
          : hits.length === 0
            ? t("No matches")
            : plural({ one: "{count} match shown", other: "{count} matches shown" }, { count: hits.length })}
      </p>
      {results.data !== undefined && hits.length === 0 && !results.hasNextPage && (
        <Empty icon={SearchX} title={t("No matches")}>
          {t("Try fewer words, or only the beginning of one. Sessions of others that you can’t see are not searched.")}
        </Empty>
      )}
      {hits.length > 0 && (
        <ul aria-label={t("Matches")} className="divide-y rounded-xl border bg-raised">
          {hits.map((hit) => (
            <HitLine key={`${hit.session_id}-${String(hit.seq)}`} hit={hit} />
          ))}
        </ul>
      )}
      {results.hasNextPage && (
        <LoadMore
          label={t("Older matches")}
          isBusy={results.isFetchingNextPage}
          onMore={() => void results.fetchNextPage()}
        />
      )}
    </>
  );
}
