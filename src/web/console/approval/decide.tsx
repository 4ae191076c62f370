import { useEffect, useRef, type ReactNode } from "react";
import { isServerQuestion, type Approval } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { ruleWords } from "./reason.ts";
import type { UnboundDecision } from "./use-decision.ts";
import { visibleCommand } from "../../ui/visible.ts";

export type Mode = "looking" | "rejecting" | "editing" | "confirming";

const ONCE: UnboundDecision = { decision: "approve", scope: "once" };

/** The ways to answer, the least permissive first. */
export function Decide({
  approval,
  busy,
  hints,
  onMode,
  decide,
}: {
  readonly approval: Approval;
  readonly busy: boolean;
  /** Shows the keys. */
  readonly hints: boolean;
  readonly onMode: (mode: Mode) => void;
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const { session_rule: rule } = approval;
  const plain = canApprovePlainly(approval);
  return (
    <div className="space-y-2 short:space-y-1">
      <div className="flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-6 max-sm:gap-1.5">
        <Button
          variant="danger"
          className={canEdit(approval) ? THIRD : HALF}
          aria-disabled={busy}
          onClick={() => onMode("rejecting")}
        >
          Reject {hints && <Key name="r" />}
        </Button>
        <Button
          className={canEdit(approval) ? THIRD : HALF}
          aria-disabled={busy}
          title="Reject without a reason"
          onClick={() => decide({ decision: "reject" })}
        >
          Skip
        </Button>
        {plain && (
          <>
            {canEdit(approval) && (
              <Button className={THIRD} aria-disabled={busy} onClick={() => onMode("editing")}>
                Edit {hints && <Key name="e" />}
              </Button>
            )}
            <Button
              variant="ok"
              className={rule === undefined ? "max-sm:col-span-6" : HALF}
              aria-disabled={busy}
              onClick={() => decide(ONCE)}
            >
              Approve once {hints && <Key name="a" />}
            </Button>
            {rule !== undefined && (
              <Button
                className={HALF}
                aria-label="Approve for this session"
                aria-describedby={`rule-${approval.id}`}
                aria-disabled={busy}
                onClick={() => decide({ decision: "approve", scope: "session" })}
              >
                <span className="max-sm:hidden short:hidden">Approve for this session</span>
                <span className="sm:hidden short:inline">For this session</span>
              </Button>
            )}
          </>
        )}
      </div>
      {plain && rule !== undefined && <Rule approval={approval} rule={rule} />}
    </div>
  );
}

const HALF = "max-sm:col-span-3 max-sm:px-1";
const THIRD = "max-sm:col-span-2 max-sm:px-1";
/** A longer rule scrolls in two lines, so that it never hides the buttons. */
const LONG_RULE_CHARS = 90;

function Rule({ approval, rule }: { readonly approval: Approval; readonly rule: string }): ReactNode {
  const { allows, reach } = ruleWords(rule, approval);
  return (
    <p
      id={`rule-${approval.id}`}
      {...(allows.length > LONG_RULE_CHARS ? { tabIndex: 0 } : {})}
      className="max-h-9 overflow-y-auto text-xs text-soft short:max-h-5"
    >
      “For this session” also allows:{" "}
      <code className="text-ink [overflow-wrap:anywhere]">{visibleCommand(allows)}</code> {reach}
    </p>
  );
}

/** Questions, money and reviews are answered by their forms, which say yes to something. */
export function canApprovePlainly({ preview }: Pick<Approval, "preview">): boolean {
  return preview.type !== "question" && preview.type !== "budget" && preview.type !== "changes";
}

/** Whether what was asked for can be changed before it is approved. */
export function canEdit(approval: Pick<Approval, "preview" | "tool">): boolean {
  return canApprovePlainly(approval) && !isServerQuestion(approval.tool);
}

/** An approving key was pressed: asks again, to prevent mistakes. */
export function Confirm({
  busy,
  onBack,
  decide,
}: {
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div
      role="group"
      aria-label="Approve once?"
      className="flex flex-wrap items-center gap-2"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Stopped here: on the page it would stop the turn.
        event.preventDefault();
        onBack();
      }}
    >
      <Button variant="quiet" onClick={onBack}>
        Back <Key name="Esc" />
      </Button>
      <Button ref={button} variant="ok" busy={busy} onClick={() => decide(ONCE)}>
        Approve once <Key name="a" /> <Key name="Enter" />
      </Button>
      <span className="text-sm text-soft">Press again to approve.</span>
    </div>
  );
}

export function Key({ name }: { readonly name: string }): ReactNode {
  return (
    <kbd
      aria-hidden
      className="rounded border border-current/40 px-1 text-[0.7rem] leading-4 font-normal opacity-80 max-md:hidden"
    >
      {name}
    </kbd>
  );
}
