import { PLAIN_LOOK, type GridLook } from "../grid/look.ts";
import type { Action } from "../model/history.ts";
import { viewPath } from "../model/actions.ts";
import type { Actor } from "../model/workbench.ts";

interface GridChange {
  readonly viewId: string;
  readonly by: Actor;
  /** Absent: as the grid came. */
  readonly before: GridLook | undefined;
  readonly after: GridLook;
  readonly restore: (look: GridLook) => void;
}

/** The grid was arranged: sorted, hidden, pinned or widened. Undefined: nothing is different. */
export function gridAction({ viewId, by, before = PLAIN_LOOK, after, restore }: GridChange): Action | undefined {
  const change = changeOf(before, after);
  if (change === undefined) return undefined;
  const path = `${viewPath(viewId)}/grid/${change.part}`;
  return {
    by,
    words: change.words,
    viewId,
    writes: [path],
    merge: path,
    run: () => {
      restore(after);
      return () => restore(before);
    },
  };
}

interface GridChangeWords {
  readonly words: string;
  /** The part of the look that changed: changes of one part in a row are one action. */
  readonly part: string;
}

function changeOf(before: GridLook, after: GridLook): GridChangeWords | undefined {
  return (
    sortChange(before, after) ??
    listChange(before.hidden, after.hidden, { part: "hidden", added: "Hid", removed: "Showed again" }) ??
    listChange(before.pinned, after.pinned, { part: "pinned", added: "Pinned", removed: "Unpinned" }) ??
    listChange(before.coloured ?? [], after.coloured ?? [], {
      part: "coloured",
      added: "Coloured",
      removed: "Took the colours off",
    }) ??
    widthChange(before, after)
  );
}

function sortChange(before: GridLook, after: GridLook): GridChangeWords | undefined {
  if (JSON.stringify(before.sort) === JSON.stringify(after.sort)) return undefined;
  if (after.sort.length === 0) return { words: "Took the sort away", part: "sort" };
  const keys = after.sort.map(({ column, descending }) => `${column}${descending ? ", descending" : ""}`);
  return { words: `Sorted by ${keys.join(", then by ")}`, part: "sort" };
}

function listChange(
  before: readonly string[],
  after: readonly string[],
  { part, added, removed }: { readonly part: string; readonly added: string; readonly removed: string },
): GridChangeWords | undefined {
  if (before.join("\n") === after.join("\n")) return undefined;
  const fresh = after.filter((name) => !before.includes(name));
  const gone = before.filter((name) => !after.includes(name));
  const names = fresh.length > 0 ? fresh : gone;
  const verb = fresh.length > 0 ? added : removed;
  return {
    words: names.length === 0 ? "Moved columns" : `${verb} ${names.join(", ")}`,
    part: `${part}/${names.join()}`,
  };
}

function widthChange(before: GridLook, after: GridLook): GridChangeWords | undefined {
  const names = Object.keys({ ...before.widths, ...after.widths });
  const changed = names.filter((name) => before.widths[name] !== after.widths[name]);
  if (changed.length === 0) return undefined;
  return { words: `Changed the width of ${changed.join(", ")}`, part: `width/${changed.join()}` };
}
