import { isAbsolute, relative, resolve } from "node:path/posix";
import type { Effect } from "../protocol/index.ts";
import { allowsCommand, catchesCommand, namesLine, type CommandRule } from "./commands.ts";
import type { CallInQuestion, ResolvedPath } from "./gate.ts";
import {
  canonicalTool,
  READING_TOOLS,
  ruleNames,
  toolMatches,
  WRITING_TOOLS,
  type PathPattern,
  type Rule,
} from "./rules.ts";
import { describePart, foldersOf } from "./shell/preview.ts";
import { isInside } from "./shell/paths.ts";
import { unwrap, type Unwrapped } from "./shell/unwrap.ts";

/** A rule that applies to a call. `certain: false`: it cannot be ruled out that it applies. */
export interface Match {
  readonly rule: string;
  readonly certain: boolean;
  /** What of the call it is about; absent when the tool alone decides. */
  readonly why?: string | undefined;
}

export interface Around {
  /** Absolute, real. */
  readonly workspace: string;
  /** The call's command, taken apart; absent: it is done where it is needed. */
  readonly shell?: Unwrapped | undefined;
}

/** The shell command of a call; undefined when it has none. */
export function commandOf({ tool, tier, input }: CallInQuestion): string | undefined {
  const { command } = input;
  return typeof command === "string" && (tool === "Bash" || tier === "execute") ? command : undefined;
}

const isCommand = (rule: Rule): rule is CommandRule => rule.kind === "command";

/**
 * Whether one rule applies to one call. For `deny` and `ask` a rule reaches as far as it can be read: any command of a line, any
 * folder's contents, any subdomain. For `allow` it reaches no further than its words: every command of the line, every path.
 */
export function matchRule(rule: Rule, call: CallInQuestion, around: Around & { readonly effect: Effect }): boolean {
  if (around.effect === "allow") return allows([rule], call, around) !== undefined;
  return catches([rule], call, around)?.certain === true;
}

/** The rule that lets the call run without a question. */
export function allows(rules: readonly Rule[], call: CallInQuestion, around: Around): Match | undefined {
  const found = rules.find((rule) => rule.kind !== "command" && allowsOne(rule, call, around));
  if (found !== undefined) return { rule: found.text, certain: true };
  const command = call.tool === "Bash" ? commandOf(call) : undefined;
  const used = command === undefined ? undefined : allowsCommand(rules.filter(isCommand), command, around.shell);
  return used === undefined ? undefined : { rule: used.join(", "), certain: true };
}

/** A grant is read even more narrowly: a command must be the very same line. */
export function grants(rules: readonly Rule[], call: CallInQuestion, around: Around): Match | undefined {
  const command = call.tool === "Bash" ? commandOf(call) : undefined;
  const found = rules.find((rule) =>
    rule.kind === "command" ? command !== undefined && namesLine(rule.pattern, command) : allowsOne(rule, call, around),
  );
  return found === undefined ? undefined : { rule: found.text, certain: true };
}

function allowsOne(rule: Exclude<Rule, CommandRule>, call: CallInQuestion, { workspace }: Around): boolean {
  switch (rule.kind) {
    case "tool":
      return ruleNames(rule.tool, call.tool);
    case "path":
      return (
        ruleNames(rule.tool, call.tool) &&
        call.paths.length > 0 &&
        call.paths.every(({ real }) => pathFits(rule.pattern, real, workspace))
      );
    case "domain":
      return call.tool === "WebFetch" && call.hosts.length > 0 && call.hosts.every((host) => hostFits(rule.host, host));
    case "subagent":
      return canonicalTool(call.tool) === "Task" && call.input["subagent_type"] === rule.type;
  }
}

/** The first deny or ask rule that applies; if none surely does, the first that cannot be ruled out. */
export function catches(rules: readonly Rule[], call: CallInQuestion, around: Around): Match | undefined {
  const command = commandOf(call);
  let possible: Match | undefined;
  const note = (match: Match | undefined): Match | undefined => {
    if (match !== undefined && !match.certain) possible ??= match;
    return match?.certain === true ? match : undefined;
  };
  for (const rule of rules) {
    if (rule.kind === "command") continue;
    const match =
      note(catchesOne(rule, call, around)) ??
      (command === undefined ? undefined : note(commandPaths(rule, command, around)));
    if (match !== undefined) return match;
  }
  const caught =
    command === undefined
      ? undefined
      : catchesCommand(rules.filter(isCommand), command, around.shell ?? unwrap(command));
  const match = caught === undefined ? undefined : { rule: caught.rule.text, certain: caught.certain, why: caught.why };
  return note(match) ?? possible;
}

function catchesOne(rule: Exclude<Rule, CommandRule>, call: CallInQuestion, { workspace }: Around): Match | undefined {
  const { text } = rule;
  switch (rule.kind) {
    case "tool":
      return ruleNames(rule.tool, call.tool) ? { rule: text, certain: true } : undefined;
    case "path": {
      if (!speaksFor(rule.tool, call.tool)) return undefined;
      const path = call.paths.find(({ real }) => reaches(rule.pattern, real, workspace));
      if (path !== undefined) return { rule: text, certain: true, why: `it names ${path.given}` };
      // A search of a folder reads every file below it.
      const folder =
        call.tool === "Grep" ? call.paths.find((searched) => mayHold(rule.pattern, searched, workspace)) : undefined;
      return folder === undefined
        ? undefined
        : { rule: text, certain: false, why: `${folder.given} may hold files that the rule is about` };
    }
    case "domain": {
      const host =
        call.tool === "WebFetch"
          ? call.hosts.find((name) => hostFits(rule.host, name) || name.endsWith(`.${rule.host}`))
          : undefined;
      return host === undefined ? undefined : { rule: text, certain: true, why: `it reaches ${host}` };
    }
    case "subagent":
      return canonicalTool(call.tool) === "Task" && call.input["subagent_type"] === rule.type
        ? { rule: text, certain: true }
        : undefined;
  }
}

