import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "vite";

const root = resolve(import.meta.dirname, "../..");

/** A node of a parsed source, as far as texts are concerned. */
interface SourceNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** The texts that a page's sources hand to the functions of its language module, and those that they show without. */
interface PageTexts {
  /** By the English text; of a plural, by its form `other`. Whether it is a plural. */
  readonly keys: ReadonlyMap<string, boolean>;
  /** `file:line text` of what is shown as it stands in the source. */
  readonly bare: readonly string[];
}

const TAKES_TEXT: ReadonlySet<string> = new Set(["t", "rich", "mark"]);
const TAKES_FORMS: ReadonlySet<string> = new Set(["plural", "forms"]);
const LANGUAGE_MODULE = /\/language(?:\/t)?\.ts$/;

/** Attributes and props whose text a person reads or hears. */
const SHOWN: ReadonlySet<string> = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "description",
  "hint",
  "intro",
  "label",
  "placeholder",
  "title",
]);
/** What is inside is code, and the same in every language. */
const CODE: ReadonlySet<string> = new Set(["code", "kbd", "pre", "Code"]);
/** Names, keys and examples that no language changes. */
const SAME =
  /^(?:Sallyport|Workbench|Markdown|JSON|work|claude-\*|K7Q2M-4XTPB|tk_…|ses_…|\/\S+|\S+:\/\/\S*|[\W\d_]*|[a-z])$/u;

const isNode = (value: unknown): value is SourceNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const childrenOf = (node: SourceNode): readonly SourceNode[] => Object.values(node).flat().filter(isNode);

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  const name = node["name"];
  return typeof name === "string" ? name : undefined;
}

function textOf(node: unknown): string | undefined {
  const value = isNode(node) && node.type === "Literal" ? node["value"] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The functions that a file takes from its language module. */
function importedBy(program: SourceNode): ReadonlySet<string> {
  const imports = childrenOf(program).filter(
    ({ type, source }) => type === "ImportDeclaration" && LANGUAGE_MODULE.test(textOf(source) ?? ""),
  );
  return new Set(imports.flatMap((one) => childrenOf(one).flatMap((each) => nameOf(each["local"]) ?? [])));
}

/** The texts that an expression may be: both branches of a condition, a template's own words. */
function bareTexts(node: SourceNode): readonly SourceNode[] {
  switch (node.type) {
    case "Literal":
      return textOf(node) === undefined ? [] : [node];
    case "TemplateLiteral":
      return (node["quasis"] as readonly SourceNode[]).filter(({ value }) =>
        /[A-Za-z]{2,}\s|\s[A-Za-z]{2,}/.test((value as { readonly cooked: string }).cooked),
      );
    case "ConditionalExpression":
      return [node["consequent"], node["alternate"]].filter(isNode).flatMap(bareTexts);
    case "LogicalExpression":
      return isNode(node["right"]) ? bareTexts(node["right"]) : [];
    case "ParenthesizedExpression":
    case "JSXExpressionContainer":
      return isNode(node["expression"]) ? bareTexts(node["expression"]) : [];
    default:
      return [];
  }
}

function shownIn(node: SourceNode): readonly SourceNode[] {
  if (node.type === "JSXText") return [node];
  if (node.type === "JSXAttribute")
    return SHOWN.has(nameOf(node["name"]) ?? "") && isNode(node["value"]) ? bareTexts(node["value"]) : [];
  return node.type === "JSXElement" || node.type === "JSXFragment"
    ? childrenOf({ ...node, openingElement: undefined })
        .filter(({ type }) => type === "JSXExpressionContainer")
        .flatMap(bareTexts)
    : [];
}

function isCode(node: SourceNode): boolean {
  return node.type === "JSXElement" && CODE.has(nameOf((node["openingElement"] as SourceNode)["name"]) ?? "");
}

/** The texts of the sources under these folders. */
export function textsOf(folders: readonly string[]): PageTexts {
  const keys = new Map<string, boolean>();
  const bare: string[] = [];
  for (const path of folders.flatMap(sourcesIn)) {
    const code = readFileSync(join(root, path), "utf8");
    const program = parseSync(path, code).program as unknown as SourceNode;
    const functions = importedBy(program);
    const visit = (node: SourceNode, inCode: boolean): void => {
      const called = node.type === "CallExpression" ? nameOf(node["callee"]) : undefined;
      if (called !== undefined && functions.has(called)) takeKey(keys, called, node);
      if (!inCode)
        for (const shown of shownIn(node)) {
          const text = code.slice(shown.start, shown["end"] as number).replace(/^["'`]|["'`]$/g, "");
          const isWord = /\p{L}{2}/u.test(text) && !SAME.test(text.trim());
          if (isWord) bare.push(`${path}:${String(code.slice(0, shown.start).split("\n").length)} ${text.trim()}`);
        }
      for (const child of childrenOf(node)) visit(child, inCode || isCode(node));
    };
    visit(program, false);
  }
  return { keys, bare };
}

function takeKey(keys: Map<string, boolean>, called: string, call: SourceNode): void {
  const [first] = call["arguments"] as readonly SourceNode[];
  if (TAKES_TEXT.has(called)) {
    const text = textOf(first);
    if (text !== undefined) keys.set(text, false);
  }
  if (TAKES_FORMS.has(called) && first?.type === "ObjectExpression") {
    const other = (first["properties"] as readonly SourceNode[]).find(({ key }) => nameOf(key) === "other");
    const text = textOf(other?.["value"]);
    if (text !== undefined) keys.set(text, true);
  }
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`);
}
