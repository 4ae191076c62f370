import type { HookCallback } from "@anthropic-ai/claude-agent-sdk";
import { expect, it } from "vitest";
import type * as hooks from "../../src/gate/hooks.ts";

/** As a program that has installed the package gets it. */
const entry = "sallyport/hooks";

it("the package exports document 004's hook, in the shape that the Agent SDK takes", async () => {
  const { bashSecurityHook } = (await import(entry)) as typeof hooks;
  const hook: HookCallback = async (input) => bashSecurityHook(input as hooks.HookInput);
  const base = { session_id: "s", transcript_path: "/t", cwd: "/work", hook_event_name: "PreToolUse" } as const;
  const ask = (command: string): Promise<unknown> =>
    hook({ ...base, tool_name: "Bash", tool_input: { command }, tool_use_id: "1" }, "1", {
      signal: new AbortController().signal,
    });
  expect([await ask("ls -la"), await ask("rm -rf /"), await ask('echo "')]).toEqual([
    {},
    { decision: "block", reason: "Command 'rm' is not in the allowed commands list" },
    { decision: "block", reason: 'Could not parse command for security validation: echo "' },
  ]);
});
