import { Link, useSearch } from "@tanstack/react-router";
import { Plus, SearchX } from "lucide-react";
import { Suspense, useEffect, useRef, type ReactNode, type RefObject } from "react";
import { useMay } from "../../../ui/app/connection.tsx";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { DemoNote } from "../../onboarding/demo-note.tsx";
import { useDemo } from "../../onboarding/demo.tsx";
import { Button } from "../../../ui/button.tsx";
import { lazyPart } from "../../../ui/load.ts";
import { Page } from "../../../ui/page.tsx";
import { useReady } from "../../../ui/ready.ts";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { useTemplates } from "../new/template-data.ts";
import { filterOf, useSessionActions, useSessions } from "./data.ts";
import { Filters } from "./filters.tsx";
import { ListSkeleton, moveFocus, SessionList } from "./list.tsx";
import { plural, t } from "../../../ui/language/t.ts";

/** For a server that has no sessions yet. */
const Welcome = lazyPart(async () => (await import("../../onboarding/welcome.tsx")).Welcome);

export function SessionsPage(): ReactNode {
  const search = useSearch({ from: "/sessions" });
  const filter = filterOf(search);
  const filtered = Object.keys(search).length > 0;
  const query = useSessions(filter);
  const actions = useSessionActions();
  const list = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  useListKeys(list, box);
  const { sessions } = query;
  const { isFetched: knowsTemplates, isEnabled: hasTemplates } = useTemplates();
  const demo = useDemo();
  // Nothing may jump when the last answer arrives.
  if (!useReady(demo !== undefined && !query.isPending)) return <Opening />;
  if (query.isSuccess && !query.isPlaceholderData && sessions.length === 0 && !filtered)
    return hasTemplates && !knowsTemplates ? (
      <Opening />
    ) : (
      <Suspense fallback={<Opening />}>
        <Welcome />
      </Suspense>
    );
  return (
    <Page title={t("Sessions")} actions={<NewButton />} wide>
      <DemoNote />
      <Filters search={search} box={box} />
      <p aria-live="polite" className="sr-only">
        {query.isFetched && !query.isPlaceholderData ? countWords(sessions.length, query.hasNextPage) : ""}
      </p>
      {query.isError && sessions.length === 0 && (
        <Trouble title={t("Can’t load the sessions")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isSuccess && sessions.length === 0 && !query.isPlaceholderData && <NothingFound />}
      {sessions.length > 0 && (
        <div className={query.isPlaceholderData ? "opacity-60 transition-opacity" : ""}>
          <SessionList sessions={sessions} actions={actions} place={list} />
        </div>
      )}
      <More
        shown={query.hasNextPage && !query.isPlaceholderData}
        busy={query.isFetchingNextPage}
        failed={query.isFetchNextPageError}
        onMore={() => void query.fetchNextPage()}
      />
    </Page>
  );
}

function Opening(): ReactNode {
  return (
    <Page title={t("Sessions")} actions={<NewButton />} wide>
      <Skeleton className="h-10" />
      <ListSkeleton />
    </Page>
  );
}

/** For phones: a wider page has it in the navigation. */
function NewButton(): ReactNode {
  if (!useMay("session.create")) return undefined;
  return (
    <Link
      to="/new"
      className="inline-flex h-10 items-center gap-2 rounded-lg bg-accent px-4 text-sm font-medium text-accent-ink hover:brightness-110 md:hidden"
    >
      <Plus aria-hidden className="size-4" /> {t("New session")}
    </Link>
  );
}

function useListKeys(list: RefObject<HTMLDivElement | null>, box: RefObject<HTMLInputElement | null>): void {
  useShortcuts(t("Sessions"), [
    { keys: ["/"], label: t("Search"), run: () => box.current?.focus() },
    { keys: ["j", "ArrowDown"], label: t("Next session"), run: (event) => step(list, event, 1) },
    { keys: ["k", "ArrowUp"], label: t("Previous session"), run: (event) => step(list, event, -1) },
    { keys: ["Enter"], label: t("Open the session") },
  ]);
}

/** The letters work everywhere on the page; the arrows only in the list, where they do not prevent scrolling. */
function step(list: RefObject<HTMLDivElement | null>, event: KeyboardEvent, by: 1 | -1): void | false {
  if (event.key.startsWith("Arrow")) return false;
  moveFocus(list.current, by);
  return undefined;
}

function countWords(number: number, more: boolean): string {
  return more
    ? plural({ one: "More than {count} session", other: "More than {count} sessions" }, { count: number })
    : plural({ one: "{count} session", other: "{count} sessions" }, { count: number });
}

function NothingFound(): ReactNode {
  return (
    <Empty icon={SearchX} title={t("No matching sessions")}>
      {t("Try other words, or another state or engine.")}
    </Empty>
  );
}

/** Loads more when it becomes visible; the button is for readers who get there first, and after an error. */
function More({
  shown,
  busy,
  failed,
  onMore,
}: {
  readonly shown: boolean;
  readonly busy: boolean;
  readonly failed: boolean;
  readonly onMore: () => void;
}): ReactNode {
  const mark = useRef<HTMLDivElement>(null);
  const read = useRef(onMore);
  useEffect(() => {
    read.current = onMore;
  });
  useEffect(() => {
    if (!shown || busy || failed || mark.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((one) => one.isIntersecting) && read.current(),
      {
        rootMargin: "400px",
      },
    );
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [shown, busy, failed]);
  if (!shown) return undefined;
  return (
    <div ref={mark} className="flex justify-center">
      <Button busy={busy} onClick={onMore}>
        {failed ? t("Try again") : t("Show more")}
      </Button>
    </div>
  );
}
