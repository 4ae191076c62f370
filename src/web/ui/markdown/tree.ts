import { Lexer, type MarkedOptions, type Token, type Tokens } from "marked";

/** What becomes an element. Only these names exist: nothing that a model writes can name another. */
export type MarkdownTag =
  | "p"
  | "h1"
  | "h2"
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
      readonly tag: MarkdownTag;
      readonly children: readonly MarkdownNode[];
      /** Of a link; http or https. */
      readonly href?: string;
      readonly start?: number;
      readonly align?: "left" | "center" | "right";
      readonly checked?: boolean;
    }
  | { readonly tag: "pre"; readonly code: string; readonly language: string }
  | { readonly tag: "math"; readonly tex: string; readonly display: boolean };

export const MARKDOWN_LIMITS = {
  /** One text; what is longer is shown as plain text. */
  chars: 400_000,
  /** One paragraph, cell or heading; a longer one is shown without its emphasis and links. */
  inlineChars: 8_000,
  /** Quotes and lists inside each other; what is deeper is shown as it was written. */
  depth: 16,
  /** Boxes of task lists in one text; with more of them it is shown as plain text. */
  boxes: 1_000,
} as const;

export interface MarkdownOptions {
  /** The end of a line is one in the answer too. Absent: it is a space. */
  readonly breaks?: boolean;
  /** `$$x^2$$` and `$x^2$` are formulas: see math.ts. Absent: they are text. */
  readonly math?: MarkedOptions["extensions"];
  /** Changes each piece of text, code and each address before it is used. */
  readonly fill?: (piece: string) => string;
}

/** One block of a text, and how many characters of the text it took. */
export interface MarkdownBlock {
  readonly tree: readonly MarkdownNode[];
  readonly length: number;
}

/** The parser's work on one run of words is not linear in its worst case: longer runs are left as they are. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= MARKDOWN_LIMITS.inlineChars) return super.inlineTokens(source, tokens);
    tokens.push({ type: "text", raw: source, text: source } satisfies Tokens.Text);
    return tokens;
  }
}

/** Quotes and lists in each other, on one line: the parser would go down all of them. */
const TOO_DEEP = /^(?:[ \t]*>|[ \t]*[-*+][ \t]){32}/m;

/** The parser looks through all open items for each box of a task list. */
function hasTooManyBoxes(text: string): boolean {
  let boxes = 0;
  for (const _ of text.matchAll(/(?:^|\s)\[[ xX]\](?=\s)/g)) {
    boxes += 1;
    if (boxes > MARKDOWN_LIMITS.boxes) return true;
  }
  return false;
}

/** A text of a model as blocks. Everything in it that is not known Markdown stays text. */
export function blocksOf(text: string, options: MarkdownOptions = {}): readonly MarkdownBlock[] {
  const { breaks = false, math, fill = (piece) => piece } = options;
  const isTooMuch = text.length > MARKDOWN_LIMITS.chars || TOO_DEEP.test(text) || hasTooManyBoxes(text);
  if (isTooMuch) return [plain(text, fill)];
  try {
    const extensions = math != null && text.includes("$") ? { extensions: math } : {};
    const tokens = new BoundedLexer({ gfm: true, breaks, ...extensions }).lex(text);
    return tokens.map((token) => ({ tree: block(token, { depth: 0, fill }), length: token.raw.length }));
  } catch {
    // Nested deeper than the parser can go.
    return [plain(text, fill)];
  }
}

export function markdownTree(text: string, options?: MarkdownOptions): readonly MarkdownNode[] {
  return blocksOf(text, options).flatMap(({ tree }) => tree);
}

/** The words of a piece without its marks. */
export function wordsOf(node: MarkdownNode): string {
  if (typeof node === "string") return node;
  if (node.tag === "math") return node.tex;
  return node.tag === "pre" ? node.code : node.children.map(wordsOf).join("");
}

/** Where a listener hears a pause. */
const PAUSES: ReadonlySet<string> = new Set([
  "p",
  "li",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "pre",
  "th",
  "td",
  "br",
  "tr",
]);