/** Who may not read a file may not edit it either: an edit shows what stood there. */
function speaksFor(rule: string, tool: string): boolean {
  if (ruleNames(rule, tool)) return true;
  return rule === "Read" && tool !== "Write" && (WRITING_TOOLS as readonly string[]).includes(tool);
}

const ONLY_READ =
  /^(cat|head|tail|wc|ls|grep|egrep|fgrep|rg|less|more|diff|cmp|file|stat|du|sort|uniq|cut|nl|od|xxd|md5sum|sha\d+sum)$/;

/** A path rule holds for the shell, too: `cat .env` reads what `Read(.env)` denies. Best effort; the sandbox is the wall. */
function commandPaths(rule: Rule, command: string, { workspace, shell }: Around): Match | undefined {
  if (rule.kind !== "path" || !(ruleNames(rule.tool, "Read") || ruleNames(rule.tool, "Write"))) return undefined;
  const { parts, error } = shell ?? unwrap(command);
  if (error !== undefined) return { rule: rule.text, certain: false, why: `the command cannot be parsed (${error})` };
  const writing = !(READING_TOOLS as readonly string[]).includes(rule.tool);
  const folders = foldersOf(parts, { cwd: workspace, workspace });
  for (const [index, part] of parts.entries()) {
    const folder = folders[index] ?? { cwd: workspace, workspace };
    const { paths, program, redirects } = describePart(part, folder);
    const targets = new Set(
      redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => resolve(folder.cwd, target)),
    );
    const named = paths.filter(({ path }) => !writing || !ONLY_READ.test(program) || targets.has(path));
    const found = named.find(
      ({ path, word }) =>
        reaches(rule.pattern, path, workspace) || globReaches(word, rule.pattern, folder.cwd, workspace),
    );
    if (found !== undefined) return { rule: rule.text, certain: true, why: `the command names ${found.word}` };
  }
  return undefined;
}

/** A pattern of the shell that would match the rule's one path: `cat .e*`. */
function globReaches(word: string, pattern: PathPattern, cwd: string, workspace: string): boolean {
  if (pattern.literal === undefined || !/[*?[]/.test(word)) return false;
  const wanted = resolve(cwd, word).split("/");
  const names = resolve(workspace, pattern.literal).split("/");
  return wanted.length === names.length && wanted.every((segment, index) => segmentFits(segment, names[index] ?? ""));
}

/** `*` and `?` as the shell reads them; a bracket stands for anything. Two hands, no recursion: the pattern is not ours. */
function segmentFits(pattern: string, name: string): boolean {
  const wild = pattern.replaceAll(/\[[^\]]*\]/g, "*");
  if (name.startsWith(".") && !wild.startsWith(".")) return false;
  let [at, star, mark] = [0, -1, 0];
  for (let index = 0; index < name.length;) {
    if (at < wild.length && (wild[at] === "?" || (wild[at] !== "*" && wild[at] === name[index])))
      [at, index] = [at + 1, index + 1];
    else if (wild[at] === "*") [star, mark, at] = [at, index, at + 1];
    else if (star === -1) return false;
    else [at, mark, index] = [star + 1, mark + 1, mark + 1];
  }
  return /^\**$/.test(wild.slice(at));
}

/** The path as the pattern counts it; undefined when the pattern cannot mean it. */
function counted(pattern: PathPattern, path: string, workspace: string): string | undefined {
  if (pattern.absolute) return path;
  return isInside(workspace, path) ? relative(workspace, path) : undefined;
}

export function pathFits(pattern: PathPattern, path: string, workspace: string): boolean {
  const own = counted(pattern, path, workspace);
  return own !== undefined && isAbsolute(path) && pattern.matches(own);
}

/** As gitignore reads it: a name without a slash at any depth, a folder with all that it holds. */
function reaches(pattern: PathPattern, path: string, workspace: string): boolean {
  const own = counted(pattern, path, workspace);
  if (own === undefined) return false;
  const segments = own.split("/");
  for (let end = segments.length; end > 0; end--) {
    if (pattern.matches(segments.slice(0, end).join("/"))) return true;
    if (!pattern.glob.includes("/") && pattern.matches(segments[end - 1] ?? "")) return true;
  }
  return false;
}

function mayHold(pattern: PathPattern, { real }: ResolvedPath, workspace: string): boolean {
  const base = pattern.glob.replace(/[^/]*[*?[{][\s\S]*$/, "").replace(/\/$/, "");
  const start = resolve(workspace, pattern.absolute ? base : `./${base}`);
  return isInside(real, start) || (!pattern.glob.includes("/") && isInside(workspace, real));
}

function hostFits(pattern: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (pattern === "*" || pattern === name) return true;
  if (!pattern.includes("*")) return false;
  const [first = "", ...rest] = pattern.split("*").map((piece) => piece.replaceAll(".", "\\."));
  return new RegExp(`^${[first, ...rest].join("[a-z0-9.-]+")}$`).test(name);
}

/** Whether a host is on a list of names with wildcards. */
export function hostListed(patterns: readonly string[], host: string): boolean {
  return patterns.some((pattern) => hostFits(pattern.toLowerCase(), host));
}

/** Whether a tool is on a list of names with wildcards. */
export function toolListed(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) => toolMatches(pattern, tool));
}
