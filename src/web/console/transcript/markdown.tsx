import { Fragment, useState, type ReactNode } from "react";
import { completed } from "../../ui/markdown/completed.ts";
import { GrowingMarkdown } from "../../ui/markdown/growing.ts";
import { MATH } from "../../ui/markdown/math.ts";
import { MarkdownView } from "../../ui/markdown/view.tsx";
import { CodeBlock } from "./code-block.tsx";
import { FileLink } from "./file-link.tsx";
import { Formula } from "./formula.tsx";

/** A model's text. HTML in it stays text. */
export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }): ReactNode {
  const [markdown] = useState(() => new GrowingMarkdown({ math: MATH, complete: completed }));
  return (
    <div className="leading-relaxed break-words">
      {markdown.update(text, streaming ? "growing" : "done").map(({ tree }, index) => (
        <Fragment key={index}>
          <MarkdownView tree={tree} Code={CodeBlock} CodeWords={FileLink} Formula={Formula} copyTables />
          {/* Between the words of two blocks, for whoever reads the page's text. */}
          {"\n"}
        </Fragment>
      ))}
    </div>
  );
}
