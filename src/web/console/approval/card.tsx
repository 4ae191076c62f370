import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { useSettings } from "../../ui/app/settings.ts";
import { useShortcuts, type Shortcut } from "../../ui/app/shortcuts.tsx";
import { classes } from "../../ui/classes.ts";
import { Note } from "../../ui/states.tsx";
import { ChangedCall, GivenAnswer } from "./approved-input.tsx";
import { BudgetForm } from "./budget.tsx";
import { CardFacts, CardHead } from "./card-head.tsx";
import { canApprovePlainly, canEdit, Confirm, Decide, type Mode } from "./decide.tsx";
import { Editor } from "./editor.tsx";
import { AskAgainButton } from "./extend.tsx";
import { FooterSlot } from "./footer-slot.tsx";
import { GrantForm } from "./ladder.tsx";
import { OutdatedNote } from "./outdated.tsx";
import { OutcomeNote } from "./outcome.tsx";
import { PreviewView } from "./preview.tsx";
import { QuestionForm } from "./question.tsx";
import { RejectForm } from "./reject.tsx";
import { ReviewDecide, ReviewView } from "./review.tsx";
import { useApproval, useDecision, type UnboundDecision } from "./use-decision.ts";
import { Warnings } from "./warnings.tsx";
import { t } from "../../ui/language/t.ts";

interface CardCardProps {
  readonly approval: Approval;
  /** The session's name and a link to it; omitted if the session is shown anyway. */
  readonly withSession?: boolean;
  /** Single keys answer this card. */
  readonly keys?: boolean;
  /** Beside the outcome, once there is one. */
  readonly next?: ReactNode;
  /** It fills its own box and scrolls inside; otherwise it scrolls with the page. */
  readonly docked?: boolean;
}

/** One question: what will happen, what to know about it, and the answers. */
export function ApprovalCard(props: CardCardProps): ReactNode {
  const { approval: given, withSession = true, keys = false, next, docked = false } = props;
  const approval = useApproval(given);
  const { decide, busy, refusal } = useDecision(approval);
  const card = useRef<HTMLElement>(null);
  const may = useMay("approval.decide");
  const [mode, setMode] = useState<Mode>("looking");
  const pending = approval.status === "pending";
  const open = pending && may;
  const editing = open && mode === "editing";
  const answering = pending && !editing;
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!pending) setMode("looking");
  }, [pending]);
  useKeptFocus(card, { pending, mode });
  useCardKeys({ approval, keys, active: keys && open, mode, onMode: setMode, decide });
  return (
    <FooterSlot value={slot}>
      <article
        ref={card}
        tabIndex={-1}
        aria-labelledby={`title-${approval.id}`}
        className={classes("rounded-xl border bg-raised", docked && "flex min-h-0 flex-col")}
      >
        <CardHead approval={approval} />
        <div
          className={classes("space-y-3 p-4 short:py-2", docked && "min-h-0 overflow-y-auto overscroll-contain")}
          {...(docked ? { tabIndex: 0, role: "region", "aria-label": t("What it will do") } : {})}
        >
          {!pending && (
            <OutcomeNote approval={approval}>
              {approval.status === "timed_out" && <AskAgainButton approval={approval} />} {next}
            </OutcomeNote>
          )}
          {open && approval.outdated === true && <OutdatedNote approval={approval} />}
          {!pending && <Refused words={refusal} />}
          {/* For a changed call they describe what was requested, not what ran. */}
          {!editing && approval.updated_input === undefined && <Warnings warnings={approval.warnings} />}
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
          <CardFacts approval={approval} withSession={withSession} />
        </div>
        {pending && (
          <footer
            className={classes(
              "shrink-0 rounded-b-xl border-t bg-raised px-4 py-3 short:py-2",
              !docked && "sticky bottom-(--below) z-10",
            )}
          >
            <div className="space-y-2">
              <Refused words={refusal} />
              <div ref={setSlot} className="flex flex-wrap gap-2 empty:hidden" />
              {answering && (
                <Answers approval={approval} mode={mode} busy={busy} hints={keys} onMode={setMode} decide={decide} />
              )}
            </div>
          </footer>
        )}
      </article>
    </FooterSlot>
  );
}

/**
 * A pressed button disappears with the answer, and the focus with it: the focus stays on the card, where the outcome or the next
 * answer is.
 */
