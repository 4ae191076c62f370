import type { ChangeHunk, ChangeList } from "../../../../protocol/index.ts";

/** What a person leaves out: of a file that is not named, nothing. */
export type ChangeSelection = Readonly<Record<string, "none" | readonly string[]>>;

export const EVERYTHING: ChangeSelection = {};

/** The header of a part, as the diff has it. */
export function hunkHeader({ old_start, old_lines, new_start, new_lines }: ChangeHunk): string {
  return `@@ -${range(old_start, old_lines)} +${range(new_start, new_lines)} @@`;
}

function range(start: number, length: number): string {
  if (length === 1) return String(start);
  return length === 0 ? `${start - 1},0` : `${start},${length}`;
}

export function isChosen(selection: ChangeSelection, path: string, hunk?: string): boolean {
  const kept = Object.hasOwn(selection, path) ? selection[path] : undefined;
  if (kept === undefined) return true;
  return kept !== "none" && (hunk === undefined || kept.includes(hunk));
}

/** Whether only parts of a file are chosen. */
export function isPartly(selection: ChangeSelection, path: string): boolean {
  return Object.hasOwn(selection, path) && selection[path] !== "none";
}

export function toggleFile(selection: ChangeSelection, path: string): ChangeSelection {
  const { [path]: _gone, ...others } = selection;
  return isChosen(selection, path) && !isPartly(selection, path) ? { ...others, [path]: "none" } : others;
}

/** `all`: the ids of the file's parts. */
export function toggleHunk(
  selection: ChangeSelection,
  path: string,
  { hunk, all }: { readonly hunk: string; readonly all: readonly string[] },
): ChangeSelection {
  const kept = all.filter((id) => isChosen(selection, path, id) !== (id === hunk));
  const { [path]: _gone, ...others } = selection;
  if (kept.length === all.length) return others;
  return { ...others, [path]: kept.length === 0 ? "none" : kept };
}

/** What a decision is sent with. Undefined: nothing is chosen. */
export function wantedOf(
  { files, revision }: Pick<ChangeList, "files" | "revision">,
  selection: ChangeSelection,
  { conflicts }: { readonly conflicts: "included" | "left out" },
): { revision: string; paths?: string[]; hunks?: Record<string, string[]> } | undefined {
  const fitting = files.filter(({ conflict }) => conflicts === "included" || conflict !== true);
  const paths = fitting.map(({ path }) => path).filter((path) => isChosen(selection, path));
  if (paths.length === 0) return undefined;
  const hunks = Object.fromEntries(
    paths.flatMap((path) => {
      const kept = Object.hasOwn(selection, path) ? selection[path] : undefined;
      return kept === undefined || kept === "none" ? [] : [[path, [...kept]]];
    }),
  );
  const isWhole = paths.length === files.length && Object.keys(hunks).length === 0;
  return {
    revision,
    ...(isWhole ? {} : { paths }),
    ...(Object.keys(hunks).length === 0 ? {} : { hunks }),
  };
}
