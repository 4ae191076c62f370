import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Search, SearchX } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { LoadMore } from "../../../ui/load-more.tsx";
import { Page } from "../../../ui/page.tsx";
import { Empty, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { count } from "../../../ui/words.tsx";
import { SearchBox } from "../../app/search-box.tsx";
import { HitLine } from "./hit-line.tsx";

const HITS = 30;
/** How soon an index that is behind is asked again. */
const BEHIND_MS = 2_000;

export function SearchResultsPage(): ReactNode {
  const { q = "" } = useSearch({ from: "/search" });
  const navigate = useNavigate({ from: "/search" });
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <Page title="Search" intro="Prompts, answers, tool calls and the beginning of their results, in all conversations.">
      <div role="search" aria-label="Conversations">
        <SearchBox
          label="Search all conversations"
          placeholder="Words, or “words in quotation marks” that follow each other"
          text={q}
          onText={(text) => void navigate({ search: text === "" ? {} : { q: text }, replace: true })}
          box={box}
        />
      </div>
      {q === "" ? (
        <Empty icon={Search} title="Find what was said or done">
          A word, a file name, a command: all words must be in the same message. The beginning of a word is enough.
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
        <Trouble title="Can’t search" error={results.error} onRetry={() => void results.refetch()} />
      )}
      {results.isPending && <Skeleton className="h-96" />}
      {!isComplete && <Note tone="info">The newest messages are still being read. Results follow by themselves.</Note>}
      <p role="status" className="sr-only">
        {results.data === undefined ? "" : hits.length === 0 ? "No matches" : `${count(hits.length)} matches shown`}
      </p>
      {results.data !== undefined && hits.length === 0 && !results.hasNextPage && (
        <Empty icon={SearchX} title="No matches">
          Try fewer words, or only the beginning of one. Sessions of others that you can’t see are not searched.
        </Empty>
      )}
      {hits.length > 0 && (
        <ul aria-label="Matches" className="divide-y rounded-xl border bg-raised">
          {hits.map((hit) => (
            <HitLine key={`${hit.session_id}-${String(hit.seq)}`} hit={hit} />
          ))}
        </ul>
      )}
      {results.hasNextPage && (
        <LoadMore
          label="Older matches"
          isBusy={results.isFetchingNextPage}
          onMore={() => void results.fetchNextPage()}
        />
      )}
    </>
  );
}
