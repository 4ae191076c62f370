import { ChevronDown } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { isServerQuestion, type Approval, type OfferedRule, type Warning } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { offeredRules } from "./ladder.tsx";
import { ruleWords } from "./reason.ts";
import type { UnboundDecision } from "./use-decision.ts";
import { visibleCommand } from "../../ui/visible.ts";
import { rich, t } from "../../ui/language/t.ts";

export type Mode = "looking" | "rejecting" | "editing" | "confirming" | "granting";

const ONCE: UnboundDecision = { decision: "approve", scope: "once" };

/** Warnings of calls that cannot be undone: their approval is marked, and only theirs. */
const DESTRUCTIVE: ReadonlySet<Warning["kind"]> = new Set(["delete", "sudo", "dangerous", "unparseable"]);

export function isDestructive({ warnings }: Pick<Approval, "warnings">): boolean {
  return warnings.some(({ kind }) => DESTRUCTIVE.has(kind));
}

/** The ways to answer. What a person most likely means, and can undo, stands out; red is only for what destroys. */
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
  const rules = offeredRules(approval);
  const rule = rules[0]?.rule;
  const plain = canApprovePlainly(approval) && approval.outdated !== true;
  return (
    <div className="space-y-2 short:space-y-1">
      <div className="flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-6 max-sm:gap-1.5">
        <Button className={canEdit(approval) ? THIRD : HALF} aria-disabled={busy} onClick={() => onMode("rejecting")}>
          {t("Reject")} {hints && <Key name="r" />}
        </Button>
        <Button
          className={canEdit(approval) ? THIRD : HALF}
          aria-disabled={busy}
          title={t("Reject without a reason")}
          onClick={() => decide({ decision: "reject" })}
        >
          {t("Skip")}
        </Button>
        {plain && (
          <>
            {canEdit(approval) && (
              <Button className={THIRD} aria-disabled={busy} onClick={() => onMode("editing")}>
                {t("Edit")} {hints && <Key name="e" />}
              </Button>
            )}
            <Button
              variant={isDestructive(approval) ? "danger" : "primary"}
              className={rule === undefined ? "max-sm:col-span-6" : HALF}
              aria-disabled={busy}
              onClick={() => decide(ONCE)}
            >
              {t("Approve once")} {hints && <Key name="a" />}
            </Button>
            {rule !== undefined && (
              <SessionButtons approval={approval} rules={rules} busy={busy} onMode={onMode} decide={decide} />
            )}
          </>
        )}
      </div>
      {plain && rule !== undefined && <Rule approval={approval} rule={rule} />}
    </div>
  );
}

/** The narrowest rule at once, and the way to broader ones. */
function SessionButtons({
  approval,
  rules,
  busy,
  onMode,
  decide,
}: {
  readonly approval: Approval;
  readonly rules: readonly OfferedRule[];
  readonly busy: boolean;
  readonly onMode: (mode: Mode) => void;
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const [narrowest, ...broader] = rules;
  if (narrowest === undefined) return null;
  return (
    <span className={classes("inline-flex", HALF)}>
      <Button
        className={classes("min-w-0 flex-1 max-sm:px-1", broader.length > 0 && "rounded-e-none")}
        aria-label={t("Approve for this session")}
        aria-describedby={`rule-${approval.id}`}
        aria-disabled={busy}
        onClick={() => decide({ decision: "approve", scope: "session", rule: narrowest.rule })}
      >
        <span className="max-sm:hidden short:hidden">{t("Approve for this session")}</span>
        <span className="sm:hidden short:inline">{t("For this session")}</span>
      </Button>
      {broader.length > 0 && (
        <Button
          className="rounded-s-none border-s-0 px-2"
          aria-label={t("Choose what to allow for this session")}
          title={t("Choose what to allow for this session")}
          aria-disabled={busy}
          onClick={() => onMode("granting")}
        >
          <ChevronDown aria-hidden className="size-4" />
        </Button>
      )}
    </span>
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
      {rich("“For this session” also allows: {allows} {reach}", {
        allows: <code className="text-ink [overflow-wrap:anywhere]">{visibleCommand(allows)}</code>,
        reach,
      })}
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
      aria-label={t("Approve once?")}
      className="flex flex-wrap items-center gap-2"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Stopped here: on the page it would stop the turn.
        event.preventDefault();
        onBack();
      }}
    >
      <Button variant="quiet" onClick={onBack}>
        {t("Back")} <Key name="Esc" />
      </Button>
      <Button ref={button} variant="primary" busy={busy} onClick={() => decide(ONCE)}>
        {t("Approve once")} <Key name="a" /> <Key name="Enter" />
      </Button>
      <span className="text-sm text-soft">{t("Press again to approve.")}</span>
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
