import { LIMITS } from "../protocol/index.ts";

/** A prompt that begins with a command's name. */
export interface CalledCommand {
  readonly name: string;
  readonly rest: string;
}

export const COMMAND_NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
const CALL = /^\/([A-Za-z0-9][\w-]{0,63})(?:\s+([\s\S]*))?$/;

/** Undefined: it is none. `/etc/hosts` is a path. */
export function commandCall(text: string): CalledCommand | undefined {
  const [, name, rest = ""] = CALL.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, rest: rest.trim() };
}

const PLACE = /\$(?:ARGUMENTS\[(\d)\]|ARGUMENTS\b|([1-9])(?!\d))/g;

/**
 * A command's text for one call. `$ARGUMENTS` is all that stands after the name, `$1` its first word; a text that names neither gets it at
 * the end. What is put in is not looked at again, and nothing is run.
 */
export function expandCommand(body: string, rest: string): string {
  const words = argumentsOf(rest);
  let isNamed = false;
  const text = body.replaceAll(PLACE, (_place, index: string | undefined, number: string | undefined) => {
    isNamed = true;
    if (index !== undefined) return words[Number(index)] ?? "";
    return number === undefined ? rest : (words[Number(number) - 1] ?? "");
  });
  return isNamed || rest === "" ? text : `${text}\n\nARGUMENTS: ${rest}`;
}

/** Words as a shell has them: with quotes around one that holds a blank. */
function argumentsOf(rest: string): readonly string[] {
  return commandWords(rest).slice(0, LIMITS.commandArguments);
}

export function commandWords(rest: string): readonly string[] {
  const words = rest.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => (/^(["'])[\s\S]*\1$/.test(word) && word.length > 1 ? word.slice(1, -1) : word));
}
