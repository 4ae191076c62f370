import { useQuery } from "@tanstack/react-query";
import { MessageSquarePlus } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import type { ChangeHunk, ChangeSetFile, LineComment } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { Button } from "../../../ui/button.tsx";
import { DiffActionsContext, type DiffActions } from "../../approval/diff/actions.ts";
import { DiffView } from "../../approval/diff-view.tsx";
import { KEYS } from "../../app/feed.tsx";
import type { CommentSubject } from "./comment-dialog.tsx";
import { hunkHeader, isChosen, toggleHunk, type ChangeSelection } from "./selection.ts";
import { t } from "../../../ui/language/t.ts";

const NO_HUNKS: readonly ChangeHunk[] = [];

/** What a person may do with the parts and lines of a file. */
interface FileReview {
  readonly selection: ChangeSelection;
  /** Absent: nobody chooses. */
  readonly onSelect?: ((selection: ChangeSelection) => void) | undefined;
  readonly comments: readonly LineComment[];
  /** Absent: nobody comments. */
  readonly onComment?: ((subject: CommentSubject) => void) | undefined;
}

/** One file's change. Of a conflict, both sides. */
export function FileDiff({
  sessionId,
  file,
  revision,
  review,
}: {
  readonly sessionId: string;
  readonly file: ChangeSetFile;
  readonly revision: string;
  readonly review: FileReview;
}): ReactNode {
  const { client } = useConnection();
  const { path } = file;
  const { data, error, refetch } = useQuery({
    queryKey: [...KEYS.changes(sessionId), "diff", revision, path],
    queryFn: () => client.changeDiff(sessionId, path),
  });
  const actions = useActions(path, data?.hunks ?? NO_HUNKS, review);
  const { onComment } = review;
  if (error !== null)
    return (
      <Trouble
        title={t("Can’t compare {path}", { path: visible(path) })}
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Skeleton className="h-64" />;
  const isConflict = file.conflict === true;
  return (
    <div className="min-w-0 space-y-3">
      {isConflict && (
        <Note tone="warn">
          {t(
            "This file changed in the folder since the session began. It is never written over: commit it to a branch and merge, or make the change by hand.",
          )}
        </Note>
      )}
      {data.diff === "" ? (
        <Note>
          {visible(path)}: {data.note ?? t("no lines differ")}
        </Note>
      ) : (
        <>
          <DiffActionsContext value={actions}>
            <DiffView patch={data.diff} path={path} title={isConflict ? t("{path} (this session)", { path }) : path} />
          </DiffActionsContext>
          {onComment !== undefined && (
            <Button size="small" variant="quiet" onClick={() => onComment({ path })}>
              <MessageSquarePlus aria-hidden className="size-4" /> {t("Comment on a line")}
            </Button>
          )}
        </>
      )}
      {data.diff !== "" && data.note !== undefined && <Note tone="info">{data.note}</Note>}
      {data.source_diff !== undefined && data.source_diff !== "" && (
        <DiffView patch={data.source_diff} path={path} title={t("{path} (the folder, meanwhile)", { path })} />
      )}
      {data.source_diff === "" && <Note>{t("There is nothing to compare with in the folder.")}</Note>}
      {data.source_withheld === true && (
        <Note>{t("The folder has a file of this name that is withheld from the session, so it is not shown.")}</Note>
      )}
    </div>
  );
}

function useActions(path: string, hunks: readonly ChangeHunk[], review: FileReview): DiffActions {
  const { selection, onSelect, comments, onComment } = review;
  return useMemo(() => {
    const ids = new Map(hunks.map((hunk) => [hunkHeader(hunk), hunk.id]));
    const all = [...ids.values()];
    return {
      // A file of one part is chosen in the list.
      chosen: (header) => {
        const id = ids.get(header);
        return id === undefined || all.length < 2 || onSelect === undefined ? undefined : isChosen(selection, path, id);
      },
      toggle: (header) => {
        const hunk = ids.get(header);
        if (hunk !== undefined) onSelect?.(toggleHunk(selection, path, { hunk, all }));
      },
      comment: onComment && ((place) => onComment({ path, place })),
      commented: new Set(comments.filter((one) => one.path === path).map(({ side, line }) => `${side} ${line}`)),
    };
  }, [path, hunks, selection, onSelect, comments, onComment]);
}
