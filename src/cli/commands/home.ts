import type { Command } from "commander";
import { flagsOf, print, type CommandContext } from "../context.ts";
import { readSettingsAsTheyAre } from "../settings/settings.ts";

export function addHome(program: Command, context: CommandContext): void {
  program
    .command("home")
    .description("print the folder with this server's data, settings and first token")
    .addHelpText("after", '\nExample:\n  $ cat "$(sallyport home)/token"')
    .action((_options: object, command: Command) => {
      const { environment, cwd } = context.surroundings;
      print(context, readSettingsAsTheyAre({ home: flagsOf(command).home }, environment, cwd).home.value);
    });
}
