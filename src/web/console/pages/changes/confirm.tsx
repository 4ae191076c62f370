import { useState, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, TextArea } from "../../../ui/field.tsx";
import { sendForm } from "../../../ui/send-form.ts";
import { visible } from "../../../ui/visible.ts";
import { plural, t } from "../../../ui/language/t.ts";

export type ChangesQuestion = "apply" | "commit" | "discard";

export type ChangesDecision =
  | { readonly verb: "apply" | "discard" }
  | { readonly verb: "commit"; readonly branch: string; readonly message: string };

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
          title={plural(
            { one: "Write {count} file into the folder?", other: "Write {count} files into the folder?" },
            { count: subject.files - subject.conflicts },
          )}
          description={visible(subject.source)}
        >
          {trouble}
          <Answers
            label={t("Apply")}
            variant="primary"
            busy={busy}
            onClose={onClose}
            onYes={() => run({ verb: "apply" })}
          />
        </Dialog>
      );
    case "discard":
      return (
        <Dialog
          open
          onClose={onClose}
          title={plural(
            { one: "Discard what changed in {count} file?", other: "Discard what changed in {count} files?" },
            { count: subject.files },
          )}
          description={
            subject.currentBranch === undefined
              ? t("The session’s files go back to what they were. This cannot be undone.")
              : t("The files in your folder go back to what they were before the session. This cannot be undone.")
          }
        >
          {trouble}
          <Answers
            label={t("Discard")}
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
          title={
            subject.currentBranch === undefined
              ? t("Commit to a branch")
              : plural({ one: "Commit {count} file", other: "Commit {count} files" }, { count: subject.files })
          }
          description={
            subject.currentBranch === undefined
              ? t("In the folder’s repository. Its files, its index and its current branch stay as they are.")
              : t("Only what this session changed. Your own uncommitted changes stay as they are.")
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
      <Button onClick={onClose}>{t("Cancel")}</Button>
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
      onKeyDown={sendForm}
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        if (branch.trim() !== "" && message.trim() !== "")
          onCommit({ verb: "commit", branch: branch.trim(), message: message.trim() });
      }}
    >
      <Field label={t("Branch")} error={isSent && branch.trim() === "" ? t("Name a branch.") : undefined}>
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
      <Field label={t("Message")} error={isSent && message.trim() === "" ? t("Say what the commit does.") : undefined}>
        {(ids) => (
          <TextArea {...ids} rows={6} autoFocus value={message} onChange={(event) => setMessage(event.target.value)} />
        )}
      </Field>
      <Answers label={t("Commit")} variant="primary" busy={busy} onClose={onClose} />
    </form>
  );
}
