import { useEffect, useState, type ReactNode } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { useConnection, useMay } from "../app/connection.tsx";
import { useSettings } from "../app/settings.ts";
import { useShortcuts, type Shortcut } from "../app/shortcuts.tsx";
import { classes } from "../ui/classes.ts";
import { Note } from "../ui/states.tsx";
import { BudgetForm } from "./budget.tsx";
import { CardHead } from "./card-head.tsx";
import { canApprovePlainly, Confirm, Decide, type Mode } from "./decide.tsx";
import { Editor } from "./editor.tsx";
import { OutcomeNote } from "./outcome.tsx";
import { PreviewView } from "./preview.tsx";
import { QuestionForm } from "./question.tsx";
import { RejectForm } from "./reject.tsx";
import { useApproval, useDecision, type Answer } from "./use-decision.ts";
import { Warnings } from "./warnings.tsx";

interface CardProps {
  readonly approval: Approval;
  /** The session's name and a link to it; not where the session is shown anyway. */
  readonly withSession?: boolean;
  /** Single keys answer this card. */
  readonly keys?: boolean;
  /** Beside the outcome, once there is one. */
  readonly next?: ReactNode;
}

/** One question: what will happen, what to know about it, and the answers. */
export function ApprovalCard({ approval: given, withSession = true, keys = false, next }: CardProps): ReactNode {
  const approval = useApproval(given);
  const { decide, busy, refusal } = useDecision(approval);
  const may = useMay("approval.decide");
  const [mode, setMode] = useState<Mode>("looking");
  const pending = approval.status === "pending";
  const open = pending && may;
  const editing = open && mode === "editing";
  const answering = pending && !editing;
  useEffect(() => {
    if (!pending) setMode("looking");
  }, [pending]);
  useCardKeys({ approval, keys, active: keys && open, mode, onMode: setMode, decide });
  return (
    <article aria-labelledby={`title-${approval.id}`} className="rounded-xl border bg-raised">
      <CardHead approval={approval} withSession={withSession} />
      <div className="space-y-3 p-4">
        {!pending && <OutcomeNote approval={approval}>{next}</OutcomeNote>}
        {!answering && <Refused words={refusal} />}
        {!editing && <Warnings warnings={approval.warnings} />}
        {editing ? (
          <Editor
            approval={approval}
            busy={busy}
            onBack={() => setMode("looking")}
            onApprove={(input) => decide({ decision: "approve", scope: "once", updated_input: input })}
          />
        ) : (
          <Subject approval={approval} busy={busy} open={open} decide={decide} />
        )}
      </div>
      {answering && (
        <footer
          className={classes(
            "rounded-b-xl border-t bg-raised p-4",
            // A phone has no room for it over a diff; a form has its own button at its end.
            canApprovePlainly(approval) && "bottom-0 z-10 md:sticky",
          )}
        >
          <div className="space-y-2">
            <Answers approval={approval} mode={mode} busy={busy} hints={keys} onMode={setMode} decide={decide} />
            <Refused words={refusal} />
          </div>
        </footer>
      )}
    </article>
  );
}

function Refused({ words }: { readonly words: string | undefined }): ReactNode {
  if (words === undefined) return null;
  return (
    <Note tone="info" role="status">
      {words}
    </Note>
  );
}

function Subject({
  approval,
  busy,
  open,
  decide,
}: {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly open: boolean;
  readonly decide: (answer: Answer) => void;
}): ReactNode {
  const { preview } = approval;
  const onAnswer = open
    ? (input: Approval["input"]): void => decide({ decision: "approve", scope: "once", updated_input: input })
    : undefined;
  if (preview.type === "question") {
    return <QuestionForm approval={approval} questions={preview.questions} busy={busy} onAnswer={onAnswer} />;
  }
  if (preview.type === "budget") return <BudgetForm preview={preview} busy={busy} onAnswer={onAnswer} />;
  return <PreviewView preview={preview} input={approval.input} />;
}

interface AnswersProps {
  readonly approval: Approval;
  readonly mode: Mode;
  readonly busy: boolean;
  readonly hints: boolean;
  readonly onMode: (mode: Mode) => void;
  readonly decide: (answer: Answer) => void;
}

function Answers({ approval, mode, busy, hints, onMode, decide }: AnswersProps): ReactNode {
  const { me } = useConnection();
  if (!useMay("approval.decide")) {
    return (
      <p className="text-sm text-soft">Your role, {me.role}, may look but not answer. Admins and operators can.</p>
    );
  }
  const back = (): void => onMode("looking");
  if (mode === "rejecting") return <RejectForm busy={busy} onBack={back} decide={decide} />;
  if (mode === "confirming") return <Confirm busy={busy} onBack={back} decide={decide} />;
  return <Decide approval={approval} busy={busy} hints={hints} onMode={onMode} decide={decide} />;
}

function useCardKeys({
  approval,
  keys,
  active,
  mode,
  onMode,
  decide,
}: {
  readonly approval: Approval;
  /** Single keys are for this card; `active`: and it can be answered. */
  readonly keys: boolean;
  readonly active: boolean;
  readonly mode: Mode;
  readonly onMode: (mode: Mode) => void;
  readonly decide: (answer: Answer) => void;
}): void {
  const layout = (diffLayout: "unified" | "split"): void => useSettings.getState().set({ diffLayout });
  const plain = canApprovePlainly(approval);
  const approve = (): void => {
    if (mode === "confirming") decide({ decision: "approve", scope: "once" });
    else if (mode === "looking") onMode("confirming");
  };
  const answers: readonly Shortcut[] = [
    { keys: ["r"], label: "Reject", run: () => onMode("rejecting") },
    ...(plain
      ? [
          // A key that is held down is not a second yes.
          {
            keys: ["a"],
            label: "Approve once; once more to confirm",
            run: (event: KeyboardEvent) => (event.repeat ? false : approve()),
          },
          { keys: ["e"], label: "Edit before approving", run: () => onMode("editing") },
        ]
      : []),
  ];
  const looks: readonly Shortcut[] = [
    { keys: ["u"], label: "Diff in one column", run: () => layout("unified") },
    { keys: ["s"], label: "Diff side by side", run: () => layout("split") },
  ];
  useShortcuts("A question", mode === "editing" ? [] : [...(active ? answers : []), ...(keys ? looks : [])]);
}
