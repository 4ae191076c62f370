import { Ban, CircleCheck, CircleX, Clock, TimerOff, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Approval, Outcome } from "../../../protocol/index.ts";
import { Badge, Note, type Tone } from "../../ui/states.tsx";
import { canApprovePlainly } from "./decide.tsx";
import { Ago } from "../../ui/words.tsx";
import { t } from "../../ui/language/t.ts";

interface OutcomeLook {
  readonly words: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
}

const LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  approved: { words: t("approved"), tone: "ok", icon: CircleCheck },
  rejected: { words: t("rejected"), tone: "bad", icon: CircleX },
  timed_out: { words: t("expired"), tone: "warn", icon: TimerOff },
  cancelled: { words: t("withdrawn"), tone: "plain", icon: Ban },
};

/** Nobody says no to a review: the changes only wait. */
function reviewLook(status: Outcome): OutcomeLook {
  return status === "rejected" ? { words: t("kept for later"), tone: "plain", icon: Clock } : LOOKS[status];
}

export function OutcomeBadge({ status }: { readonly status: Outcome }): ReactNode {
  const { words, tone, icon: Icon } = LOOKS[status];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden className="size-3.5" /> {words}
    </Badge>
  );
}

/** A sentence for each case: other languages put its parts in another order. */
function outcomeWords({
  words,
  by,
  isChanged,
}: {
  readonly words: string;
  readonly by: string | undefined;
  readonly isChanged: boolean;
}): string {
  if (by === undefined) return isChanged ? t("{outcome} as changed", { outcome: words }) : words;
  return isChanged
    ? t("{outcome} as changed by {name}", { outcome: words, name: by })
    : t("{outcome} by {name}", { outcome: words, name: by });
}

/** How a question ended, who decided and what the agent was told. */
export function OutcomeNote({
  approval,
  children,
}: {
  readonly approval: Approval;
  readonly children?: ReactNode;
}): ReactNode {
  const { status, resolved_at, resolved_by, scope, updated_input, interrupt, feedback } = approval;
  if (status === "pending") return null;
  const { words, tone, icon: Icon } = approval.preview.type === "changes" ? reviewLook(status) : LOOKS[status];
  const isNetwork = approval.preview.type === "network";
  const isReview = approval.preview.type === "changes";
  const by = status === "approved" || status === "rejected" ? resolved_by?.name : undefined;
  return (
    <Note tone={tone} role="status" className="space-y-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon aria-hidden className="size-4 shrink-0" />
        <span className="font-medium first-letter:uppercase">
          {outcomeWords({ words, by, isChanged: updated_input !== undefined && canApprovePlainly(approval) })}{" "}
          {resolved_at !== undefined && <Ago at={resolved_at} />}
        </span>
        {status === "timed_out" && (
          <span>
            {isNetwork
              ? t("Nobody answered in time. No connection was made.")
              : t("Nobody answered in time. The tool did not run.")}
          </span>
        )}
        {status === "rejected" && isReview && <span>{t("The changes stay with the session.")}</span>}
        {status === "cancelled" && !isReview && (
          <span>
            {isNetwork
              ? t("The program gave up, or the turn ended, before anyone answered.")
              : t("The turn ended before anyone answered.")}
          </span>
        )}
        {scope === "session" && (
          <span>
            {t(", also for this session: {rule}", { rule: approval.granted_rule ?? approval.session_rule ?? "" })}
          </span>
        )}
        {interrupt === true && <span>{t("The turn was stopped.")}</span>}
        <span className="ms-auto">{children}</span>
      </p>
      {feedback !== undefined && feedback !== "" && (
        <blockquote className="border-s-2 border-current ps-3 whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
          {feedback}
        </blockquote>
      )}
    </Note>
  );
}
