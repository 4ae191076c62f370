import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FolderDown, GitBranch, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ChangeList, ChangesDone, SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { KEYS } from "../../app/feed.tsx";
import { ConfirmChanges, files, type ChangesDecision, type ChangesQuestion } from "./confirm.tsx";

const SAID: Readonly<Record<ChangesQuestion, string>> = {
  apply: "written into the folder",
  commit: "committed",
  discard: "put back",
};

/** Apply, commit or discard what was looked at; nothing happens if it changed since. */
export function Decide({ session, list }: { readonly session: SessionView; readonly list: ChangeList }): ReactNode {
  const may = useMay("changes.decide");
  const [asked, setAsked] = useState<ChangesQuestion | undefined>(undefined);
  const isWorking = session.turn_id !== undefined;
  const fine = list.files.length - list.conflicts;
  return (
    <div className="space-y-3">
      {list.conflicts > 0 && (
        <Note tone="warn" role="status">
          {files(list.conflicts)} changed in the folder since the session began, and will not be written over. Apply the
          others, or commit everything to a branch and merge it.
        </Note>
      )}
      {isWorking && may && (
        <Note tone="info" role="status">
          The session is still working. You can decide when its turn has ended.
        </Note>
      )}
      {may && (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" disabled={isWorking || fine === 0} onClick={() => setAsked("apply")}>
            <FolderDown aria-hidden className="size-4" />
            {list.conflicts === 0 ? "Apply" : `Apply the other ${files(fine)}`}
          </Button>
          <Button disabled={isWorking || list.commit === undefined} onClick={() => setAsked("commit")}>
            <GitBranch aria-hidden className="size-4" /> Commit to a branch
          </Button>
          <Button variant="danger" disabled={isWorking} onClick={() => setAsked("discard")}>
            <Undo2 aria-hidden className="size-4" /> Discard
          </Button>
        </div>
      )}
      {asked !== undefined && <Confirm asked={asked} list={list} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function useDecision(
  list: ChangeList,
  onDone: () => void,
): { readonly busy: boolean; readonly error: Error | null; readonly run: (decided: ChangesDecision) => void } {
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const { session_id: id, revision } = list;
  const decision = useMutation({
    mutationFn: (decided: ChangesDecision): Promise<ChangesDone> => {
      switch (decided.verb) {
        case "apply": {
          const paths = list.files.filter(({ conflict }) => conflict !== true).map(({ path }) => path);
          return client.applyChanges(id, { revision, ...(list.conflicts === 0 ? {} : { paths }) });
        }
        case "commit":
          return client.commitChanges(id, { revision, branch: decided.branch, message: decided.message });
        case "discard":
          return client.discardChanges(id, { revision });
      }
    },
    onSuccess: ({ paths, branch }, { verb }) => {
      tell.ok(`${files(paths.length)} ${SAID[verb]}${branch === undefined ? "" : ` on ${branch}`}`);
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.changes(id) }),
  });
  return { busy: decision.isPending, error: decision.error, run: (decided) => decision.mutate(decided) };
}

function Confirm({
  asked,
  list,
  onClose,
}: {
  readonly asked: ChangesQuestion;
  readonly list: ChangeList;
  readonly onClose: () => void;
}): ReactNode {
  const { busy, error, run } = useDecision(list, onClose);
  return (
    <ConfirmChanges
      asked={asked}
      subject={{ ...list, files: list.files.length }}
      busy={busy}
      trouble={error === null ? undefined : <Trouble title="Nothing was done" error={error} />}
      onClose={onClose}
      run={run}
    />
  );
}
