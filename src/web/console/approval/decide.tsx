import { useEffect, useRef, type ReactNode } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { Button } from "../ui/button.tsx";
import { SAY_NO } from "./reject.tsx";
import type { Answer } from "./use-decision.ts";

export type Mode = "looking" | "rejecting" | "editing" | "confirming";

const ONCE: Answer = { decision: "approve", scope: "once" };

/** The ways to answer, the least permissive first and strongest. */
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
  readonly decide: (answer: Answer) => void;
}): ReactNode {
  const { session_rule: rule } = approval;
  const plain = canApprovePlainly(approval);
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-2">
        <Button variant="danger" className={SAY_NO} disabled={busy} onClick={() => onMode("rejecting")}>
          Reject {hints && <Key name="r" />}
        </Button>
        <Button disabled={busy} title="Rejects without a word" onClick={() => decide({ decision: "reject" })}>
          Skip
        </Button>
        {plain && (
          <>
            <Button disabled={busy} onClick={() => onMode("editing")}>
              Edit {hints && <Key name="e" />}
            </Button>
            <Button disabled={busy} onClick={() => decide(ONCE)}>
              Approve once {hints && <Key name="a" />}
            </Button>
            {rule !== undefined && (
              <Button
                variant="quiet"
                className="max-sm:col-span-2"
                aria-describedby={`rule-${approval.id}`}
                disabled={busy}
                onClick={() => decide({ decision: "approve", scope: "session" })}
              >
                Approve for this session
              </Button>
            )}
          </>
        )}
      </div>
      {plain && rule !== undefined && (
        <p id={`rule-${approval.id}`} className="text-xs text-soft">
          For this session adds exactly this rule: <code className="text-ink [overflow-wrap:anywhere]">{rule}</code>
        </p>
      )}
    </div>
  );
}

/** Questions and money are answered by their forms, which say yes to something. */
export function canApprovePlainly({ preview }: Pick<Approval, "preview">): boolean {
  return preview.type !== "question" && preview.type !== "budget";
}

/** A key was pressed that says yes: once more, so that a slip of the finger does not. */
export function Confirm({
  busy,
  onBack,
  decide,
}: {
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly decide: (answer: Answer) => void;
}): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div
      role="group"
      aria-label="Approve once?"
      className="flex flex-wrap items-center gap-2"
      onKeyDown={(event) => event.key === "Escape" && onBack()}
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
