import { isAbsolute, relative } from "node:path/posix";
import picomatch from "picomatch";
import { canonicalJson, LIMITS, toolFacts, toolsWith, type ToolFacts } from "../protocol/index.ts";
import { isInside } from "./shell/paths.ts";

/**
 * One rule in Claude Code's syntax.
 *
 * | text | means |
 * | --- | --- |
 * | `Bash`, `Bash(*)` | every call of the tool |
 * | `mcp__server__*`, `mcp__server` | every tool of an MCP server; `*` stands anywhere in a tool's name |
 * | `Bash(npm run test:*)` | commands that begin with these words |
 * | `Bash(git * main)` | `*` stands for any text; `\*` is a star |
 * | `Bash(npm test)` | this command |
 * | `Read(src/**)`, `Edit(./a.ts)` | paths below the workspace |
 * | `Write(/abs/**)`, `Write(//abs/**)` | absolute paths |
 * | `WebFetch(domain:example.org)` | a host; `*.example.org` its subdomains |
 * | `Task(name)` | a kind of sub-agent |
 * | `mcp__shop__pay({"amount":1})` | a call with exactly this input, of a tool that has no form of its own above |
 * | `mcp__shop__pay@<definition>` | the same tool, as long as its server says the same of it; before brackets too |
 *
 * `Edit` speaks for every tool that writes files, `Read` for every tool that reads them.
 */
export type Rule =
  | { readonly kind: "tool"; readonly text: string; readonly tool: string; readonly definition?: string }
  | { readonly kind: "command"; readonly text: string; readonly pattern: CommandPattern }
  | { readonly kind: "path"; readonly text: string; readonly tool: string; readonly pattern: PathPattern }
  | { readonly kind: "domain"; readonly text: string; readonly host: string }
  | { readonly kind: "subagent"; readonly text: string; readonly type: string }
  /** `input` as canonical JSON. */
  | {
      readonly kind: "input";
      readonly text: string;
      readonly tool: string;
      readonly input: string;
      readonly definition?: string;
    };

export type CommandPattern =
  | { readonly kind: "exact"; readonly command: string }
  | { readonly kind: "prefix"; readonly prefix: string }
  /** The texts between the stars; `open`: a space and anything may follow. */
  | { readonly kind: "wildcard"; readonly pieces: readonly string[]; readonly open: boolean };

export interface PathPattern {
  /** From the root, not from the workspace. */
  readonly absolute: boolean;
  /** Without a leading `./`; empty: the workspace itself. */
  readonly glob: string;
  /** The one path it stands for; absent when it holds wildcards. */
  readonly literal?: string | undefined;
  readonly matches: (path: string) => boolean;
}

/** What is wrong with a rule. */
export interface RuleError {
  readonly error: string;
}

export const WRITING_TOOLS = toolsWith(({ rule }) => rule === "write_path");
/** The names that speak for every tool that reads files, and for every tool that writes them. */
export const READS = "Read";
export const WRITES = "Edit";

/** What a rule may say of a tool's calls in brackets. */
export function ruleForm(tool: string): ToolFacts["rule"] {
  return toolFacts(tool)?.rule;
}

export function parseRule(text: string): Rule | RuleError {
  if (text.length > LIMITS.ruleChars) return { error: `longer than ${LIMITS.ruleChars} characters` };
  const open = text.indexOf("(");
  const head = open === -1 ? text : text.slice(0, open);
  const [, tool = head, definition] = /^(mcp__[\w-]+)@([\da-f]{32})$/.exec(head) ?? [];
  if (!/^[A-Za-z*][\w*-]*$/.test(tool)) return { error: "must begin with a tool's name, like Bash or Edit(src/**)" };
  const bound = definition === undefined ? {} : { definition };
  if (open === -1) return { kind: "tool", text, tool, ...bound };
  if (!text.endsWith(")")) return { error: "the bracket is not closed" };
  const content = text.slice(open + 1, -1);
  if (content.trim() === "") return { error: "nothing stands in the brackets; leave them out to mean every call" };
  if (content === "*") return { kind: "tool", text, tool, ...bound };
  if (tool.includes("*")) return { error: "a tool name with * takes nothing in brackets" };
  const rule = specific(text, tool, content);
  return "error" in rule ? rule : { ...rule, ...bound };
}

function specific(text: string, tool: string, content: string): Rule | RuleError {
  const form = ruleForm(tool);
  if (form === "command") {
    const pattern = commandPattern(content);
    return "error" in pattern ? pattern : { kind: "command", text, pattern };
  }
  if (form === "read_path" || form === "write_path") {
    const pattern = pathPattern(content);
    return "error" in pattern ? pattern : { kind: "path", text, tool, pattern };
  }
  if (form === "domain") {
    const host = /^domain:((\*\.)?[A-Za-z\d]([A-Za-z\d.-]*[A-Za-z\d])?|\*)$/.exec(content)?.[1];
    return host === undefined
      ? { error: `write ${tool}(domain:example.org)` }
      : { kind: "domain", text, host: host.toLowerCase() };
  }
  const input = content.startsWith("{") ? exactInput(content) : undefined;
  if (input !== undefined) return { kind: "input", text, tool, input };
  if (form === "subagent") return { kind: "subagent", text, type: content };
  return { error: `${tool} takes nothing in brackets but * or the whole input as JSON` };
}

