import { rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { claudeSettings } from "../../gate/index.ts";
import { Failure, type Policy, type Profile } from "../../protocol/index.ts";
import { print, printJson, withServer, type CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { visible } from "../terminal/visible.ts";

interface ExportOptions {
  readonly profile?: string;
  readonly output?: string;
}

const HELP = `
The file holds for Claude Code that you start yourself. Sessions of Sallyport follow the policy, not this file.

Example:
  $ sallyport policy export --claude --profile guarded --output .claude_settings.json
  $ claude --settings .claude_settings.json`;

export function addExport(policy: Command, context: CommandContext): void {
  policy
    .command("export")
    .description("a profile as settings of another program")
    .requiredOption("--claude", "as Claude Code's settings, document 004's .claude_settings.json")
    .option("--profile <name>", "this profile (default: the policy's default)")
    .option("--output <file>", "write a new file instead of printing")
    .addHelpText("after", HELP)
    .action((options: ExportOptions, command: Command) =>
      withServer(context, command, async ({ client }) => {
        const settings = claudeSettings(namedProfile(await client.policy(), options.profile).profile);
        if (options.output === undefined) {
          printJson(context, settings);
          return EXIT.done;
        }
        const path = resolve(context.surroundings.cwd, options.output);
        await writeNew(path, `${JSON.stringify(settings, undefined, 2)}\n`);
        print(context, `written: ${visible(path)}`);
        return EXIT.done;
      }),
    );
}

/** The profile of this name, or the default one. */
export function namedProfile(
  { profiles, default_profile }: Policy,
  name: string = default_profile,
): { readonly name: string; readonly profile: Profile } {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return { name, profile };
  throw new Failure("not_found", `there is no profile ${name}; there are: ${Object.keys(profiles).join(", ")}`);
}

/** Never overwrites a file that somebody may have edited. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new Failure("conflict", `${path} exists already: delete it first, or name another file`);
    // Half a file would look like a whole one.
    await rm(path, { force: true }).catch(() => undefined);
    throw new Failure("invalid_request", `${path} cannot be written: ${(error as Error).message}`);
  }
}
