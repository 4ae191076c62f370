import { Ban, CircleCheck, CircleX, Clock, TimerOff, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Approval, Outcome } from "../../../protocol/index.ts";
import { Badge, Note, type Tone } from "../../ui/states.tsx";
import { canApprovePlainly } from "./decide.tsx";
import { Ago } from "../../ui/words.tsx";

interface OutcomeLook {
  readonly words: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
}

const LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  approved: { words: "approved", tone: "ok", icon: CircleCheck },
  rejected: { words: "rejected", tone: "bad", icon: CircleX },
  timed_out: { words: "expired", tone: "warn", icon: TimerOff },
  cancelled: { words: "withdrawn", tone: "plain", icon: Ban },
};

/** Nobody says no to a review: the changes only wait. */
function reviewLook(status: Outcome): OutcomeLook {
  return status === "rejected" ? { words: "kept for later", tone: "plain", icon: Clock } : LOOKS[status];
}

export function OutcomeBadge({ status }: { readonly status: Outcome }): ReactNode {
  const { words, tone, icon: Icon } = LOOKS[status];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden className="size-3.5" /> {words}
    </Badge>
  );
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
          {words}
          {updated_input !== undefined && canApprovePlainly(approval) && " as changed"}
          {by !== undefined && ` by ${by}`} {resolved_at !== undefined && <Ago at={resolved_at} />}
        </span>
        {status === "timed_out" && (
          <span>Nobody answered in time. {isNetwork ? "No connection was made." : "The tool did not run."}</span>
        )}
        {status === "rejected" && isReview && <span>The changes stay with the session.</span>}
        {status === "cancelled" && !isReview && (
          <span>The {isNetwork ? "program gave up, or the turn ended," : "turn ended"} before anyone answered.</span>
        )}
        {scope === "session" && <span>, also for this session: {approval.granted_rule ?? approval.session_rule}</span>}
        {interrupt === true && <span>The turn was stopped.</span>}
        <span className="ml-auto">{children}</span>
      </p>
      {feedback !== undefined && feedback !== "" && (
        <blockquote className="border-l-2 border-current pl-3 whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
          {feedback}
        </blockquote>
      )}
    </Note>
  );
}
