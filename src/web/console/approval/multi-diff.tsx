import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { FileDiff } from "../../../protocol/index.ts";
import { useShortcuts } from "../../ui/app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Badge } from "../../ui/states.tsx";
import { Counts, DiffView } from "./diff-view.tsx";
import { visibleCommand } from "../../ui/visible.ts";
import { t } from "../../ui/language/t.ts";

/** Several files, one shown at a time; ] and [ move between them. */
export function MultiDiff({ files }: { readonly files: readonly FileDiff[] }): ReactNode {
  const [wanted, setAt] = useState(0);
  const at = Math.min(wanted, files.length - 1);
  const go = (step: number): void => setAt(Math.max(0, Math.min(files.length - 1, at + step)));
  useShortcuts(
    t("Files of a change"),
    files.length > 1
      ? [
          { keys: ["]"], label: t("Next file"), run: () => go(1) },
          { keys: ["["], label: t("File before"), run: () => go(-1) },
        ]
      : [],
  );
  const file = files[at];
  if (file === undefined) return <p className="text-sm text-soft">{t("No changes to preview")}</p>;
  if (files.length === 1) return <DiffView file={file} />;
  return (
    <div className="space-y-3">
      <div className="flex items-center gap-2 text-sm">
        <Button size="small" aria-label={t("Previous file")} disabled={at === 0} onClick={() => go(-1)}>
          <ChevronLeft aria-hidden className="size-4" /> <kbd className="text-faint max-md:hidden">[</kbd>
        </Button>
        <span aria-live="polite">{t("File {at} of {count}", { at: at + 1, count: files.length })}</span>
        <Button size="small" aria-label={t("Next file")} disabled={at === files.length - 1} onClick={() => go(1)}>
          <kbd className="text-faint max-md:hidden">]</kbd> <ChevronRight aria-hidden className="size-4" />
        </Button>
      </div>
      <ul className="max-h-48 divide-y overflow-auto rounded-lg border">
        {files.map((other, index) => (
          <li key={index}>
            <button
              type="button"
              aria-current={index === at}
              onClick={() => setAt(index)}
              className={classes(
                "flex min-h-8 w-full items-center gap-2 px-3 py-1 text-start text-sm hover:bg-sunken",
                index === at && "bg-accent-soft",
              )}
            >
              <code className="min-w-0 flex-1 break-all">{visibleCommand(other.file_path)}</code>
              {other.is_new_file && <Badge tone="ok">{t("NEW")}</Badge>}
              {other.error !== undefined && <Badge tone="bad">{t("cannot be made")}</Badge>}
              <Counts added={other.added} removed={other.removed} />
            </button>
          </li>
        ))}
      </ul>
      <DiffView key={at} file={file} />
    </div>
  );
}
