import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { webAddress } from "./model.ts";

interface BlocksProps {
  readonly tokens: readonly Token[];
  /** Puts values into a piece of text. */
  readonly fill: (piece: string) => string;
}

/** Markdown as elements, never as HTML: what a text says is only shown. HTML in it is shown as it is written, pictures as their words. */
export function Blocks({ tokens, fill }: BlocksProps): ReactNode {
  return tokens.map((token, at) => <Fragment key={`${String(at)} ${token.type}`}>{oneToken(token, fill)}</Fragment>);
}

const HEADINGS = ["text-xl", "text-lg", "text-base", "text-sm", "text-sm", "text-sm"] as const;

function oneToken(token: Token, fill: (piece: string) => string): ReactNode {
  const inside =
    "tokens" in token && token.tokens !== undefined ? <Blocks tokens={token.tokens} fill={fill} /> : undefined;
  switch (token.type) {
    case "space":
    case "def":
      return undefined;
    case "heading":
      return heading(token as Tokens.Heading, inside);
    case "paragraph":
      return <p className="my-2 break-words">{inside}</p>;
    case "blockquote":
      return <blockquote className="my-2 border-l-4 border-line pl-3 text-soft">{inside}</blockquote>;
    case "list":
      return list(token as Tokens.List, fill);
    case "code":
      return (
        <pre className="my-2 overflow-auto rounded bg-sunken p-2 text-xs">
          <code>{fill((token as Tokens.Code).text)}</code>
        </pre>
      );
    case "hr":
      return <hr className="my-3" />;
    case "table":
      return table(token as Tokens.Table, fill);
    case "strong":
      return <strong className="font-semibold">{inside}</strong>;
    case "em":
      return <em>{inside}</em>;
    case "del":
      return <del>{inside}</del>;
    case "codespan":
      return <code className="rounded bg-sunken px-1 text-[0.9em]">{fill((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link, fill, inside);
    case "image":
      return <span className="text-soft">[{fill((token as Tokens.Image).text)}]</span>;
    case "text":
      return inside ?? fill((token as Tokens.Text).text);
    case "escape":
      return fill((token as Tokens.Escape).text);
    default:
      return fill(token.raw);
  }
}

/** The viewer's own title is above: a first heading of the text is the third of the page. */
function heading({ depth }: Tokens.Heading, inside: ReactNode): ReactNode {
  const className = `mt-3 mb-1 font-semibold first:mt-0 ${HEADINGS[depth - 1] ?? "text-sm"}`;
  return (
    <div role="heading" aria-level={Math.min(6, depth + 2)} className={className}>
      {inside}
    </div>
  );
}

function list(token: Tokens.List, fill: (piece: string) => string): ReactNode {
  const items = token.items.map((item, at) => (
    <li key={`${String(at)} ${item.raw}`} className={item.task ? "list-none" : ""}>
      {item.task && (
        <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label="Done" className="mr-1.5" />
      )}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== "checkbox")} fill={fill} />
    </li>
  ));
  return token.ordered ? (
    <ol className="my-2 list-decimal space-y-1 pl-6" start={token.start === "" ? 1 : token.start}>
      {items}
    </ol>
  ) : (
    <ul className="my-2 list-disc space-y-1 pl-6">{items}</ul>
  );
}

function table(token: Tokens.Table, fill: (piece: string) => string): ReactNode {
  const align = (at: number): string =>
    ({ right: "text-right", center: "text-center", left: "text-left" })[token.align[at] ?? "left"];
  return (
    <div className="my-2 overflow-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th
                key={`${String(at)} ${cell.text}`}
                scope="col"
                className={`border bg-panel px-2 py-1 font-medium ${align(at)}`}
              >
                <Blocks tokens={cell.tokens} fill={fill} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, line) => (
            <tr key={`${String(line)} ${row[0]?.text ?? ""}`}>
              {row.map((cell, at) => (
                <td key={`${String(at)} ${cell.text}`} className={`border px-2 py-1 ${align(at)}`}>
                  <Blocks tokens={cell.tokens} fill={fill} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function link(token: Tokens.Link, fill: (piece: string) => string, inside: ReactNode): ReactNode {
  const address = webAddress(fill(token.href));
  if (address === undefined) return inside;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener" className="text-info underline underline-offset-2">
      {inside}
    </a>
  );
}
