import { canonicalJson, toolFacts, type Effect, type Warning } from "../protocol/index.ts";
import { allowsCommand, catchesCommand, namesLine, type CommandRule } from "./commands.ts";
import { commandPaths, mayHold } from "./command-paths.ts";
import type { CallInQuestion } from "./gate.ts";
import { canonicalTool, pathFits, reaches, READS, ruleForm, ruleNames, toolMatches, type Rule } from "./rules.ts";
import { analyseCommand } from "./shell/analyse.ts";
import type { Disk, Folder } from "./shell/paths.ts";
import { unwrap, type Unwrapped } from "./shell/unwrap.ts";

/** A rule that applies to a call. `certain: false`: it may apply. */
export interface RuleMatch {
  readonly rule: string;
  readonly certain: boolean;
  /** What part of the call it is about; absent when the tool alone decides. */
  readonly why?: string | undefined;
}

export interface MatchContext {
  /** Absolute, real. */
  readonly workspace: string;
  /** The call's command, parsed; absent: it is parsed where needed. */
  readonly shell?: Unwrapped | undefined;
  readonly disk?: Disk | undefined;
}

function folderOf({ workspace, disk }: MatchContext): Folder {
  return { cwd: workspace, workspace, disk };
}

/** The shell command of a call; undefined when it has none. */
export function commandOf({ tool, tier, input }: CallInQuestion): string | undefined {
  const { command } = input;
  return typeof command === "string" && (ruleForm(tool) === "command" || tier === "execute") ? command : undefined;
}

const isCommand = (rule: Rule): rule is CommandRule => rule.kind === "command";

/**
 * Whether one rule applies to one call. A `deny` or `ask` rule reaches as far as it can be read: any command of a line, any
 * folder's contents, any subdomain. An `allow` rule reaches no further than its words: every command of the line, every path.
 */
export function matchRule(
  rule: Rule,
  call: CallInQuestion,
  around: MatchContext & { readonly effect: Effect },
): boolean {
  if (around.effect === "allow") return allows([rule], call, around) !== undefined;
  return catches([rule], call, around)?.certain === true;
}

/** The rule that allows the call without a question. */
export function allows(rules: readonly Rule[], call: CallInQuestion, around: MatchContext): RuleMatch | undefined {
  const found = rules.find((rule) => rule.kind !== "command" && allowsOne(rule, call, around));
  if (found !== undefined) return { rule: found.text, certain: true };
  const command = ruleForm(call.tool) === "command" ? commandOf(call) : undefined;
  const used =
    command === undefined
      ? undefined
      : allowsCommand(rules.filter(isCommand), command, { folder: folderOf(around), shell: around.shell });
  return used === undefined ? undefined : { rule: used.join(", "), certain: true };
}

/**
 * A grant is read even more narrowly: a command must be exactly the same line, or begin with the words that a person picked. The latter never
 * covers what deletes, raises rights, reaches the network or leaves the workspace.
 */
export function grants(rules: readonly Rule[], call: CallInQuestion, around: MatchContext): RuleMatch | undefined {
  const command = ruleForm(call.tool) === "command" ? commandOf(call) : undefined;
  const found = rules.find((rule) =>
    rule.kind === "command"
      ? command !== undefined && namesLine(rule.pattern, command)
      : coversDefinition(rule, call) && allowsOne(rule, call, around),
  );
  if (found !== undefined) return { rule: found.text, certain: true };
  const begun = rules.filter(isCommand).filter(({ pattern }) => pattern.kind === "prefix");
  if (command === undefined || begun.length === 0) return undefined;
  const folder = folderOf(around);
  const used = allowsCommand(begun, command, { folder, shell: around.shell });
  if (used === undefined || analyseCommand(command, folder).warnings.some(({ kind }) => !HARMLESS.has(kind)))
    return undefined;
  return { rule: used.join(", "), certain: true };
}

/** Warnings that say how a line is written, not what it harms. */
const HARMLESS: ReadonlySet<Warning["kind"]> = new Set(["pipe", "redirect"]);

/** What a person allowed of an MCP server's tool is what the server said of it then. */
function coversDefinition(rule: Rule, { definition }: CallInQuestion): boolean {
  return definition === undefined || ("definition" in rule && rule.definition === definition);
}

function allowsOne(rule: Exclude<Rule, CommandRule>, call: CallInQuestion, { workspace }: MatchContext): boolean {
  switch (rule.kind) {
    case "tool":
      return ruleNames(rule.tool, call.tool) && isSameDefinition(rule, call);
    case "path":
      return (
        ruleNames(rule.tool, call.tool) &&
        call.paths.length > 0 &&
        call.paths.every(({ real }) => pathFits(rule.pattern, real, workspace))
      );
    case "domain":
      return (
        ruleForm(call.tool) === "domain" &&
        call.hosts.length > 0 &&
        call.hosts.every((host) => hostFits(rule.host, host))
      );
    case "subagent":
      return ruleForm(call.tool) === "subagent" && call.input["subagent_type"] === rule.type;
    case "input":
      return isExactly(rule, call);
  }
}

