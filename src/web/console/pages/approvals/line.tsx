import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Approval } from "../../../../protocol/index.ts";
import { isUrgent, remainingWords } from "../../approval/countdown.ts";
import { canApprovePlainly } from "../../approval/decide.tsx";
import { toolLabel } from "../../approval/reason.ts";
import { summaryOf } from "../../approval/summary.ts";
import { ToolIcon } from "../../approval/tool-icon.tsx";
import { useNow } from "../../approval/use-now.ts";
import { visible } from "../../../ui/visible.ts";
import { classes } from "../../../ui/classes.ts";
import { Badge } from "../../../ui/states.tsx";
import { Ago } from "../../../ui/words.tsx";
import { plural, t } from "../../../ui/language/t.ts";

const LINE_CHARS = 300;

/** How long it can still be answered. */
function TimeLeft({ approval: { expires_at } }: { readonly approval: Approval }): ReactNode {
  const now = useNow(expires_at !== undefined);
  return (
    <span className={classes("tabular-nums", isUrgent(expires_at, now) && "font-medium text-bad")}>
      {remainingWords(expires_at, now)}
    </span>
  );
}

/** One question in a list. */
export function ApprovalLine({
  approval,
  chosen,
  show,
  children,
}: {
  readonly approval: Approval;
  readonly chosen: boolean;
  readonly show: "pending" | "ended";
  readonly children?: ReactNode;
}): ReactNode {
  const { id, tool, created_at, warnings } = approval;
  return (
    <Link
      to="/approvals"
      search={show === "ended" ? { id, show } : { id }}
      replace={false}
      data-approval={id}
      aria-current={chosen}
      className={classes(
        "block space-y-0.5 border-s-2 px-3 py-2 hover:bg-sunken",
        chosen ? "border-accent bg-accent-soft" : "border-transparent",
      )}
    >
      <span className="flex items-center gap-2 text-sm">
        <ToolIcon tool={tool} className="size-4 text-soft" />
        <span className="min-w-0 truncate font-medium">{visible(toolLabel(tool))}</span>
        {approval.outdated === true && <Badge tone="warn">{t("file changed")}</Badge>}
        {approval.updated_input !== undefined && canApprovePlainly(approval) && (
          <Badge tone="accent">{t("changed")}</Badge>
        )}
        {warnings.length > 0 && (
          <span className="inline-flex items-center gap-0.5 text-xs text-warn">
            <TriangleAlert aria-hidden className="size-3.5" /> {warnings.length}
            <span className="sr-only">
              {" "}
              {plural({ one: "warning", other: "warnings" }, { count: warnings.length })}
            </span>
          </span>
        )}
        <span className="ms-auto text-xs whitespace-nowrap text-faint">
          {approval.status === "pending" ? <TimeLeft approval={approval} /> : <Ago at={created_at} />}
        </span>
      </span>
      <span className="block truncate font-mono text-xs text-soft">
        {visible(summaryOf(approval).slice(0, LINE_CHARS))}
      </span>
      {children}
    </Link>
  );
}
