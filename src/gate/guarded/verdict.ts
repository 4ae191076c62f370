import type { Bindings, Folder } from "../shell/paths.ts";
import type { UnwrappedCommand } from "../shell/unwrap.ts";
import type { ShellWord } from "../shell/words.ts";

/** The folder of a hook that does not know its folder: nothing real lies inside. */
export const NOWHERE = "/\u0000workspace";

/** Why a command is blocked; undefined: it is not. */
export type Objection = string | undefined;

/** One simple command whose program is on the list. */
export interface Suspect {
  readonly words: readonly ShellWord[];
  readonly bindings: Bindings;
  readonly folder: Folder;
  readonly part: UnwrappedCommand;
}

/** The first objection of several checks; later checks are skipped. */
export function firstObjection(...checks: readonly (() => Objection)[]): Objection {
  for (const check of checks) {
    const objection = check();
    if (objection !== undefined) return objection;
  }
  return undefined;
}
