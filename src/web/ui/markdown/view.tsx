import { Fragment, memo, type ComponentType, type ReactNode } from "react";
import { CopyButton } from "../copy-button.tsx";
import { wordsOf, type MarkdownNode, type MarkdownTag } from "./tree.ts";
import { t } from "../language/t.ts";

type MarkdownElement = Extract<MarkdownNode, { readonly children: unknown }>;

interface MarkdownProps {
  readonly tree: readonly MarkdownNode[];
  /** Absent: code without colours. */
  readonly Code?: ComponentType<{ readonly code: string; readonly language: string }>;
  /** What words of code are shown in, such as a link. Absent: nothing but the words. */
  readonly CodeWords?: ComponentType<{ readonly text: string; readonly children: ReactNode }>;
  /** Absent: as it is written. */
  readonly Formula?: ComponentType<{ readonly tex: string; readonly display: boolean }>;
  /** Tables can be copied. */
  readonly copyTables?: boolean;
}

type MarkdownParts = Omit<MarkdownProps, "tree">;

/** A text in another direction than the page keeps its own, paragraph by paragraph. */
const OWN_DIRECTION = "rtl:[unicode-bidi:plaintext]";
const HEADING = `mt-4 mb-2 font-semibold first:mt-0 ${OWN_DIRECTION}`;
const CELL = "border px-2.5 py-1";
const LIST = "my-3 list-outside space-y-1 ps-6 first:mt-0 last:mb-0";

const CLASSES: Partial<Readonly<Record<MarkdownTag, string>>> = {
  p: `my-3 first:mt-0 last:mb-0 ${OWN_DIRECTION}`,
  h1: `${HEADING} text-xl`,
  h2: `${HEADING} text-lg`,
  h3: `${HEADING} text-base`,
  h4: `${HEADING} text-sm`,
  h5: `${HEADING} text-sm`,
  h6: `${HEADING} text-sm`,
  ul: `${LIST} list-disc`,
  ol: `${LIST} list-decimal`,
  li: `[&>ol]:my-1 [&>ul]:my-1 has-[>input]:list-none ${OWN_DIRECTION}`,
  blockquote: "my-3 border-s-4 ps-3 text-soft first:mt-0 last:mb-0",
  hr: "my-4",
  strong: "font-semibold",
  code: "rounded bg-sunken px-1 py-0.5 text-[0.9em]",
  a: "text-accent underline underline-offset-2",
  table: "w-full border-collapse text-sm",
  th: `${CELL} bg-panel font-semibold`,
  td: CELL,
  input: "me-1.5 align-middle",
};

/** Markdown as elements, never as HTML. The page's own headings are above those of a text. */
export const MarkdownView = memo(({ tree, ...parts }: MarkdownProps): ReactNode => <>{all(tree, parts)}</>);
MarkdownView.displayName = "MarkdownView";

function all(nodes: readonly MarkdownNode[], parts: MarkdownParts): readonly ReactNode[] {
  return nodes.map((node, index) => (
    // A text only grows: a piece keeps its place.
    <Fragment key={index}>{typeof node === "string" ? node : element(node, parts)}</Fragment>
  ));
}

const PLACED: Readonly<Record<string, "h3" | "h4" | "h5" | "h6">> = {
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
};

function element(node: Exclude<MarkdownNode, string>, parts: MarkdownParts): ReactNode {
  const { Code = PlainCode, Formula } = parts;
  if (node.tag === "pre") return <Code code={node.code} language={node.language} />;
  if (node.tag === "math") return Formula === undefined ? node.tex : <Formula tex={node.tex} display={node.display} />;
  const className = CLASSES[node.tag] ?? "";
  switch (node.tag) {
    case "hr":
      return <hr className={className} />;
    case "br":
      return <br />;
    case "input":
      return (
        <input
          type="checkbox"
          checked={node.checked === true}
          readOnly
          disabled
          aria-label={node.checked === true ? t("done") : t("to do")}
          className={className}
        />
      );
    case "a":
      return (
        <a href={node.href} target="_blank" rel="noreferrer noopener" className={className}>
          {all(node.children, parts)}
        </a>
      );
    case "ol":
      return (
        <ol start={node.start} className={className}>
          {all(node.children, parts)}
        </ol>
      );
    case "table":
      return <Table node={node} parts={parts} />;
    case "th":
    case "td": {
      const Cell = node.tag;
      return (
        <Cell
          {...(Cell === "th" ? { scope: "col" } : {})}
          className={className}
          style={{ textAlign: node.align ?? "start" }}
        >
          {all(node.children, parts)}
        </Cell>
      );
    }
    case "code": {
      const words = <code className={className}>{all(node.children, parts)}</code>;
      const { CodeWords } = parts;
      return CodeWords === undefined ? words : <CodeWords text={wordsOf(node)}>{words}</CodeWords>;
    }
    default: {
      const Name = PLACED[node.tag] ?? node.tag;
      return <Name className={className}>{all(node.children, parts)}</Name>;
    }
  }
}

/** A wide one scrolls by itself, also by keyboard. */
function Table({ node, parts }: { readonly node: MarkdownElement; readonly parts: MarkdownParts }): ReactNode {
  return (
    <div className="my-3 first:mt-0 last:mb-0">
      {parts.copyTables === true && (
        <div className="flex justify-end">
          <CopyButton label={t("Copy table")} text={tabbed(node)} />
        </div>
      )}
      <div role="group" aria-label={t("Table")} tabIndex={0} className="overflow-x-auto">
        {/* Its columns run as its words do, also in a page of another direction. */}
        <table dir="auto" className={CLASSES.table}>
          {all(node.children, parts)}
        </table>
      </div>
    </div>
  );
}

/** As a spreadsheet takes it. */
function tabbed(table: MarkdownElement): string {
  return table.children
    .flatMap((section) => (typeof section === "object" && "children" in section ? section.children : []))
    .map((row) => (typeof row === "object" && "children" in row ? row.children.map(wordsOf).join("\t") : ""))
    .join("\n");
}

function PlainCode({ code }: { readonly code: string }): ReactNode {
  return (
    <pre className="my-3 overflow-auto rounded bg-sunken p-2 text-xs">
      <code>{code}</code>
    </pre>
  );
}
