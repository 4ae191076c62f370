/** `sallyport/hooks`: checks for programs that run Claude's Agent SDK or Claude Code themselves, without a server. */
export { bashSecurityHook, type HookAnswer, type HookInput } from "./guarded.ts";
export {
  createGuardedHook,
  type GuardedHookOptions,
  type PreToolUseAnswer,
  type PreToolUseCall,
} from "./guarded-hook.ts";
