import type { Command } from "commander";
import { printJson, type CommandContext } from "../context.ts";

export function addTools(program: Command, context: CommandContext): void {
  program
    .command("tools")
    .description("print the tools as JSON schema, for models and other programs")
    .option("--anthropic", "in the form of Anthropic's API (default)")
    .option("--openai", "in the form of OpenAI's API")
    .addHelpText("after", "\nExample:\n  $ sallyport tools --openai > tools.json")
    .action(async (options: { anthropic?: boolean; openai?: boolean }, command: Command) => {
      if (options.anthropic === true && options.openai === true)
        command.error("error: --anthropic and --openai do not go together");
      const { toolDefinitions } = await import("../../tools/index.ts");
      printJson(context, options.openai === true ? toolDefinitions("openai") : toolDefinitions("anthropic"));
    });
}
