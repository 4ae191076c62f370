import { Lexer, type Token, type Tokens } from "marked";

/** A longer text is shown as it is: parsing is not linear in its worst case. */
const MARKDOWN_CHARS = 200_000;

/**
 * A model's text as elements. They are made one by one and texts are set as texts, so that nothing that a model writes, or that
 * it read somewhere, becomes markup of the platform's page.
 */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  if (text.length > MARKDOWN_CHARS) fragment.append(element("pre", text));
  else fragment.append(...blocks(Lexer.lex(text)));
  return fragment;
}

function blocks(tokens: readonly Token[]): readonly Node[] {
  return tokens.flatMap((token) => block(token as Tokens.Generic));
}

function block(token: Tokens.Generic): readonly Node[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      // The panel is a part of a page that has its own headings.
      return [element(`h${Math.min(6, Number(token["depth"]) + 2)}`, ...inline(token.tokens))];
    case "code":
      return [codeBlock(String(token["text"]))];
    case "blockquote":
      return [element("blockquote", ...blocks(token.tokens ?? []))];
    case "list":
      return [list(token as Tokens.List)];
    case "hr":
      return [element("hr")];
    case "table":
      return [table(token as Tokens.Table)];
    case "paragraph":
      return [element("p", ...inline(token.tokens))];
    case "text":
      return token.tokens === undefined ? [textOf(token)] : inline(token.tokens);
    default:
      return [element("p", token.raw)];
  }
}

function list({ ordered, start, items }: Tokens.List): HTMLElement {
  const made = element(ordered ? "ol" : "ul", ...items.map((item) => element("li", ...blocks(item.tokens))));
  if (ordered && typeof start === "number" && start !== 1) made.setAttribute("start", String(start));
  return made;
}

function table({ header, rows }: Tokens.Table): HTMLElement {
  const row = (tag: "th" | "td", cells: readonly Tokens.TableCell[]): HTMLElement =>
    element("tr", ...cells.map(({ tokens }) => element(tag, ...inline(tokens))));
  return element(
    "table",
    element("thead", row("th", header)),
    element("tbody", ...rows.map((cells) => row("td", cells))),
  );
}

function codeBlock(text: string): HTMLElement {
  const copy = element("button", "Copy");
  copy.className = "sallyport-copy";
  copy.addEventListener("click", () => void navigator.clipboard.writeText(text));
  const block = element("div", element("pre", element("code", text)), copy);
  block.className = "sallyport-code";
  return block;
}

function inline(tokens: readonly Token[] | undefined): readonly Node[] {
  return (tokens ?? []).map((token) => span(token as Tokens.Generic));
}

function span(token: Tokens.Generic): Node {
  switch (token.type) {
    case "strong":
      return element("strong", ...inline(token.tokens));
    case "em":
      return element("em", ...inline(token.tokens));
    case "del":
      return element("del", ...inline(token.tokens));
    case "codespan":
      return element("code", String(token["text"]));
    case "br":
      return element("br");
    case "link":
      return link(token as Tokens.Link);
    case "image":
      // Loading one would tell a stranger that this was read.
      return document.createTextNode(String(token["text"]));
    case "text":
    case "escape":
      return textOf(token);
    default:
      return document.createTextNode(token.raw);
  }
}

function link({ href, tokens }: Tokens.Link): Node {
  const made = element("a", ...inline(tokens));
  if (!/^https?:\/\//i.test(href)) return element("span", ...inline(tokens));
  made.setAttribute("href", href);
  made.setAttribute("target", "_blank");
  made.setAttribute("rel", "noopener noreferrer");
  return made;
}

function textOf(token: Tokens.Generic): Node {
  return document.createTextNode(String(token["text"]));
}

function element(tag: string, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}
