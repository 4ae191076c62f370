import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft, FileCheck2, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Failure, type FileComparison, type SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { useTitle } from "../../../ui/app/page-title.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Empty, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { visible } from "../../../ui/visible.ts";
import { Counts, DiffView } from "../../approval/diff-view.tsx";
import { KEYS } from "../../app/feed.tsx";
import { FileList } from "../changes/file-list.tsx";
import { plural, t } from "../../../ui/language/t.ts";

/** What differs between a session's files now and an earlier moment of it, or another session. */
export function ComparePage(): ReactNode {
  const { sessionId } = useParams({ from: "/sessions/$sessionId/compare" });
  const { with: other = "start" } = useSearch({ from: "/sessions/$sessionId/compare" });
  const { client } = useConnection();
  const session = useQuery({ queryKey: KEYS.session(sessionId), queryFn: () => client.session(sessionId) });
  const compared = useQuery({
    queryKey: [...KEYS.changes(sessionId), "compare", other, session.data?.turns],
    queryFn: () => client.reviews.compare(sessionId, other),
    staleTime: 0,
  });
  const isMoment = !other.startsWith("ses_");
  const title = isMoment ? t("Since an earlier turn") : t("Compared with another session");
  useTitle(title);
  // A session that has changed nothing has no moments: that is no trouble.
  const isUnrecorded =
    isMoment && session.data !== undefined && compared.error instanceof Failure && compared.error.code === "not_found";
  const error = isUnrecorded ? null : (session.error ?? compared.error);
  return (
    <div className="mx-auto w-full max-w-7xl space-y-4 p-4 md:px-8">
      <header>
        <Link
          to="/sessions/$sessionId/changes"
          params={{ sessionId }}
          className="inline-flex items-center gap-1 text-sm text-accent underline"
        >
          <ChevronLeft aria-hidden className="size-4 shrink-0" /> {t("Changes")}
        </Link>
        <h1 className="mt-1 text-xl font-semibold">{title}</h1>
        <p className="text-sm text-soft">
          {isMoment
            ? t("What changed since then. Put files back to undo it.")
            : t("From the other session’s files to this one’s, as both are now.")}
        </p>
      </header>
      {error !== null && (
        <Trouble title={t("Can’t compare the files")} error={error} onRetry={() => void compared.refetch()} />
      )}
      {isUnrecorded && (
        <Empty icon={FileCheck2} title={t("Nothing recorded yet")}>
          {t("Files are recorded before the first call that could change them, and after each turn.")}
        </Empty>
      )}
      {error === null && !isUnrecorded && (compared.data === undefined || session.data === undefined) && (
        <Skeleton className="h-64" />
      )}
      {error === null && compared.data !== undefined && session.data !== undefined && (
        <Compared session={session.data} comparison={compared.data} isMoment={isMoment} />
      )}
    </div>
  );
}

function Compared({
  session,
  comparison,
  isMoment,
}: {
  readonly session: SessionView;
  readonly comparison: FileComparison;
  readonly isMoment: boolean;
}): ReactNode {
  const { files, additions, deletions } = comparison;
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const file = files.find(({ path }) => path === wanted) ?? files[0];
  if (file === undefined)
    return (
      <Empty icon={FileCheck2} title={t("No differences")}>
        {t("All files are the same.")}
      </Empty>
    );
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
        {plural({ one: "{count} file", other: "{count} files" }, { count: files.length })}{" "}
        <Counts added={additions} removed={deletions} />
      </p>
      {isMoment && <Rewind session={session} comparison={comparison} />}
      <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <FileList files={files} current={file.path} onChoose={setWanted} />
        <ComparedFile key={`${file.path} ${comparison.revision}`} comparison={comparison} path={file.path} />
      </div>
    </>
  );
}

function ComparedFile({ comparison, path }: { readonly comparison: FileComparison; readonly path: string }): ReactNode {
  const { client } = useConnection();
  const { session_id: id, with: other, revision } = comparison;
  const { data, error, refetch } = useQuery({
    // Not among the changes: after files were put back there is nothing to read again.
    queryKey: ["compared-file", id, other, revision, path],
    queryFn: () => client.reviews.compareFile(id, other, path),
  });
  if (error !== null)
    return (
      <Trouble
        title={t("Can’t compare {path}", { path: visible(path) })}
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Skeleton className="h-64" />;
  if (data.diff === "")
    return (
      <Note>
        {visible(path)}: {data.note ?? t("no lines differ")}
      </Note>
    );
  return <DiffView patch={data.diff} path={path} />;
}

function Rewind({
  session,
  comparison,
}: {
  readonly session: SessionView;
  readonly comparison: FileComparison;
}): ReactNode {
  const may = useMay("changes.decide");
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const rewind = useMutation({
    mutationFn: () => client.reviews.rewind(session.id, { to: comparison.with, revision: comparison.revision }),
    onSuccess: ({ paths }) => {
      tell.ok(plural({ one: "{count} file put back", other: "{count} files put back" }, { count: paths.length }));
      setAsked(false);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.changes(session.id) }),
  });
  if (!may) return null;
  const isWorking = session.turn_id !== undefined;
  return (
    <div className="space-y-2">
      {isWorking && (
        <Note tone="info" role="status">
          {t("The session is still working. You can put files back when its turn has ended.")}
        </Note>
      )}
      <Button variant="danger" disabled={isWorking} onClick={() => setAsked(true)}>
        <Undo2 aria-hidden className="size-4" />{" "}
        {plural({ one: "Put {count} file back", other: "Put {count} files back" }, { count: comparison.files.length })}
      </Button>
      {isAsked && (
        <Dialog
          open
          onClose={() => setAsked(false)}
          title={plural(
            { one: "Put {count} file back?", other: "Put {count} files back?" },
            { count: comparison.files.length },
          )}
          description={t(
            "Everything on this page is undone in the session’s files, also what you changed there yourself. The conversation stays as it is.",
          )}
        >
          {rewind.error !== null && <Trouble title={t("Nothing was put back")} error={rewind.error} />}
          <div className="mt-3 flex justify-end gap-2">
            <Button onClick={() => setAsked(false)}>{t("Cancel")}</Button>
            <Button variant="danger" busy={rewind.isPending} onClick={() => rewind.mutate()}>
              {t("Put back")}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
