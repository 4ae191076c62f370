import { dirname, relative } from "node:path/posix";
import { isPlainToSee, LIMITS, type OfferedRule } from "../protocol/index.ts";
import { evaluate } from "./evaluate.ts";
import type { CallInQuestion, PolicyContext } from "./gate.ts";
import { commandOf } from "./match.ts";
import type { ProgramSpec } from "./options/spec.ts";
import { specOf } from "./options/programs.ts";
import { exactPath, parseRule, READS, ruleForm, WRITES } from "./rules.ts";
import { broaderRule, sessionRule } from "./session-rule.ts";
import { setOf } from "./shell/lists.ts";
import { isInside } from "./shell/paths.ts";
import { unwrap, type Layer } from "./shell/unwrap.ts";
import type { ShellWord } from "./shell/words.ts";

/**
 * The rules that "approve for this session" can add, the narrowest first. Each one would let this call run, and says what else it would let
 * run. What the policy denies or always asks about stays so, whatever is picked.
 */
export function sessionRules(call: CallInQuestion, context: PolicyContext): readonly OfferedRule[] {
  const exact = sessionRule(call, context);
  const whole = broaderRule(call, context);
  const offered: OfferedRule[] = [
    ...(exact === undefined ? [] : [{ rule: exact, ...exactWords(call) }]),
    ...(call.alwaysAsks ? [] : [...commandRungs(call), ...pathRungs(call, context)]).filter(({ rule }) =>
      isOfferable(rule, call, context),
    ),
    ...(whole === undefined
      ? []
      : [{ rule: whole, reach: "tool" as const, allows: "Every call of this tool, whatever its input." }]),
  ];
  return offered.filter(({ rule }, at) => offered.findIndex((other) => other.rule === rule) === at);
}

function isOfferable(rule: string, call: CallInQuestion, context: PolicyContext): boolean {
  if (rule.length > LIMITS.ruleChars || !isPlainToSee(rule, "command") || "error" in parseRule(rule)) return false;
  return evaluate(call, { ...context, grants: [...context.grants, rule] }).effect === "allow";
}

function exactWords({ tool }: CallInQuestion): Pick<OfferedRule, "reach" | "allows"> {
  switch (ruleForm(tool)) {
    case "command":
      return { reach: "exact", allows: "Exactly this command." };
    case "write_path":
      return { reach: "exact", allows: "Any change to this file." };
    case "read_path":
      return { reach: "exact", allows: "Reading this file or folder." };
    case "domain":
      return { reach: "exact", allows: "Any request to this host." };
    case "subagent":
    case undefined:
      return { reach: "exact", allows: "This call, with exactly this input." };
  }
}

const STILL_ASKED = "What deletes, uses the network, needs other rights or leaves the workspace is still asked about.";
const FROM_PROJECT = "What it runs is written in the project’s files.";

/** The program and subcommand of each command of the line, with any arguments. */
function commandRungs(call: CallInQuestion): readonly OfferedRule[] {
  const command = ruleForm(call.tool) === "command" ? commandOf(call) : undefined;
  if (command === undefined) return [];
  const { parts, error } = unwrap(command);
  if (error !== undefined || parts.length > LIMITS.ladderCommands) return [];
  return parts.flatMap(({ layers }) => {
    const layer = layers.length === 1 ? layers[0] : undefined;
    const prefix = layer === undefined ? undefined : prefixOf(layer);
    if (prefix === undefined) return [];
    const { words, fromProject } = prefix;
    const allows = `${words} with other arguments: options that are known to be harmless, and files of the workspace. ${fromProject ? `${FROM_PROJECT} ` : ""}${STILL_ASKED}`;
    return [{ rule: `${call.tool}(${words}:*)`, reach: "arguments" as const, allows }];
  });
}

interface CommandPrefix {
  readonly words: string;
  /** It runs a script or a target that the project defines. */
  readonly fromProject: boolean;
}

/** The words that name what a command does. Undefined: no rule is offered. */
function prefixOf({ program, words }: Layer): CommandPrefix | undefined {
  const shown = words.filter((word) => word.added !== true);
  const spec = specOf(program);
  const count = wordsThatName(program, shown);
  const said = count === undefined ? [] : shown.slice(0, count);
  if (said.length === 0 || !said.every(isPlainWord)) return undefined;
  return { words: said.map(({ text }) => text).join(" "), fromProject: spec !== undefined && runsProject(spec, shown) };
}

