import type { Command } from "commander";
import { Failure } from "../protocol/index.ts";
import { findServer } from "./connect.ts";
import { flagsOf, type CommandContext } from "./context.ts";
import { readSettings, type Settings } from "./settings/settings.ts";
import { settingsPath, type SettingsPlace } from "./settings/file.ts";

export function settingsFor({ surroundings }: CommandContext, command: Command): Settings {
  return readSettings({ home: flagsOf(command).home }, surroundings.environment, surroundings.cwd);
}

/** The server named by a flag or the environment; undefined: none. */
export function namedServer({ surroundings }: CommandContext, command: Command): string | undefined {
  const named = [flagsOf(command).server, surroundings.environment["SALLYPORT_URL"]];
  return named.find((url) => url !== undefined && url !== "");
}

/** Whether there is a server to ask. Without one, these commands read the settings themselves. */
export async function hasServer(context: CommandContext, command: Command): Promise<boolean> {
  if (namedServer(context, command) !== undefined) return true;
  return (await findServer(settingsFor(context, command).home.value)) !== undefined;
}

/** The home folder that a command may read and change: this machine's, never another server's. */
export async function ownHome(context: CommandContext, command: Command): Promise<string> {
  const home = settingsFor(context, command).home.value;
  const named = namedServer(context, command);
  if (named !== undefined) {
    const own = await findServer(home);
    if (own === undefined || !URL.canParse(named) || new URL(named).origin !== new URL(own.url).origin)
      throw new Failure(
        "unsupported",
        "this is about a home folder of this machine: run it where the server runs, without --server and SALLYPORT_URL",
      );
  }
  return home;
}

/** The settings file that a command may change. */
export async function ownSettingsFile(context: CommandContext, command: Command): Promise<SettingsPlace> {
  const home = await ownHome(context, command);
  return { path: settingsPath(home), environment: context.surroundings.environment };
}
