import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { t } from "../../../ui/language/t.ts";

/** A list and its open entry: side by side, on a phone one after the other. */
export function Panes({
  list,
  detail,
  open,
  show,
}: {
  readonly list: ReactNode;
  readonly detail: ReactNode;
  /** Something was chosen: a phone shows it instead of the list. */
  readonly open: boolean;
  readonly show: "pending" | "ended";
}): ReactNode {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 md:grid-cols-[18rem_minmax(0,1fr)] lg:grid-cols-[22rem_minmax(0,1fr)]">
      <div
        className={classes("md:sticky md:top-4 md:max-h-[calc(100dvh-2rem)] md:overflow-auto", open && "max-md:hidden")}
      >
        {list}
      </div>
      <div className={classes("min-w-0", !open && "max-md:hidden")}>
        <Link
          to="/approvals"
          search={show === "ended" ? { show } : {}}
          className="mb-3 inline-flex min-h-8 short:mb-1 items-center gap-1 text-sm font-medium text-accent md:hidden"
        >
          <ArrowLeft aria-hidden className="size-4" /> {t("Back to list")}
        </Link>
        {detail}
      </div>
    </div>
  );
}
