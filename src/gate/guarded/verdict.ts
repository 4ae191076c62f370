import type { Bindings, Folder } from "../shell/paths.ts";
import type { UnwrappedCommand } from "../shell/unwrap.ts";
import type { ShellWord } from "../shell/words.ts";

/** Where a hook stands that was not told its folder: nothing real lies inside. */
export const NOWHERE = "/\u0000workspace";

/** Why a command is blocked; undefined: nothing speaks against it. */
export type Objection = string | undefined;

/** One simple command whose program is on the list. */
export interface Suspect {
  readonly words: readonly ShellWord[];
  readonly bindings: Bindings;
  readonly folder: Folder;
  readonly part: UnwrappedCommand;
}

/** The first objection of several checks, each made only if those before it had none. */
export function firstObjection(...checks: readonly (() => Objection)[]): Objection {
  for (const check of checks) {
    const objection = check();
    if (objection !== undefined) return objection;
  }
  return undefined;
}
