import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Warning } from "../../../protocol/index.ts";
import { classes } from "../../ui/classes.ts";
import { visible } from "../../ui/visible.ts";
import { t } from "../../ui/language/t.ts";

const SERIOUS: ReadonlySet<Warning["kind"]> = new Set([
  "sudo",
  "delete",
  "dangerous",
  "outside_workspace",
  "dynamic_command",
  "unparseable",
]);

/** What a person should know before approving; the serious warnings first. */
export function Warnings({ warnings }: { readonly warnings: readonly Warning[] }): ReactNode {
  if (warnings.length === 0) return null;
  const sorted = warnings.toSorted((a, b) => Number(SERIOUS.has(b.kind)) - Number(SERIOUS.has(a.kind)));
  return (
    <ul aria-label={t("Warnings")} className="overflow-hidden rounded-lg">
      {sorted.map(({ kind, message }, index) => (
        <li
          key={index}
          className={classes(
            "flex items-start gap-2 px-3 py-1 text-sm first:pt-2 last:pb-2",
            SERIOUS.has(kind) ? "bg-bad-soft font-medium text-bad" : "bg-warn-soft text-warn",
          )}
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {/* The server's English, with parts of the call in it. */}
          <span dir="ltr" className="min-w-0 [overflow-wrap:anywhere]">
            {visible(message)}
          </span>
        </li>
      ))}
    </ul>
  );
}
