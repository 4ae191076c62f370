import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronLeft, FileCheck2 } from "lucide-react";
import { useCallback, useState, type ComponentProps, type ReactNode } from "react";
import type { ChangeSetFile, ChangeList, SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { useTitle } from "../../../ui/app/page-title.ts";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { Empty, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { titleOf } from "../../../ui/words.tsx";
import { Counts } from "../../approval/diff-view.tsx";
import { KEYS } from "../../app/feed.tsx";
import { CommentDialog, type CommentSubject } from "./comment-dialog.tsx";
import { CommentList } from "./comment-list.tsx";
import { useComments } from "./comments.ts";
import { Decide } from "./decide.tsx";
import { FileDiff } from "./file-diff.tsx";
import { FileList } from "./file-list.tsx";
import { Moments } from "./moments.tsx";
import { Publish } from "./publish.tsx";
import { EVERYTHING, isChosen, isPartly, toggleFile, type ChangeSelection } from "./selection.ts";
import { plural, rich, t } from "../../../ui/language/t.ts";

/** What a session changed, and what becomes of it. */
export function ChangesPage(): ReactNode {
  const { sessionId } = useParams({ from: "/sessions/$sessionId/changes" });
  const { client } = useConnection();
  const session = useQuery({ queryKey: KEYS.session(sessionId), queryFn: () => client.session(sessionId) });
  const { status, turns } = session.data ?? {};
  const changes = useQuery({
    // Another turn may have changed something.
    queryKey: [...KEYS.changes(sessionId), status, turns],
    queryFn: () => client.changes(sessionId),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  useTitle(t("Changes"));
  const error = session.error ?? changes.error;
  return (
    <div className="mx-auto w-full max-w-7xl space-y-4 p-4 md:px-8">
      <header>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          className="inline-flex max-w-full items-center gap-1 text-sm text-accent underline"
        >
          <ChevronLeft aria-hidden className="size-4 shrink-0" />
          <span className="truncate">
            {session.data === undefined ? t("To the session") : visible(titleOf(session.data))}
          </span>
        </Link>
        <h1 className="mt-1 text-xl font-semibold">{t("Changes")}</h1>
      </header>
      {error !== null && (
        <Trouble
          title={t("Can’t load the changes")}
          error={error}
          onRetry={() => void Promise.all([session.refetch(), changes.refetch()])}
        />
      )}
      {error === null && (session.data === undefined || changes.data === undefined) && <Waiting />}
      {error === null && session.data !== undefined && changes.data !== undefined && (
        <ChangeSet session={session.data} list={changes.data} />
      )}
    </div>
  );
}

function Waiting(): ReactNode {
  return (
    <div role="status" aria-label={t("Comparing the files")} className="space-y-3">
      <Skeleton className="h-10 w-2/3" />
      <Skeleton className="h-32" />
      <Skeleton className="h-64" />
    </div>
  );
}

function ChangeSet({ session, list }: { readonly session: SessionView; readonly list: ChangeList }): ReactNode {
  const { comments, add, remove, clear } = useComments(session.id);
  const [subject, setSubject] = useState<CommentSubject | undefined>(undefined);
  const [chosen, setChosen] = useState({ revision: list.revision, selection: EVERYTHING });
  // Other changes are other parts: what was left out of the last ones says nothing about them.
  const selection = chosen.revision === list.revision ? chosen.selection : EVERYTHING;
  const select = useCallback(
    (next: ChangeSelection) => setChosen({ revision: list.revision, selection: next }),
    [list.revision],
  );
  const mayComment = useMay("session.control");
  const mayDecide = useMay("changes.decide");
  return (
    <>
      <Summary list={list} />
      {list.unknown !== undefined && <Unknown text={list.unknown} />}
      <CommentList sessionId={session.id} comments={comments} onRemove={remove} onSent={clear} />
      {list.files.length === 0 ? (
        <Empty icon={FileCheck2} title={t("No changes")}>
          {t("Nothing differs from what the session began with, or from what was applied last.")}
        </Empty>
      ) : (
        <>
          <Decide session={session} list={list} selection={selection} />
          <Files
            list={list}
            review={{
              selection,
              onSelect: mayDecide ? select : undefined,
              comments,
              onComment: mayComment ? setSubject : undefined,
            }}
          />
        </>
      )}
      <Publish sessionId={session.id} list={list} />
      <Moments session={session} />
      <LeftOut list={list} />
      {subject !== undefined && <CommentDialog subject={subject} onClose={() => setSubject(undefined)} onAdd={add} />}
    </>
  );
}

/** What the list cannot say: short, and whole for whoever wants to know. */
function Unknown({ text }: { readonly text: string }): ReactNode {
  return (
    <details className="rounded-lg border bg-raised text-sm">
      <summary className="cursor-pointer px-3 py-2 text-soft">{t("What this list may miss")}</summary>
      <p className="border-t px-3 py-2">{visible(text)}</p>
    </details>
  );
}

function Summary({ list }: { readonly list: ChangeList }): ReactNode {
  const { files, additions, deletions, source, workspace_mode, branch } = list;
  const folder = <code className="break-all text-ink">{visible(source)}</code>;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
      <span>{plural({ one: "{count} file", other: "{count} files" }, { count: files.length })}</span>
      <Counts added={additions} removed={deletions} />
      <span>
        {workspace_mode === "direct"
          ? rich("in {folder}", { folder })
          : rich("in a {mode} of {folder}", { mode: workspace_mode, folder })}
        {branch !== undefined && (
          <>{rich(", branch {branch}", { branch: <code className="break-all text-ink">{visible(branch)}</code> })}</>
        )}
      </span>
    </p>
  );
}

/** The list, and the diff of the chosen file. */
function Files({
  list,
  review,
}: {
  readonly list: ChangeList;
  readonly review: ComponentProps<typeof FileDiff>["review"];
}): ReactNode {
  const { files } = list;
  const { selection, onSelect, onComment } = review;
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const at = Math.max(
    0,
    files.findIndex(({ path }) => path === wanted),
  );
  const file: ChangeSetFile | undefined = files[at];
  const go = (step: number): void => setWanted(files[Math.max(0, Math.min(files.length - 1, at + step))]?.path);
  useShortcuts(t("Changed files"), [
    { keys: ["]"], label: t("Next file"), run: () => go(1) },
    { keys: ["["], label: t("File before"), run: () => go(-1) },
    ...(onComment === undefined || file === undefined
      ? []
      : [{ keys: ["c"], label: t("Comment on a line"), run: () => onComment({ path: file.path }) }]),
  ]);
  if (file === undefined) return null;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <FileList
        files={files}
        current={file.path}
        onChoose={setWanted}
        boxes={
          onSelect && {
            state: (path) => (isPartly(selection, path) ? "partly" : isChosen(selection, path)),
            toggle: (path) => onSelect(toggleFile(selection, path)),
          }
        }
      />
      <FileDiff
        key={`${file.path} ${list.revision}`}
        sessionId={list.session_id}
        file={file}
        revision={list.revision}
        review={review}
      />
    </div>
  );
}

/** What the session was not shown, and what is in no change set. */
function LeftOut({ list }: { readonly list: ChangeList }): ReactNode {
  const { withheld, withheld_count: count, not_included: others } = list;
  return (
    <>
      {others.length > 0 && (
        <Note tone="warn">
          {t("Not included, because a git repository of its own is there: {paths}", {
            paths: others.map((path) => visible(path)).join(", "),
          })}
        </Note>
      )}
      {count > 0 && (
        <details className="rounded-lg border bg-raised">
          <summary className="cursor-pointer px-3 py-2 text-sm font-medium">
            {plural(
              {
                one: "{count} file was withheld from this session",
                other: "{count} files were withheld from this session",
              },
              { count },
            )}
          </summary>
          <ul className="max-h-72 divide-y overflow-auto border-t text-sm">
            {withheld.map(({ path, because }) => (
              <li key={path} className="flex flex-wrap justify-between gap-x-4 px-3 py-1.5">
                <code className="min-w-0 break-all">{visible(path)}</code>
                <span className="text-soft">{because}</span>
              </li>
            ))}
            {count > withheld.length && (
              <li className="px-3 py-1.5 text-soft">
                {plural({ one: "and {count} more", other: "and {count} more" }, { count: count - withheld.length })}
              </li>
            )}
          </ul>
        </details>
      )}
    </>
  );
}
