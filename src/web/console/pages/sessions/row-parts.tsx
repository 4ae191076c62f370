import { Link } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import type { ReactNode } from "react";
import { type SessionView } from "../../../../protocol/index.ts";
import { Badge } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { classes } from "../../../ui/classes.ts";
import { money, spending, StatusBadge, titleOf } from "../../../ui/words.tsx";
import { plural, t } from "../../../ui/language/t.ts";

/** The whole row or card is this link's target; other controls in it lie above. */
export function TitleLink({
  session,
  className,
}: {
  readonly session: SessionView;
  readonly className?: string;
}): ReactNode {
  const title =
    session.title === "" && session.forked_from !== undefined ? t("Fork without a prompt yet") : titleOf(session);
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: session.id }}
      data-session={session.id}
      title={title}
      dir="auto"
      className={classes(
        "rtl:text-right font-medium outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-(--focus)",
        className,
      )}
    >
      {title}
    </Link>
  );
}

export function State({ session }: { readonly session: SessionView }): ReactNode {
  const waiting = session.pending_approvals.length;
  const held = session.queue.filter((queued) => queued.held === true).length;
  const queued = session.queue.length - held;
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <StatusBadge status={session.status} />
      {waiting > (session.status === "pending_approval" ? 1 : 0) && (
        <Badge tone="warn">{plural({ one: "{count} question", other: "{count} questions" }, { count: waiting })}</Badge>
      )}
      {session.expired_approvals !== undefined && (
        <Badge tone="warn">
          {session.expired_approvals === 1
            ? t("expired")
            : plural({ one: "{count} expired", other: "{count} expired" }, { count: session.expired_approvals })}
        </Badge>
      )}
      {session.tags?.map((tag) => (
        <Badge key={tag}>#{visible(tag)}</Badge>
      ))}
      {queued > 0 && <Badge>{plural({ one: "{count} queued", other: "{count} queued" }, { count: queued })}</Badge>}
      {held > 0 && <Badge tone="warn">{plural({ one: "{count} held", other: "{count} held" }, { count: held })}</Badge>}
    </span>
  );
}

export function Cost({
  session,
  isColumn = false,
}: {
  readonly session: SessionView;
  /** A line for each amount, in a narrow column that has the title. */
  readonly isColumn?: boolean;
}): ReactNode {
  const { cost_microusd: cost, bound_microusd: bound, limit_microusd: limit } = session;
  return (
    <span className="tabular-nums">
      {isColumn ? money(cost - (bound ?? 0)) : bound === undefined ? money(cost) : spending(session)}
      {isColumn && bound !== undefined && (
        <span className="block text-xs">{t("at most {amount}", { amount: money(cost) })}</span>
      )}
      {limit !== undefined && (
        <span className={classes(limit > 0 && cost >= limit ? "text-bad" : "text-faint", isColumn && "block text-xs")}>
          {" "}
          {t("of {limit}", { limit: money(limit) })}
        </span>
      )}
    </span>
  );
}

/** The last part of the workspace's path, the whole of it as a title. */
export function Workspace({ session }: { readonly session: SessionView }): ReactNode {
  const { workspace } = session.settings;
  return <span title={workspace}>{workspace.split("/").findLast((part) => part !== "") ?? "/"}</span>;
}

export function Forked({ session }: { readonly session: SessionView }): ReactNode {
  if (session.forked_from === undefined) return undefined;
  return (
    <span className="inline-flex items-center gap-1">
      <GitFork aria-hidden className="size-3.5" /> {t("fork")}
    </span>
  );
}
