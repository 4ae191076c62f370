import { LIMITS } from "../protocol/index.ts";

/** A text with what stands in its head, between two lines `---`. */
export interface HeadedText {
  /** By name, in small letters. A list has its entries. */
  readonly fields: ReadonlyMap<string, string | readonly string[]>;
  readonly body: string;
}

const FIELD = /^([A-Za-z][\w-]{0,63})[ \t]*:(?:[ \t]+(.*)|[ \t]*)$/;
const ENTRY = /^[ \t]*-[ \t]+(.*)$/;
const FENCE = /^---[ \t]*$/;

/**
 * Reads the few forms of YAML that such heads have: words, quoted words, lists, and texts of several lines. Nothing in it refers to anything
 * else, so a head cannot grow. What has no such form is passed over: people write sentences with colons there.
 */
export function parseFrontmatter(text: string): HeadedText {
  const lines = text.replace(/^\u{FEFF}/u, "").split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? "")) return { fields: new Map(), body: text };
  const end = endOfHead(lines);
  if (end === undefined) return { fields: new Map(), body: text };
  return {
    fields: fieldsOf(lines.slice(1, end)),
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

function endOfHead(lines: readonly string[]): number | undefined {
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    if (index > 0 && FENCE.test(line)) return index;
    chars += line.length + 1;
    if (chars > LIMITS.frontmatterChars) return undefined;
  }
  return undefined;
}

function fieldsOf(lines: readonly string[]): HeadedText["fields"] {
  const fields = new Map<string, string | readonly string[]>();
  for (let index = 0; index < lines.length && fields.size < LIMITS.frontmatterFields; index += 1) {
    const [, name = "", value = ""] = FIELD.exec(lines[index] ?? "") ?? [];
    if (name === "") continue;
    const below: string[] = [];
    while (isBelow(lines[index + 1])) {
      index += 1;
      below.push(lines[index] ?? "");
    }
    fields.set(name.toLowerCase(), valueOf(value.trim(), below));
  }
  return fields;
}

/** Lines of a value of several lines are indented; entries of a list need not be. */
function isBelow(line: string | undefined): boolean {
  return line !== undefined && (/^[ \t]+\S/.test(line) || /^-[ \t]/.test(line));
}

function valueOf(value: string, below: readonly string[]): string | readonly string[] {
  if (value === "" && below.length > 0 && below.every((line) => ENTRY.test(line)))
    return below.map((line) => unquoted((ENTRY.exec(line)?.[1] ?? "").trim()));
  const rest = below.map((line) => line.trim());
  if (/^[|>][+-]?$/.test(value)) return rest.join(value.startsWith("|") ? "\n" : " ");
  const list = /^\[(.*)\]$/.exec(value)?.[1];
  if (list !== undefined && rest.length === 0)
    return list
      .split(",")
      .map((entry) => unquoted(entry.trim()))
      .filter((entry) => entry !== "");
  return unquoted([value, ...rest].join(" ").trim());
}

function unquoted(value: string): string {
  const [, quote, inner = ""] = /^(["'])([\s\S]*)\1$/.exec(value) ?? [];
  if (quote === undefined) return value;
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replaceAll(/\\(["\\n])/g, unescaped);
}

function unescaped(_escape: string, character: string): string {
  return character === "n" ? "\n" : character;
}

/** A field as one line that is safe to show: no control or hidden characters, and not too long. Empty: it has none. */
export function lineOf(value: string | readonly string[] | undefined, most: number): string {
  const text = typeof value === "string" ? value : (value ?? []).join(", ");
  return shownLine(text, most);
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

/** The text on one line, without characters that nobody sees. */
export function shownLine(text: string, most: number): string {
  const line = text.replaceAll(HIDDEN, " ").replaceAll(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** A list of words: as such, or with commas between them. Undefined: there is no such field. */
export function wordsOf(value: string | readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const entries = typeof value === "string" ? value.split(",") : value;
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}
