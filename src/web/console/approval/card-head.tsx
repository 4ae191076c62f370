import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Clock } from "lucide-react";
import type { ReactNode } from "react";
import type { Approval, SessionView, Tier } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { KEYS } from "../app/feed.tsx";
import { classes } from "../../ui/classes.ts";
import { Badge, type Tone } from "../../ui/states.tsx";
import { Ago, titleOf } from "../../ui/words.tsx";
import { canApprovePlainly } from "./decide.tsx";
import { cardTitle, reasonWords } from "./reason.ts";
import { ExtendButton } from "./extend.tsx";
import { isUrgent, remainingWords } from "./countdown.ts";
import { ToolIcon } from "./tool-icon.tsx";
import { useNow } from "./use-now.ts";
import { visible } from "../../ui/visible.ts";
import { rich, t } from "../../ui/language/t.ts";

const TIERS: Readonly<Record<Tier, { readonly words: string; readonly tone: Tone }>> = {
  read: { words: t("reads"), tone: "plain" },
  network: { words: t("uses the network"), tone: "info" },
  page: { words: t("changes a page"), tone: "info" },
  write: { words: t("writes files"), tone: "warn" },
  execute: { words: t("runs a command"), tone: "bad" },
};

/** What is asked and until when: always visible. */
export function CardHead({ approval }: { readonly approval: Approval }): ReactNode {
  const { id, tool, tier, status } = approval;
  const isTool = canApprovePlainly(approval);
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b px-4 py-2.5 short:py-1.5">
      <ToolIcon tool={tool} />
      <h2 id={`title-${id}`} className="text-base font-semibold short:text-sm">
        {cardTitle(approval)}
      </h2>
      {isTool && (
        <Badge tone="accent" className="font-mono whitespace-normal break-all">
          {visible(tool)}
        </Badge>
      )}
      {isTool && (
        <Badge tone={TIERS[tier].tone} className="max-sm:short:hidden">
          {TIERS[tier].words}
        </Badge>
      )}
      {status === "pending" && (
        <span className="ms-auto inline-flex items-center gap-1">
          <Countdown expiresAt={approval.expires_at} />
          <ExtendButton approval={approval} />
        </span>
      )}
    </header>
  );
}

/** Why somebody is asked, since when, and for whom. */
export function CardFacts({
  approval,
  withSession,
}: {
  readonly approval: Approval;
  readonly withSession: boolean;
}): ReactNode {
  const { created_at, session_id } = approval;
  const session = useSession(session_id);
  const reason = reasonWords(approval);
  return (
    <div className="space-y-1">
      {reason !== undefined && (
        <p dir="auto" className="text-sm text-soft">
          {reason}
        </p>
      )}
      <p className="flex flex-wrap gap-x-1 text-xs text-faint">
        <span>
          {withSession || session === undefined
            ? rich("Requested {ago},", { ago: <Ago at={created_at} /> })
            : rich("Requested {ago}, in a session by {name}", {
                ago: <Ago at={created_at} />,
                name: session.created_by.name,
              })}
        </span>
        {withSession && (
          <>
            <span>{t("in")}</span>
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: session_id }}
              className="inline-block max-w-full truncate font-medium text-accent underline md:max-w-md"
            >
              {session === undefined ? session_id : visible(titleOf(session))}
            </Link>
            {session !== undefined && <span>{t("by {name}", { name: session.created_by.name })}</span>}
          </>
        )}
      </p>
    </div>
  );
}

/** The session of a question; undefined while it loads, or if the caller may not see it. */
export function useSession(id: string): SessionView | undefined {
  const { client } = useConnection();
  return useQuery({ queryKey: KEYS.session(id), queryFn: () => client.session(id) }).data;
}

/** How long there is still time. Not read out each second. */
function Countdown({ expiresAt }: { readonly expiresAt: string | undefined }): ReactNode {
  const now = useNow(expiresAt !== undefined);
  return (
    <span
      className={classes(
        "inline-flex items-center gap-1 text-sm whitespace-nowrap tabular-nums",
        isUrgent(expiresAt, now) ? "font-medium text-bad" : "text-soft",
      )}
    >
      <Clock aria-hidden className="size-4" /> {remainingWords(expiresAt, now)}
    </span>
  );
}