function useKeptFocus(
  card: RefObject<HTMLElement | null>,
  { pending, mode }: { readonly pending: boolean; readonly mode: Mode },
): void {
  const held = useRef(false);
  useEffect(() => {
    const element = card.current;
    if (element === null) return undefined;
    const note = (): void => {
      held.current = element.contains(document.activeElement);
    };
    element.addEventListener("focusin", note);
    const left = ({ relatedTarget }: FocusEvent): void => {
      // Without a target the element was removed, or the page lost the focus.
      if (relatedTarget !== null) held.current = element.contains(relatedTarget as Node);
    };
    element.addEventListener("focusout", left);
    return () => {
      element.removeEventListener("focusin", note);
      element.removeEventListener("focusout", left);
    };
  }, [card]);
  useEffect(() => {
    const element = card.current;
    if (element === null || !held.current || document.activeElement !== document.body) return;
    element.focus({ preventScroll: true });
  }, [card, pending, mode]);
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
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const { preview, updated_input } = approval;
  if (approval.status === "approved" && updated_input !== undefined) {
    return canApprovePlainly(approval) ? (
      <ChangedCall approval={approval} changed={updated_input} />
    ) : (
      <GivenAnswer approval={approval} given={updated_input} />
    );
  }
  const onAnswer = open
    ? (input: Approval["input"]): void => decide({ decision: "approve", scope: "once", updated_input: input })
    : undefined;
  if (preview.type === "question") {
    return <QuestionForm approval={approval} questions={preview.questions} busy={busy} onAnswer={onAnswer} />;
  }
  if (preview.type === "budget") return <BudgetForm preview={preview} busy={busy} onAnswer={onAnswer} />;
  if (preview.type === "changes") return <ReviewView preview={preview} sessionId={approval.session_id} />;
  return <PreviewView preview={preview} input={approval.input} />;
}

interface AnswersProps {
  readonly approval: Approval;
  readonly mode: Mode;
  readonly busy: boolean;
  readonly hints: boolean;
  readonly onMode: (mode: Mode) => void;
  readonly decide: (answer: UnboundDecision) => void;
}

function Answers({ approval, mode, busy, hints, onMode, decide }: AnswersProps): ReactNode {
  const { me } = useConnection();
  if (!useMay("approval.decide")) {
    return (
      <p className="text-sm text-soft">
        {t("Your role, {role}, can view but not answer. Admins and operators can.", { role: me.role })}
      </p>
    );
  }
  const { preview } = approval;
  if (preview.type === "changes")
    return <ReviewDecide approval={approval} preview={preview} busy={busy} decide={decide} />;
  const back = (): void => onMode("looking");
  if (mode === "rejecting") return <RejectForm busy={busy} onBack={back} decide={decide} />;
  if (mode === "granting") return <GrantForm approval={approval} busy={busy} onBack={back} decide={decide} />;
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
  readonly decide: (answer: UnboundDecision) => void;
}): void {
  const layout = (diffLayout: "unified" | "split"): void => useSettings.getState().set({ diffLayout });
  const plain = canApprovePlainly(approval) && approval.outdated !== true;
  const approve = (): void => {
    if (mode === "confirming") decide({ decision: "approve", scope: "once" });
    else if (mode === "looking") onMode("confirming");
  };
  const answers: readonly Shortcut[] = [
    ...(approval.preview.type === "changes"
      ? []
      : [{ keys: ["r"], label: t("Reject"), run: () => onMode("rejecting") }]),
    ...(plain
      ? [
          // A key that is held down is not a second yes.
          {
            keys: ["a"],
            label: t("Approve once; once more to confirm"),
            run: (event: KeyboardEvent) => (event.repeat ? false : approve()),
          },
        ]
      : []),
    ...(canEdit(approval) ? [{ keys: ["e"], label: t("Edit before approving"), run: () => onMode("editing") }] : []),
  ];
  const looks: readonly Shortcut[] = [
    { keys: ["u"], label: t("Diff in one column"), run: () => layout("unified") },
    { keys: ["s"], label: t("Diff side by side"), run: () => layout("split") },
  ];
  useShortcuts(t("A question"), mode === "editing" ? [] : [...(active ? answers : []), ...(keys ? looks : [])]);
}
