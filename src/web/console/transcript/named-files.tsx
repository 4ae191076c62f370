import { useMemo, type ReactNode } from "react";
import { outputText, type ToolItem } from "../../../protocol/index.ts";
import { FileLink } from "./file-link.tsx";
import { filesNamedIn } from "./file-path.ts";
import { t } from "../../ui/language/t.ts";

/** The files that a call's output names, as links to where they are looked at and downloaded. */
export function NamedFiles({ item }: { readonly item: ToolItem }): ReactNode {
  const text = item.type === "command_execution" ? item.aggregated_output : outputText(item.output ?? []);
  const isDone = item.status !== "in_progress";
  const paths = useMemo(() => (isDone ? filesNamedIn(text) : []), [text, isDone]);
  if (paths.length === 0) return null;
  return (
    <ul aria-label={t("Files in the output")} className="flex flex-wrap gap-x-3 gap-y-1 text-[13px] text-soft">
      {paths.map((path) => (
        <li key={path} className="min-w-0">
          <FileLink text={path}>
            <code className="break-all">{path}</code>
          </FileLink>
        </li>
      ))}
    </ul>
  );
}
