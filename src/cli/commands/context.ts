import type { Command } from "commander";
import { print, printJson, width, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { contextTable } from "../show/session-context.ts";
import { visible } from "../terminal/visible.ts";

const EXAMPLES = `
Tokens are estimated: four characters are one. The body of a skill, a command or an agent is read only when it is used.

Example:
  $ sallyport context ses_01jqk3v7w8x9y2z3a4b5c6`;

export function addContext(program: Command, context: CommandContext): void {
  program
    .command("context")
    .description("what the workspace tells a session's agent (CLAUDE.md, AGENTS.md, skills …), and what that costs")
    .argument("<session>")
    .option("--json", "as JSON")
    .addHelpText("after", EXAMPLES)
    .action((id: string, { json }: { readonly json?: boolean }, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const found = await client.sessionContext(id);
        if (json === true) printJson(context, found);
        else for (const line of contextTable(found, width(context))) print(context, visible(line));
        return EXIT.done;
      }),
    );
}