/** The words of a text without its marks, for those who listen. */
export function spokenText(text: string): string {
  const say = (tree: MarkdownNode): string => {
    if (typeof tree === "string") return tree;
    if (tree.tag === "math") return tree.tex;
    const words = tree.tag === "pre" ? tree.code : tree.children.map(say).join("");
    return PAUSES.has(tree.tag) ? `${words}\n` : words;
  };
  return markdownTree(text)
    .map(say)
    .join("\n")
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

/** Where in a text a piece is, and what is done to its words. */
interface PiecePlace {
  readonly depth: number;
  readonly fill: (piece: string) => string;
}

const deeper = ({ depth, fill }: PiecePlace): PiecePlace => ({ depth: depth + 1, fill });

function plain(text: string, fill: PiecePlace["fill"]): MarkdownBlock {
  return { tree: [{ tag: "p", children: lines(fill(text)) }], length: text.length };
}

function lines(text: string): readonly MarkdownNode[] {
  return text.split("\n").flatMap((line, index) => (index === 0 ? [line] : [{ tag: "br", children: [] }, line]));
}

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

function block(token: Token, at: PiecePlace): readonly MarkdownNode[] {
  if (at.depth > MARKDOWN_LIMITS.depth) return [{ tag: "p", children: lines(at.fill(token.raw)) }];
  const known = token as Tokens.Generic & Token;
  switch (known.type) {
    case "space":
    case "def":
      return [];
    case "hr":
      return [{ tag: "hr", children: [] }];
    case "heading":
      return [{ tag: HEADINGS[(known as Tokens.Heading).depth - 1] ?? "h6", children: inner(known, at) }];
    case "paragraph":
      return [{ tag: "p", children: inner(known, at) }];
    case "code":
      return [{ tag: "pre", code: at.fill(String(known["text"])), language: languageOf(known["lang"]) }];
    case "blockquote":
      return [{ tag: "blockquote", children: blocks(known.tokens, deeper(at)) }];
    case "list":
      return [list(known as Tokens.List, at)];
    case "table":
      return [table(known as Tokens.Table, at)];
    case "html":
      return [{ tag: "p", children: lines(at.fill(known.raw.trimEnd())) }];
    case "text":
      return known.tokens === undefined ? [at.fill(decoded(String(known["text"])))] : inner(known, at);
    default:
      return inline(token, at);
  }
}

const blocks = (tokens: readonly Token[] | undefined, at: PiecePlace): readonly MarkdownNode[] =>
  (tokens ?? []).flatMap((token) => block(token, at));

/** The words of a block. */
const inner = (token: { readonly tokens?: Token[] | undefined }, at: PiecePlace): readonly MarkdownNode[] =>
  (token.tokens ?? []).flatMap((each) => inline(each, deeper(at)));

function inline(token: Token, at: PiecePlace): readonly MarkdownNode[] {
  if (at.depth > MARKDOWN_LIMITS.depth) return [at.fill(token.raw)];
  const known = token as Tokens.Generic & Token;
  switch (known.type) {
    case "strong":
    case "em":
    case "del":
      return [{ tag: known.type, children: inner(known, at) }];
    case "codespan":
      return [{ tag: "code", children: [at.fill(String(known["text"]))] }];
    case "br":
      return [{ tag: "br", children: [] }];
    case "link":
      return link(known as Tokens.Link, at);
    case "image":
      return image(known as Tokens.Image, at);
    case "checkbox":
      return [{ tag: "input", children: [], checked: known["checked"] === true }];
    case "math":
      return [{ tag: "math", tex: String(known["tex"]), display: known["display"] === true }];
    case "escape":
      return [at.fill(String(known["text"]))];
    case "text":
      return known.tokens === undefined ? [at.fill(decoded(String(known["text"])))] : inner(known, at);
    default:
      return [at.fill(known.raw)];
  }
}

function link(token: Tokens.Link, at: PiecePlace): readonly MarkdownNode[] {
  const href = webAddress(at.fill(token.href));
  const children = inner(token, at);
  return href === undefined ? children : [{ tag: "a", href, children }];
}

/** Not loaded: its address could tell somebody else what was said here. */
function image({ href, text }: Tokens.Image, { fill }: PiecePlace): readonly MarkdownNode[] {
  const words = `[image${text === "" ? "" : `: ${fill(text)}`}]`;
  const address = webAddress(fill(href));
  return address === undefined ? [words] : [{ tag: "a", href: address, children: [words] }];
}

function list({ ordered, start, items }: Tokens.List, at: PiecePlace): MarkdownNode {
  return {
    tag: ordered ? "ol" : "ul",
    ...(ordered && typeof start === "number" && start !== 1 ? { start } : {}),
    children: items.map((item) => ({ tag: "li" as const, children: blocks(item.tokens, deeper(at)) })),
  };
}

function table({ header, rows, align }: Tokens.Table, at: PiecePlace): MarkdownNode {
  const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td"): MarkdownNode => ({
    tag: "tr",
    children: cells.map((cell, index) => {
      const side = align[index];
      return { tag, children: inner(cell, at), ...(side === null || side === undefined ? {} : { align: side }) };
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

/** Only web addresses become links. Undefined: it is none. */
export function webAddress(text: string): string | undefined {
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