/** A rule that names a definition holds for no other one. */
function isSameDefinition({ definition }: { readonly definition?: string }, call: CallInQuestion): boolean {
  return definition === undefined || definition === call.definition;
}

function isExactly(rule: Extract<Rule, { kind: "input" }>, call: CallInQuestion): boolean {
  const isNamed = canonicalTool(rule.tool) === canonicalTool(call.tool) && isSameDefinition(rule, call);
  return isNamed && rule.input === canonicalJson(call.input);
}

/** The first deny or ask rule that surely applies; if none does, the first that may apply. */
export function catches(rules: readonly Rule[], call: CallInQuestion, around: MatchContext): RuleMatch | undefined {
  const command = commandOf(call);
  let possible: RuleMatch | undefined;
  const note = (match: RuleMatch | undefined): RuleMatch | undefined => {
    if (match !== undefined && !match.certain) possible ??= match;
    return match?.certain === true ? match : undefined;
  };
  for (const rule of rules) {
    if (rule.kind === "command") continue;
    const match =
      note(catchesOne(rule, call, around)) ??
      (command === undefined
        ? undefined
        : note(commandPaths(rule, { shell: around.shell ?? unwrap(command), folder: folderOf(around) })));
    if (match !== undefined) return match;
  }
  const caught =
    command === undefined
      ? undefined
      : catchesCommand(rules.filter(isCommand), command, around.shell ?? unwrap(command));
  const match = caught === undefined ? undefined : { rule: caught.rule.text, certain: caught.certain, why: caught.why };
  return note(match) ?? possible;
}

function catchesOne(
  rule: Exclude<Rule, CommandRule>,
  call: CallInQuestion,
  { workspace }: MatchContext,
): RuleMatch | undefined {
  const { text } = rule;
  switch (rule.kind) {
    case "tool":
      return ruleNames(rule.tool, call.tool) && isSameDefinition(rule, call)
        ? { rule: text, certain: true }
        : undefined;
    case "path": {
      if (!speaksFor(rule.tool, call.tool)) return undefined;
      const path = call.paths.find(({ real }) => reaches(rule.pattern, real, workspace));
      if (path !== undefined) return { rule: text, certain: true, why: `it names ${path.given}` };
      // A search of a folder reads every file below it.
      const folder =
        toolFacts(call.tool)?.reads_below === true
          ? call.paths.find((searched) => mayHold(rule.pattern, searched.real, workspace))
          : undefined;
      return folder === undefined
        ? undefined
        : { rule: text, certain: false, why: `${folder.given} may hold files that the rule is about` };
    }
    case "domain": {
      const host =
        ruleForm(call.tool) === "domain"
          ? call.hosts.find((name) => hostFits(rule.host, name) || name.endsWith(`.${rule.host}`))
          : undefined;
      return host === undefined ? undefined : { rule: text, certain: true, why: `it reaches ${host}` };
    }
    case "subagent":
      return ruleForm(call.tool) === "subagent" && call.input["subagent_type"] === rule.type
        ? { rule: text, certain: true }
        : undefined;
    case "input":
      return isExactly(rule, call) ? { rule: text, certain: true } : undefined;
  }
}

/** Whoever may not read a file may not edit it either: an edit shows the old text. */
function speaksFor(rule: string, tool: string): boolean {
  if (ruleNames(rule, tool)) return true;
  return rule === READS && ruleForm(tool) === "write_path" && toolFacts(tool)?.blind !== true;
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

/** A name with any server before it, such as `mcp__*__list_*`. */
const ANY_SERVER = /^mcp__\*./;

/**
 * The same for a call. A list that names tools of any server trusts their names: that counts for a tool of an MCP server only if the
 * settings say that it reads.
 */
export function callListed(
  patterns: readonly string[],
  { tool, tier, definition }: Pick<CallInQuestion, "tool" | "tier" | "definition">,
): boolean {
  const isTrusted = definition === undefined || tier === "read";
  return toolListed(isTrusted ? patterns : patterns.filter((pattern) => !ANY_SERVER.test(pattern)), tool);
}

/** Whether a tool is on a list of names with wildcards. */
export function toolListed(patterns: readonly string[], tool: string): boolean {
  return patterns.some((pattern) => toolMatches(pattern, tool));
}
