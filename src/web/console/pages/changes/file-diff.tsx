import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ChangeSetFile } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { DiffView } from "../../approval/diff-view.tsx";
import { KEYS } from "../../app/feed.tsx";

/** One file's change. Of a conflict, both sides. */
export function FileDiff({
  sessionId,
  file,
  revision,
}: {
  readonly sessionId: string;
  readonly file: ChangeSetFile;
  readonly revision: string;
}): ReactNode {
  const { client } = useConnection();
  const { path } = file;
  const { data, error, refetch } = useQuery({
    queryKey: [...KEYS.changes(sessionId), "diff", revision, path],
    queryFn: () => client.changeDiff(sessionId, path),
  });
  if (error !== null)
    return <Trouble title={`Can’t compare ${visible(path)}`} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-64" />;
  const isConflict = file.conflict === true;
  return (
    <div className="min-w-0 space-y-3">
      {isConflict && (
        <Note tone="warn">
          This file changed in the folder since the session began. It is never written over: commit it to a branch and
          merge, or make the change by hand.
        </Note>
      )}
      {data.diff === "" ? (
        <Note>
          {visible(path)}: {data.note ?? "no lines differ"}
        </Note>
      ) : (
        <DiffView patch={data.diff} path={path} title={isConflict ? `${path} (this session)` : path} />
      )}
      {data.diff !== "" && data.note !== undefined && <Note tone="info">{data.note}</Note>}
      {data.source_diff !== undefined && data.source_diff !== "" && (
        <DiffView patch={data.source_diff} path={path} title={`${path} (the folder, meanwhile)`} />
      )}
      {data.source_diff === "" && <Note>There is nothing to compare with in the folder.</Note>}
      {data.source_withheld === true && (
        <Note>The folder has a file of this name that is withheld from the session, so it is not shown.</Note>
      )}
    </div>
  );
}
