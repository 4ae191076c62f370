import type { Command } from "commander";
import { createGuardedHook } from "../../gate/hooks.ts";
import { LIMITS } from "../../protocol/index.ts";
import { print, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { visible } from "../terminal/visible.ts";

const HELP = `
Claude Code runs it before each command, where its settings say so:

  {"hooks": {"PreToolUse": [{"matcher": "Bash",
    "hooks": [{"type": "command", "command": "sallyport hook guarded"}]}]}}

It refuses what document 004's allow-list refuses. What it cannot read, it refuses too (exit code 2). It needs no server.`;

export function addHook(program: Command, context: CommandContext): void {
  const hook = program.command("hook").description("checks for Claude Code's own hooks").helpCommand(false);
  hook
    .command("guarded")
    .description(
      "the shell guard as a PreToolUse hook: a call as JSON on standard input, the answer on standard output",
    )
    .option("--workspace <folder>", "where commands may work (default: CLAUDE_PROJECT_DIR, else the call's cwd)")
    .addHelpText("after", HELP)
    .action(async (options: { readonly workspace?: string }) => {
      try {
        print(context, JSON.stringify(await answer(context, options.workspace)));
      } catch (error) {
        // Any other code than 2 would let the command run.
        context.surroundings.errors.write(`sallyport hook guarded: ${visible((error as Error).message)}\n`);
        context.end(EXIT.refused);
      }
    });
}

async function answer({ surroundings }: CommandContext, folder: string | undefined): Promise<unknown> {
  const call = jsonOf(await readInput(surroundings.input));
  if (typeof call !== "object" || call === null)
    throw new Error("standard input is not a call as JSON, which Claude Code writes there; see --help");
  const project = surroundings.environment["CLAUDE_PROJECT_DIR"];
  const workspace = folder ?? (project === "" ? undefined : project);
  return createGuardedHook({ workspace })(call);
}

async function readInput(input: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of input) {
    const bytes = Buffer.from(part as Uint8Array | string);
    size += bytes.length;
    if (size > LIMITS.hookInputBytes) throw new Error(`standard input has more than ${LIMITS.hookInputBytes} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
