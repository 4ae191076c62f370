/** Walks through the tags of an XML text. Entities of its own are not resolved, so nothing in it can grow. */
export class XmlScanner {
  readonly #text: string;
  #at = 0;
  #attributes = "";
  /** Without its prefix. */
  name = "";
  kind: "open" | "close" | "empty" = "open";
  /** What stands between the tag before and this one, as it is written. */
  before = "";

  constructor(text: string) {
    this.#text = text;
  }

  /** Goes to the next tag; false: there is none. */
  next(): boolean {
    this.before = "";
    for (;;) {
      const start = this.#text.indexOf("<", this.#at);
      if (start < 0) return false;
      this.before += this.#text.slice(this.#at, start);
      const special = SPECIAL.find(({ open }) => this.#text.startsWith(open, start));
      if (special === undefined) return this.#tag(start);
      const end = this.#text.indexOf(special.close, start + special.open.length);
      if (end < 0) return false;
      // Its text is literal: it is written as it would be outside.
      if (special.open === CDATA) this.before += this.#text.slice(start + CDATA.length, end).replaceAll("&", "&amp;");
      this.#at = end + special.close.length;
    }
  }

  /** Of this tag; undefined: it has none of that name. */
  attribute(name: string): string | undefined {
    const found = new RegExp(String.raw`(?:^|\s)(?:[\w.-]+:)?${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`).exec(
      this.#attributes,
    );
    return found === null ? undefined : unescaped(found[1] ?? found[2] ?? "");
  }

  #tag(start: number): boolean {
    const end = this.#text.indexOf(">", start);
    if (end < 0) return false;
    const isClose = this.#text[start + 1] === "/";
    const isEmpty = this.#text[end - 1] === "/";
    const inner = this.#text.slice(start + (isClose ? 2 : 1), isEmpty ? end - 1 : end);
    const space = inner.search(/\s/);
    const whole = space < 0 ? inner : inner.slice(0, space);
    this.name = whole.slice(whole.indexOf(":") + 1);
    this.#attributes = space < 0 ? "" : inner.slice(space);
    this.kind = isClose ? "close" : isEmpty ? "empty" : "open";
    this.#at = end + 1;
    return true;
  }
}

const CDATA = "<![CDATA[";
const SPECIAL = [
  { open: "<!--", close: "-->" },
  { open: CDATA, close: "]]>" },
  { open: "<?", close: "?>" },
  { open: "<!", close: ">" },
] as const;

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const LAST_CHARACTER = 0x10ffff;

export function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g, (whole, decimal, hex, name) => {
    if (typeof name === "string") return NAMED[name] ?? whole;
    const code = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= LAST_CHARACTER ? String.fromCodePoint(code) : "";
  });
}
