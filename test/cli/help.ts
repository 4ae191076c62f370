import type { Place } from "./place.ts";

export interface CommandHelp {
  /** Without the program's own name; the program itself has none. */
  readonly words: readonly string[];
  readonly text: string;
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

/** What `--help` says of the program and of each of its commands. */
export async function allHelp(place: Place, words: readonly string[] = []): Promise<readonly CommandHelp[]> {
  const { stdout: text } = await place.run([...words, "--help"]);
  const below = (heading: string): string =>
    new RegExp(`^${heading}:\n([^]*?)(?:\n\n|$(?![^]))`, "m").exec(text)?.[1] ?? "";
  const commands = [...below("Commands").matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
  const options = [...below("Options").matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name = ""]) => name);
  const rest: CommandHelp[] = [];
  for (const name of commands) rest.push(...(await allHelp(place, [...words, name])));
  return [{ words, text, commands, options }, ...rest];
}
