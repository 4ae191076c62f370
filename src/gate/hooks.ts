/** `sallyport/hooks`: checks for programs that run Claude's Agent SDK themselves, without a server. */
export { bashSecurityHook, type HookAnswer, type HookInput } from "./guarded.ts";
