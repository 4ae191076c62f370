import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/program.ts";
import { Stage } from "./stage.ts";

/** What Claude Code would get: the exit code, standard output, standard error. */
async function hook(
  input: string,
  { words = [], environment = {} }: { words?: readonly string[]; environment?: Record<string, string> } = {},
): Promise<{ readonly code: number; readonly output: unknown; readonly text: string }> {
  const stage = new Stage();
  const output: string[] = [];
  stage.output.on("data", (text: string) => output.push(text));
  const code = await runCommandLine(["hook", "guarded", ...words], {
    environment,
    cwd: "/nowhere",
    input: Readable.from([Buffer.from(input)]),
    output: stage.output,
    errors: stage.errors,
    version: "0",
    name: "sallyport",
    now: () => 0,
    onSignal: () => () => undefined,
    goOnWithoutOutput: () => undefined,
    exit: () => undefined,
    endBySignal: () => undefined,
  });
  const said = output.join("");
  return { code, output: said === "" ? undefined : JSON.parse(said), text: stage.text };
}

const call = (command: unknown, more: object = {}): string =>
  JSON.stringify({ hook_event_name: "PreToolUse", cwd: "/work", tool_name: "Bash", tool_input: { command }, ...more });
const denied = (reason: string): object => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

it.each([
  ["what the guard allows", call("ls -la"), {}],
  ["another tool", call("rm -rf /", { tool_name: "Read" }), {}],
  ["another event", call("rm -rf /", { hook_event_name: "PostToolUse" }), {}],
  ["what it refuses", call("rm -rf /"), denied("Command 'rm' is not in the allowed commands list")],
  ["a command that is no text", call(["ls"]), denied("The command of this call cannot be read.")],
  [
    "no tool",
    JSON.stringify({ hook_event_name: "PreToolUse", cwd: "/work" }),
    denied("The hook was called without a tool's name."),
  ],
  [
    "no folder",
    JSON.stringify({ tool_name: "Bash", tool_input: { command: "ls" } }),
    denied("The hook was called without a folder, so no path can be judged."),
  ],
])("answers %s", async (_what, input, output) => {
  expect(await hook(input)).toMatchObject({ code: 0, output });
});

it.each([
  ["nothing", ""],
  ["no JSON", "rm -rf /"],
  ["no object", "7"],
])("%s on standard input blocks the command: exit code 2", async (_what, input) => {
  const { code, output, text } = await hook(input);
  expect([code, output]).toEqual([2, undefined]);
  expect(text).toContain("sallyport hook guarded: ");
});

it("judges paths by the project's folder, wherever the program is at the moment", async () => {
  const input = call("cat /project/a.txt", { cwd: "/project/deep" });
  const outside = await hook(input);
  expect(JSON.stringify(outside.output)).toContain("deny");
  expect(await hook(input, { environment: { CLAUDE_PROJECT_DIR: "/project" } })).toMatchObject({ code: 0, output: {} });
  expect(await hook(input, { words: ["--workspace", "/project"] })).toMatchObject({ code: 0, output: {} });
});
