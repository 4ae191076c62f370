import type { ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import { t } from "../../../ui/language/t.ts";

const LOOK: Readonly<
  Record<DiffLine["kind"], { readonly mark: string; readonly words: string; readonly className: string }>
> = {
  same: { mark: " ", words: "", className: "text-soft" },
  added: { mark: "+", words: `${t("added:")} `, className: "bg-ok-soft text-ok" },
  removed: { mark: "−", words: `${t("removed:")} `, className: "bg-bad-soft text-bad" },
  gap: { mark: " ", words: "", className: "text-faint" },
};

/** What changes between two texts. */
export function DiffView({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}): ReactNode {
  const lines = diffLines(before, after);
  if (lines.length === 0) return <p className="text-sm text-soft">{t("Nothing changes.")}</p>;
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={label}
      className="max-h-[28rem] overflow-auto rounded-lg border bg-paper py-1 font-mono text-xs leading-5"
    >
      <ol className="w-max min-w-full">
        {lines.map((line, index) => (
          <li key={index} className={classes("flex whitespace-pre px-3", LOOK[line.kind].className)}>
            <span aria-hidden className="w-4 shrink-0 select-none">
              {LOOK[line.kind].mark}
            </span>
            <span className="sr-only">{LOOK[line.kind].words}</span>
            {line.text}
          </li>
        ))}
      </ol>
    </div>
  );
}
