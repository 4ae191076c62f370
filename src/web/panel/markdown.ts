import { Lexer, type Token, type Tokens } from "marked";
import { PANEL_LIMITS } from "./limits.ts";

/** What becomes an element. Only these names exist: nothing that a model writes can name another. */
type Tag =
  | "p"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "ul"
  | "ol"
  | "li"
  | "blockquote"
  | "hr"
  | "br"
  | "strong"
  | "em"
  | "del"
  | "code"
  | "a"
  | "table"
  | "thead"
  | "tbody"
  | "tr"
  | "th"
  | "td"
  | "input";

export type MarkdownNode =
  | string
  | {
      readonly tag: Tag;
      readonly children: readonly MarkdownNode[];
      /** Of a link; http or https. */
      readonly href?: string;
      readonly start?: number;
      readonly align?: "left" | "center" | "right";
      readonly checked?: boolean;
    }
  | { readonly tag: "pre"; readonly code: string; readonly language: string };

/** One block of a text, and how many characters of the text it took. */
export interface MarkdownBlock {
  readonly tree: readonly MarkdownNode[];
  readonly length: number;
}

/** The parser's worst case on one run of text is not linear: longer runs are left unparsed. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= PANEL_LIMITS.inlineChars) return super.inlineTokens(source, tokens);
    tokens.push({ type: "text", raw: source, text: source } satisfies Tokens.Text);
    return tokens;
  }
}

/** Nested quotes and lists on one line: the parser would recurse through all of them. */
const TOO_DEEP = /^(?:[ \t]*>|[ \t]*[-*+][ \t]){32}/m;

/** A text of a model as blocks. Everything in it that is not known Markdown stays text. */
export function blocksOf(text: string): readonly MarkdownBlock[] {
  if (text.length > PANEL_LIMITS.markdownChars || TOO_DEEP.test(text)) return [plain(text)];
  try {
    const tokens = new BoundedLexer({ gfm: true, breaks: true }).lex(text);
    return tokens.map((token) => ({ tree: block(token, 0), length: token.raw.length }));
  } catch {
    // Nested deeper than the parser can go.
    return [plain(text)];
  }
}

export function markdownTree(text: string): readonly MarkdownNode[] {
  return blocksOf(text).flatMap(({ tree }) => tree);
}

/** Where a listener hears a pause. */
const PAUSES: ReadonlySet<string> = new Set(["p", "li", "h3", "h4", "h5", "h6", "pre", "th", "td", "br", "tr"]);

/** The text without its markup, for screen readers. */
export function spokenText(text: string): string {
  const say = (tree: MarkdownNode): string => {
    if (typeof tree === "string") return tree;
    const words = "code" in tree ? tree.code : tree.children.map(say).join("");
    return PAUSES.has(tree.tag) ? `${words}\n` : words;
  };
  return markdownTree(text)
    .map(say)
    .join("\n")
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

function plain(text: string): MarkdownBlock {
  return { tree: [{ tag: "p", children: lines(text) }], length: text.length };
}

function lines(text: string): readonly MarkdownNode[] {
  return text.split("\n").flatMap((line, index) => (index === 0 ? [line] : [{ tag: "br", children: [] }, line]));
}

const HEADINGS = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

function block(token: Token, depth: number): readonly MarkdownNode[] {
  if (depth > PANEL_LIMITS.markdownDepth) return [{ tag: "p", children: lines(token.raw) }];
  const known = token as Tokens.Generic & Token;
  switch (known.type) {
    case "space":
    case "def":
      return [];
    case "hr":
      return [{ tag: "hr", children: [] }];
    case "heading":
      return [{ tag: HEADINGS[(known as Tokens.Heading).depth - 1] ?? "h6", children: inner(known, depth) }];
    case "paragraph":
      return [{ tag: "p", children: inner(known, depth) }];
    case "code":
      return [{ tag: "pre", code: String(known["text"]), language: languageOf(known["lang"]) }];
    case "blockquote":
      return [{ tag: "blockquote", children: blocks(known.tokens, depth + 1) }];
    case "list":
      return [list(known as Tokens.List, depth)];
    case "table":
      return [table(known as Tokens.Table, depth)];
    case "html":
      return [{ tag: "p", children: lines(known.raw.trimEnd()) }];
    case "text":
      return known.tokens === undefined ? [decoded(String(known["text"]))] : inner(known, depth);
    default:
      return inline(token, depth);
  }
}

const blocks = (tokens: readonly Token[] | undefined, depth: number): readonly MarkdownNode[] =>
  (tokens ?? []).flatMap((token) => block(token, depth));

/** The words of a block. */
const inner = (token: { readonly tokens?: Token[] | undefined }, depth: number): readonly MarkdownNode[] =>
  (token.tokens ?? []).flatMap((each) => inline(each, depth + 1));

function inline(token: Token, depth: number): readonly MarkdownNode[] {
  if (depth > PANEL_LIMITS.markdownDepth) return [token.raw];
  const known = token as Tokens.Generic & Token;
  switch (known.type) {
    case "strong":
    case "em":
    case "del":
      return [{ tag: known.type, children: inner(known, depth) }];
    case "codespan":
      return [{ tag: "code", children: [String(known["text"])] }];
    case "br":
      return [{ tag: "br", children: [] }];
    case "link":
      return link(known as Tokens.Link, depth);
    case "image":
      return image(known as Tokens.Image);
    case "checkbox":
      return [{ tag: "input", children: [], checked: known["checked"] === true }];
    case "escape":
      return [String(known["text"])];
    case "text":
      return known.tokens === undefined ? [decoded(String(known["text"]))] : inner(known, depth);
    default:
      return [known.raw];
  }
}

function link(token: Tokens.Link, depth: number): readonly MarkdownNode[] {
  const href = webAddress(token.href);
  const children = inner(token, depth);
  return href === undefined ? children : [{ tag: "a", href, children }];
}

/** Not loaded: its address could tell somebody else what was said here. */
function image({ href, text }: Tokens.Image): readonly MarkdownNode[] {
  const words = `[image${text === "" ? "" : `: ${text}`}]`;
  const address = webAddress(href);
  return address === undefined ? [words] : [{ tag: "a", href: address, children: [words] }];
}

function list({ ordered, start, items }: Tokens.List, depth: number): MarkdownNode {
  return {
    tag: ordered ? "ol" : "ul",
    ...(ordered && typeof start === "number" && start !== 1 ? { start } : {}),
    children: items.map((item) => ({ tag: "li" as const, children: blocks(item.tokens, depth + 1) })),
  };
}

function table({ header, rows, align }: Tokens.Table, depth: number): MarkdownNode {
  const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td"): MarkdownNode => ({
    tag: "tr",
    children: cells.map((cell, index) => {
      const side = align[index];
      return { tag, children: inner(cell, depth), ...(side === null || side === undefined ? {} : { align: side }) };
    }),
  });
  return {
    tag: "table",
    children: [
      { tag: "thead", children: [row(header, "th")] },
      { tag: "tbody", children: rows.map((cells) => row(cells, "td")) },
    ],
  };
}

/** Undefined: not an address that the panel links to. */
function webAddress(text: string): string | undefined {
  try {
    const { protocol, href } = new URL(text);
    return protocol === "http:" || protocol === "https:" ? href : undefined;
  } catch {
    return undefined;
  }
}

function languageOf(lang: unknown): string {
  return typeof lang === "string" ? (/^[\w+#.-]{1,30}/.exec(lang)?.[0] ?? "") : "";
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const LAST_CODE_POINT = 0x10ffff;

/** Character references, as far as models write them. */
function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? all;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : all;
    },
  );
}
