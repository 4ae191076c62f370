import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Failure, type SessionView } from "../../../../protocol/index.ts";
import { freshKey } from "../../app/fresh-key.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useTitle } from "../../../ui/app/page-title.ts";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { FindBar, useFind, useFindKey } from "../../transcript/find-bar.tsx";
import { TranscriptList } from "../../transcript/list.tsx";
import { useTranscript } from "../../transcript/use-transcript.ts";
import { useReady } from "../../../ui/ready.ts";
import { Empty, Skeleton, Trouble, wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { titleOf } from "../../../ui/words.tsx";
import { ApprovalDock } from "./approval-dock.tsx";
import { Composer } from "./composer.tsx";
import { hasChanges, Head } from "./head.tsx";
import { SessionsBeside, SessionsDrawer, useMarkRead } from "./sessions-beside.tsx";
import { SharedFolder } from "./shared-folder.tsx";
import { Side } from "./side.tsx";
import { rich, t } from "../../../ui/language/t.ts";

export function SessionPage(): ReactNode {
  const { sessionId } = useParams({ from: "/sessions/$sessionId" });
  const { client } = useConnection();
  const session = useQuery({ queryKey: KEYS.session(sessionId), queryFn: () => client.session(sessionId) });
  const isReady = useReady(session.data !== undefined);
  if (session.data !== undefined && isReady) return <OpenSession key={sessionId} session={session.data} />;
  if (session.error instanceof Failure && session.error.code === "not_found") {
    return (
      <>
        <h1 className="sr-only">{t("Session")}</h1>
        <Empty icon={SearchX} title={t("Session not found")}>
          {rich("It may belong to someone else, or the address is wrong. {link}", {
            link: (
              <Link to="/sessions" className="text-accent underline">
                {t("To the sessions")}
              </Link>
            ),
          })}
        </Empty>
      </>
    );
  }
  if (session.error !== null) {
    return (
      <div className="p-6">
        <h1 className="sr-only">{t("Session")}</h1>
        <Trouble title={t("Can’t load this session")} error={session.error} onRetry={() => void session.refetch()} />
      </div>
    );
  }
  return (
    <>
      <h1 className="sr-only">{t("Session")}</h1>
      <Waiting />
    </>
  );
}

/** `part`: how much of it is here. */
function Waiting({ part = 0 }: { readonly part?: number }): ReactNode {
  return (
    <div role="status" aria-label={t("Opening the session")} className="mx-auto w-full max-w-4xl space-y-4 p-4">
      {part > 0 && (
        <p className="text-sm text-soft">
          {t("Reading the conversation: {percent} %", { percent: Math.floor(part * 100) })}
        </p>
      )}
      <Skeleton className="h-10 w-1/2" />
      <Skeleton className="h-24" />
      <Skeleton className="h-12" />
      <Skeleton className="h-40" />
    </div>
  );
}

/** The seq that the address names, as in `#seq-12`. */
function useTarget(): number | undefined {
  const hash = useLocation({ select: (location) => location.hash });
  const named = /^seq-(\d{1,12})$/.exec(hash)?.[1];
  return named === undefined ? undefined : Number(named);
}

function OpenSession({ session }: { readonly session: SessionView }): ReactNode {
  useTitle(titleOf(session));
  const { view, error, from, reach } = useTranscript(session.id, session.seq);
  const target = useTarget();
  useEffect(() => {
    if (target !== undefined) reach(target);
  }, [target, reach]);
  const mayControl = useMay("session.control");
  const fork = useFork(session.id);
  const goOn = useContinue(session.id);
  const [sideOpen, setSideOpen] = useState(false);
  const [drawerOpen, setDrawerOpen] = useState(false);
  useMarkRead(session);
  const find = useFind(view);
  useFindKey(find.open);
  useEffect(() => {
    // What is searched is here.
    if (find.isOpen) reach(1);
  }, [find.isOpen, reach]);
  const navigate = useNavigate();
  useShortcuts(t("Session"), [
    { keys: ["/"], label: t("Find in conversation"), run: find.open },
    ...(hasChanges(session)
      ? [
          {
            keys: ["d"],
            label: t("Changes"),
            run: () => void navigate({ to: "/sessions/$sessionId/changes", params: { sessionId: session.id } }),
          },
        ]
      : []),
  ]);
  // The journal's end when the page was opened; later events are followed live.
  const [goal] = useState(session.seq);
  const isLoading = view.seq < goal && error === undefined;
  const begin = Math.max(0, Math.min(from, goal - 1));
  return (
    // What remains of the window beside the bar about a lost connection.
    <div className="relative flex-1" data-fills-window>
      <div className="absolute inset-0 flex min-w-0">
        <SessionsBeside current={session.id} />
        <SessionsDrawer current={session.id} open={drawerOpen} onClose={() => setDrawerOpen(false)} />
        <div className="flex min-w-0 flex-1 flex-col">
          <Head
            session={session}
            onFork={() => fork()}
            onDetails={() => setSideOpen(true)}
            onFind={find.open}
            onSessions={() => setDrawerOpen(true)}
          />
          <SharedFolder session={session} />
          {find.isOpen && <FindBar find={find} isReading={from > 0} onClose={find.close} />}
          {error !== undefined && (
            <div className="p-4">
              <Trouble
                title={t("Can’t follow this conversation")}
                error={error}
                onRetry={() => globalThis.location.reload()}
              />
            </div>
          )}
          {isLoading ? (
            <div className="flex-1">
              <Waiting part={Math.max(0, view.seq - begin) / (goal - begin)} />
            </div>
          ) : (
            <TranscriptList
              view={view}
              onOlder={from === 0 ? undefined : () => reach(Math.max(1, from - OLDER_EVENTS))}
              target={target}
              found={find.isOpen ? { text: find.text, match: find.current } : undefined}
              onFork={mayControl ? (turn) => fork(turn) : undefined}
              onContinue={mayControl && isOpen(session) ? goOn : undefined}
            />
          )}
          <ApprovalDock sessionId={session.id} />
          <Composer session={session} onFork={() => fork()} />
        </div>
        <Side session={session} view={view} open={sideOpen} onClose={() => setSideOpen(false)} />
      </div>
    </div>
  );
}

/** What is read when the reader comes near the beginning of what is here. */
const OLDER_EVENTS = 2_000;

const isOpen = ({ status }: SessionView): boolean => status !== "complete" && status !== "failed";

/** Asks the agent to continue what it did not finish. */
function useContinue(id: string): () => void {
  const { client } = useConnection();
  const tell = useTell();
  const { mutate, isPending } = useMutation({
    mutationFn: (key: string) => client.prompt(id, { text: t("Continue") }, { key }),
    onError: (error) => tell.bad(wordsOf(error)),
  });
  return () => {
    if (!isPending) mutate(freshKey());
  };
}

/** Makes a fork and goes there. */
function useFork(id: string): (afterTurn?: string) => void {
  const { client } = useConnection();
  const tell = useTell();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (afterTurn) => {
    void (async () => {
      try {
        const made = await client.fork(id, afterTurn === undefined ? {} : { after_turn: afterTurn }, {
          key: freshKey(),
        });
        queries.setQueryData(KEYS.session(made.id), made);
        tell.ok(t("Forked. The original is unchanged."));
        await navigate({ to: "/sessions/$sessionId", params: { sessionId: made.id } });
      } catch (error) {
        tell.bad(wordsOf(error));
      }
    })();
  };
}
