import { relative } from "node:path/posix";
import { canonicalJson, isPlainToSee, LIMITS } from "../protocol/index.ts";
import { isStatic, trimmed } from "./commands.ts";
import { evaluate } from "./evaluate.ts";
import type { CallInQuestion, PolicyContext } from "./gate.ts";
import { canonicalTool, exactCommand, exactPath, parseRule, READS, ruleForm, WRITES } from "./rules.ts";
import { isInside } from "./shell/paths.ts";

/**
 * The rule that "approve for this session" would add, as shown to the person: it covers this call and nothing broader.
 * Undefined if no such rule can be written, or if it would change nothing.
 */
export function sessionRule(call: CallInQuestion, context: PolicyContext): string | undefined {
  if (call.alwaysAsks) return undefined;
  const rule = ruleFor(call, context);
  // A person must be able to see all of it.
  if (rule === undefined || rule.length > LIMITS.ruleChars || !isPlainToSee(rule, "command")) {
    return undefined;
  }
  if ("error" in parseRule(rule)) return undefined;
  return evaluate(call, { ...context, grants: [...context.grants, rule] }).effect === "allow" ? rule : undefined;
}

function ruleFor(call: CallInQuestion, context: PolicyContext): string | undefined {
  const { tool, input } = call;
  const form = ruleForm(tool);
  if (form === "command") {
    const { command } = input;
    return typeof command === "string" && trimmed(command) !== "" && isStatic(command)
      ? `${tool}(${exactCommand(trimmed(command))})`
      : undefined;
  }
  if (form === "write_path") return pathRule(WRITES, call, context);
  if (form === "read_path") return pathRule(READS, call, context);
  if (form === "domain") {
    const [host, ...more] = call.hosts;
    return host === undefined || more.length > 0 ? undefined : `${tool}(domain:${host.toLowerCase()})`;
  }
  return isPlainName(tool) ? `${boundName(call)}(${canonicalJson(input)})` : undefined;
}

/**
 * The rule for every call of the tool, which a person may pick instead. Only where no narrower rule exists: tools of
 * pages, of MCP servers, and similar ones.
 */
export function broaderRule(call: CallInQuestion, context: PolicyContext): string | undefined {
  const { tool } = call;
  if (call.alwaysAsks || !isPlainName(tool) || hasOwnForm(tool)) return undefined;
  const rule = boundName(call);
  return evaluate(call, { ...context, grants: [...context.grants, rule] }).effect === "allow" ? rule : undefined;
}

/** Of an MCP server's tool, with what the server says of it now: if it says something else, people are asked again. */
function boundName({ tool, definition }: CallInQuestion): string {
  return definition === undefined ? canonicalTool(tool) : `${canonicalTool(tool)}@${definition}`;
}

function isPlainName(tool: string): boolean {
  return /^[A-Za-z][\w-]*$/.test(tool);
}

function hasOwnForm(tool: string): boolean {
  const form = ruleForm(tool);
  return form !== undefined && form !== "subagent";
}

function pathRule(name: string, { paths }: CallInQuestion, { workspace }: PolicyContext): string | undefined {
  const [first, ...more] = new Set(paths.map(({ real }) => real));
  if (first === undefined || more.length > 0) return undefined;
  if (!isInside(workspace, first)) return `${name}(${exactPath(first)})`;
  const way = relative(workspace, first);
  if (way === "") return `${name}(.)`;
  // `~name` would be read as a home folder.
  return `${name}(${way.startsWith("~") || way.trim() === "" ? "./" : ""}${exactPath(way)})`;
}
