import { readGit } from "./shell/git.ts";
import { unwrap, type UnwrappedCommand, type Unwrapped } from "./shell/unwrap.ts";
import type { Folder } from "./shell/paths.ts";
import { redirection } from "./guarded/places.ts";
import { isAllowed, objectionTo, pathObjection } from "./guarded/programs.ts";
import { firstObjection, NOWHERE, type Objection } from "./guarded/verdict.ts";

/** The guard's ruling on one command line. */
export type GuardRuling =
  | { readonly effect: "allow" }
  /** `rule` names what decided: a program in the line, or the step that failed. */
  | { readonly effect: "deny"; readonly rule: string; readonly reason: string };

/**
 * Document 004's allow-list on a real shell grammar. Every simple command of the line is judged, with its assignments and
 * redirections. What cannot be understood is refused.
 */
export function guardCommand(command: string, folder: Folder, shell: Unwrapped = unwrap(command)): GuardRuling {
  const { parts, notes, error } = shell;
  if (error !== undefined) {
    return denied("unparseable", `Could not parse command for security validation: ${command}`);
  }
  for (const part of parts) {
    const ruling = judge(part, folder);
    if (ruling !== undefined) return ruling;
  }
  const late = writesAfterGit(parts);
  if (late !== undefined) return denied("links", late);
  const [note] = notes;
  if (note !== undefined)
    return denied(note.kind === "environment" ? "assignment" : "dynamic", `Not allowed: ${note.message}`);
  return { effect: "allow" };
}

const CHANGES_TREE =
  /^(apply|am|checkout|switch|restore|merge|pull|rebase|reset|revert|cherry-pick|stash|clone|submodule|worktree|read-tree)$/;

/** git may replace files with links after the line was judged; a later write could then land anywhere. */
function writesAfterGit(parts: readonly UnwrappedCommand[]): Objection {
  let changed: string | undefined;
  for (const { layers, redirects, bindings } of parts) {
    const layer = layers.at(-1);
    const writes =
      /^(cp|mkdir|chmod)$/.test(layer?.program ?? "") ||
      redirects.some(
        ({ access, target }) => (access === "write" || access === "both") && target?.value.startsWith("/dev/") !== true,
      );
    if (changed !== undefined && writes)
      return `Run this as a command of its own, after git ${changed}: git may have put links where it writes`;
    if (layer?.program !== "git") continue;
    const { subcommand, globals } = readGit(layer.words, bindings);
    if (changed !== undefined && globals.has("C"))
      return `Run this as a command of its own, after git ${changed}: git may have put another repository there`;
    if (CHANGES_TREE.test(subcommand?.value ?? "")) changed = subcommand?.value;
  }
  return undefined;
}

function denied(rule: string, reason: string): GuardRuling {
  return { effect: "deny", rule, reason };
}

function judge(part: UnwrappedCommand, folder: Folder): GuardRuling | undefined {
  for (const { program, words } of part.layers) {
    const [name] = words;
    if (name === undefined) continue;
    if (!name.fixed) return denied("dynamic", `Command name is only known at run time: ${name.text}`);
    if (!isAllowed(program)) return denied(program, `Command '${program}' is not in the allowed commands list`);
    const suspect = { words, bindings: part.bindings, folder, part };
    const objection = firstObjection(
      () => pathObjection(name, suspect),
      () => objectionTo(program, suspect),
    );
    if (objection !== undefined) return denied(program, objection);
  }
  const danger = part.notes.find((note) => note.kind === "environment");
  if (danger !== undefined) return denied("assignment", `Not allowed: ${danger.message}`);
  const redirected: Objection = firstObjection(
    ...part.redirects.map((redirect) => () => redirection(redirect, folder, part.bindings)),
  );
  return redirected === undefined ? undefined : denied("redirection", redirected);
}

/** A PreToolUse hook's input, as the Claude Agent SDK gives it. */
export interface HookInput {
  readonly tool_name?: string | undefined;
  readonly tool_input?: Readonly<Record<string, unknown>> | undefined;
  /** Absolute. Absent: every absolute path counts as outside. */
  readonly cwd?: string | undefined;
}

export type HookAnswer = Readonly<Record<string, never>> | { readonly decision: "block"; readonly reason: string };

/** Document 004's `bash_security_hook`: `{}` lets the call pass. */
export function bashSecurityHook(input: HookInput): HookAnswer {
  const command = input.tool_input?.["command"];
  if (input.tool_name !== "Bash" || typeof command !== "string") return {};
  const folder = input.cwd ?? NOWHERE;
  const ruling = guardCommand(command, { cwd: folder, workspace: folder });
  return ruling.effect === "allow" ? {} : { decision: "block", reason: ruling.reason };
}
