import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

/** HTML as readable text: headings, lists, links and preformatted text keep their shape, everything else is plain. */
export function htmlToText(html: string, base: string): string {
  const writer = new TextWriter(base);
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) {
      writer.text(html.slice(at));
      break;
    }
    if (open > at) writer.text(html.slice(at, open));
    at = readMarkup(html, open, writer);
  }
  return writer.end();
}

const SKIPPED = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "head",
  "select",
  "textarea",
]);
const BLOCKS = new Set(
  (
    "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead title tr ul"
  ).split(" "),
);
/** Blocks with an empty line around them. */
const SPACED = new Set("blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre table title ul".split(" "));

/** Handles what begins with `<` at `open`; answers where to go on. */
function readMarkup(html: string, open: number, writer: TextWriter): number {
  if (html.startsWith("<!--", open)) return after(html, "-->", open + 4);
  if (html.startsWith("<!", open) || html.startsWith("<?", open)) return after(html, ">", open + 2);
  const name = /^<\/?([a-zA-Z][a-zA-Z0-9-]*)/.exec(html.slice(open, open + 50))?.[1]?.toLowerCase();
  if (name === undefined) {
    writer.text("<");
    return open + 1;
  }
  const end = tagEnd(html, open);
  const tag = html.slice(open, end);
  if (tag.startsWith("</")) {
    writer.close(name);
    return end;
  }
  if (name === "head") return readHead(html, end, writer);
  if (SKIPPED.has(name) && !tag.endsWith("/>")) return closingTag(html, name, end);
  writer.open(name, tag);
  return end;
}

/** Of the head only the title is text. */
function readHead(html: string, start: number, writer: TextWriter): number {
  const end = closingTag(html, "head", start);
  const head = html.slice(start, end);
  const title = head.search(/<title[\s>]/i);
  if (title !== -1) {
    const text = tagEnd(head, title);
    const textEnd = head.indexOf("<", text);
    writer.open("title", "");
    writer.text(head.slice(text, textEnd === -1 ? head.length : textEnd));
    writer.close("title");
  }
  return end;
}

function after(html: string, word: string, start: number): number {
  const found = html.indexOf(word, start);
  return found === -1 ? html.length : found + word.length;
}

/** After the `>` that ends the tag; one inside quotes does not. */
function tagEnd(html: string, open: number): number {
  let quote = "";
  for (let at = open; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") {
      return at + 1;
    } else if ((character === '"' || character === "'") && html.charAt(at - 1) === "=") {
      quote = character;
    }
  }
  return html.length;
}

/** After `</name…>`, or the end of the page. */
function closingTag(html: string, name: string, start: number): number {
  const closing = new RegExp(`</${name}[\\s/>]`, "gi");
  closing.lastIndex = start;
  const found = closing.exec(html);
  return found === null ? html.length : after(html, ">", found.index);
}

const DEEPEST_LIST = 10;

/** One line while it grows. Pieces are only joined once, so that a line of a million pieces is no trouble. */
class TextLine {
  #pieces: string[] = [];
  #last = "";

  get isEmpty(): boolean {
    return this.#last === "";
  }

  get pieces(): number {
    return this.#pieces.length;
  }

  /** Adds text in which each run of blanks counts as one blank, and none at the line's start. */
  flow(text: string): void {
    const plain = text.replaceAll(/\s+/g, " ");
    this.add(this.isEmpty || this.#last.endsWith(" ") ? plain.trimStart() : plain);
  }

  add(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#last = text;
  }

  /** Takes away and answers what stands after the first `pieces`. */
  cut(pieces: number): string {
    const text = this.#pieces.splice(pieces).join("");
    this.#last = this.#pieces.at(-1) ?? "";
    return text;
  }
}

class TextWriter {
  readonly #base: string;
  readonly #lines: string[] = [];
  readonly #line = new TextLine();
  #lists = 0;
  #preformatted = 0;
  /** The link that is open, and the pieces its line had before. */
  #link: { readonly target: string; readonly from: number } | undefined;

  constructor(base: string) {
    this.#base = base;
  }

  text(raw: string): void {
    // Code that a page shows is pasted into files: a blank is a plain one.
    const text = decodeHTML(raw).replaceAll("\u{A0}", " ");
    if (this.#preformatted === 0) {
      this.#line.flow(text);
      return;
    }
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.#finishLine({ keepEmpty: true });
      this.#line.add(line);
    }
  }

  open(name: string, tag: string): void {
    if (BLOCKS.has(name)) this.#block(name);
    switch (name) {
      case "br":
        this.#finishLine({ keepEmpty: true });
        break;
      case "hr":
        this.#line.add("---");
        break;
      case "li":
        this.#line.add(`${"  ".repeat(Math.min(DEEPEST_LIST, Math.max(0, this.#lists - 1)))}- `);
        break;
      case "ul":
      case "ol":
        this.#lists += 1;
        break;
      case "pre":
        this.#preformatted += 1;
        break;
      case "a":
        this.#closeLink();
        this.#link = { target: this.#target(attribute(tag, "href")), from: this.#line.pieces };
        break;
      case "img":
        this.#line.add(imageText(attribute(tag, "alt")));
        break;
      default:
        this.#line.add(opening(name));
    }
  }

  close(name: string): void {
    if (name === "pre") {
      this.#finishLine({ keepEmpty: false });
      this.#preformatted = Math.max(0, this.#preformatted - 1);
    }
    if (name === "ul" || name === "ol") this.#lists = Math.max(0, this.#lists - 1);
    if (name === "a") this.#closeLink();
    if (BLOCKS.has(name)) this.#block(name);
  }

  end(): string {
    this.#finishLine({ keepEmpty: false });
    return this.#lines.join("\n").trim();
  }

  #block(name: string): void {
    // Cells of one row stay in one line.
    if (name === "td" || name === "th") {
      if (!this.#line.isEmpty) this.#line.flow(" ");
      return;
    }
    this.#finishLine({ keepEmpty: false });
    if (SPACED.has(name) && (this.#lists === 0 || !["ul", "ol", "p"].includes(name))) this.#emptyLine();
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || link.target === "") return;
    const words = this.#line.cut(link.from);
    this.#line.add(words.trim() === "" ? words : `[${words.trim()}](${link.target})`);
  }

  #target(href: string): string {
    if (href === "" || href.startsWith("#") || /^\s*javascript:/i.test(href)) return "";
    return URL.canParse(href, this.#base) ? new URL(href, this.#base).href : "";
  }

  #finishLine({ keepEmpty }: { readonly keepEmpty: boolean }): void {
    const line = this.#line.cut(0).trimEnd();
    // A link that is still open begins anew in the next line.
    if (this.#link !== undefined) this.#link = { target: this.#link.target, from: 0 };
    if (line !== "" && line.trim() !== "-") this.#lines.push(line);
    else if (keepEmpty) this.#emptyLine();
  }

  #emptyLine(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }
}

function opening(name: string): string {
  if (/^h[1-6]$/.test(name)) return `${"#".repeat(Number(name[1]))} `;
  if (name === "title") return "# ";
  return name === "td" || name === "th" ? "| " : "";
}

function attribute(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i").exec(tag);
  return decodeHTMLAttribute(found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim();
}

function imageText(alt: string): string {
  return alt === "" ? "" : `[image: ${alt}]`;
}
