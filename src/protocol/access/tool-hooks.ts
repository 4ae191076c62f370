import type { Tier } from "../sessions/approvals.ts";

/** What a hook learns about a call before it runs. */
export interface HookedCall {
  readonly session_id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tier: Tier;
  /** Absolute. */
  readonly workspace: string;
}

/** Undefined: the hook has no objection. It cannot allow what the policy asks about or denies. */
export type HookRuling = { readonly deny: string } | { readonly ask: string } | undefined;

/** A check by the program that opened this gateway. Its code runs inside the process, as trusted as the gateway itself. */
export interface ToolHook {
  /** Letters, digits and -; refusals name it. */
  readonly name: string;
  /** Tool names, or globs such as `mcp__shop__*`. Absent: every tool. */
  readonly tools?: readonly string[] | undefined;
  /** Judges one call. May be called again for the same call; what throws, or takes too long, denies it. */
  before(call: HookedCall): HookRuling | Promise<HookRuling>;
}