/** The exact input that a rule names, as canonical JSON; undefined when it is not JSON. */
function exactInput(content: string): string | undefined {
  try {
    return canonicalJson(JSON.parse(content));
  } catch {
    return undefined;
  }
}

/** `*` stands for any text, `\*` for a star; a backslash before anything else is a backslash. */
function commandPattern(content: string): CommandPattern | RuleError {
  const prefix = /^([\s\S]*[^\\]):\*$/.exec(content)?.[1];
  if (prefix !== undefined && !hasStar(prefix)) {
    const words = unstar(prefix).trim();
    return words === "" ? { error: "no words stand before :*" } : { kind: "prefix", prefix: words };
  }
  if (!hasStar(content)) return { kind: "exact", command: unstar(content) };
  // `git *` is git with any arguments or none; `git * x:*` ends the same way.
  const ended = prefix === undefined ? / \*$/.exec(content) : undefined;
  const head = prefix ?? (ended === null || ended === undefined ? content : content.slice(0, -2));
  const pieces = [""];
  for (const piece of head.split(/(\\\*|\*)/)) {
    if (piece === "*") pieces.push("");
    else pieces.push(`${pieces.pop() ?? ""}${piece === "\\*" ? "*" : piece}`);
  }
  return { kind: "wildcard", pieces, open: head !== content };
}

function hasStar(text: string): boolean {
  return text.replaceAll("\\*", "").includes("*");
}

function unstar(text: string): string {
  return text.replaceAll("\\*", "*");
}

/** Writes a command so that a rule matches it and nothing else. */
export function exactCommand(command: string): string {
  return command.replaceAll("*", "\\*");
}

function escapeExpression(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

const GLOB_CHARACTERS = /[*?[\]{}]/;

function pathPattern(content: string): PathPattern | RuleError {
  if (content.startsWith("~")) return { error: "~ is not known here; write the absolute path" };
  if (content.includes("\0")) return { error: "a path cannot hold a NUL character" };
  const absolute = content.startsWith("/");
  const below = absolute ? content.replace(/^\/+/, "/") : content.replace(/^(\.\/)+/, "");
  const glob = below === "." ? "" : below.endsWith("/") && below !== "/" ? `${below}**` : below;
  if (glob.split("/").includes("..")) return { error: "a path rule cannot hold .." };
  const bare = glob.replaceAll(/\\[\s\S]/g, "");
  if (!GLOB_CHARACTERS.test(bare)) {
    const literal = glob.replaceAll(/\\([\s\S])/g, "$1");
    return { absolute, glob, literal, matches: (path) => path === literal };
  }
  // Parentheses belong to the name, they are not groups: `app/(shop)/page.tsx`.
  const safe = glob.replaceAll(/\\[\s\S]|[()|+@!^$]/g, (found) => (found.startsWith("\\") ? found : `\\${found}`));
  try {
    const matcher = picomatch(safe, { dot: true, noextglob: true, nonegate: true, nocase: false, bash: false });
    // `**` also matches the workspace itself.
    return { absolute, glob, matches: (path) => (path === "" ? /^\*\*(\/\*+)?$/.test(glob) : matcher(path)) };
  } catch {
    return { error: `${content} is not a valid pattern` };
  }
}

/** Writes a path so that a rule matches it and nothing else. */
export function exactPath(path: string): string {
  return path.replaceAll(/[\\*?[\]{}]/g, "\\$&");
}

/** Whether a tool's name matches a name with `*`, an MCP server's name, or an alias. */
export function toolMatches(pattern: string, tool: string): boolean {
  const name = canonicalTool(tool);
  const wanted = canonicalTool(pattern);
  if (wanted === name || pattern === tool || pattern === "*") return true;
  if (!pattern.includes("*")) return /^mcp__[^_](?:(?!__).)*$/.test(pattern) && tool.startsWith(`${pattern}__`);
  const expression = new RegExp(`^${pattern.split("*").map(escapeExpression).join(".*")}$`);
  return expression.test(tool) || expression.test(name);
}

export function canonicalTool(name: string): string {
  return toolFacts(name)?.same_as ?? name;
}

/** The same for a rule: `Edit` and `Read` stand for their whole family. */
export function ruleNames(rule: string, tool: string): boolean {
  if (toolMatches(rule, tool)) return true;
  if (rule === WRITES) return ruleForm(tool) === "write_path";
  return rule === READS && ruleForm(tool) === "read_path";
}

/** The path relative to where the pattern starts; undefined when the pattern cannot match it. */
function counted(pattern: PathPattern, path: string, workspace: string): string | undefined {
  if (pattern.absolute) return path;
  return isInside(workspace, path) ? relative(workspace, path) : undefined;
}

export function pathFits(pattern: PathPattern, path: string, workspace: string): boolean {
  const own = counted(pattern, path, workspace);
  return own !== undefined && isAbsolute(path) && pattern.matches(own);
}

/** Read like gitignore: a name without a slash matches at any depth, a folder matches everything in it. */
export function reaches(pattern: PathPattern, path: string, workspace: string): boolean {
  const own = counted(pattern, path, workspace);
  if (own === undefined) return false;
  const segments = own.split("/");
  for (let end = segments.length; end > 0; end--) {
    if (pattern.matches(segments.slice(0, end).join("/"))) return true;
    if (!pattern.glob.includes("/") && pattern.matches(segments[end - 1] ?? "")) return true;
  }
  return false;
}
