import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FolderDown, GitBranch, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ChangeList, ChangesDone, SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, TextArea } from "../../../ui/field.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { visible } from "../../../ui/visible.ts";
import { KEYS } from "../../app/feed.tsx";

type ChangesQuestion = "apply" | "commit" | "discard";

const SAID: Readonly<Record<ChangesQuestion, string>> = {
  apply: "written into the folder",
  commit: "committed",
  discard: "put back",
};

const files = (count: number): string => `${String(count)} ${count === 1 ? "file" : "files"}`;

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

type ChangesDecision =
  | { readonly verb: "apply" | "discard" }
  | { readonly verb: "commit"; readonly branch: string; readonly message: string };

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
  const trouble = error === null ? undefined : <Trouble title="Nothing was done" error={error} />;
  switch (asked) {
    case "apply":
      return (
        <Dialog
          open
          onClose={onClose}
          title={`Write ${files(list.files.length - list.conflicts)} into the folder?`}
          description={visible(list.source)}
        >
          {trouble}
          <Answers label="Apply" variant="primary" busy={busy} onClose={onClose} onYes={() => run({ verb: "apply" })} />
        </Dialog>
      );
    case "discard":
      return (
        <Dialog
          open
          onClose={onClose}
          title={`Discard what changed in ${files(list.files.length)}?`}
          description="The session’s files go back to what they were. This cannot be undone."
        >
          {trouble}
          <Answers
            label="Discard"
            variant="danger"
            busy={busy}
            onClose={onClose}
            onYes={() => run({ verb: "discard" })}
          />
        </Dialog>
      );
    case "commit":
      return (
        <Dialog
          open
          onClose={onClose}
          title="Commit to a branch"
          description="In the folder’s repository. Its files, its index and its current branch stay as they are."
        >
          {trouble}
          <CommitForm list={list} busy={busy} onClose={onClose} onCommit={run} />
        </Dialog>
      );
  }
}

function Answers({
  label,
  variant,
  busy,
  onClose,
  onYes,
}: {
  readonly label: string;
  readonly variant: "primary" | "danger";
  readonly busy: boolean;
  readonly onClose: () => void;
  /** Absent: it sends the form that it is in. */
  readonly onYes?: () => void;
}): ReactNode {
  return (
    <div className="mt-3 flex justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button
        variant={variant}
        busy={busy}
        type={onYes === undefined ? "submit" : "button"}
        {...(onYes === undefined ? {} : { onClick: onYes })}
      >
        {label}
      </Button>
    </div>
  );
}

function CommitForm({
  list,
  busy,
  onClose,
  onCommit,
}: {
  readonly list: ChangeList;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onCommit: (decided: ChangesDecision) => void;
}): ReactNode {
  const [branch, setBranch] = useState(`sallyport/${list.session_id.slice(-8)}-changes`);
  const [message, setMessage] = useState("");
  const [isSent, setSent] = useState(false);
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        if (branch.trim() !== "" && message.trim() !== "")
          onCommit({ verb: "commit", branch: branch.trim(), message: message.trim() });
      }}
    >
      <Field label="Branch" error={isSent && branch.trim() === "" ? "Name a branch." : undefined}>
        {(ids) => (
          <Input
            {...ids}
            value={branch}
            maxLength={200}
            spellCheck={false}
            autoCapitalize="off"
            onChange={(event) => setBranch(event.target.value)}
          />
        )}
      </Field>
      <Field label="Message" error={isSent && message.trim() === "" ? "Say what the commit does." : undefined}>
        {(ids) => <TextArea {...ids} rows={3} value={message} onChange={(event) => setMessage(event.target.value)} />}
      </Field>
      <Answers label="Commit" variant="primary" busy={busy} onClose={onClose} />
    </form>
  );
}
