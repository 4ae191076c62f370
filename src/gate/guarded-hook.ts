import { guardCommand } from "./guarded.ts";

/** What a PreToolUse hook is called with, by the Agent SDK and by Claude Code. Other events pass. */
export interface PreToolUseCall {
  readonly hook_event_name?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly tool_input?: unknown;
  /** Absolute. */
  readonly cwd?: string | undefined;
}

/** `{}`: the call goes on to the program's own permission rules. */
export type PreToolUseAnswer =
  | Readonly<Record<string, never>>
  | {
      readonly hookSpecificOutput: {
        readonly hookEventName: "PreToolUse";
        readonly permissionDecision: "deny";
        readonly permissionDecisionReason: string;
      };
    };

export interface GuardedHookOptions {
  /** The folder that commands may work in. Absolute. Absent: the folder that the program is in at the call. */
  readonly workspace?: string | undefined;
}

/**
 * The shell guard as a PreToolUse hook. It refuses commands that the guard refuses, and never allows one: what passes is still
 * subject to the program's own rules. A call that cannot be read is refused.
 */
export function createGuardedHook({ workspace }: GuardedHookOptions = {}): (
  call: PreToolUseCall,
) => Promise<PreToolUseAnswer> {
  return (call) => Promise.resolve(judgeCall(call, workspace));
}

function judgeCall(call: PreToolUseCall, workspace: string | undefined): PreToolUseAnswer {
  if ((call.hook_event_name ?? "PreToolUse") !== "PreToolUse") return {};
  if (call.tool_name === undefined) return refused("The hook was called without a tool's name.");
  if (call.tool_name !== "Bash") return {};
  const command = (call.tool_input as { readonly command?: unknown } | null | undefined)?.command;
  if (typeof command !== "string") return refused("The command of this call cannot be read.");
  const folder = workspace ?? call.cwd;
  if (folder === undefined) return refused("The hook was called without a folder, so no path can be judged.");
  const ruling = guardCommand(command, { cwd: call.cwd ?? folder, workspace: folder });
  return ruling.effect === "allow" ? {} : refused(ruling.reason);
}

function refused(reason: string): PreToolUseAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}
