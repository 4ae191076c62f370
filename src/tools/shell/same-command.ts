import { canonicalJson, type CommandPart } from "../../protocol/index.ts";

/** Whether a command would still use the programs and paths that were shown. A program that was missing then may exist now. */
export function leadsWhereShown(shown: readonly CommandPart[], now: readonly CommandPart[]): boolean {
  return (
    shown.length === now.length &&
    shown.every(({ resolved, paths }, index) => {
      const part = now[index];
      if (part === undefined || (resolved !== undefined && resolved !== part.resolved)) return false;
      return canonicalJson(paths) === canonicalJson(part.paths);
    })
  );
}