/** Subcommands that run a script, a tool or a target by its name: the name belongs to the rule. */
const RUNNERS = setOf("run run-script exec x dlx task tool");
const TARGETS = setOf("make gmake ninja just rake gem rustup");
/** A word that says what a program does, not what it works on. */
const IS_VERB = /^[a-z][a-z:-]*$/;
/** What throws changes away, rewrites history, changes settings or other machines has no rule for all its arguments. */
const ALWAYS_EXACT: Readonly<Record<string, ReadonlySet<string>>> = {
  git: setOf(
    "checkout restore reset clean stash rebase switch branch tag config remote push filter-branch filter-repo gc prune reflog update-ref worktree submodule rm replace bisect",
  ),
  npm: setOf("publish unpublish version config c token login logout deprecate owner access dist-tag"),
};
/** Programs that reach other machines, or any process. */
const OTHER_SYSTEMS = setOf(
  "docker podman nerdctl docker-compose kubectl helm terraform aws gcloud gh curl wget http ssh scp rsync systemctl kill pkill killall",
);

/** How many words of a command name what it does; undefined: that is not clear. */
function wordsThatName(program: string, words: readonly ShellWord[]): number | undefined {
  const [first, second] = [words[1]?.value, words[2]?.value];
  const exact = Object.hasOwn(ALWAYS_EXACT, program) ? ALWAYS_EXACT[program] : undefined;
  if (OTHER_SYSTEMS.has(program) || exact?.has(first ?? "") === true) return undefined;
  const spec = specOf(program);
  const isNamed = (value: string | undefined): boolean => value !== undefined && !value.startsWith("-");
  // Of an unknown program the first word may say what it does: `tool plan` and `tool destroy`.
  // And the second: `tool db diff` and `tool db reset`.
  if (spec === undefined && isNamed(first) && IS_VERB.test(second ?? "")) return 3;
  const namesTask = spec?.tasks === true || TARGETS.has(program);
  if (spec === undefined || namesTask || spec.script === true || spec.rest !== undefined)
    return isNamed(first) ? 2 : undefined;
  if (spec.commands === undefined) return 1;
  // An option before the subcommand may change what it works on: `git -C elsewhere log`.
  if (!isNamed(first)) return undefined;
  const command: ProgramSpec | undefined = Object.hasOwn(spec.commands, first ?? "")
    ? spec.commands[first ?? ""]
    : undefined;
  if (command === undefined && spec.otherwise !== "script") return undefined;
  const isDeeper = RUNNERS.has(first ?? "") || command?.commands !== undefined || command?.rest === "program";
  return isDeeper ? (isNamed(second) ? 3 : undefined) : 2;
}

function runsProject(spec: ProgramSpec, words: readonly ShellWord[]): boolean {
  const command = spec.commands?.[words[1]?.value ?? ""];
  if (spec.otherwise === "script" && command === undefined) return true;
  const isScript = spec.script === true || command?.rest === "generic" || command?.dashes === "generic";
  return isScript || spec.tasks === true || TARGETS.has(words[0]?.value ?? "");
}

function isPlainWord({ fixed, text, value }: ShellWord): boolean {
  return fixed && text === value && /^[\w@./+-][\w@./+:=-]*$/.test(text);
}

const PROTECTED_ASKED = "Files that programs or agents obey are still asked about.";

/** The folders that the file lies in, up to the workspace. */
function pathRungs(call: CallInQuestion, { workspace }: PolicyContext): readonly OfferedRule[] {
  const form = ruleForm(call.tool);
  if (form !== "write_path" && form !== "read_path") return [];
  const [real, ...more] = new Set(call.paths.map((path) => path.real));
  if (real === undefined || more.length > 0 || !isInside(workspace, real) || real === workspace) return [];
  const [name, verb, still] =
    form === "write_path" ? [WRITES, "Any change to", ` ${PROTECTED_ASKED}`] : [READS, "Reading", ""];
  const folder = dirname(relative(workspace, real));
  const top = folder.split("/")[0] ?? folder;
  const folders = folder === "." ? [] : folder === top ? [folder] : [folder, top];
  return [
    ...folders.map((below) => ({
      rule: `${name}(${below.startsWith("~") ? "./" : ""}${exactPath(below)}/**)`,
      reach: "folder" as const,
      allows: `${verb} any file in ${below} and below it.${still}`,
    })),
    { rule: `${name}(**)`, reach: "workspace" as const, allows: `${verb} any file of the workspace.${still}` },
  ];
}
