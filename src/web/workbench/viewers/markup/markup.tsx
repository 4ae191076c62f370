import { useMemo, type ReactNode } from "react";
import { useTable } from "../../data/use-table.ts";
import { classes } from "../../../ui/classes.ts";
import { MarkdownView } from "../../../ui/markdown/view.tsx";
import { Figure } from "../drawing/figure.tsx";
import { Notice } from "../parts/notice.tsx";
import type { ViewerProps } from "../viewer.ts";
import { markupOf } from "./model.ts";

export function Markup(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter", "selection", "rows");
  const model = useMemo(() => markupOf(table, look), [table, look, key]);
  return (
    <Figure viewer={props} sentence="A text beside the data.">
      {() =>
        model.text.trim() === "" ? (
          <Notice>Set content to the text to show here. Markdown is supported.</Notice>
        ) : (
          <div role="region" aria-label="Text" tabIndex={0} className="size-full overflow-auto p-3 text-sm">
            <div className={classes("break-words", !model.stretch && "max-w-[70ch]")}>
              {model.tree === undefined ? (
                <p className="break-words whitespace-pre-wrap">{model.text}</p>
              ) : (
                <MarkdownView tree={model.tree} />
              )}
              {model.cut !== undefined && <p className="mt-2 text-xs text-soft">{model.cut}</p>}
            </div>
          </div>
        )
      }
    </Figure>
  );
}
