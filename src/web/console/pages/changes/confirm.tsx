import { useState, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, TextArea } from "../../../ui/field.tsx";
import { visible } from "../../../ui/visible.ts";

export type ChangesQuestion = "apply" | "commit" | "discard";

export const files = (count: number): string => `${String(count)} ${count === 1 ? "file" : "files"}`;

export type ChangesDecision =
  | { readonly verb: "apply" | "discard" }
  | { readonly verb: "commit"; readonly branch: string; readonly message: string };

/** What is decided on. */
interface DecidedSubject {
  readonly session_id: string;
  readonly source: string;
  readonly files: number;
  /** Of these, those that cannot be applied. */
  readonly conflicts: number;
  /** What a commit is called unless somebody writes something else; absent: nothing. */
  readonly message?: string | undefined;
  /** The branch that is checked out in the folder. Absent: the session has files of its own. */
  readonly currentBranch?: string | undefined;
}

/** Asks once more before something is done with changes, and for what a commit needs. */
export function ConfirmChanges({
  asked,
  subject,
  busy,
  trouble,
  onClose,
  run,
}: {
  readonly asked: ChangesQuestion;
  readonly subject: DecidedSubject;
  readonly busy: boolean;
  readonly trouble?: ReactNode;
  readonly onClose: () => void;
  readonly run: (decided: ChangesDecision) => void;
}): ReactNode {
  switch (asked) {
    case "apply":
      return (
        <Dialog
          open
          onClose={onClose}
          title={`Write ${files(subject.files - subject.conflicts)} into the folder?`}
          description={visible(subject.source)}
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
          title={`Discard what changed in ${files(subject.files)}?`}
          description={
            subject.currentBranch === undefined
              ? "The session’s files go back to what they were. This cannot be undone."
              : "The files in your folder go back to what they were before the session. This cannot be undone."
          }
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
          title={subject.currentBranch === undefined ? "Commit to a branch" : `Commit ${files(subject.files)}`}
          description={
            subject.currentBranch === undefined
              ? "In the folder’s repository. Its files, its index and its current branch stay as they are."
              : "Only what this session changed. Your own uncommitted changes stay as they are."
          }
        >
          {trouble}
          <CommitForm subject={subject} busy={busy} onClose={onClose} onCommit={run} />
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
  subject,
  busy,
  onClose,
  onCommit,
}: {
  readonly subject: DecidedSubject;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onCommit: (decided: ChangesDecision) => void;
}): ReactNode {
  const { session_id, currentBranch, message: proposed = "" } = subject;
  const [branch, setBranch] = useState(currentBranch ?? `sallyport/${session_id.slice(-8)}-changes`);
  const [message, setMessage] = useState(proposed);
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
        {(ids) => <TextArea {...ids} rows={6} value={message} onChange={(event) => setMessage(event.target.value)} />}
      </Field>
      <Answers label="Commit" variant="primary" busy={busy} onClose={onClose} />
    </form>
  );
}
